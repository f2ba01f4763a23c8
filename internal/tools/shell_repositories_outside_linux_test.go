package tools_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/tools"
)

// A link to a repository that a command makes outside the workspace, where no check finds its
// programs, does not stay in the workspace. Other links do.
func TestLinksToRepositoriesOutside(t *testing.T) {
	const evil = "git init -q $TMPDIR/r; git -C $TMPDIR/r config core.fsmonitor evil; mkdir -p $TMPDIR/r/sub $TMPDIR/plain; "
	for name, row := range map[string]struct {
		first, line string // two commands
		link        string
		stays       bool
	}{
		"directory replaced":      {"", evil + "rm -r src; ln -s $TMPDIR/r src", "src", false},
		"into the repository":     {"", evil + "ln -s $TMPDIR/r/sub new", "new", false},
		"above it":                {"", evil + "mkdir -p $TMPDIR/a/b; mv $TMPDIR/r $TMPDIR/a/b; ln -s $TMPDIR/a new", "new", false},
		"git directory":           {"", evil + "ln -s $TMPDIR/r/.git new", "new", false},
		"bare":                    {"", "git init -q --bare $TMPDIR/b; ln -s $TMPDIR/b new", "new", false},
		"in a new directory":      {"", evil + "mkdir -p n/m; ln -s $TMPDIR/r n/m/new", "n/m/new", false},
		"in dependencies":         {"", evil + "mkdir -p vendor; ln -s $TMPDIR/r vendor/new", "vendor/new", false},
		"of a submodule":          {"", evil + "mkdir -p .git/modules; ln -s $TMPDIR/r/.git .git/modules/new", ".git/modules/new", false},
		"over another link":       {"", evil + "ln -s $TMPDIR/r $TMPDIR/l; ln -s $TMPDIR/l new", "new", false},
		"repository made later":   {"mkdir $TMPDIR/r; ln -s $TMPDIR/r new", evil, "new", false},
		"other target":            {"mkdir $TMPDIR/plain; ln -s $TMPDIR/plain new", evil + "ln -sfn $TMPDIR/r new", "new", false},
		"user's link, other":      {"", evil + "ln -sfn $TMPDIR/r user", "user", false},
		"user's link":             {"", "git -C $TMPDIR/user config user.name n", "user", true},
		"no repository":           {"", evil + "ln -s $TMPDIR/plain new", "new", true},
		"no place of commands":    {"", "ln -s /usr/share new", "new", true},
		"repository of workspace": {"", "git init -q n; ln -s n new; ln -s $PWD/n abs", "abs", true},
	} {
		t.Run(name, func(t *testing.T) {
			c := confineCommands(t)
			c.put("src/f", "x\n")
			c.repository(".")
			user := filepath.Join(os.Getenv("TMPDIR"), "user")
			c.git("init", "-q", user)
			if err := os.Symlink(user, filepath.Join(c.dir, "user")); err != nil {
				t.Fatal(err)
			}
			for _, line := range []string{row.first, row.line} {
				if line != "" {
					r := c.sh(line, tools.Access{})
					if named := strings.Contains(r.Text, row.link+", which is protected (it leads to a repository"); named != (!row.stays && line == row.line) {
						t.Errorf("%s: %s", line, r.Text)
					}
				}
			}
			if c.exists(row.link) != row.stays {
				t.Errorf("the link exists: %t", !row.stays)
			}
		})
	}
}
