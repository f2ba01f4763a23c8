package undo

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"

	"agent/internal/tools/snapshot"
	"agent/internal/tools/workspace"
)

// writers is how many files are restored at once. Most of the time they wait for the disk.
const writers = 8

// writeAll restores files and links. Hard links come last, because they need another name.
func (w *applier) writeAll(order []int) {
	todo := make(chan int)
	var all sync.WaitGroup
	for range writers {
		all.Go(func() {
			for i := range todo {
				w.try(i, w.write, true)
			}
		})
	}
	for _, i := range order {
		it := w.journal.Items[i]
		if it.To.Kind == snapshot.File && it.Link == "" || it.To.Kind == snapshot.Link {
			todo <- i
		}
	}
	close(todo)
	all.Wait()
	w.each(order, func(it journalItem) bool { return it.Link != "" }, w.link, true)
}

// write restores a file or link.
func (w *applier) write(i int, at rootPath) error {
	it := w.journal.Items[i]
	if w.namesPrograms(it.Path) {
		return errPrograms
	}
	if inPlace(it.To, it.From) {
		if err := w.unchanged(i, at); err != nil {
			return err
		}
		return w.overwrite(i, at)
	}
	err := w.replace(i, at)
	if err == nil && it.To.Lost == snapshot.UnsavedLinks && len(w.siblings(i)) == 0 {
		w.miss(i, missedLinks)
	}
	return err
}

var errPrograms = errors.New("its directory is a git repository now, and git would run the programs that it names")

// namesPrograms reports whether a path outside of the state of git can name programs that git runs,
// because its directory is a git directory now. A command can make it one after it has removed the
// file.
func (w *applier) namesPrograms(name string) bool {
	dir := filepath.Dir(name)
	switch {
	case filepath.Base(dir) == "hooks":
		dir = filepath.Dir(dir)
	case !slices.Contains([]string{"config", "config.worktree", "commondir"}, filepath.Base(name)):
		return false
	}
	if at, ok := w.roots.at(name); !ok || at.repository != "" {
		return false
	}
	return !slices.ContainsFunc([]string{"HEAD", "objects", "refs"}, func(entry string) bool {
		_, err := os.Lstat(filepath.Join(dir, entry))
		return err != nil
	})
}

// replace puts a new file or link in the place of what is there.
func (w *applier) replace(i int, at rootPath) error {
	it, temp := w.journal.Items[i], w.temp(i, at)
	defer func() { _ = at.open.Remove(temp) }()
	if err := w.writeTemp(i, at, temp); err != nil {
		return err
	}
	if err := w.unchanged(i, at); err != nil {
		return err
	}
	if w.stamps[i] != "" && it.From.Kind != snapshot.Dir {
		err := at.open.Rename(temp, at.rel)
		if errors.Is(err, syscall.EBUSY) { // a mount point
			return w.overwrite(i, at)
		}
		return err
	}
	err := at.open.Link(temp, at.rel)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrExist):
		return errChanged
	}
	return at.open.Rename(temp, at.rel) // the file system has no hard links
}

// inPlace reports whether a file of a known content is restored by writing to the file that
// is there now, because a new one would lose its other hard links or its owner.
func inPlace(to, now snapshot.State) bool {
	return to.Kind == snapshot.File && now.Kind == snapshot.File && to.Hash != "" && to.Lost == now.Lost &&
		(now.Lost == snapshot.UnsavedLinks || now.Lost == snapshot.UnsavedOwner)
}

// overwrite restores a file in place. All its names must be below the root, because undo
// changes nothing outside.
func (w *applier) overwrite(i int, at rootPath) error {
	it := w.journal.Items[i]
	info, err := at.open.Lstat(at.rel)
	if err != nil {
		return err
	}
	if top, ok := w.roots.at(it.Path); !ok {
		return errChanged
	} else if _, all := workspace.OtherNames(top.open, top.rel, info); !all {
		return errors.New(snapshot.UnsavedLinks)
	}
	read := at.read
	if !w.torn[i] {
		read = func() ([]byte, error) { return w.pack.Read(it.From.Hash) }
	}
	now, err := read()
	if err != nil {
		return err
	}
	content, err := w.pack.Read(it.To.Hash)
	if err != nil {
		return err
	}
	if _, err := workspace.Overwrite(at.open, at.rel, info, now, content); err != nil {
		return err
	}
	if it.To.Owner != it.From.Owner && it.To.Owner != "" {
		return at.open.Chmod(at.rel, w.own(i, at, at.rel))
	}
	if it.To.Mode != it.From.Mode || w.torn[i] {
		return at.open.Chmod(at.rel, w.permitted(i, at, at.rel))
	}
	return nil
}

// writeTemp creates the file or link of an item with another name.
func (w *applier) writeTemp(i int, at rootPath, temp string) error {
	it := w.journal.Items[i]
	if it.To.Kind == snapshot.Link {
		err := at.open.Symlink(it.To.Target, temp)
		if err == nil && it.To.Owner != "" {
			w.own(i, at, temp)
		}
		return err
	}
	f, err := at.open.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	err = w.pack.Copy(f, it.To.Hash)
	if err == nil {
		if !w.copyKeptAttributes(i, f) && it.From.Kind == snapshot.File {
			w.miss(i, workspace.CopyAttributes(at.open, at.rel, f)...)
		}
		err = f.Chmod(w.own(i, at, temp))
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// enter returns p as a name in its directory, which stays open until close. So a symbolic
// link that replaces one of its parents later is not followed. If create is set, enter
// creates missing parents. After an error nothing is at the path that it returns.
func (p rootPath) enter(create bool) (rootPath, error) {
	dir, err := p.open.OpenRoot(".")
	name, rest := "", p.rel
	for err == nil {
		var found bool
		if name, rest, found = strings.Cut(rest, "/"); !found {
			return rootPath{root: root{dir: p.dir, open: dir, ignored: p.ignored}, rel: name}, nil
		}
		var next *os.Root
		next, err = openDirectory(dir, name, create)
		_ = dir.Close()
		dir = next
	}
	return rootPath{root: root{dir: p.dir}, rel: p.rel}, err
}

// close closes what enter opened.
func (p rootPath) close() {
	if p.open != nil {
		_ = p.open.Close()
	}
}

// openDirectory opens a directory in dir. If create is set, it creates it if it is missing.
// The error is errChanged if something else is there, such as a symbolic link.
func openDirectory(dir *os.Root, name string, create bool) (*os.Root, error) {
	info, err := dir.Lstat(name)
	if create && errors.Is(err, fs.ErrNotExist) {
		if err = dir.Mkdir(name, 0o777); err == nil || errors.Is(err, fs.ErrExist) {
			info, err = dir.Lstat(name)
		}
	}
	switch {
	case err != nil:
		return nil, err
	case !info.IsDir():
		return nil, errChanged
	}
	next, err := dir.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	if now, err := next.Stat("."); err != nil || !os.SameFile(info, now) {
		_ = next.Close()
		return nil, errChanged
	}
	return next, nil
}
