package search

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// batchSize is how many files of one directory a worker takes at a time, so
// that a large directory keeps them all busy.
const batchSize = 32

// found is a file that a walk came to. It is only valid during the visit.
type found struct {
	path string
	name string
	dir  *openDir
}

// open opens the file without following links out of its directory.
func (f found) open() (*os.File, error) {
	return f.dir.root.OpenFile(f.name, os.O_RDONLY|nonblock, 0)
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
// all are visited, or with ctx's error soon after that has ended.
func (t *Tree) walk(ctx context.Context, start string, visit func(worker int, f found) error) (Unreadable, error) {
	w := &walker{tree: t, visit: visit}
	w.wake.L = &w.mu
	w.push(task{path: start, rules: func(d *os.Root, has func(string) bool) rules { return t.rulesIn(start) }})
	stop := context.AfterFunc(ctx, w.stop)
	defer stop()
	var wg sync.WaitGroup
	for i := range workers() {
		wg.Go(func() { w.work(ctx, i) })
	}
	wg.Wait()
	w.discard()
	return w.unreadable, ctx.Err()
}

// workers is how many goroutines search: a few more than one even on one core,
// since they wait for the disk too.
func workers() int { return max(2, min(runtime.GOMAXPROCS(0), 8)) }

// task is a directory to list or, with dir, files of an open one to visit.
type task struct {
	path  string
	rules func(d *os.Root, has func(string) bool) rules
	dir   *openDir
	names []string
}

// openDir is a directory that closes when the last task with it is done.
type openDir struct {
	root  *os.Root
	users atomic.Int32
}

func (d *openDir) release() {
	if d.users.Add(-1) == 0 {
		d.root.Close()
	}
}

// walker hands out tasks, the newest first, so that few directories are open
// and few tasks wait at any time.
type walker struct {
	tree  *Tree
	visit func(worker int, f found) error

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
		if k.dir != nil {
			k.dir.release()
		}
	}
}

func (w *walker) work(ctx context.Context, worker int) {
	for {
		k, ok := w.next()
		if !ok {
			return
		}
		if k.dir == nil {
			w.failed(w.list(k))
		} else {
			for _, name := range k.names {
				if ctx.Err() != nil {
					break
				}
				w.failed(w.visit(worker, found{path.Join(k.path, name), name, k.dir}))
			}
			k.dir.release()
		}
		w.done()
	}
}

// failed counts what cannot be read. What has gone meanwhile was never there.
func (w *walker) failed(err error) {
	if err == nil || errors.Is(err, fs.ErrNotExist) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.unreadable.add(err)
}

// list reads a directory and pushes what is in it: its files are taken before
// its directories, so that it is closed soon.
func (w *walker) list(k task) error {
	root, entries, err := w.tree.readDir(k.path)
	if err != nil {
		return err
	}
	d := &openDir{root: root}
	d.users.Add(1)
	defer d.release()
	r := k.rules(root, hasName(entries))
	var tasks []task
	var files []string
	for _, e := range entries {
		p := path.Join(k.path, e.Name())
		if !e.IsDir() && !e.Type().IsRegular() || r.ignores(p, e.Name(), e.IsDir()) {
			continue
		}
		if !e.IsDir() {
			files = append(files, e.Name())
			continue
		}
		tasks = append(tasks, task{path: p, rules: func(d *os.Root, has func(string) bool) rules {
			return w.tree.enter(r, d, p, has)
		}})
	}
	slices.Reverse(tasks)
	for batch := range slices.Chunk(files, batchSize) {
		d.users.Add(1)
		tasks = append(tasks, task{path: k.path, dir: d, names: batch})
	}
	w.push(tasks...)
	return nil
}

// readDir opens a directory of the tree and returns what is in it, by name.
func (t *Tree) readDir(p string) (*os.Root, []fs.DirEntry, error) {
	root, err := t.root.OpenRoot(p)
	if err != nil {
		return nil, nil, err
	}
	d, err := root.Open(".")
	if err != nil {
		root.Close()
		return nil, nil, err
	}
	defer d.Close()
	entries, err := d.ReadDir(-1)
	if err != nil && len(entries) == 0 {
		root.Close()
		return nil, nil, err
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	return root, entries, nil
}

// hasName returns a function that says whether a regular file, or git's
// directory, is among the entries.
func hasName(sorted []fs.DirEntry) func(string) bool {
	return func(name string) bool {
		i, ok := slices.BinarySearchFunc(sorted, name, func(e fs.DirEntry, name string) int {
			return cmp.Compare(e.Name(), name)
		})
		return ok && (name == gitDir || sorted[i].Type().IsRegular())
	}
}
