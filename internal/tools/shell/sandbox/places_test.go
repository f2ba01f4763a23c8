//go:build unix

package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPlaces(t *testing.T) {
	home := t.TempDir()
	for _, dir := range []string{
		".cache/go-build", "go/bin", "go/pkg/mod/golang.org/toolchain@v0.0.1/bin", ".npm/_npx", ".cargo/bin", ".cargo/registry",
		".ssh", ".config/gh", ".config/git", "agent", "elsewhere/mod", "notes", ".orbstack/run", ".rd/bin",
	} {
		if err := os.MkdirAll(filepath.Join(home, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{".gitconfig", ".netrc", "agent/socket", ".rd/docker.sock"} {
		if err := os.WriteFile(filepath.Join(home, file), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	env := map[string]string{
		"SSH_AUTH_SOCK": filepath.Join(home, "agent/socket"), "DOCKER_HOST": "unix://" + filepath.Join(home, "notes"),
		"DBUS_SESSION_BUS_ADDRESS": "unix:path=" + filepath.Join(home, "agent") + ",guid=1",
	}
	p := Places{Home: home, Env: func(name string) string { return env[name] }}
	inHome := func(paths []string) (found []string) {
		for _, path := range paths {
			if rest, ok := strings.CutPrefix(path, home+"/"); ok {
				found = append(found, rest)
			}
		}
		slices.Sort(found)
		return found
	}
	want := func(what string, got, want []string) {
		t.Helper()
		if d := cmp.Diff(inHome(got), want); d != "" {
			t.Errorf("%s: got (-), want (+):\n%s", what, d)
		}
	}
	want("caches", p.Caches(), []string{".cache/go-build", ".cargo/registry", ".npm", "go/pkg/mod"})
	want("programs", p.Programs(), []string{".npm/_npx", "go/pkg/mod/golang.org/toolchain@v0.0.1"})
	want("toolchains", p.Toolchains(), []string{".cargo/bin", ".gitconfig", "go", "go"})
	want("private", p.Private(), []string{".config/gh", ".config/gh", ".netrc", ".orbstack/run", ".rd/docker.sock", ".ssh", "agent", "agent/socket", "notes"})
	env["GOMODCACHE"] = filepath.Join(home, "elsewhere/mod")
	want("caches", p.Caches(), []string{".cache/go-build", ".cargo/registry", ".npm", "elsewhere/mod"})
}
