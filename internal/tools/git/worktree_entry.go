package git

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// registration says where a worktree is registered. It is stored in its directory, so
// that RemoveStale finds the entry after a crash.
type registration struct {
	Common string `json:"git_directory"` // absolute; holds the directory worktrees
	ID     string `json:"id"`            // name of the entry in worktrees
	Link   string `json:"link"`          // absolute path of the file .git of the worktree
}

// maxRegistration limits the file of a registration, in bytes.
const maxRegistration = 1 << 16

// entry returns the path of the entry relative to Common.
func (r registration) entry() string { return path.Join("worktrees", r.ID) }

// register makes the working tree a worktree of the repository, with the prepared
// index, as git worktree add does.
func (w *Worktree) register() error {
	common, err := filepath.Abs(w.repo.common)
	if err != nil {
		return err
	}
	r := registration{Common: common, ID: "agent-" + filepath.Base(w.options.Dir) + "-" + strings.ToLower(rand.Text()[:8]), Link: filepath.Join(w.top(), ".git")}
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(common)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := root.MkdirAll("worktrees", 0o777); err != nil {
		return err
	}
	if err := root.Mkdir(r.entry(), 0o777); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(w.options.Dir, linkName), text, 0o600); err != nil {
		return errors.Join(err, root.Remove(r.entry()))
	}
	index, err := os.ReadFile(filepath.Join(w.session.dir, "worktree-index"))
	if err != nil {
		return err
	}
	for _, f := range []struct{ name, content string }{
		{"gitdir", r.Link + "\n"}, {"commondir", "../..\n"}, {"HEAD", w.head + "\n"}, {"index", string(index)},
	} {
		if err := root.WriteFile(path.Join(r.entry(), f.name), []byte(f.content), 0o666); err != nil {
			return err
		}
	}
	at := filepath.Join(common, filepath.FromSlash(r.entry()))
	return w.root.WriteFile(".git", []byte("gitdir: "+at+"\n"), 0o666)
}

// unregister removes the entry of the worktree in dir from its repository, if there is
// one and it still belongs to that worktree.
func unregister(dir string) error {
	text, err := readFile(filepath.Join(dir, linkName), maxRegistration)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var r registration
	if err := json.Unmarshal(text, &r); err != nil {
		return fmt.Errorf("read %s: %w", filepath.Join(dir, linkName), err)
	}
	if r.ID != filepath.Base(r.ID) || !strings.HasPrefix(r.ID, "agent-") {
		return fmt.Errorf("read %s: %q is not the name of an entry", filepath.Join(dir, linkName), r.ID)
	}
	root, err := os.OpenRoot(r.Common)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer root.Close()
	// A crash can leave an entry without the link.
	link, err := newFiles(root).read(path.Join(r.entry(), "gitdir"), maxRef)
	if text := strings.TrimSpace(string(link)); err == nil && text != "" && text != r.Link {
		return nil
	}
	if err := root.RemoveAll(r.entry()); err != nil {
		return err
	}
	_ = root.Remove("worktrees") // fails if it is not empty
	return nil
}
