package scan

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/realpath"
	"agent/internal/tools/git"
	"agent/internal/tools/search"
	"agent/internal/tools/snapshot"
)

// tree is one directory of a Scanner: its last scan, and where the contents of its files
// are. It is not safe for concurrent use.
type tree struct {
	top   string // absolute, without symbolic links
	root  *os.Root
	skip  map[string]bool // relative to top
	store snapshot.Contents
	limit int // of entries

	index *index // nil before the first scan
	repo  repository
}

func openTree(top string, skip []string, store snapshot.Contents) (*tree, error) {
	if err := refuse(top); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(top)
	if err != nil {
		return nil, err
	}
	t := &tree{top: top, root: root, skip: map[string]bool{}, store: store, limit: MaxEntries}
	for _, path := range skip {
		if rel, in := realpath.Rel(path, top); in {
			t.skip[filepath.ToSlash(rel)] = true
		}
	}
	return t, nil
}

// refuse returns an error for directories that are too much to scan: the root of the file
// system, and all that contain the home directory.
func refuse(top string) error {
	if filepath.Dir(top) == top {
		return errors.New("it is the root of the file system")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return nil
	}
	if real, err := filepath.EvalSymlinks(home); err == nil {
		home = real
	}
	if realpath.Inside(home, top) {
		return errors.New("it contains the home directory")
	}
	return nil
}

// wrap adds the directory to an error of scan.
func (t *tree) wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("examine %s: %w", t.top, err)
}

func (t *tree) close() {
	_ = t.root.Close()
	t.repo.close()
}

// scan examines the tree again. It returns what has changed since the last scan, and the
// last scan, which is nil before the first one. If it fails, nothing changes.
func (t *tree) scan(ctx context.Context) ([]change, *index, error) {
	now, err := walk(ctx, t.top, t.skip, t.limit)
	if err != nil {
		return nil, nil, err
	}
	old := t.index
	if old == nil {
		t.index = now
		return nil, nil, nil
	}
	changes, suspects := compare(old, now)
	for _, s := range suspects {
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		if !t.unchanged(ctx, s) {
			dir, name := split(s.path)
			if d := now.find(dir); d != nil {
				d.know(d.find(name), content{})
			}
			changes = append(changes, s)
		}
	}
	slices.SortFunc(changes, func(a, b change) int { return strings.Compare(a.path, b.path) })
	t.index = now
	return changes, old, nil
}

// unchanged reports whether the file of a change is known to have its content before.
func (t *tree) unchanged(ctx context.Context, c change) bool {
	if c.before == nil || c.after == nil || c.after.kind != file || c.before.size != c.after.size {
		return false
	}
	var h hash.Hash
	want := c.content.sum[:]
	switch id := c.content.id(); {
	case id != nil:
		h, want = git.BlobHash(len(id), c.before.size), id
	case c.content.status == kept:
		h = sha256.New()
	default:
		return false
	}
	f, err := t.root.OpenFile(c.path, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	if e, err := examine(f); err != nil || e.size != c.before.size {
		return false
	}
	n, err := io.Copy(h, io.LimitReader(stoppable{f, ctx}, c.before.size+1))
	return err == nil && n == c.before.size && slices.Equal(h.Sum(nil), want)
}

// stoppable is a reader that fails once its context has ended.
type stoppable struct {
	io.Reader
	ctx context.Context
}

func (s stoppable) Read(b []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.Reader.Read(b)
}

// entryRef is an entry of an index.
type entryRef struct {
	dir   *dir
	entry int
}

func (p entryRef) at() *entry   { return &p.dir.entries[p.entry] }
func (p entryRef) path() string { return join(p.dir.path, p.at().name) }

// unknown returns the files of the last scan about whose contents nothing is known.
func (t *tree) unknown() (all []entryRef) {
	for i := range t.index.dirs {
		d := &t.index.dirs[i]
		for j := range d.entries {
			if d.entries[j].kind == file && d.known(j).status == unknown {
				all = append(all, entryRef{d, j})
			}
		}
	}
	return all
}

// locate finds out which contents git has, and puts other files that git does not ignore
// into the store, the latest first. It subtracts their sizes from left; if left is nil,
// it puts none. If ctx ends, the rest stays unknown.
func (t *tree) locate(ctx context.Context, left *int64) error {
	if len(t.unknown()) == 0 {
		return nil
	}
	if err := t.repo.locate(ctx, t); err != nil && ctx.Err() != nil {
		return ctx.Err() // without git, all files are copied
	}
	rest := t.unknown()
	filter := search.New(t.root, t.top).Filter(ctx)
	rest = slices.DeleteFunc(rest, func(p entryRef) bool {
		drop := ctx.Err() == nil && filter.Ignored(p.path(), false) && ctx.Err() == nil
		if drop {
			p.dir.know(p.entry, content{status: ignored})
		}
		return drop
	})
	if left == nil {
		return ctx.Err()
	}
	slices.SortFunc(rest, func(a, b entryRef) int {
		return cmp.Or(cmp.Compare(b.at().mtime, a.at().mtime), strings.Compare(a.path(), b.path()))
	})
	for _, p := range rest {
		if err := ctx.Err(); err != nil {
			return err
		}
		t.copy(ctx, p, left)
	}
	return ctx.Err()
}

// copy puts a file into the store, if it is still the one that was scanned.
func (t *tree) copy(ctx context.Context, p entryRef, left *int64) {
	e := p.at()
	switch {
	case e.size > MaxCopy:
		p.dir.know(p.entry, content{status: large})
		return
	case e.size > *left:
		p.dir.know(p.entry, content{status: over})
		return
	}
	f, err := t.root.OpenFile(p.path(), os.O_RDONLY|nonblock, 0)
	if err != nil {
		p.dir.know(p.entry, content{status: failed})
		return
	}
	defer f.Close()
	before, err := examine(f)
	if err != nil || !before.sameContent(e) {
		return // the next scan finds the change
	}
	text, _, err := t.store.Put(io.LimitReader(stoppable{f, ctx}, e.size+1))
	if ctx.Err() != nil {
		return
	}
	after, examined := examine(f)
	c := content{status: kept}
	switch sum, invalid := hex.DecodeString(text); {
	case err != nil || invalid != nil || len(sum) != len(c.sum):
		p.dir.know(p.entry, content{status: failed})
		return
	case examined != nil || !after.sameContent(e):
		return
	default:
		copy(c.sum[:], sum)
	}
	*left -= e.size
	p.dir.know(p.entry, c)
}
