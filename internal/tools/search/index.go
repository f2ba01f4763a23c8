package search

import (
	"context"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	// walkWait is how long a query waits for the walk that it started. Small trees
	// are complete by then.
	walkWait = 20 * time.Millisecond
	// minAge is the minimum age of an index before it is refreshed.
	minAge = 3 * time.Second
	// ageFactor is the minimum age of an index as a multiple of the duration of its
	// walk.
	ageFactor = 20
	// closeLimit is how long Close waits for a walk.
	closeLimit = time.Second
	// maxRecent is how many recently used paths are remembered.
	maxRecent = 100
)

// Index holds the names of all files and directories of a tree for fuzzy search.
// The first query starts to walk the tree; queries answer from the names known so
// far. Ignored files are included, but rank last. It is safe for concurrent use.
type Index struct {
	tree *Tree
	now  func() time.Time

	ctx     context.Context // ended by Close
	stop    context.CancelFunc
	walking sync.WaitGroup

	mu       sync.Mutex
	names    *names        // used by queries; nil before the first
	walkDone chan struct{} // closed at the end of the current walk; nil if there is none
	closed   bool
	changed  bool          // files have changed since the last walk
	lastWalk time.Time     // end of the last walk
	walkTime time.Duration // duration of the last walk
	recent   []string      // recently used paths, latest first
}

// NewIndex returns an index of t. The caller closes it before t's root.
func NewIndex(t *Tree) *Index {
	ctx, stop := context.WithCancel(context.Background())
	return &Index{tree: t, now: time.Now, ctx: ctx, stop: stop}
}

// Close stops the background walk. It does not wait for a file system that hangs.
func (x *Index) Close() {
	x.mu.Lock()
	x.closed = true
	x.mu.Unlock()
	x.stop()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		x.walking.Wait()
	}()
	limit := time.NewTimer(closeLimit)
	defer limit.Stop()
	select {
	case <-ended:
	case <-limit.C:
	}
}

// Changed reports that files were created or removed: the next query starts a
// walk.
func (x *Index) Changed() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.changed = true
}

// Use marks paths, relative to the tree, as recently used, which ranks them
// higher.
func (x *Index) Use(paths ...string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	recent := slices.Clone(x.recent) // queries may be reading it
	for _, p := range paths {
		if i := slices.Index(recent, p); i >= 0 {
			recent = slices.Delete(recent, i, i+1)
		}
		recent = slices.Insert(recent, 0, p)
	}
	x.recent = recent[:min(len(recent), maxRecent)]
}

// Suggest returns the best matches for query, at most limit. It does not wait for
// a walk to end; during a walk final is false, and the same query may return more
// later.
func (x *Index) Suggest(ctx context.Context, query string, limit int) (found []Suggestion, final bool) {
	if began := x.refresh(); began != nil {
		wait := time.NewTimer(walkWait)
		defer wait.Stop()
		select {
		case <-began:
		case <-wait.C:
		case <-ctx.Done():
		}
	}
	x.mu.Lock()
	names, recent, final := x.names, x.recent, x.walkDone == nil
	x.mu.Unlock()
	if names == nil || limit <= 0 || len(query) > maxQuery {
		return nil, final
	}
	return names.snapshot().suggest(ctx, query, recent, limit), final
}

// refresh starts a walk if one is due, and returns a channel that is closed at
// its end.
func (x *Index) refresh() <-chan struct{} {
	x.mu.Lock()
	defer x.mu.Unlock()
	due := x.names == nil || x.changed || x.now().Sub(x.lastWalk) > max(minAge, ageFactor*x.walkTime)
	if x.walkDone != nil || x.closed || !due {
		return nil
	}
	found, done := &names{}, make(chan struct{})
	x.walkDone, x.changed = done, false
	if x.names == nil {
		x.names = found
	}
	x.walking.Go(func() {
		began := x.now()
		x.walk(found)
		x.mu.Lock()
		defer x.mu.Unlock()
		if x.ctx.Err() == nil {
			x.names = found
		}
		x.lastWalk = x.now()
		x.walkTime = x.lastWalk.Sub(began)
		x.walkDone = nil
		close(done)
	})
	return done
}

// walk adds all names to found. Ignored directories come last, because they may
// be very large.
func (x *Index) walk(found *names) {
	ctx, stop := context.WithCancel(x.ctx)
	defer stop()
	var mu sync.Mutex
	var later []task
	b := newBudget(ctx, x.tree.caps)
	w := &walker{tree: x.tree, budget: b, names: func(dir string, entries []fs.DirEntry, r rules) {
		all := entriesOf(dir, entries, func(e fs.DirEntry) bool { return r.ignores(dir, e.Name(), e.IsDir()) })
		if !found.add(dir, all) {
			stop()
		}
		for _, e := range all {
			if e.isDir && e.standing == ignored {
				mu.Lock()
				later = append(later, task{path: join(dir, e.name), rules: noRules})
				mu.Unlock()
			}
		}
	}}
	if w.run(ctx, task{path: ".", rules: func(folder, func(string) bool) rules { return x.tree.rulesIn(b, ".") }}) != nil {
		return
	}
	w = &walker{tree: Whole(x.tree.root), budget: b, names: func(dir string, entries []fs.DirEntry, _ rules) {
		if !found.add(dir, entriesOf(dir, entries, func(fs.DirEntry) bool { return true })) {
			stop()
		}
	}}
	_ = w.run(ctx, later...)
}

func noRules(folder, func(string) bool) rules { return rules{} }

// entriesOf returns the entries of dir for an index: files, directories and
// links, without .git.
func entriesOf(dir string, entries []fs.DirEntry, leftOut func(fs.DirEntry) bool) []entryInfo {
	below := strings.HasPrefix(dir, ".") && dir != "." || strings.Contains(dir, "/.")
	out := make([]entryInfo, 0, len(entries))
	for _, e := range entries {
		if t := e.Type(); e.Name() == gitDir || !t.IsDir() && !t.IsRegular() && t&fs.ModeSymlink == 0 {
			continue
		}
		l := entryInfo{name: e.Name(), isDir: e.IsDir()}
		switch {
		case leftOut(e):
			l.standing = ignored
		case below || strings.HasPrefix(l.name, "."):
			l.standing = hidden
		}
		out = append(out, l)
	}
	return out
}
