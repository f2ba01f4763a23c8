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

func TestParse(t *testing.T) {
	for text, want := range map[string][]string{
		"":                                 nil,
		"A=1\nB=2":                         {"A=1", "B=2"},
		"\ufeffA=1\r\nB='2'\r\n":           {"A=1", "B=2"},
		"export A=1\n export\tB = 2 \n":    {"A=1", "B=2"},
		"exported=1\nexport=2\n":           {"exported=1", "export=2"},
		"# A comment\n#A=1\n  # B=2\n":     {"A=1", "B=2"},
		"A=1 # one\nB=x#y\nC=#\nD=\n":      {"A=1", "B=x#y", "C=", "D="},
		"A='x # y' # z\nB=\"it's\"\n":      {"A=x # y", "B=it's"},
		"A=`x\"y`\nB='x\\'\nC=1":           {`A=x"y`, `B=x\`, "C=1"},
		`A="x\"y\\z"`:                      {`A=x\"y\\z`, `A=x"y\z`},
		"A=\"one\r\ntwo\"\nB=3":            {"A=one\ntwo", "B=3"},
		"A=\"open\nB=2":                    {"A=open", "B=2"},
		"A=postgres://a:${P}@h\nB='${P}'":  {"B=${P}"},
		"A=\"${P}\"\nB=$x1":                {"B=$x1"},
		"text\ntwo words=1\n[x]\nA: 1\n=1": nil,
		"a.b-c=x==":                        {"a.b-c=x=="},
	} {
		if d := cmp.Diff(want, parse(text)); d != "" {
			t.Errorf("parse(%q) (-want +got):\n%s", text, d)
		}
	}
}

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
	for i := range 2 * maxFiles {
		put(t, filepath.Join(dir, fmt.Sprintf("%02d.env", i)), strings.Repeat("A=1\n", 2*maxVariables), time.Hour)
	}
	if got, want := len(New([]string{dir}).Changed()), (maxFiles-1)*maxVariables; got != want {
		t.Errorf("got %d variables, want %d", got, want)
	}
}
