//go:build unix

package tools_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agent/internal/sampling"
	"agent/internal/tools"
)

// TestCancelWhileWriting cancels a change of two files and a removal at a random
// moment. All of it happens or nothing, and no temporary file is left.
func TestCancelWhileWriting(t *testing.T) {
	runs := 40
	if sampling.Whole() {
		runs = 300
	}
	old := map[string]string{"a": strings.Repeat("old a\n", 5000), "dir/b": strings.Repeat("old b\n", 5000), "c": "old c\n"}
	changed := map[string]string{"a": strings.Repeat("new a\n", 5000), "dir/b": strings.Repeat("new b\n", 5000), "new/d": "new d\n"}
	change := patchOf("*** Add File: a", strings.TrimSuffix(strings.Repeat("+new a\n", 5000), "\n"),
		"*** Add File: dir/b", strings.TrimSuffix(strings.Repeat("+new b\n", 5000), "\n"), "*** Delete File: c", "*** Add File: new/d", "+new d")
	ws, dir := newWorkspace(t, old)
	start := time.Now()
	longest := 2 * time.Millisecond
	tried, done := 0, 0
	for i := range runs {
		tried++
		c, err := prepare(t, ws, "patch", change)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), rand.N(longest))
		before := time.Now()
		_, err = c.Run(ctx, tools.Approved{Changes: c.Changes})
		cancel()
		want := changed
		if err != nil {
			want = old
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Fatalf("got %v, want the context's error", err)
			}
		}
		if got := contents(t, dir); !cmp.Equal(got, want) {
			t.Fatalf("run %d ended with %v, which is neither all of it nor nothing: %v", i, err, sizes(got))
		}
		if _, e := os.Lstat(filepath.Join(dir, "new")); err != nil && e == nil {
			t.Fatalf("run %d left a directory behind", i)
		}
		if err == nil {
			done++
			longest = time.Since(before)
			restore(t, dir, old)
		}
		if time.Since(start) > 30*time.Second {
			break // the disk is slow
		}
	}
	t.Attr("promise", fmt.Sprintf("a patch that is stopped is written whole or not at all: stops tried: %d (%d came too late)", tried, done))
}

// sizes returns the sizes of files, to report a wrong result briefly.
func sizes(files map[string]string) map[string]int {
	out := map[string]int{}
	for name, text := range files {
		out[name] = len(text)
	}
	return out
}

func restore(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	if err := os.RemoveAll(filepath.Join(dir, "new")); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		writeFile(t, filepath.Join(dir, name), text)
	}
}

// TestAllOrNothing changes one of the files between Prepare and Run.
func TestAllOrNothing(t *testing.T) {
	files := map[string]string{"a": "a\n", "b": "b\n", "c": "c\n"}
	patch := patchOf("*** Update File: a", "-a", "+A", "*** Add File: new/d", "+d", "*** Update File: b", "-b", "+B", "*** Delete File: c")
	for name, c := range map[string]struct {
		change func(dir string) error
		want   map[string]string
	}{
		"the first":      {func(dir string) error { return os.WriteFile(filepath.Join(dir, "a"), []byte("x"), 0o666) }, map[string]string{"a": "x", "b": "b\n", "c": "c\n"}},
		"a later one":    {func(dir string) error { return os.Remove(filepath.Join(dir, "b")) }, map[string]string{"a": "a\n", "c": "c\n"}},
		"to be removed":  {func(dir string) error { return os.WriteFile(filepath.Join(dir, "c"), []byte("x"), 0o666) }, map[string]string{"a": "a\n", "b": "b\n", "c": "x"}},
		"the directory":  {func(dir string) error { return os.WriteFile(filepath.Join(dir, "new"), nil, 0o666) }, map[string]string{"a": "a\n", "b": "b\n", "c": "c\n", "new": ""}},
		"the new one":    {func(dir string) error { return os.MkdirAll(filepath.Join(dir, "new", "d"), 0o777) }, files},
		"another's mode": {func(dir string) error { return os.Chmod(filepath.Join(dir, "a"), 0o600) }, files},
	} {
		t.Run(name, func(t *testing.T) {
			ws, dir := newWorkspace(t, files)
			prepared, err := prepare(t, ws, "patch", patch)
			if err != nil {
				t.Fatal(err)
			}
			if err := c.change(dir); err != nil {
				t.Fatal(err)
			}
			_, err = prepared.Run(t.Context(), tools.Approved{Changes: prepared.Changes})
			if err == nil || !strings.Contains(err.Error(), "none of the 4 files was changed") {
				t.Errorf("got %v, want that nothing was changed", err)
			}
			if diff := cmp.Diff(contents(t, dir), c.want); diff != "" {
				t.Errorf("got (-), want (+):\n%s", diff)
			}
		})
	}
}

