package search

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// batchSize is how many files of one directory a worker takes at a time, so that
// a large directory keeps all workers busy.
const batchSize = 32

// maxOpenDirs is how many directories stay open until their subdirectories are
// read. Subdirectories of others are opened from the root, which limits the
// descriptors in use.
const maxOpenDirs = 100

// visited is a file of a walk. It is valid only during the visit.
type visited struct {
	dir  *openDir
	name string
}

// path returns the path relative to the tree, with slashes.
func (f visited) path() string { return join(f.dir.path, f.name) }

// join is path.Join for a clean path and a name.
func join(dir, name string) string {
	if dir == "." {
		return name
	}
	return dir + "/" + name
}

// Unreadable counts files and directories that could not be read.
type Unreadable struct {
	Count int
	First error // first error
}

func (u *Unreadable) add(err error) {
	if u.Count++; u.First == nil {
		u.First = err
	}
}

// walk calls visit for every regular file below start that is not ignored, from
// several goroutines, in any order. worker is the number of the goroutine, from
// 0. It returns when all are visited, or with the error of b's context soon after
// that has ended.
func (t *Tree) walk(b *budget, start string, visit func(worker int, f visited) error) (Unreadable, error) {
	w := &walker{tree: t, budget: b, visit: visit}
	err := w.run(b.ctx, task{path: start, rules: func(folder, func(string) bool) rules { return t.rulesIn(b, start) }})
	return w.unreadable, err
}

// run executes tasks and all tasks that they add.
func (w *walker) run(ctx context.Context, tasks ...task) error {
	w.wake.L = &w.mu
	w.push(tasks...)
	stop := context.AfterFunc(ctx, w.stop)
	defer stop()
	var wg sync.WaitGroup
	for i := range workers() {
		wg.Go(func() { w.runTasks(ctx, i) })
	}
	wg.Wait()
	w.releaseTasks()
	return ctx.Err()
}

// workers returns the number of goroutines: at least two, because they also wait
// for the disk.
func workers() int { return max(2, min(runtime.GOMAXPROCS(0), 8)) }

// task is a directory to read or, if names is set, files of dir to visit.
type task struct {
	path  string
	depth int      // levels below the start
	dir   *openDir // parent of path; nil to open path from the root
	rules func(d folder, has func(string) bool) rules
	names []string
}

// openDir is a directory that is closed after its last task.
type openDir struct {
	folder
	path      string
	users     atomic.Int32
	openCount *atomic.Int32 // number of open directories
}

func (d *openDir) release() {
	if d != nil && d.users.Add(-1) == 0 {
		d.openCount.Add(-1)
		d.close()
	}
}

// walker distributes tasks, newest first, to keep few directories open and few
// tasks waiting.
type walker struct {
	tree      *Tree
	budget    *budget
	visit     func(worker int, f visited) error           // nil if only names are needed
	names     func(dir string, es []fs.DirEntry, r rules) // gets all entries of a directory, including ignored ones; may be nil
	openCount atomic.Int32

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

// next returns a task, or false if there will be no more.
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

// releaseTasks releases the directories of remaining tasks.
func (w *walker) releaseTasks() {
	for _, k := range w.tasks {
		k.dir.release()
	}
}

func (w *walker) runTasks(ctx context.Context, worker int) {
	for {
		k, ok := w.next()
		if !ok {
			return
		}
		if k.names == nil {
			w.addUnreadable(k.path, w.list(ctx, k))
		}
		for _, name := range k.names {
			if ctx.Err() != nil {
				break
			}
			f := visited{k.dir, name}
			if err := w.visit(worker, f); err != nil {
				w.addUnreadable(f.path(), err)
			}
		}
		k.dir.release()
		w.done()
	}
}

// addUnreadable counts an error. It ignores files that have disappeared.
func (w *walker) addUnreadable(p string, err error) {
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

// list reads a directory and adds tasks for its entries.
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
		w.pushEntries(ctx, d, part, r, k.depth)
	})
	if more {
		w.budget.note(func(l *Limits) { l.Large++ })
	}
	return err
}

// pushEntries adds tasks for a part of a directory. Its files are taken before
// its directories.
func (w *walker) pushEntries(ctx context.Context, d *openDir, part []fs.DirEntry, r rules, depth int) {
	var tasks []task
	var files []string
	deep := 0
	for _, e := range part {
		if ctx.Err() != nil {
			return // before tasks use d
		}
		switch {
		case !e.IsDir() && !e.Type().IsRegular() || r.ignores(d.path, e.Name(), e.IsDir()):
		case w.tree.hides(d.path, e.Name()):
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
		tasks[i] = w.subdirTask(d, tasks[i].path, r, depth+1)
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
	d := &openDir{folder: f, path: k.path, openCount: &w.openCount}
	d.users.Add(1)
	w.openCount.Add(1)
	return d, nil
}

// subdirTask returns the task for the directory name in d, with the rules r of d.
func (w *walker) subdirTask(d *openDir, name string, r rules, depth int) task {
	p := join(d.path, name)
	k := task{path: p, depth: depth, rules: func(f folder, has func(string) bool) rules { return w.tree.enter(r, f, p, has) }}
	if w.openCount.Load() < maxOpenDirs {
		d.users.Add(1)
		k.dir = d
	}
	return k
}
