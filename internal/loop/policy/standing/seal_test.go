package standing_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"agent/internal/loop/policy/standing"
	"agent/internal/tools"
)

func TestSeal(t *testing.T) {
	s := standing.Sealer{Session: "one", Key: []byte("a key of thirty-two bytes, about")}
	g := s.Seal(standing.Grant{
		Scope: standing.Scope{Kind: tools.Command, Value: "make", Dir: "/w"},
		Files: []standing.File{{Path: "/w/Makefile", Sum: "sha256:1"}, {Path: "/w/x", Sum: "sha256:2"}},
	})
	if !s.Valid(g) {
		t.Fatal("its own seal is not valid")
	}
	forged := map[string]func(*standing.Grant){
		"value":       func(g *standing.Grant) { g.Value = "make evil" },
		"directory":   func(g *standing.Grant) { g.Dir = "/v" },
		"kind":        func(g *standing.Grant) { g.Kind = tools.Path },
		"sum":         func(g *standing.Grant) { g.Files = []standing.File{{Path: "/w/Makefile", Sum: "sha256:3"}, g.Files[1]} },
		"fewer files": func(g *standing.Grant) { g.Files = g.Files[:1] },
		"no files":    func(g *standing.Grant) { g.Files = nil },
		"order":       func(g *standing.Grant) { g.Files = []standing.File{g.Files[1], g.Files[0]} },
		"boundaries":  func(g *standing.Grant) { g.Value, g.Dir = "make/", "w" },
		"network":     func(g *standing.Grant) { g.Network = true },
		"prefix":      func(g *standing.Grant) { g.Prefix = true },
		"read":        func(g *standing.Grant) { g.Read = true },
		"no seal":     func(g *standing.Grant) { g.Seal = "" },
		"half a seal": func(g *standing.Grant) { g.Seal = g.Seal[:32] },
		"other seal":  func(g *standing.Grant) { g.Seal = strings.Repeat("0", 64) },
		"no hex":      func(g *standing.Grant) { g.Seal = strings.Repeat("x", 64) },
	}
	for name, change := range forged {
		f := g
		change(&f)
		if s.Valid(f) {
			t.Errorf("%s: the seal is still valid", name)
		}
	}
	for name, other := range map[string]standing.Sealer{
		"session": {Session: "two", Key: s.Key}, "key": {Session: "one", Key: []byte("another")}, "no key": {Session: "one"},
	} {
		if other.Valid(g) {
			t.Errorf("another %s: the seal is still valid", name)
		}
	}
	empty := standing.Sealer{Session: "one"}
	if empty.Valid(empty.Seal(g)) {
		t.Error("a seal without a key is valid")
	}
}

func TestKey(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "permissions.key")
	first := key(t, path)
	if again := key(t, path); again != first || len(first) != 32 {
		t.Fatalf("got %x, then %x", first, again)
	}
	info, err := os.Stat(path)
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Fatalf("got %v, %v", info.Mode(), err)
	}
	if entries, _ := os.ReadDir(filepath.Dir(path)); len(entries) != 2 {
		t.Errorf("got %v, want only the key and its lock", entries)
	}
	for name, damage := range map[string]func() error{
		"readable by others": func() error { return os.Chmod(path, 0o644) },
		"writable by others": func() error { return os.Chmod(path, 0o620) },
		"short":              func() error { return os.Truncate(path, 31) },
		"long":               func() error { return os.WriteFile(path, make([]byte, 33), 0o600) },
		"empty":              func() error { return os.Truncate(path, 0) },
		"a link": func() error {
			elsewhere := filepath.Join(t.TempDir(), "key")
			if err := os.Rename(path, elsewhere); err != nil {
				return err
			}
			return os.Symlink(elsewhere, path)
		},
	} {
		if runtime.GOOS == "windows" && (strings.HasSuffix(name, "others") || name == "a link") {
			continue
		}
		before := key(t, path)
		if err := damage(); err != nil {
			t.Fatal(err)
		}
		after := key(t, path)
		if after == before {
			t.Errorf("%s: the key is used all the same", name)
		}
		if again := key(t, path); again != after {
			t.Errorf("%s: the new key is not kept", name)
		}
	}
}

// Processes that create the key at the same time get the same one.
func TestKeyOfSeveralPrograms(t *testing.T) {
	path := filepath.Join(t.TempDir(), "permissions.key")
	keys := make(chan string)
	for range 20 {
		go func() {
			b, err := standing.Key(path)
			if err != nil {
				t.Error(err)
			}
			keys <- string(b)
		}()
	}
	seen := map[string]bool{}
	for range 20 {
		seen[<-keys] = true
	}
	if len(seen) != 1 {
		t.Errorf("got %d keys, want one", len(seen))
	}
}

func key(t *testing.T, path string) string {
	t.Helper()
	b, err := standing.Key(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