// TestOtherNamesInTheWorkspaceGetTheNewContent changes several files, some with hard
// links. A change must not reach a name outside the workspace.
func TestOtherNamesInTheWorkspaceGetTheNewContent(t *testing.T) {
	ws, dir := newWorkspace(t, map[string]string{"a": "a\n", "b": "b\n", "c": "c\n", "d": "d\n", "sub/x": "x\n"})
	outside := filepath.Join(t.TempDir(), "outside")
	for from, to := range map[string]string{"a": filepath.Join(dir, "sub", "link"), "c": outside, "d": filepath.Join(dir, ".git")} {
		if err := os.Link(filepath.Join(dir, from), to); err != nil {
			t.Skip(err)
		}
	}
	var edits []obj
	for _, name := range []string{"a", "b", "c", "d"} {
		edits = append(edits, obj{"path": name, "old": name, "new": strings.ToUpper(name)})
	}
	r, err := call(t, ws, "edit", obj{"edits": edits})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"a": "A\n", "b": "B\n", "c": "C\n", "d": "D\n", "sub/link": "A\n", "sub/x": "x\n", ".git": "d\n"}
	if diff := cmp.Diff(contents(t, dir), want); diff != "" {
		t.Errorf("got (-), want (+):\n%s", diff)
	}
	if text, err := os.ReadFile(outside); err != nil || string(text) != "c\n" {
		t.Errorf("outside: got %q, %v, want the old content", text, err)
	}
	if !strings.Contains(r.Text, "changed a: it now has 1 line, 2 bytes. Replaced 1 occurrence, on line 1. It was written in place, which is not atomic") || strings.Count(r.Text, "in place") != 1 {
		t.Errorf("got %q, want that a was written in place", r.Text)
	}
}

// TestWritesInPlaceAreAllOrNone changes a file with two names, and another one. Meanwhile
// a third name of it appears, or a link in its place.
func TestWritesInPlaceAreAllOrNone(t *testing.T) {
	for name, change := range map[string]func(dir string) error{
		"another name appears": func(dir string) error { return os.Link(filepath.Join(dir, "a"), filepath.Join(t.TempDir(), "outside")) },
		"a link appears": func(dir string) error {
			target := filepath.Join(t.TempDir(), "target")
			return errors.Join(os.Rename(filepath.Join(dir, "a"), target), os.Symlink(target, filepath.Join(dir, "a")))
		},
	} {
		ws, dir := newWorkspace(t, map[string]string{"a": "a\n", "b": "b\n"})
		if err := os.Link(filepath.Join(dir, "a"), filepath.Join(dir, "link")); err != nil {
			t.Skip(err)
		}
		asked, err := prepare(t, ws, "edit", obj{"edits": []obj{{"path": "b", "old": "b", "new": "B"}, {"path": "a", "old": "a", "new": "A"}}})
		if err != nil {
			t.Fatal(err)
		}
		if err := change(dir); err != nil {
			t.Fatal(err)
		}
		if _, err = asked.Run(t.Context(), tools.Approved{Changes: asked.Changes}); err == nil || !strings.Contains(err.Error(), "none of the 2 files was changed") {
			t.Errorf("%s: got %v, want that nothing was changed", name, err)
		}
		if got := contents(t, dir); got["b"] != "b\n" || got["link"] != "a\n" || len(got) > 3 {
			t.Errorf("%s: got %q", name, got)
		}
	}
}

func TestOneFileHasOneName(t *testing.T) {
	ws, dir := newWorkspace(t, map[string]string{"a": "a\n"})
	if err := os.Link(filepath.Join(dir, "a"), filepath.Join(dir, "b")); err != nil {
		t.Skip(err)
	}
	_, err := call(t, ws, "edit", obj{"edits": []obj{{"path": "a", "old": "a", "new": "A"}, {"path": "b", "old": "a", "new": "B"}}})
	if err == nil || !strings.Contains(err.Error(), "a and b are the same file") {
		t.Errorf("got %v, want it refused", err)
	}
}
