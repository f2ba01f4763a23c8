package scan

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// MaxEntries is how many entries a tree may have to be scanned.
const MaxEntries = 500_000

// errTooMany says that a tree has more entries than that. It is for the user.
var errTooMany = errors.New("it has more than 500,000 files")

// workers is how many directories are read at once.
const workers = 4

// walk examines everything below a directory without following symbolic links. It leaves
// out git directories, other mounts, and the paths of skip.
func walk(ctx context.Context, top string, skip map[string]bool, limit int) (*index, error) {
	l, err := openLister(top)
	if err != nil {
		return nil, err
	}
	defer l.close()
	w := &walker{ctx: ctx, lister: l, skip: skip, limit: int64(limit), todo: []string{"."}, targets: map[string]string{}}
	w.wake.L = &w.mu
	defer context.AfterFunc(ctx, func() { _ = w.stop(ctx.Err()) })()
	var wg sync.WaitGroup
	for range workers {
		wg.Go(w.run)
	}
	wg.Wait()
	if err := w.stop(ctx.Err()); err != nil {
		return nil, err
	}
	slices.SortFunc(w.dirs, func(a, b dir) int { return comparePaths(a.path, b.path) })
	return &index{dirs: slices.Clone(w.dirs), targets: w.targets, files: int(w.count.Load()), mtime: l.mtime}, nil
}

// walker reads directories with several goroutines.
type walker struct {
	ctx    context.Context
	lister *lister
	skip   map[string]bool
	limit  int64
	count  atomic.Int64 // entries so far

	mu      sync.Mutex
	wake    sync.Cond
	todo    []string // directories to read, the newest last
	busy    int
	err     error // ends all goroutines
	dirs    []dir
	targets map[string]string
}

// stop ends all goroutines if err is not nil. It returns the first error.
func (w *walker) stop(err error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = err
	}
	w.wake.Broadcast()
	return w.err
}

// run reads directories until there are no more.
func (w *walker) run() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for {
		for len(w.todo) == 0 && w.busy > 0 && w.err == nil {
			w.wake.Wait()
		}
		if w.err != nil || len(w.todo) == 0 {
			w.wake.Broadcast()
			return
		}
		path := w.todo[len(w.todo)-1]
		w.todo = w.todo[:len(w.todo)-1]
		w.busy++
		w.mu.Unlock()
		r := w.read(path)
		w.mu.Lock()
		w.busy--
		w.add(path, r)
		w.wake.Broadcast()
	}
}

// listed is a directory that was read.
type listed struct {
	entries []entry
	targets map[string]string // of links, by name
	err     error
}

// read reads a directory.
func (w *walker) read(path string) listed {
	var r listed
	r.err = w.lister.read(path, func(e entry, target string) error {
		if strings.EqualFold(e.name, ".git") || len(w.skip) > 0 && w.skip[join(path, e.name)] {
			return nil
		}
		if w.count.Add(1) > w.limit {
			return errTooMany
		}
		if e.kind == link {
			if r.targets == nil {
				r.targets = map[string]string{}
			}
			r.targets[join(path, e.name)] = target
		}
		r.entries = append(r.entries, e)
		return w.ctx.Err()
	})
	slices.SortFunc(r.entries, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	return r
}

// add adds a directory and the work to read its subdirectories. The caller holds mu.
func (w *walker) add(path string, r listed) {
	switch {
	case r.err == nil:
	case errors.Is(r.err, errTooMany), w.ctx.Err() != nil, path == ".":
		if w.err == nil {
			w.err = r.err
		}
		return
	case errors.Is(r.err, fs.ErrNotExist): // it was removed
		return
	default:
		w.dirs = append(w.dirs, dir{path: path, unread: true})
		return
	}
	w.dirs = append(w.dirs, dir{path: path, entries: slices.Clone(r.entries)})
	maps.Copy(w.targets, r.targets)
	for i := range r.entries {
		if r.entries[i].kind == directory && r.entries[i].flags&mounted == 0 {
			w.todo = append(w.todo, join(path, r.entries[i].name))
		}
	}
}
