package git

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"agent/internal/llm/phrase"
)

// Change is a file before and after the work in a worktree.
type Change struct {
	Path   string // relative to the workspace, with slashes
	Before []byte // nil for a new file
	After  []byte // nil for a removed file
}

// Diff holds the changes in a worktree since it was made.
type Diff struct {
	Changes []Change // sorted by path
	LeftOut []string // sentences about changes that Changes does not hold
}

// Limits of a Diff.
const (
	maxChanges     = 1000
	maxChangeBytes = 64 << 20        // of all contents, before and after
	maxListTime    = 2 * time.Minute // to list the files; git blocks if .gitignore is a pipe
)

// Changes returns the changes of files that git does not ignore. It looks only at the
// files of the working tree: commits, branches and the index of the worktree do not
// matter.
func (w *Worktree) Changes(ctx context.Context) (Diff, error) {
	c := comparison{worktree: w, now: newFiles(w.root), blocked: map[string]bool{}}
	fresh, err := c.newNames(ctx)
	if err != nil {
		return Diff{}, err
	}
	for _, name := range slices.Sorted(maps.Keys(w.base)) {
		if ctx.Err() != nil {
			return Diff{}, ctx.Err()
		}
		if !c.isBlocked(name) {
			c.compare(ctx, name, w.base[name])
		}
	}
	if ctx.Err() != nil { // a file was not read to its end
		return Diff{}, ctx.Err()
	}
	for _, name := range fresh {
		if ctx.Err() != nil {
			return Diff{}, ctx.Err()
		}
		if !c.isBlocked(name) {
			c.addNew(name)
		}
	}
	if err := c.readOriginals(ctx); err != nil {
		return Diff{}, err
	}
	slices.SortFunc(c.changes, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	return Diff{Changes: c.changes, LeftOut: c.left.lines()}, nil
}

// comparison compares a worktree with its base.
type comparison struct {
	worktree *Worktree
	now      files
	blocked  map[string]bool // files that became directories, and the reverse
	changes  []Change        // Before is empty until readOriginals, but not nil for a file of the base
	size     int64           // of the contents of changes
	left     notes
}

// newNames returns the sorted paths of files that are not in the base. It notes files
// in place of directories.
func (c *comparison) newNames(ctx context.Context) ([]string, error) {
	w := c.worktree
	limited, stop := context.WithTimeout(ctx, maxListTime)
	defer stop()
	names, err := w.session.untracked(limited, w.top(), w.env())
	if err != nil {
		if ctx.Err() == nil && limited.Err() != nil {
			err = errors.New("git took too long to list the files of the worktree")
		}
		return nil, err
	}
	for _, name := range w.absent {
		if _, err := c.now.lstat(name); err == nil {
			names = append(names, name)
		}
	}
	for _, name := range w.submodules {
		if _, err := c.now.lstat(name); err == nil {
			c.left.add("%s: changes of a submodule are left out", c.shown(name))
		}
	}
	dirs := map[string]bool{}
	for name := range w.base {
		for dir := path.Dir(name); !dirs[dir]; dir = path.Dir(dir) {
			dirs[dir] = true
		}
	}
	slices.Sort(names)
	names = slices.DeleteFunc(slices.Compact(names), func(name string) bool {
		_, old := w.base[name]
		if dirs[name] {
			c.blocked[name] = true
			c.left.add("%s: a file or link in place of a directory is left out", c.shown(name))
		}
		return old || dirs[name]
	})
	return names, nil
}

// isBlocked reports whether a path is below a file that became a directory or the
// reverse.
func (c *comparison) isBlocked(name string) bool {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if c.blocked[dir] {
			return true
		}
	}
	return false
}

// shown returns a path of the working tree relative to the workspace.
func (c *comparison) shown(name string) string {
	rel := c.worktree.rel
	if rel == "." {
		return name
	}
	if in, ok := strings.CutPrefix(name, rel+"/"); ok {
		return in
	}
	return strings.Repeat("../", strings.Count(rel, "/")+1) + name
}

// compare adds the change of a file of the base.
func (c *comparison) compare(ctx context.Context, name string, old base) {
	fi, err := c.now.lstat(name)
	shown := c.shown(name)
	switch {
	case errors.Is(err, fs.ErrNotExist) && old.link:
		c.left.add("%s: the removal of a symbolic link is left out", shown)
	case errors.Is(err, fs.ErrNotExist):
		c.add(name, old, Change{Before: []byte{}})
	case err != nil:
		c.left.add("%s cannot be read", shown)
	case fi.IsDir():
		c.blocked[name] = true
		c.left.add("%s: a directory in place of a file is left out", shown)
	case fi.Mode()&fs.ModeSymlink != 0:
		target, err := c.now.root.Readlink(name)
		if err != nil || !old.link || c.worktree.blobID([]byte(target)) != old.id {
			c.left.add("%s: a new or changed symbolic link is left out", shown)
		}
	case !fi.Mode().IsRegular():
		c.left.add("%s: a file that is not regular is left out", shown)
	case old.link:
		c.left.add("%s: a file in place of a symbolic link is left out", shown)
	default:
		if isExecutable(fi) != old.executable {
			c.left.add("%s: the change of its executable bit is left out", shown)
		}
		c.compareContent(ctx, name, old)
	}
}

