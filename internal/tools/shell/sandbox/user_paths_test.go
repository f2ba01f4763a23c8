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

func TestUserPaths(t *testing.T) {
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
	p := UserPaths{Home: home, Env: func(name string) string { return env[name] }}
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
	want("toolchains", p.Toolchains(), []string{".cargo/bin", ".gitconfig", "go/bin", "go/pkg"})
	want("private", p.Private(), []string{".config/gh", ".config/gh", ".netrc", ".orbstack/run", ".rd/docker.sock", ".ssh", "agent", "agent/socket", "notes"})
	env["GOMODCACHE"] = filepath.Join(home, "elsewhere/mod")
	want("caches", p.Caches(), []string{".cache/go-build", ".cargo/registry", ".npm", "elsewhere/mod"})
}

// Programs in the home directory run although they are links to their installations.
func TestUserPathsOfLinkedPrograms(t *testing.T) {
	home := t.TempDir()
	link := func(program, from string) {
		t.Helper()
		for _, path := range []string{filepath.Join(home, program), filepath.Join(home, from)} {
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(home, program), nil, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(filepath.Join(home, program), filepath.Join(home, from)); err != nil {
			t.Fatal(err)
		}
	}
	link("opt/pipx/venvs/black/bin/black", ".local/bin/black")
	link("dots/run.sh", "bin/run")
	link("node/lib/node_modules/tsc/bin/tsc", "node/bin/tsc")
	link(".local/share/bin/tool", ".local/bin/tool")
	link("secret/bin/key", "work/bin/evil")
	env := map[string]string{"PATH": filepath.Join(home, "node/bin") + ":" + filepath.Join(home, "work/bin") + ":/usr/bin"}
	p := UserPaths{Home: home, Env: func(name string) string { return env[name] }}
	want := []string{".local/share/bin/tool", "dots/run.sh", "node/lib/node_modules", "opt/pipx/venvs/black"}
	for i := range want {
		want[i] = filepath.Join(home, want[i])
	}
	if d := cmp.Diff(p.Linked(func(path string) bool { return below(path, filepath.Join(home, "work")) }), want); d != "" {
		t.Errorf("got (-), want (+):\n%s", d)
	}
}

// Credentials are hidden in directories that are shown.
func TestUserPathsHideCredentialsOfToolchains(t *testing.T) {
	home := t.TempDir()
	p := UserPaths{Home: home, Env: func(string) string { return "" }}
	for _, file := range []string{".pub-cache/credentials.json", ".julia/servers/x/auth.toml", ".rye/credentials", ".local/share/uv/credentials/credentials.toml", ".local/share/gem/credentials", ".m2/settings.xml", ".config/pip/pip.conf", ".npmrc", ".cache/huggingface/token", ".cargo/credentials.toml"} {
		path := filepath.Join(home, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		nearest := func(paths []string) (length int) {
			for _, dir := range paths {
				if path == dir || below(path, dir) {
					length = max(length, len(dir))
				}
			}
			return length
		}
		if shown := nearest(p.Toolchains()); shown > 0 && nearest(p.Private()) < shown {
			t.Errorf("%s is shown", file)
		}
	}
}

// A toolchain that is not used at the top of the workspace finds a cache only with the network.
func TestUserPathsOfMissingCaches(t *testing.T) {
	home := t.TempDir()
	p := UserPaths{Home: home, Env: func(string) string { return "" }}
	work := filepath.Join(home, "work")
	for _, file := range []string{"go.mod", "java/build.gradle", "py/.pre-commit-config.yaml"} {
		path := filepath.Join(work, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	names := func(network bool) (names []string) {
		for _, path := range p.MissingCaches([]string{work}, network) {
			names = append(names, strings.TrimPrefix(path, home+"/"))
		}
		return names
	}
	top := []string{".cache/go-build", "go/pkg/mod", "go/pkg/sumdb"}
	if d := cmp.Diff(names(false), top); d != "" {
		t.Errorf("without the network: got (-), want (+):\n%s", d)
	}
	for _, name := range append(top, ".gradle/caches", ".gradle/wrapper", ".cache/pre-commit") {
		if !slices.Contains(names(true), name) {
			t.Errorf("with the network: %s is missing in %q", name, names(true))
		}
	}
	for _, dir := range p.MissingCaches([]string{work}, true) {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(append(p.Caches(), p.Downloads()...), dir) {
			t.Errorf("%s is created, but not writable with the network", dir)
		}
	}
}
