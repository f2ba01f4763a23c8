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
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agent/internal/tools"
)

// TestCancelWhileWriting cancels a change of two files and a removal at a random
// moment. All of it happens or nothing, and no temporary file is left.
func TestCancelWhileWriting(t *testing.T) {
	runs := 300
	if testing.Short() {
		runs = 40
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

// TestOtherNamesKeepTheOldContent changes several files, some with hard links. The
// commit must not write through the links.
func TestOtherNamesKeepTheOldContent(t *testing.T) {
	ws, dir := newWorkspace(t, map[string]string{"a": "a\n", "b": "b\n"})
	if err := os.Link(filepath.Join(dir, "a"), filepath.Join(dir, "link")); err != nil {
		t.Skip(err)
	}
	if _, err := call(t, ws, "edit", obj{"edits": []obj{{"path": "a", "old": "a", "new": "A"}, {"path": "b", "old": "b", "new": "B"}}}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(contents(t, dir), map[string]string{"a": "A\n", "b": "B\n", "link": "a\n"}); diff != "" {
		t.Errorf("got (-), want (+):\n%s", diff)
	}
	info, err := os.Stat(filepath.Join(dir, "link"))
	if err != nil {
		t.Fatal(err)
	}
	if st, ok := info.Sys().(*syscall.Stat_t); ok && st.Nlink != 1 {
		t.Errorf("the old file has %d names, want 1", st.Nlink)
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
