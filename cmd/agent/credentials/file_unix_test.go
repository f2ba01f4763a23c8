//go:build unix

package credentials

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"agent/cmd/agent/settings"
	"agent/internal/llm/catalog"
)

// secretsFile returns the file of a new state directory.
func secretsFile(t *testing.T) string {
	t.Helper()
	state := t.TempDir()
	t.Setenv("XDG_STATE_HOME", state)
	return filepath.Join(state, "agent", "credentials", "secrets.json")
}

// Only the user's account can read the file. A key in the keyring replaces that in the file.
func TestKeyInAFile(t *testing.T) {
	path := secretsFile(t)
	t.Setenv("GROQ_API_KEY", "")
	groq, _ := catalog.Find("groq")
	var out strings.Builder
	if err := login(&out, File{}, groq, "k1"); err != nil {
		t.Fatal(err)
	}
	for file, mode := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): os.ModeDir | 0o700} {
		if info, err := os.Lstat(file); err != nil || info.Mode() != mode {
			t.Errorf("%s: got %v, %v", file, info.Mode(), err)
		}
	}
	none := &fakeKeyring{err: errNoKeyring}
	v := newVault(settings.Settings{}, none, storedSecrets)
	where, ok := v.Has("groq")
	if key, from, err := v.Key("groq"); !ok || key.Reveal() != "k1" || from != where || from != "the file "+path || err != nil || none.asks > 0 {
		t.Errorf("got %q in %s, %v, and %q", key.Reveal(), from, err, where)
	}
	ring := &fakeKeyring{keys: map[string]string{}}
	if err := login(&out, ring, groq, "k2"); err != nil {
		t.Fatal(err)
	}
	if _, err := (File{}).Get("groq"); !errors.Is(err, errNoKey) {
		t.Errorf("the file still has the key: %v", err)
	}
	if key, from, err := newVault(settings.Settings{}, ring, storedSecrets).Key("groq"); key.Reveal() != "k2" || from != "the system keyring" || err != nil {
		t.Errorf("got %q in %s, %v", key.Reveal(), from, err)
	}
	if err := login(&out, File{}, groq, "k3"); err != nil {
		t.Fatal(err)
	}
	if err := logout(&out, ring, groq); err != nil || len(ring.keys) > 0 || len(storedSecrets()) > 0 {
		t.Errorf("after the logout: %v, %v, %v", err, ring.keys, storedSecrets())
	}
	if b, err := os.ReadFile(path); err != nil || string(b) != "{}\n" {
		t.Errorf("left is %q, %v", b, err)
	}
}

// A file or directory that another user could have made is neither read nor replaced.
func TestUnsafeFileIsNotUsed(t *testing.T) {
	for name, row := range map[string]struct {
		plant func(path string) error
		want  string
	}{
		"others can read it": {func(path string) error { return os.WriteFile(path, []byte("{}"), 0o644) }, "(mode 0644). To make it private: chmod go= "},
		"a link": {func(path string) error {
			return errors.Join(os.WriteFile(path+".real", []byte("{}"), 0o600), os.Symlink(path+".real", path))
		}, "is a symbolic link"},
		"another user owns it": {func(path string) error {
			if os.Geteuid() != 0 {
				return os.Symlink(path+".none", path) // only root can give a file away
			}
			return errors.Join(os.WriteFile(path, []byte("{}"), 0o600), os.Chown(path, 65534, -1))
		}, map[bool]string{true: "belongs to another user", false: "is a symbolic link"}[os.Geteuid() == 0]},
		"a link to nothing":          {func(path string) error { return os.Symlink(path+".none", path) }, "is a symbolic link"},
		"a directory":                {func(path string) error { return os.Mkdir(path, 0o700) }, "is not a regular file"},
		"damaged":                    {func(path string) error { return os.WriteFile(path, []byte("{"), 0o600) }, "is damaged"},
		"others can list its parent": {func(path string) error { return os.Chmod(filepath.Dir(path), 0o755) }, "(mode 0755). To make it private: chmod go= "},
		"its parent is a link":       {func(path string) error { return relink(filepath.Dir(path)) }, "is a symbolic link"},
	} {
		t.Run(name, func(t *testing.T) {
			path := secretsFile(t)
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := row.plant(path); err != nil {
				t.Fatal(err)
			}
			opts := noKeyring(errNoKeyring)
			opts.File = true
			if err := loginRun(t.Context(), opts); !strings.Contains(errorText(err), row.want) || len(storedSecrets()) > 0 {
				t.Errorf("got %v, want %s", err, row.want)
			}
			if _, err := os.Lstat(path + ".none"); err == nil {
				t.Error("it wrote through the link")
			}
		})
	}
}

// relink replaces a directory by a link to it.
func relink(dir string) error {
	return errors.Join(os.Rename(dir, dir+".real"), os.Symlink(dir+".real", dir))
}

// Tokens are renewed where they are. Logins at the same time are all kept.
func TestTokensInAFile(t *testing.T) {
	path := secretsFile(t)
	none := &fakeKeyring{err: errNoKeyring}
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			if err := (Tokens{Keyring: none, Chosen: File{}}).Save(fmt.Sprint("mcp:s", i), strings.Repeat("a", 5000)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	tokens := Tokens{Keyring: none}
	if err := tokens.Save("mcp:s7", "renewed"); err != nil {
		t.Fatal(err)
	}
	if text, err := tokens.Load("mcp:s7"); text != "renewed" || err != nil {
		t.Errorf("loaded %q, %v", text, err)
	}
	for i := range 20 {
		name := fmt.Sprint("mcp:s", i)
		if where, ok := tokens.Has(name); !ok || where != "the file "+path {
			t.Errorf("%s: got %q, %t", name, where, ok)
		}
		if found, err := tokens.Delete(name); !found || err != nil {
			t.Errorf("%s: got %t, %v", name, found, err)
		}
	}
	if len(storedSecrets()) > 0 || none.asks > 0 {
		t.Errorf("left are %q; the keyring was asked %d times", storedSecrets(), none.asks)
	}
}