// compareContent adds the change of a regular file.
func (c *comparison) compareContent(ctx context.Context, name string, old base) {
	file, _, err := c.now.open(name)
	if err != nil {
		c.left.add("%s cannot be read", c.shown(name))
		return
	}
	id, size, err := c.worktree.fileID(stoppable{file, ctx.Err})
	_ = file.Close()
	switch {
	case err != nil:
		c.left.add("%s cannot be read", c.shown(name))
	case id == old.id:
	case size > maxChanged:
		c.left.add("%s (%s) is too large; its change is left out", c.shown(name), phrase.Bytes(size))
	default:
		if after, err := c.now.read(name, maxChanged); err != nil {
			c.left.add("%s cannot be read", c.shown(name))
		} else {
			c.add(name, old, Change{Before: []byte{}, After: after})
		}
	}
}

// addNew adds a file that is not in the base.
func (c *comparison) addNew(name string) {
	shown := c.shown(name)
	fi, err := c.now.lstat(strings.TrimSuffix(name, "/"))
	switch {
	case err != nil:
		c.left.add("%s cannot be read", shown)
	case strings.HasSuffix(name, "/"):
		c.left.add("%s: a repository of its own is left out", shown)
	case fi.Mode()&fs.ModeSymlink != 0:
		c.left.add("%s: a new or changed symbolic link is left out", shown)
	case !fi.Mode().IsRegular():
		c.left.add("%s: a file that is not regular is left out", shown)
	case fi.Size() > maxChanged:
		c.left.add("%s (%s) is too large and is left out", shown, phrase.Bytes(fi.Size()))
	default:
		after, err := c.now.read(name, maxChanged)
		if err != nil {
			c.left.add("%s cannot be read", shown)
			return
		}
		if isExecutable(fi) {
			c.left.add("%s: its executable bit is left out", shown)
		}
		c.add(name, base{}, Change{After: after})
	}
}

// add adds a change if it is within the workspace and the limits.
func (c *comparison) add(name string, old base, change Change) {
	change.Path = c.shown(name)
	size := old.size + int64(len(change.After))
	switch {
	case strings.HasPrefix(change.Path, "../"):
		c.left.add("%s: a change outside the workspace is left out", change.Path)
	case old.size > maxChanged:
		c.left.add("%s (%s) is too large; its change is left out", change.Path, phrase.Bytes(old.size))
	case len(c.changes) >= maxChanges || c.size+size > maxChangeBytes:
		c.left.add("%s: there are too many changes; it is left out", change.Path)
	default:
		c.size += size
		c.changes = append(c.changes, change)
	}
}

// readOriginals sets Before of each change.
func (c *comparison) readOriginals(ctx context.Context) error {
	w := c.worktree
	var ids []string
	for _, change := range c.changes {
		if old, ok := w.base[w.pathOf(change)]; ok && old.saved == "" {
			ids = append(ids, old.id)
		}
	}
	blobs := map[string][]byte{}
	if len(ids) > 0 {
		var err error
		if blobs, err = w.session.Blobs(ctx, ids, c.size); err != nil {
			return err
		}
	}
	saved := newFiles(w.saved)
	c.changes = slices.DeleteFunc(c.changes, func(change Change) bool { return change.Before != nil && !c.hasOriginal(change, blobs, saved) })
	for i, change := range c.changes {
		if old, ok := w.base[w.pathOf(change)]; ok {
			c.changes[i].Before = blobs[old.id]
		}
	}
	return nil
}

// hasOriginal adds the content before a change to blobs. It reports whether that content
// is available and unmodified.
func (c *comparison) hasOriginal(change Change, blobs map[string][]byte, saved files) bool {
	w := c.worktree
	old := w.base[w.pathOf(change)]
	if old.saved != "" {
		if content, err := saved.read(old.saved, maxChanged); err == nil {
			blobs[old.id] = content
		}
	}
	content, ok := blobs[old.id]
	if ok && w.blobID(content) == old.id {
		return true
	}
	c.left.add("%s: its content before the change cannot be read; the change is left out", change.Path)
	return false
}

// pathOf returns the path of a change relative to the top directory.
func (w *Worktree) pathOf(c Change) string { return path.Join(w.rel, c.Path) }
