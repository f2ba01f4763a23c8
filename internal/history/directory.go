package history

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"agent/internal/history/filelock"
)

// directory is the private directory of the session files. It names and lists them, and
// opens none.
type directory struct {
	path string
}

// The files of a session by extension: temporary files, the log, incomplete
// ends cut off from it, the directory of outputs, and the draft.
const (
	tempExtension  = ".tmp"
	extension      = ".jsonl"
	tornExtension  = ".torn"
	outExtension   = ".out"
	draftExtension = ".draft"
)

// log returns the name of a session's log.
func (d directory) log(id string) string { return d.sibling(id, extension) }

// sibling returns the name of another file of a session.
func (d directory) sibling(id, extension string) string { return filepath.Join(d.path, id+extension) }

// find returns the session whose ID is prefix, or the only one whose ID begins
// with it.
func (d directory) find(prefix string) (string, error) {
	ids, err := d.ids()
	if err != nil {
		return "", err
	}
	var found []string
	for _, id := range ids {
		if id == prefix {
			return id, nil
		}
		if strings.HasPrefix(id, prefix) {
			found = append(found, id)
		}
	}
	switch {
	case prefix == "" || len(found) == 0:
		return "", fmt.Errorf("%w: %q", ErrNotFound, prefix)
	case len(found) > 1:
		shown := strings.Join(found[:min(len(found), 5)], ", ")
		return "", fmt.Errorf("%d sessions begin with %q: %s. Use a longer prefix", len(found), prefix, shown)
	}
	return found[0], nil
}

// ids returns the IDs of all sessions.
func (d directory) ids() ([]string, error) {
	err := d.check()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(d.path)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, e := range entries {
		id, ok := strings.CutSuffix(e.Name(), extension)
		if ok && e.Type().IsRegular() && validID(id) {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// files returns all sessions, the most recently written first. Their headers
// have only the ID.
func (d directory) files() ([]Info, error) {
	ids, err := d.ids()
	if err != nil {
		return nil, err
	}
	var infos []Info
	for _, id := range ids {
		path := d.log(id)
		st, err := os.Lstat(path)
		if err != nil {
			continue // removed in the meantime
		}
		infos = append(infos, Info{Header: Header{ID: id}, Path: path, Modified: st.ModTime(), Size: st.Size()})
	}
	slices.SortFunc(infos, func(a, b Info) int {
		return cmp.Or(b.Modified.Compare(a.Modified), cmp.Compare(b.ID, a.ID))
	})
	return infos, nil
}

// prepare creates the directory if necessary, and makes it private.
func (d directory) prepare() error {
	if err := makeDir(d.path); err != nil {
		return err
	}
	if err := d.check(); err != nil {
		return err
	}
	info, err := os.Stat(d.path)
	if err == nil && info.Mode().Perm() != 0o700 {
		err = os.Chmod(d.path, 0o700)
	}
	return err
}

// check returns an error if another user could write to the directory. If it
// does not exist, that is an fs.ErrNotExist.
func (d directory) check() error {
	info, err := os.Stat(d.path)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is not a directory, so sessions cannot be stored there", d.path)
	}
	return checkPrivate(d.path, info)
}

// removeStale removes temporary files of killed programs. Nothing refers to
// them.
func (d directory) removeStale(now time.Time) {
	entries, err := os.ReadDir(d.path)
	if err != nil {
		return
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") || !strings.HasSuffix(e.Name(), tempExtension) {
			continue
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && now.Sub(info.ModTime()) > 24*time.Hour {
			_ = os.Remove(filepath.Join(d.path, e.Name()))
		}
	}
}

// makeDir creates a directory and missing parents, private and durable.
func makeDir(path string) error {
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	parent := filepath.Dir(path)
	if parent != path {
		if err := makeDir(parent); err != nil {
			return err
		}
	}
	if err := os.Mkdir(path, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return filelock.SyncDir(parent)
}
