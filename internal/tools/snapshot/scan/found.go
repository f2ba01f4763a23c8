package scan

import (
	"bytes"
	"context"
	"encoding/hex"
	"path/filepath"
	"slices"
	"time"

	"agent/internal/tools/search"
	"agent/internal/tools/snapshot"
)

// found turns the changes of one tree into a list of touched paths.
type found struct {
	top     string
	changes []change
	states  map[string]snapshot.State // before, by path
}

// leaveOut removes changes of touched paths, and of files whose content and mode are the
// same again.
func (f *found) leaveOut(ctx context.Context, t *tree, touched func(string) bool) {
	f.changes = slices.DeleteFunc(f.changes, func(c change) bool {
		if touched != nil && touched(f.absolute(c.path)) {
			return true
		}
		if c.after == nil || c.before == nil || c.before.mode != c.after.mode || !t.unchanged(ctx, c) {
			return false
		}
		path, name := split(c.path)
		if d := t.index.find(path); d != nil {
			d.know(d.find(name), c.content)
		}
		return true
	})
}

func (f *found) absolute(path string) string { return filepath.Join(f.top, filepath.FromSlash(path)) }

// since removes changes that happened before a time according to the times of the files,
// and of the directories of removed files.
func (f *found) since(began time.Time, now *index) {
	first := began.Add(-racyTime).UnixNano()
	f.changes = slices.DeleteFunc(f.changes, func(c change) bool {
		if c.after != nil {
			return max(c.after.ctime, c.after.mtime) < first
		}
		return now.removal(c.path) < first
	})
}

// removal returns when the entries of the nearest directory above a missing path changed.
func (x *index) removal(path string) int64 {
	for path != "." {
		path, _ = split(path)
		if x.find(path) == nil {
			continue
		}
		if path == "." {
			break
		}
		parent, name := split(path)
		if d := x.find(parent); d != nil {
			if i := d.find(name); i >= 0 {
				return d.entries[i].mtime
			}
		}
	}
	return x.mtime
}

// visible removes ignored files and directories.
func (f *found) visible(ctx context.Context, t *tree) {
	filter := search.New(t.root, t.top).Filter(ctx)
	f.changes = slices.DeleteFunc(f.changes, func(c change) bool {
		isDir := func(e *entry) bool { return e == nil || e.kind == directory }
		return isDir(c.before) && isDir(c.after) || filter.Ignored(c.path, false)
	})
}

// lost makes all changes ones that cannot be undone, for the same reason.
func (f *found) lost(why string) {
	for _, c := range f.changes {
		s := c.state()
		s.Lost = why
		f.states[c.path] = s
	}
}

// restorable puts the old contents that git has into the store.
func (f *found) restorable(ctx context.Context, t *tree) {
	var batch []change
	var size int64
	for _, c := range f.changes {
		s := c.state()
		if s.Lost != "" || s.Kind != snapshot.File || s.Hash != "" {
			continue
		}
		if size+s.Size > maxFetch {
			f.fetch(ctx, t, batch, size)
			batch, size = batch[:0], 0
		}
		batch, size = append(batch, c), size+s.Size
	}
	f.fetch(ctx, t, batch, size)
}

// fetch puts the contents of blobs into the store. size is the sum of their sizes.
func (f *found) fetch(ctx context.Context, t *tree, changes []change, size int64) {
	if len(changes) == 0 {
		return
	}
	ids := make([]string, len(changes))
	for i, c := range changes {
		ids[i] = hex.EncodeToString(c.content.id())
	}
	blobs := t.repo.fetch(ctx, ids, size)
	for i, c := range changes {
		s := c.state()
		if b, ok := blobs[ids[i]]; !ok {
			s.Lost = "git no longer has its old content"
		} else if hash, _, err := t.store.Put(bytes.NewReader(b)); err != nil {
			s.Lost = "its old content could not be kept: " + err.Error()
		} else {
			s.Hash = hash
		}
		f.states[c.path] = s
	}
}

// list returns the changes with absolute paths.
func (f *found) list() []snapshot.Touched {
	all := make([]snapshot.Touched, 0, len(f.changes))
	for _, c := range f.changes {
		s, ok := f.states[c.path]
		if !ok {
			s = c.state()
		}
		all = append(all, snapshot.Touched{Path: f.absolute(c.path), Before: s})
	}
	return all
}

// state returns what was at the path before. Its Hash is empty if the content is a blob of
// git.
func (c change) state() snapshot.State {
	if c.before == nil {
		return snapshot.State{Kind: snapshot.Absent}
	}
	s := snapshot.State{Kind: c.before.kind.public(), Mode: c.before.mode, Target: c.target}
	switch c.before.kind {
	case other:
		s.Lost = snapshot.UnsavedKind
	case file:
		s.Size = c.before.size
		if c.content.status == kept {
			s.Hash = hex.EncodeToString(c.content.sum[:])
		}
		s.Lost = c.why()
	}
	return s
}

// why says why a file cannot be restored; empty if it can be.
func (c change) why() string {
	switch {
	case c.before.flags&linked != 0:
		return snapshot.UnsavedLinks
	case c.before.flags&foreign != 0:
		return snapshot.UnsavedOwner
	case c.before.size > snapshot.MaxFile:
		return snapshot.UnsavedSize
	}
	switch c.content.status {
	case kept, blob, blob256:
		return ""
	case ignored:
		return UnsavedIgnored
	case large:
		return UnsavedLarge
	case over:
		return UnsavedLimit
	case failed:
		return "its old content could not be copied"
	}
	return UnsavedTimeout
}
