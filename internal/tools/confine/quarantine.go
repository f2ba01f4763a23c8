package confine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Notice reports a change of a command that was undone, or could not be undone.
type Notice struct {
	Short string // a few words for the user
	Text  string // for the model, a clause without a full stop
}

// removedSuffix ends the names of quarantined files.
const removedSuffix = ".agent-removed"

// maxRemoved is how many quarantined files with one name are kept.
const maxRemoved = 9

// quarantine renames a protected path that a command has created, so that no program
// uses it and nothing is lost.
func (a *Area) quarantine(path, why string) Notice {
	show := a.show(path)
	root, rel, err := a.root(path)
	to := ""
	if err == nil {
		defer root.Close()
		to, err = renameFree(root, rel)
	}
	n := Notice{
		Short: "removed " + show,
		Text:  fmt.Sprintf("the command created %s, which is protected (%s); it was renamed to %s", show, why, filepath.Base(to)),
	}
	if err != nil {
		n = Notice{
			Short: "could not remove " + show,
			Text:  fmt.Sprintf("the command created %s, which is protected (%s), and it could not be removed: %v", show, why, err),
		}
	}
	return n
}

// renameFree renames rel to the first free name. If all are taken, it removes rel.
func renameFree(root *os.Root, rel string) (to string, err error) {
	if filepath.Base(rel) == "." { // a link in place of a directory
		rel = filepath.Dir(rel)
	}
	for n := range maxRemoved {
		to = rel + removedSuffix
		if n > 0 {
			to += "-" + strconv.Itoa(n+1)
		}
		if _, err := root.Lstat(to); errors.Is(err, fs.ErrNotExist) {
			return to, root.Rename(rel, to)
		}
	}
	return to, root.RemoveAll(rel)
}

// relink restores a protected symbolic link that a command has replaced.
func (a *Area) relink(path string, link protectedName) Notice {
	n := a.quarantine(path, link.why)
	root, rel, err := a.root(path)
	if err == nil {
		err = root.Symlink(link.link, rel)
		root.Close()
	}
	if err != nil {
		n.Text += ". The symbolic link that was there could not be restored: " + err.Error()
	}
	return n
}

// replace replaces the content of a file in a git directory.
func (a *Area) replace(path, text string) error {
	root, rel, err := a.root(path)
	if err != nil {
		return err
	}
	defer root.Close()
	to := rel + ".agent-new"
	if err := root.RemoveAll(to); err != nil {
		return err
	}
	if err := root.WriteFile(to, []byte(text), 0o644); err != nil {
		return err
	}
	if info, err := root.Lstat(rel); err == nil && !info.Mode().IsRegular() {
		if err := root.RemoveAll(rel); err != nil {
			return err
		}
	}
	return root.Rename(to, rel)
}

// root opens the writable directory that contains path. Changes through it cannot
// leave that directory, even if a job replaces directories with links meanwhile.
func (a *Area) root(path string) (*os.Root, string, error) {
	for _, top := range a.tree.tops {
		if rel, err := filepath.Rel(top, path); err == nil && filepath.IsLocal(rel) {
			root, err := os.OpenRoot(top)
			return root, rel, err
		}
	}
	return nil, "", fmt.Errorf("%s is in no directory that commands may write to", path)
}

// show returns path relative to the workspace if it is in it.
func (a *Area) show(path string) string {
	path = strings.TrimSuffix(path, "/.")
	if rel, err := filepath.Rel(a.workspace, path); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return path
}
