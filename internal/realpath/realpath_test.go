package realpath_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/realpath"
)

// Links in the middle and at the end of a path are resolved, also those to files that do
// not exist.
func TestPaths(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "a", "b"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{"link": filepath.Join(dir, "a", "b"), "gone": filepath.Join("a", "new"), "loop": "loop"} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Skip("cannot create symbolic links: ", err)
		}
	}
	at := func(name string) string { return dir + string(filepath.Separator) + filepath.FromSlash(name) }
	for _, c := range []struct{ path, of, follow, checked string }{
		{"a/b", "a/b", "a/b", "a/b"},
		{"link/x", "a/b/x", "a/b/x", "a/b/x"},
		{"link/../x", "x", "a/x", "x"},
		{"gone", "a/new", "a/new", "gone"},
		{"no/such/file", "no/such/file", "no/such/file", "no/such/file"},
		{"loop", "loop", "loop", ""},
	} {
		checked, err := realpath.Checked(at(c.path))
		if c.checked == "" {
			if err == nil {
				t.Errorf("%s: no error", c.path)
			}
			checked = at("")
		}
		got := []string{realpath.Of(at(c.path)), realpath.Follow(at(c.path)), checked}
		if diff := cmp.Diff([]string{at(c.of), at(c.follow), at(c.checked)}, got); diff != "" {
			t.Errorf("%s: %s", c.path, diff)
		}
	}
	want := []string{at("link/x"), at("a/b/x"), at("a/b/x")}
	if diff := cmp.Diff(want, realpath.Steps(at("link/x"))); diff != "" {
		t.Error(diff)
	}
}
