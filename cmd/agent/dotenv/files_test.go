package dotenv

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// put writes a file that is old enough for its time to show the next change.
func put(t *testing.T, path, text string, age time.Duration) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	at := time.Now().Add(-age)
	for _, p := range []string{path, filepath.Dir(path)} {
		if err := os.Chtimes(p, at, at); err != nil {
			t.Fatal(err)
		}
	}
}

// Changed returns the variables of files once, and again after a change.
func TestChanged(t *testing.T) {
	dir, added := t.TempDir(), t.TempDir()
	f := New([]string{dir, added, filepath.Join(dir, "missing")})
	want := func(variables ...string) {
		t.Helper()
		if d := cmp.Diff(variables, f.Changed()); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
	}
	want()
	put(t, filepath.Join(dir, ".env"), "A=1\n", 9*time.Hour)
	put(t, filepath.Join(added, "app.env"), "B=1\n", 9*time.Hour)
	want("A=1", "B=1")
	want()
	put(t, filepath.Join(dir, ".env"), "A=2\n", 8*time.Hour)
	want("A=2")
	put(t, filepath.Join(dir, ".ENV.local"), "C=1\n", 7*time.Hour)
	want("C=1")
	put(t, filepath.Join(added, ".env-test"), "D=1\n", 0)
	want("D=1")
	want("D=1") // another change could have the same time
	if err := os.Remove(filepath.Join(added, ".env-test")); err != nil {
		t.Fatal(err)
	}
	want()
}

// Files with other names, of other kinds, and more or larger ones than the limits are not
// read.
func TestOtherFilesAreNotRead(t *testing.T) {
	dir, elsewhere := t.TempDir(), t.TempDir()
	for _, name := range []string{".env.example", ".env.sample", ".env.template", ".env.dist", "env", ".environment", "sub/.env", "config.json"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		put(t, path, "A=1\n", time.Hour)
	}
	put(t, filepath.Join(dir, ".env.large"), "A=1\n"+strings.Repeat("#", maxSize), time.Hour)
	put(t, filepath.Join(elsewhere, ".env"), "A=1\n", time.Hour)
	if err := os.Symlink(filepath.Join(elsewhere, ".env"), filepath.Join(dir, ".env")); err != nil {
		t.Log("without a link: ", err)
	}
	if got := New([]string{dir}).Changed(); got != nil {
		t.Errorf("got %q", got)
	}
	variables := ""
	for i := range 2 * maxVariables {
		variables += fmt.Sprintf("A%d=1\n", i)
	}
	for i := range 2 * maxFiles {
		put(t, filepath.Join(dir, fmt.Sprintf("%02d.env", i)), variables, time.Hour)
	}
	if got, want := len(New([]string{dir}).Changed()), (maxFiles-1)*maxVariables; got != want {
		t.Errorf("got %d variables, want %d", got, want)
	}
}
