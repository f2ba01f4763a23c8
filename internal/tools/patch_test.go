//go:build unix

package tools_test

import (
	"bufio"
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/tools"
)

// TestPatchCases replays patches from a collection of JSON lines. A patch that
// changes nothing must be rejected.
func TestPatchCases(t *testing.T) {
	cases := os.Getenv("AGENT_CASES")
	if cases == "" {
		t.Skip("AGENT_CASES is not set")
	}
	f, err := os.Open(filepath.Join(cases, "apply_patch.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines, n := bufio.NewScanner(f), 0
	lines.Buffer(nil, 16<<20)
	for ; lines.Scan(); n++ {
		var c struct {
			ID, Patch     string
			Before, After map[string]string
		}
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		t.Run(c.ID, func(t *testing.T) {
			ws, dir := newWorkspace(t, c.Before)
			_, err := call(t, ws, "patch", obj{"patch": c.Patch})
			if refuse := maps.Equal(c.Before, c.After); refuse != (err != nil) {
				t.Errorf("got %v, want it refused: %v", err, refuse)
			}
			if diff := cmp.Diff(contents(t, dir), c.After); diff != "" {
				t.Errorf("got (-), want (+):\n%s", diff)
			}
		})
	}
	if err := lines.Err(); err != nil || n == 0 {
		t.Fatalf("%d cases, %v", n, err)
	}
}

func TestAMoveKeepsTheMode(t *testing.T) {
	ws, dir := newWorkspace(t, map[string]string{"run.sh": "echo a\n", "there": "x\n"})
	if err := os.Chmod(filepath.Join(dir, "run.sh"), 0o750); err != nil {
		t.Fatal(err)
	}
	if _, err := call(t, ws, "patch", patchOf("*** Update File: run.sh", "*** Move to: there")); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(dir, "there"))
	if err != nil || info.Mode().Perm() != 0o750 {
		t.Errorf("got %v, %v, want mode 0750", info.Mode(), err)
	}
	if diff := cmp.Diff(contents(t, dir), map[string]string{"there": "echo a\n"}); diff != "" {
		t.Errorf("got (-), want (+):\n%s", diff)
	}
}

func TestAPatchIsApprovedByFile(t *testing.T) {
	files := map[string]string{"a": "a\n", "b": "b\n", "c": "c\n"}
	patch := patchOf("*** Update File: a", "*** Move to: moved", "*** Update File: b", "-b", "+B", "*** Delete File: c")
	for name, c := range map[string]struct {
		paths []string
		want  map[string]string
		text  string
	}{
		"all":             {[]string{"a", "moved", "b", "c"}, map[string]string{"moved": "a\n", "b": "B\n"}, "moved a to moved."},
		"not the removal": {[]string{"a", "moved", "b"}, map[string]string{"moved": "a\n", "b": "B\n", "c": "c\n"}, "c is unchanged: the user did not approve"},
		"half a move":     {[]string{"a", "b"}, map[string]string{"a": "a\n", "b": "B\n", "c": "c\n"}, "a is unchanged: the user did not approve"},
		"only a removal":  {[]string{"c"}, map[string]string{"a": "a\n", "b": "b\n"}, "removed c."},
	} {
		t.Run(name, func(t *testing.T) {
			ws, dir := newWorkspace(t, files)
			asked, err := prepare(t, ws, "patch", patch)
			if err != nil {
				t.Fatal(err)
			}
			approved := slices.DeleteFunc(slices.Clone(asked.Changes), func(ch tools.Change) bool { return !slices.Contains(c.paths, ch.Path) })
			r, err := asked.Run(t.Context(), tools.Approved{Changes: approved})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(contents(t, dir), c.want); diff != "" {
				t.Errorf("got (-), want (+):\n%s", diff)
			}
			if !strings.Contains(r.Text, c.text) {
				t.Errorf("got %q, want %q in it", r.Text, c.text)
			}
		})
	}
}

func TestALinkIsNotRemoved(t *testing.T) {
	ws, dir := newWorkspace(t, map[string]string{"real": "a\n"})
	if err := os.Symlink("real", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	for _, patch := range []obj{patchOf("*** Delete File: link"), patchOf("*** Update File: link", "*** Move to: other")} {
		if _, err := call(t, ws, "patch", patch); err == nil || !strings.Contains(err.Error(), "symbolic link to real") {
			t.Errorf("got %v, want it refused", err)
		}
	}
	if _, err := call(t, ws, "patch", patchOf("*** Update File: link", "-a", "+b")); err != nil {
		t.Error(err)
	}
	if info, err := os.Lstat(filepath.Join(dir, "link")); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link was replaced: %v, %v", info, err)
	}
	if diff := cmp.Diff(contents(t, dir), map[string]string{"real": "b\n"}); diff != "" {
		t.Errorf("got (-), want (+):\n%s", diff)
	}
}
