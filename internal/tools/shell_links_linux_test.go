package tools_test

import (
	"os"
	"path/filepath"
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
			if b, err := os.ReadFile(filepath.Join(c.dir, row.path)); err == nil && string(b) != "user\n" || err != nil && row.name != "hook without a target" {
				t.Errorf("%s: %q, %v\n%s\n%s", row.path, b, err, r.Summary, r.Text)
			}
			if c.exists("d/new") {
				t.Error("a protected directory has a new file")
			}
		})
	}
}
