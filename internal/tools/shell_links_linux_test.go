package tools_test

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"agent/internal/tools"
)

// What a protected path leads to through symbolic links stays the same: commands can
// change neither the targets nor the links, nor those of links in a protected directory.
func TestLinksToProtectedFiles(t *testing.T) {
	for _, row := range []struct {
		name, path string            // other programs use the file at path
		links      map[string]string // targets
		line       string
	}{
		{"hook", ".git/hooks/pre-commit", map[string]string{".git/hooks/pre-commit": "../../d/f"}, "echo evil >d/f"},
		{"hook, target replaced", ".git/hooks/pre-commit", map[string]string{".git/hooks/pre-commit": "../../d/f"}, "rm d/f; echo evil >d/f"},
		{"hook, directory replaced", ".git/hooks/pre-commit", map[string]string{".git/hooks/pre-commit": "../../d/f"}, "mv d e; mkdir d; echo evil >d/f"},
		{"hook, second link replaced", ".git/hooks/pre-commit", map[string]string{".git/hooks/pre-commit": "../../l", "l": "d/f"}, "rm l; echo evil >l"},
		{"hook, link to a directory replaced", ".git/hooks/pre-commit", map[string]string{".git/hooks/pre-commit": "../../l/f", "l": "d"}, "rm l; mkdir l; echo evil >l/f"},
		{"hook without a target", ".git/hooks/pre-commit", map[string]string{".git/hooks/pre-commit": "../../new"}, "echo evil >new"},
		{"link in a directory", ".vscode/tasks.json", map[string]string{".vscode/tasks.json": "../d/f"}, "echo evil >d/f"},
		{"link in a subdirectory", ".vscode/sub/tasks.json", map[string]string{".vscode/sub/tasks.json": "../../d/f"}, "echo evil >d/f"},
		{"link in a linked directory", ".vscode/tasks.json", map[string]string{".vscode": "real", "real/tasks.json": "../d/f"}, "echo evil >d/f"},
		{"link deep in a directory", ".vscode/a/b/c/f", map[string]string{".vscode/a/b/c/f": "../../../../d/f"}, "echo evil >d/f"},
		{"link in a directory behind a link", ".git/hooks/t/x.sh", map[string]string{".git/hooks/t": "../../lib", "lib/x.sh": "../d/f"}, "echo evil >d/f"},
		{"link deep in a directory behind two links", ".vscode/t/a/b/f", map[string]string{".vscode/t": "../l", "l": "m", "m/a/b": "../../n", "n/f": "../d/f"}, "echo evil >d/f"},
		{"link in a directory outside", ".git/hooks/t/g", map[string]string{".git/hooks/t": "../../../out", "../out/g": "../work/d/f"}, "echo evil >d/f"},
		{"link to outside replaced", ".git/hooks/pre-commit", map[string]string{".git/hooks/pre-commit": "../../l/f", "l": "../out"}, "rm l; mkdir l; echo evil >l/f"},
		{"link to outside in a directory replaced", ".vscode/sub/f", map[string]string{".vscode/sub/f": "../../l/f", "l": "../out"}, "rm l; mkdir l; echo evil >l/f"},
		{"link to a directory outside replaced", ".vscode/sub/f", map[string]string{".vscode/sub": "../l", "l": "../out"}, "rm l; mkdir l; echo evil >l/f"},
		{"directory above a link replaced, same link", ".git/hooks/pre-commit", map[string]string{".git/hooks/pre-commit": "../../l/f", "l/f": "../d/f"}, "mkdir -p e/l e/d; ln -s ../d/f e/l/f; echo evil >e/d/f; mv l m; ln -s e/l l"},
		{"passed directory replaced", ".git/hooks/pre-commit", map[string]string{".git/hooks/pre-commit": "../../p/../d/f", "p/x": "y"}, "mkdir -p e/p e/d; echo evil >e/d/f; mv p q; ln -s e/p p"},
		{"link to a directory in a directory", ".vscode/sub/f", map[string]string{".vscode/sub": "../d"}, "echo evil >d/f; echo evil >d/new"},
		{"linked directory replaced", ".vscode/f", map[string]string{".vscode": "l", "l": "d"}, "rm l; mkdir l; echo evil >l/f"},
		{"fixed link", "fixed", map[string]string{"fixed": "d/f"}, "echo evil >d/f"},
		{"fixed link replaced", "fixed", map[string]string{"fixed": "d/f"}, "rm fixed; echo evil >fixed"},
		{"fixed link behind a link", "fixed", map[string]string{"fixed": "l/f", "l": "d"}, "ln -sfn e l; mkdir e; echo evil >e/f"},
		{"fixed link moved", "fixed", map[string]string{"fixed": "l/f", "l": "d"}, "mv l m; mkdir l; echo evil >l/f"},
		{"link in the home directory", "../../.bashrc", map[string]string{"../../.bashrc": "src/work/d/f"}, "echo evil >d/f"},
	} {
		t.Run(row.name, func(t *testing.T) {
			c := confineCommands(t)
			c.git("init", "-q")
			c.put("d/f", "user\n")
			c.put("../out/f", "user\n")
			for name, target := range row.links {
				path := filepath.Join(c.dir, name)
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.Symlink(target, path); err != nil {
					t.Fatal(err)
				}
			}
			r := c.sh(row.line, tools.Access{})
			unused := []string{"hook without a target", "directory above a link replaced, same link", "passed directory replaced"}
			if b, err := os.ReadFile(filepath.Join(c.dir, row.path)); err == nil && string(b) != "user\n" || err != nil && !slices.Contains(unused, row.name) {
				t.Errorf("%s: %q, %v\n%s\n%s", row.path, b, err, r.Summary, r.Text)
			}
			if c.exists("d/new") {
				t.Error("a protected directory has a new file")
			}
		})
	}
}

// If a protected directory is too large to find all links in it, a command cannot change
// what they might lead to, and says so.
func TestLargeProtectedDirectory(t *testing.T) {
	c := confineCommands(t)
	c.put("f", "user\n")
	for i := range 2100 {
		if err := os.MkdirAll(filepath.Join(c.dir, ".vscode", "d", strconv.Itoa(i)), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	r := c.sh("echo evil >f", tools.Access{})
	b, err := os.ReadFile(filepath.Join(c.dir, "f"))
	if err != nil || string(b) != "user\n" || !strings.Contains(r.Text, ".vscode contains more than 2000 directories") {
		t.Errorf("%q, %v\n%s\n%s", b, err, r.Summary, r.Text)
	}
}
