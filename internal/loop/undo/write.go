package undo

import (
	"errors"
	"io/fs"
	"os"
	"sync"

	"agent/internal/tools/snapshot"
)

// writers is how many files are restored at once. Most of the time they wait for the disk.
const writers = 8

// writeAll restores files and links.
func (w *applier) writeAll(order []int) {
	todo := make(chan int)
	var all sync.WaitGroup
	for range writers {
		all.Go(func() {
			for i := range todo {
				w.try(i, w.write)
			}
		})
	}
	for _, i := range order {
		if k := w.journal.Items[i].To.Kind; k == snapshot.File || k == snapshot.Link {
			todo <- i
		}
	}
	close(todo)
	all.Wait()
}

// write restores a file or link. It creates its missing parents first.
func (w *applier) write(i int, at place) error {
	if err := at.makeParents(); err != nil {
		return err
	}
	it, temp := w.journal.Items[i], w.temp(i, at)
	defer func() { _ = at.open.Remove(temp) }()
	if err := w.writeTemp(at, it, temp); err != nil {
		return err
	}
	if err := w.unchanged(i, at); err != nil {
		return err
	}
	if w.stamps[i] != "" && it.From.Kind != snapshot.Dir {
		return at.open.Rename(temp, at.rel)
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

// writeTemp creates the file or link of an item with another name.
func (w *applier) writeTemp(at place, it journalItem, temp string) error {
	if it.To.Kind == snapshot.Link {
		return at.open.Symlink(it.To.Target, temp)
	}
	f, err := at.open.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	err = w.pack.Copy(f, it.To.Hash)
	if err == nil {
		at.giveOwner(f)
		err = f.Chmod(it.To.FileMode())
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// makeParents creates the missing parents of p. It never follows a symbolic link.
func (p place) makeParents() error {
	for i, c := range p.rel {
		if c != '/' {
			continue
		}
		info, err := p.open.Lstat(p.rel[:i])
		switch {
		case errors.Is(err, fs.ErrNotExist):
			err = p.open.Mkdir(p.rel[:i], 0o777)
			if err != nil && !errors.Is(err, fs.ErrExist) {
				return err
			}
		case err != nil:
			return err
		case !info.IsDir():
			return errChanged
		}
	}
	return nil
}
