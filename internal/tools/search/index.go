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
	// patience is how long a query that begins a walk waits for its end: in a
	// small tree it sees all that there is.
	patience = 20 * time.Millisecond
	// freshness is how long what a walk has found is taken for true, at least.
	freshness = 3 * time.Second
	// restraint is how many times longer than a walk took is waited before the
	// next one.
	restraint = 20
	// closing is how long Close waits for a walk. One that can look at its
	// context ends in a fraction of that.
	closing = time.Second
	// maxRecent is how many of the paths used last are remembered.
	maxRecent = 100
)

// Index knows the names of all files and directories of a tree, to find those
// that a few letters stand for. It begins to walk the tree with its first
// query, and answers with what it knows by then. Ignored files are in it, but
// come last. It is safe for concurrent use.
type Index struct {
	tree *Tree
	now  func() time.Time

	ctx     context.Context // ended by Close
	stop    context.CancelFunc
	walking sync.WaitGroup

	mu     sync.Mutex
	names  *names        // that queries are answered from; nil before the first
	busy   chan struct{} // closed at the end of the walk under way; nil if there is none
	closed bool
	stale  bool          // something is known to have changed
	ended  time.Time     // the last walk
	took   time.Duration // it
	recent []string      // the paths used last, the latest first
}

// NewIndex returns an index of t. The caller closes it, before t's root.
func NewIndex(t *Tree) *Index {
	ctx, stop := context.WithCancel(context.Background())
	return &Index{tree: t, now: time.Now, ctx: ctx, stop: stop}
}

// Close ends what goes on in the background. A walk that waits for a file system
// that does not answer is left behind.
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
	limit := time.NewTimer(closing)
	defer limit.Stop()
	select {
	case <-ended:
	case <-limit.C:
	}
}

// Changed says that files were made or removed: the next query looks again.
func (x *Index) Changed() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.stale = true
}

// Use says that somebody works with the files at paths, relative to the tree:
// they come before others that fit as well.
func (x *Index) Use(paths ...string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	recent := slices.Clone(x.recent) // queries may be looking at it
	for _, p := range paths {
		if i := slices.Index(recent, p); i >= 0 {
			recent = slices.Delete(recent, i, i+1)
		}
		recent = slices.Insert(recent, 0, p)
	}
	x.recent = recent[:min(len(recent), maxRecent)]
}

// Suggest returns what query stands for, the best first, at most limit. It does
// not wait for a walk to end; while one goes on the answer is not final, and the
// same query may find something else in a moment.
func (x *Index) Suggest(ctx context.Context, query string, limit int) (found []Suggestion, final bool) {
	if began := x.refresh(); began != nil {
		wait := time.NewTimer(patience)
		defer wait.Stop()
		select {
		case <-began:
		case <-wait.C:
		case <-ctx.Done():
		}
	}
	x.mu.Lock()
	names, recent, final := x.names, x.recent, x.busy == nil
	x.mu.Unlock()
	if names == nil || limit <= 0 || len(query) > maxQuery {
		return nil, final
	}
	return names.now().suggest(ctx, query, recent, limit), final
}

// refresh begins a walk where one is due, and returns a channel that is closed
// at its end.
func (x *Index) refresh() <-chan struct{} {
	x.mu.Lock()
	defer x.mu.Unlock()
	due := x.names == nil || x.stale || x.now().Sub(x.ended) > max(freshness, restraint*x.took)
	if x.busy != nil || x.closed || !due {
		return nil
	}
	found, done := &names{}, make(chan struct{})
	x.busy, x.stale = done, false
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
		x.ended = x.now()
		x.took = x.ended.Sub(began)
		x.busy = nil
		close(done)
	})
	return done
}

// walk adds what there is to found: what is ignored only when all else is
// there, since it may be very much.
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

// entriesOf returns what an index takes of the entries of dir: files,
// directories and links, but nothing of git's own.
func entriesOf(dir string, entries []fs.DirEntry, leftOut func(fs.DirEntry) bool) []listed {
	below := strings.HasPrefix(dir, ".") && dir != "." || strings.Contains(dir, "/.")
	out := make([]listed, 0, len(entries))
	for _, e := range entries {
		if t := e.Type(); e.Name() == gitDir || !t.IsDir() && !t.IsRegular() && t&fs.ModeSymlink == 0 {
			continue
		}
		l := listed{name: e.Name(), isDir: e.IsDir()}
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
