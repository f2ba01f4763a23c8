package toolchain_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/tools/toolchain"
)

// found returns the directories below top that Sources finds, relative to it. Files are
// made below top first; in the values of env, $TOP stands for top.
func found(t *testing.T, env map[string]string, files ...string) []string {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(files, "home/x") {
		file := filepath.Join(top, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, nil, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	getenv := func(name string) string { return strings.ReplaceAll(env[name], "$TOP", top) }
	var out []string
	for _, dir := range toolchain.Sources(getenv, filepath.Join(top, "home")) {
		if rel, err := filepath.Rel(top, dir); err == nil && filepath.IsLocal(rel) {
			out = append(out, filepath.ToSlash(rel))
		}
	}
	slices.Sort(out)
	return out
}

func TestSourcesBelowTheHomeDirectory(t *testing.T) {
	got := found(t, nil,
		"home/go/pkg/mod/m@v1/m.go", "home/go/bin/x", "home/.cargo/registry/src/i/c/lib.rs", "home/.cargo/credentials.toml",
		"home/.rustup/toolchains/stable/lib/rustlib/src/core.rs", "home/.local/lib/python3.12/site-packages/p.py",
		"home/.nvm/versions/node/v22/lib/node_modules/m/index.js", "home/.pyenv/versions/3.13/lib/python3.13/os.py", "home/notes.txt")
	want := []string{
		"home/.cargo/registry/src", "home/.local/lib/python3.12", "home/.nvm/versions/node/v22/lib/node_modules",
		"home/.pyenv/versions/3.13/lib/python3.13", "home/.rustup/toolchains/stable/lib/rustlib/src", "home/go/pkg/mod",
	}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("got (-), want (+):\n%s", diff)
	}
}

func TestSourcesOfTheEnvironment(t *testing.T) {
	env := map[string]string{
		"PATH": "relative:$TOP/links", "GOPATH": "$TOP/a" + string(filepath.ListSeparator) + "$TOP/b", "GOMODCACHE": "$TOP/cache[1]",
		"CARGO_HOME": "$TOP/cargo", "VIRTUAL_ENV": "relative/venv", "GOROOT": "$TOP/missing",
	}
	got := found(t, env, "a/pkg/mod/x", "b/pkg/mod/x", "cache[1]/x", "cache1/x", "cargo/registry/src/x", "home/go/pkg/mod/x", "links/node", "lib/node_modules/x")
	want := []string{"a/pkg/mod", "b/pkg/mod", "cache[1]", "cargo/registry/src", "lib/node_modules"}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("got (-), want (+):\n%s", diff)
	}
}

// A variable must not make the home directory readable.
func TestSourcesNeverContainTheHomeDirectory(t *testing.T) {
	for _, dir := range []string{"$TOP", "$TOP/home", "/", "$TOP/home/../home"} {
		if got := found(t, map[string]string{"GOMODCACHE": dir}); got != nil {
			t.Errorf("GOMODCACHE=%s: got %v, want nothing", dir, got)
		}
	}
}
