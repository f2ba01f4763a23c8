package undo

import (
	"bytes"
	"io"
	"path"
	"slices"

	"agent/internal/history/blobs"
	"agent/internal/tools/snapshot"
)

// admit adds an item to the journal, if the path has not changed since the plan, and stores
// its current content. The error is errChanged, or says why the content cannot be stored.
// If the steps left that content, only a redo needs it, and the error becomes it.unsaved.
func (w *applier) admit(it *Item) error {
	at, ok := w.roots.at(it.Path)
	if !ok {
		return errChanged
	}
	now := at.look()
	if it.left && it.Now.Kind == snapshot.File && it.Now.Hash == "" && it.unsaved == "" && w.pack.Room() < it.Now.Size+w.spare {
		it.unsaved = blobs.ErrFull.Error()
	}
	if it.Now.Kind == snapshot.File && it.unsaved == "" {
		keep := failing{to: w.pack}
		now = at.capture(&keep)
		if keep.err != nil && !it.left {
			return keep.err
		}
		if keep.err != nil {
			it.unsaved = keep.err.Error()
			now = at.capture(snapshot.Hashes{})
		}
	}
	if !now.Same(it.Now) {
		return errChanged
	}
	if it.content != nil {
		if _, _, err := w.pack.Put(bytes.NewReader(it.content)); err != nil {
			return err
		}
	}
	w.journal.Items = append(w.journal.Items, journalItem{it.Path, *stored(now), *stored(it.To), it.link, at.inode()})
	w.stamps = append(w.stamps, now.Stamp)
	return nil
}

// maxItem is the size in bytes of a journalItem without paths, which is seldom exceeded.
const maxItem = 500

// admitParents adds the directories above the items that are read-only for the user, with the
// state that they have: run makes them writable meanwhile.
func (w *applier) admitParents() {
	known := map[string]bool{}
	for _, it := range w.journal.Items {
		known[it.Path] = true
	}
	for _, it := range slices.Clone(w.journal.Items) {
		at, ok := w.roots.at(it.Path)
		if !ok {
			continue
		}
		for at.rel = path.Dir(at.rel); at.rel != "."; at.rel = path.Dir(at.rel) {
			dir := join(at.dir, at.rel)
			if known[dir] {
				continue
			}
			known[dir] = true
			if now := at.look(); now.Kind == snapshot.Dir && now.FileMode()&0o700 != 0o700 {
				w.journal.Items = append(w.journal.Items, journalItem{Path: dir, From: *stored(now), To: *stored(now)})
				w.stamps = append(w.stamps, now.Stamp)
			}
		}
	}
}

// failing remembers the error of a snapshot.Contents.
type failing struct {
	to  snapshot.Contents
	err error
}

// Put is as in snapshot.Contents.
func (f *failing) Put(content io.Reader) (hash string, size int64, err error) {
	hash, size, f.err = f.to.Put(content)
	return hash, size, f.err
}

// resume prepares to finish a journal after a crash.
func (w *applier) resume() {
	w.stamps, w.ready, w.torn = make([]string, len(w.journal.Items)), map[int]bool{}, map[int]bool{}
	for i, it := range w.journal.Items {
		at, ok := w.roots.at(it.Path)
		if !ok {
			w.skip(i, errChanged)
			continue
		}
		if within, err := at.enter(false); err == nil {
			_ = within.open.Remove(w.temp(i, within))
			within.close()
		}
		now := at.now(&it.From).State
		if it.To.Kept != "" {
			it.To = resolved(w.pack, it.To)
			now = at.now(&it.To).State
		}
		w.stamps[i] = now.Stamp
		dir := it.From.Kind == snapshot.Dir || it.To.Kind == snapshot.Dir
		switch {
		case dir && (now.Kind == snapshot.Dir || now.Kind == snapshot.Absent):
		case now.Same(it.To):
			w.ready[i] = true
		case now.Same(it.From):
		case w.isTorn(i, at, now):
			w.torn[i] = true
		default:
			w.skip(i, errChanged)
		}
	}
}
