package tools_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"agent/internal/tools"
)

// A directory that cannot be listed is checked too: other programs find files in it by name.
func TestUnreadableDirectoriesAreChecked(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root can read every directory")
	}
	const repository = "git init -q sub; git -C sub config core.fsmonitor evil; echo evil >sub/.git/hooks/update; echo evil >sub/.vscode; "
	for name, lines := range map[string][]string{
		"directory":               {repository + "chmod 311 sub"},
		"directory, two commands": {repository + "chmod 600 sub", "chmod 755 sub"},
		"directory above":         {"mkdir new; cd new; " + repository + "rm sub/.vscode; mv sub ..; cd ..; mkdir d; mv sub d; chmod 600 d", "chmod 755 d; mv d/sub ."},
		"git directory":           {repository + "chmod 311 sub/.git"},
		"git directory, no entry": {repository + "chmod 600 sub/.git", "chmod 755 sub/.git"},
		"hooks":                   {repository + "chmod 311 sub/.git/hooks"},
		"hooks, no entry":         {repository + "chmod 600 sub/.git/hooks", "chmod 755 sub/.git/hooks"},
		"not writable":            {repository + "chmod 555 sub sub/.git sub/.git/hooks"},
		"workspace":               {repository + "chmod 311 ."},
	} {
		t.Run(name, func(t *testing.T) {
			c := confineCommands(t)
			c.put("sub/f", "")
			if name == "directory above" {
				if err := os.RemoveAll(filepath.Join(c.dir, "sub")); err != nil {
					t.Fatal(err)
				}
			}
			for _, line := range lines {
				c.sh(line, tools.Access{})
			}
			for _, dir := range []string{".", "sub", "sub/.git", "sub/.git/hooks", "sub/.git/hooks.agent-removed"} {
				_ = os.Chmod(filepath.Join(c.dir, dir), 0o755) // what is gone needs none
			}
			for _, file := range []string{"sub/.git/hooks/update", "sub/.git/config", "sub/.vscode"} {
				if b, err := os.ReadFile(filepath.Join(c.dir, file)); err == nil && bytes.Contains(b, []byte("evil")) {
					t.Errorf("%s holds %q", file, b)
				}
			}
		})
	}
	t.Run("before", func(t *testing.T) {
		c := confineCommands(t)
		c.put("sub/f", "user\n")
		sub := filepath.Join(c.dir, "sub")
		if err := os.Chmod(sub, 0o311); err != nil {
			t.Fatal(err)
		}
		c.sh("echo evil >sub/.envrc; chmod 755 sub; echo evil >sub/.envrc; chmod 311 sub", tools.Access{})
		if info, err := os.Lstat(sub); err != nil || info.Mode().Perm() != 0o311 || c.exists("sub/.envrc") {
			t.Errorf("the directory of the user: %v, %v, .envrc: %v", info.Mode(), err, c.exists("sub/.envrc"))
		}
		if err := os.Chmod(sub, 0o755); err != nil {
			t.Fatal(err)
		}
	})
}
