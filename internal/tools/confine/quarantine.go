package confine

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"agent/internal/realpath"
)

// Notice reports a change of a command that was undone, or could not be undone.
type Notice struct {
	Short string // a few words for the user
	Text  string // for the model, a clause without a full stop
}

// removedSuffix ends the names of quarantined files.
const removedSuffix = ".agent-removed"

// isRemoved reports whether a quarantined file has that name. No program uses it.
func isRemoved(name string) bool {
	_, end, found := strings.Cut(name, removedSuffix)
	return found && (end == "" || end[0] == '-' && !strings.Contains(end, "."))
}

// maxRemoved is how many quarantined files of one name get a number; the names of further
// ones end at random.
const maxRemoved = 9

// quarantine renames a protected path that a command has created, so that no program
// uses it and nothing is lost. If a link leads to it, it renames the link.
func (a *Area) quarantine(path, why string) Notice {
	dir, at, err := a.parent(path)
	show, to := a.show(at), ""
	if err == nil {
		defer dir.Close()
		to, err = renameFree(dir, filepath.Base(at))
	}
	n := Notice{
		Short: "removed " + show,
		Text:  fmt.Sprintf("the command created %s, which is protected (%s); it was renamed to %s", show, why, to),
	}
	if err != nil {
		n = Notice{
			Short: "could not remove " + show,
			Text:  fmt.Sprintf("the command created %s, which is protected (%s), and it could not be removed: %v", show, why, err),
		}
	}
	return n
}

// renameFree renames an entry of dir to the first free name. It replaces and removes
// nothing: a job may exchange the entry for a file of the user at any time.
func renameFree(dir *os.Root, name string) (to string, err error) {
	for n := range maxRemoved {
		to = name + removedSuffix
		if n > 0 {
			to += "-" + strconv.Itoa(n+1)
		}
		if err = renameNew(dir, name, to); !errors.Is(err, fs.ErrExist) {
			return to, err
		}
	}
	to = name + removedSuffix + "-" + rand.Text()
	return to, renameNew(dir, name, to)
}

// renameNew renames an entry of dir, unless the new name exists; then the error is
// fs.ErrExist. Where the file system cannot check that itself, a job can make the name in between.
func renameNew(dir *os.Root, from, to string) error {
	f, err := dir.Open(".")
	if err != nil {
		return err
	}
	defer f.Close()
	if err = noReplace(int(f.Fd()), from, to); !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, syscall.EINVAL) {
		return err
	}
	if _, err := dir.Lstat(to); err == nil {
		return fs.ErrExist
	}
	return dir.Rename(from, to)
}

// relink restores a protected symbolic link that a command has replaced.
func (a *Area) relink(path string, link leadingLink) Notice {
	n := a.quarantine(path, link.why)
	if link.target == "" {
		return n
	}
	dir, at, err := a.parent(path)
	if err == nil {
		err = dir.Symlink(link.target, filepath.Base(at)) // an error if at is a link to path: it exists
		dir.Close()
	}
	if err != nil {
		n.Text += ". The symbolic link that was there could not be restored: " + err.Error()
	}
	return n
}

// replace replaces the content of a file in a git directory. It renames the file that is
// there to kept, because a command may have put a file of the user in its place.
func (a *Area) replace(path, text string) (kept string, err error) {
	dir, at, err := a.parent(path)
	if err != nil {
		return "", err
	}
	defer dir.Close()
	if at != path {
		return "", fmt.Errorf("%s is a symbolic link", a.show(at))
	}
	name := filepath.Base(path)
	made := name + ".agent-new-" + rand.Text() // no job can have made it
	f, err := dir.OpenFile(made, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return "", err
	}
	for range maxRemoved { // a job may make the file again
		if kept, err = renameFree(dir, name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		if err = renameNew(dir, made, name); !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	return kept, err
}

// open makes a directory readable that a command has made unreadable.
func (a *Area) open(path string) error {
	if slices.Contains(a.tree.tops, path) { // the directory above it may be outside
		return os.Chmod(path, 0o700)
	}
	dir, at, err := a.parent(path)
	if err != nil {
		return err
	}
	defer dir.Close()
	info, err := dir.Lstat(filepath.Base(at))
	if err != nil || !info.IsDir() {
		return fmt.Errorf("%s is no directory: %w", a.show(at), cmp.Or(err, fs.ErrInvalid))
	}
	return dir.Chmod(filepath.Base(at), info.Mode().Perm()|0o700) // it leaves dir through no link
}

// parent opens the directory of a path below a writable directory, without following
// links: jobs may replace directories with links at any time. The path at is path, or the
// first link that leads to it. It is in the directory.
func (a *Area) parent(path string) (dir *os.Root, at string, err error) {
	i := slices.IndexFunc(a.tree.tops, func(top string) bool { return realpath.Inside(path, top) })
	if i < 0 {
		return nil, path, fmt.Errorf("%s is in no directory that commands may write to", path)
	}
	top := a.tree.tops[i]
	if dir, err = os.OpenRoot(top); err != nil {
		return nil, path, err
	}
	rel, _ := filepath.Rel(top, path) // it is inside
	names := strings.Split(rel, string(filepath.Separator))
	for n, name := range names[:len(names)-1] {
		next, link, err := openDir(dir, name)
		if link {
			return dir, filepath.Join(top, filepath.Join(names[:n+1]...)), nil
		}
		dir.Close()
		if err != nil {
			return nil, path, err
		}
		dir = next
	}
	if info, err := dir.Stat("."); err == nil && info.Mode().Perm()&0o700 != 0o700 {
		_ = dir.Chmod(".", info.Mode().Perm()|0o700) // with an error, the change of an entry fails too
	}
	return dir, path, nil
}

// openDir opens a directory in dir. It reports whether name is a link instead.
func openDir(dir *os.Root, name string) (next *os.Root, link bool, err error) {
	info, err := dir.Lstat(name)
	if err != nil || info.Mode()&fs.ModeSymlink != 0 {
		return nil, err == nil, err
	}
	if next, err = dir.OpenRoot(name); err != nil {
		return nil, false, err
	}
	if opened, err := next.Stat("."); err != nil || !os.SameFile(info, opened) { // it followed a link
		next.Close()
		return nil, false, errors.Join(err, fmt.Errorf("%s was replaced meanwhile", name))
	}
	return next, false, nil
}

// show returns path relative to the workspace if it is in it.
func (a *Area) show(path string) string {
	if rel, in := realpath.Rel(path, a.workspace); in {
		return filepath.ToSlash(rel)
	}
	return path
}
