//go:build unix

package instructions

import (
	"os"
	"path/filepath"
	"testing"
)

// In a shared directory such as /tmp, another user could create .git and AGENTS.md.
func TestRepositoryOfAnotherUserDoesNotCount(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give files to another user")
	}
	const other = 65534
	_, home, _ := newProject(t, map[string]string{"tmp/.git/HEAD": "ref: refs/heads/x\n", "tmp/AGENTS.md": "not yours", "tmp/work/AGENTS.md": "yours"})
	dir := filepath.Join(home, "tmp", "work")
	if got := paths(openAt(home, dir)); got != "~/tmp/AGENTS.md AGENTS.md" {
		t.Errorf("in the user's repository, got %s", got)
	}
	if err := os.Chown(filepath.Join(home, "tmp", ".git"), other, other); err != nil {
		t.Fatal(err)
	}
	if got := paths(openAt(home, dir)); got != "AGENTS.md" {
		t.Errorf("got %s", got)
	}
	if err := os.Chown(dir, other, other); err != nil {
		t.Fatal(err)
	}
	if got := paths(openAt(home, dir)); got != "~/tmp/AGENTS.md AGENTS.md" {
		t.Errorf("in a directory of the owner of the repository, got %s", got)
	}
}
