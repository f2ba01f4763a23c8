package search

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// batchSize is how many files of one directory a worker takes at a time, so
// that a large directory keeps them all busy.
const batchSize = 32

// maxHeld is how many directories stay open until those in them have been
// listed. Those in others are opened from the root anew, so that no tree uses up
// the descriptors.
const maxHeld = 100

// found is a file that a walk came to. It is only valid during the visit.
type found struct {
	dir  *openDir
	name string
}

// path is relative to the tree, with slashes.
func (f found) path() string { return join(f.dir.path, f.name) }

// join is path.Join for a clean path and a name.
func join(dir, name string) string {
	if dir == "." {
		return name
	}
	return dir + "/" + name
}

// Unreadable counts what a walk could not look into.
type Unreadable struct {
	Count int
	First error // of one of them
}

func (u *Unreadable) add(err error) {
	if u.Count++; u.First == nil {
		u.First = err
	}
}

// walk calls visit for every regular file below start that is not ignored, from
// several goroutines, in no order; worker numbers them from 0. It returns when
// all are visited, or with the error of b's context soon after that has ended.
func (t *Tree) walk(b *budget, start string, visit func(worker int, f found) error) (Unreadable, error) {
	w := &walker{tree: t, budget: b, visit: visit}
	err := w.run(b.ctx, task{path: start, rules: func(folder, func(string) bool) rules { return t.rulesIn(b, start) }})
	return w.unreadable, err
}

// run does tasks and all that follow from them.
func (w *walker) run(ctx context.Context, tasks ...task) error {
	w.wake.L = &w.mu
	w.push(tasks...)
	stop := context.AfterFunc(ctx, w.stop)
	defer stop()
	var wg sync.WaitGroup
	for i := range workers() {
		wg.Go(func() { w.work(ctx, i) })
	}
	wg.Wait()
	w.discard()
	return ctx.Err()
}

// workers is how many goroutines search: a few more than one even on one core,
// since they wait for the disk too.
func workers() int { return max(2, min(runtime.GOMAXPROCS(0), 8)) }

// task is a directory to list or, with names, files of dir to visit.
type task struct {
	path  string
	depth int      // levels below the start of the walk
	dir   *openDir // that the path is in, or nil where it is opened from the root
	rules func(d folder, has func(string) bool) rules
	names []string
}

// openDir is a directory that closes when the last task with it is done.
type openDir struct {
	folder
	path  string
	users atomic.Int32
	held  *atomic.Int32 // how many directories are open
}

func (d *openDir) release() {
	if d != nil && d.users.Add(-1) == 0 {
		d.held.Add(-1)
		d.close()
	}
}

// walker hands out tasks, the newest first, so that few directories are open
// and few tasks wait at any time.
type walker struct {
	tree   *Tree
	budget *budget
	visit  func(worker int, f found) error             // nil where the names of files are enough
	names  func(dir string, es []fs.DirEntry, r rules) // takes what a directory holds, ignored or not; may be nil
	held   atomic.Int32

	mu         sync.Mutex
	wake       sync.Cond
	tasks      []task
	busy       int
	stopped    bool
	unreadable Unreadable
}

func (w *walker) push(tasks ...task) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.tasks = append(w.tasks, tasks...)
	w.wake.Broadcast()
}

// next takes a task, or reports that there is and will be none.
func (w *walker) next() (task, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.tasks) == 0 && w.busy > 0 && !w.stopped {
		w.wake.Wait()
	}
	if w.stopped || len(w.tasks) == 0 {
		return task{}, false
	}
	last := len(w.tasks) - 1
	k := w.tasks[last]
	w.tasks[last] = task{}
	w.tasks = w.tasks[:last]
	w.busy++
	return k, true
}

func (w *walker) done() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.busy--; w.busy == 0 {
		w.wake.Broadcast()
	}
}

func (w *walker) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stopped = true
	w.wake.Broadcast()
}

// discard closes what the tasks hold that nobody will do.
func (w *walker) discard() {
	for _, k := range w.tasks {
		k.dir.release()
	}
}

func (w *walker) work(ctx context.Context, worker int) {
	for {
		k, ok := w.next()
		if !ok {
			return
		}
		if k.names == nil {
			w.failed(k.path, w.list(ctx, k))
		}
		for _, name := range k.names {
			if ctx.Err() != nil {
				break
			}
			f := found{k.dir, name}
			if err := w.visit(worker, f); err != nil {
				w.failed(f.path(), err)
			}
		}
		k.dir.release()
		w.done()
	}
}

// failed counts what cannot be read. What has gone meanwhile was never there.
func (w *walker) failed(p string, err error) {
	if err == nil || errors.Is(err, fs.ErrNotExist) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return
	}
	if e := (*fs.PathError)(nil); errors.As(err, &e) {
		err = &fs.PathError{Op: e.Op, Path: p, Err: e.Err}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.unreadable.add(err)
}

// list reads a directory and pushes what is in it.
func (w *walker) list(ctx context.Context, k task) error {
	d, err := w.open(k)
	if err != nil {
		return err
	}
	defer d.release()
	var r rules
	first := true
	more, err := readDir(ctx, d.folder, w.budget.caps.entries, func(part []fs.DirEntry, has func(string) bool) {
		if first {
			r, first = k.rules(d.folder, has), false
		}
		if w.names != nil {
			w.names(d.path, part, r)
		}
		w.take(ctx, d, part, r, k.depth)
	})
	if more {
		w.budget.note(func(l *Limits) { l.Large++ })
	}
	return err
}

// take pushes what is in a part of a directory: its files are taken before its
// directories.
func (w *walker) take(ctx context.Context, d *openDir, part []fs.DirEntry, r rules, depth int) {
	var tasks []task
	var files []string
	deep := 0
	for _, e := range part {
		if ctx.Err() != nil {
			return // before any task holds on to d
		}
		switch {
		case !e.IsDir() && !e.Type().IsRegular() || r.ignores(d.path, e.Name(), e.IsDir()):
		case !e.IsDir() && w.tree.hide != "" && strings.EqualFold(join(d.path, e.Name()), w.tree.hide):
		case !e.IsDir():
			if w.visit != nil {
				files = append(files, e.Name())
			}
		case depth >= w.budget.caps.depth:
			deep++
		default:
			tasks = append(tasks, task{path: e.Name()})
		}
	}
	for i := range tasks {
		tasks[i] = w.below(d, tasks[i].path, r, depth+1)
	}
	for batch := range slices.Chunk(files, batchSize) {
		d.users.Add(1)
		tasks = append(tasks, task{dir: d, names: batch})
	}
	if deep > 0 {
		w.budget.note(func(l *Limits) { l.Deep += deep })
	}
	w.push(tasks...)
}

// open opens the directory of a task. The caller releases it.
func (w *walker) open(k task) (*openDir, error) {
	var f folder
	var err error
	if k.dir != nil {
		f, err = k.dir.folder.folder(path.Base(k.path))
	} else {
		f, err = openFolder(w.tree.root, k.path)
	}
	if err != nil {
		return nil, err
	}
	d := &openDir{folder: f, path: k.path, held: &w.held}
	d.users.Add(1)
	w.held.Add(1)
	return d, nil
}

// below is the task of the directory called name in d, where r holds.
func (w *walker) below(d *openDir, name string, r rules, depth int) task {
	p := join(d.path, name)
	k := task{path: p, depth: depth, rules: func(f folder, has func(string) bool) rules { return w.tree.enter(r, f, p, has) }}
	if w.held.Load() < maxHeld {
		d.users.Add(1)
		k.dir = d
	}
	return k
}
