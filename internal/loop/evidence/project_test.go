package evidence_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/loop/evidence"
	"agent/internal/tools"
)

func TestTestCommand(t *testing.T) {
	t.Parallel()
	command := func(dir string) string {
		how := evidence.HowToTest(tools.NewChecks(tools.Commands{}, nil), dir, true)
		return strings.TrimSuffix(strings.TrimPrefix(how, "run `"), "`")
	}
	for name, c := range map[string]struct{ file, text, want string }{
		"a make target":        {"Makefile", "all: build\n\ntest: all\n\tgo test\n", "make test"},
		"no such target":       {"Makefile", "all: test-files\n", ""},
		"a Go module":          {"go.mod", "module m\n", "go test ./..."},
		"a crate":              {"Cargo.toml", "[package]\n", "cargo test"},
		"a package with tests": {"package.json", `{"scripts":{"test":"node --test"}}`, "npm test"},
		"a package without":    {"package.json", `{"scripts":{"build":"tsc"}}`, ""},
		"a broken package":     {"package.json", `{`, ""},
		"Python with pytest":   {"pyproject.toml", "[tool.pytest.ini_options]\n", "python3 -m pytest"},
		"Python without":       {"pyproject.toml", "[project]\n", ""},
		"nothing":              {"README.md", "test:\n", ""},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, c.file), []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		if got := command(dir); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
	dir := t.TempDir()
	if err := os.Symlink("/dev/zero", filepath.Join(dir, "Makefile")); err != nil {
		t.Skip(err)
	}
	if got := command(dir); got != "" {
		t.Errorf("a link to a device: got %q", got)
	}
}
