package undo

import (
	"context"
	"crypto/rand"
	"maps"
	"slices"
	"sync"
	"time"

	"agent/internal/history/blobs"
	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
	"agent/internal/tools"
	"agent/internal/tools/snapshot"
	"agent/internal/tools/snapshot/scan"
)

// Options are the parts of a Recorder.
type Options struct {
	Pack *blobs.Pack
	Path string // of the pack, for the supervisors of commands
	// Roots are absolute directories without symbolic links. The first one is the
	// workspace.
	Roots []string
	Skip  []string // absolute paths below Roots that are not recorded
	// Scan finds the changes of commands that no supervisor watches; may be nil. Its store
	// is the pack.
	Scan *scan.Scanner
	// Watches reports whether commands have a supervisor that watches them. It may wait for
	// the answer. Nil means that they have.
	Watches func() bool
	// Wait is how long EndTurn may look for changes of other programs; 0 means 200 ms.
	Wait time.Duration
}

// Recorder records the changes of a session in its pack. It is a tools.RunInterceptor for
// the calls of the main agent; In returns those of delegates in worktrees. It is safe
// for concurrent use.
type Recorder struct {
	Options

	mu       sync.Mutex
	trees    []string // worktrees: see In
	turn     Turn
	step     string          // ID of the noted turn; empty if the turn is not noted yet
	commands int             // that ran in the turn
	last     string          // the call of the last one: a second run does not count
	jobs     map[string]bool // the calls whose commands became background jobs, and hookCall
	from     int64           // where the notes of jobs begin that belong to the current turn, or follow its end
	period   period
	refresh  refresh
	changed  map[string]*event.FilesChanged // by call; "" for jobs
}

// NewRecorder returns a Recorder. It writes nothing before the first change.
func NewRecorder(o Options) *Recorder {
	return &Recorder{
		Options: o, turn: Turn{At: -1}, period: period{from: o.Pack.Size()},
		jobs: map[string]bool{}, changed: map[string]*event.FilesChanged{},
	}
}

// BeginTurn begins a turn. Later changes belong to it, until the next BeginTurn.
func (r *Recorder) BeginTurn(t Turn) {
	from := r.Pack.Size()
	r.recordJobs()
	r.mu.Lock()
	r.turn, r.step, r.commands, r.from = t, "", 0, from
	r.period = r.period.next(r.Pack.Size())
	running := len(r.jobs) > 0
	r.mu.Unlock()
	if running {
		_ = r.begin()
	}
}

// EndTurn ends the turn and makes its notes survive a power failure. It returns what
// background jobs changed since the last EndTurn, and what other programs changed while
// commands of the turn ran; nil for nothing. It calls renew, which makes the supervisors of
// jobs note each path again that they change later: otherwise later changes of the user
// could not be distinguished from those of a job. The error is for the user.
func (r *Recorder) EndTurn(renew func()) (*event.FilesChanged, error) {
	from := r.Pack.Size()
	renew()
	r.recordJobs()
	r.findOthers()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.from = from
	changed := r.changed[""]
	delete(r.changed, "")
	if r.step == "" {
		return changed, nil
	}
	err := r.Pack.Append(note{Kind: kindEnd, ID: r.step, Heads: readHeads(r.Roots), Commands: r.commands})
	if err == nil {
		err = r.Pack.Sync()
	}
	return changed, err
}

// Changed returns what a finished call changed, and forgets it. It is nil if the call
// changed no files.
func (r *Recorder) Changed(call string) *event.FilesChanged {
	r.mu.Lock()
	defer r.mu.Unlock()
	defer delete(r.changed, call)
	return r.changed[call]
}

// keep holds a summary for Changed or EndTurn. The caller holds mu.
func (r *Recorder) keep(call string, s *event.FilesChanged) {
	if s == nil {
		return
	}
	if old := r.changed[call]; old != nil {
		old.Files += s.Files
		old.Added += s.Added
		old.Removed += s.Removed
		old.Paths = slices.Concat(old.Paths, s.Paths)
		old.Paths = old.Paths[:min(len(old.Paths), maxPaths)]
		old.Lost = slices.Concat(old.Lost, s.Lost)
		return
	}
	r.changed[call] = s
}

// In returns the interceptor of calls whose paths are relative to the worktree dir, which
// is absolute and without symbolic links.
func (r *Recorder) In(dir string) tools.RunInterceptor {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !slices.Contains(r.trees, dir) {
		r.trees = append(r.trees, dir)
		if r.step != "" {
			_ = r.Pack.Append(note{Kind: kindTurn, ID: r.step, Roots: []string{dir}, Repositories: repositoriesOf([]string{dir})})
		}
	}
	return worktree{r, dir}
}

// worktree records the calls of a delegate.
type worktree struct {
	*Recorder
	dir string
}

// Run records a call.
func (w worktree) Run(ctx context.Context, in tools.Info, c tools.Call, ok tools.Approved, next tools.Runner) (tools.Result, error) {
	return w.run(ctx, w.dir, in, c, ok, next)
}

// Run records a call.
func (r *Recorder) Run(ctx context.Context, in tools.Info, c tools.Call, ok tools.Approved, next tools.Runner) (tools.Result, error) {
	return r.run(ctx, r.Roots[0], in, c, ok, next)
}

// run records a call whose paths are relative to dir.
func (r *Recorder) run(ctx context.Context, dir string, in tools.Info, c tools.Call, ok tools.Approved, next tools.Runner) (tools.Result, error) {
	if len(ok.Changes) == 0 && c.Effect != tools.Execute && !c.Programs {
		return next(ctx, c, ok)
	}
	var err error
	if in.Step == 0 && c.Effect == tools.Execute {
		err = r.beginTyped(in, c)
	} else {
		err = r.begin()
	}
	roots, openErr := openRoots(directories{dirs: r.directories()})
	if openErr == nil {
		defer roots.close()
	} else if err == nil {
		err = openErr
	}
	if in.Step > 0 && !ok.Access.Outside {
		// Nobody approves the checks and hooks of a call that is not a command. Without a note
		// of the turn, a strict supervisor rejects writes: the store is full.
		strict := ok.Access.Strict || c.Effect != tools.Execute
		ok.Snapshot = &snapshot.Order{
			Call: in.ID, Store: r.Path, Roots: r.directories(), Skip: r.Skip, Strict: strict, Git: ok.Access.Repositories, MaxFile: snapshot.MaxFile, Began: r.turnBegan(),
			Repositories: repositoriesOf(r.directories()),
		}
	}
	if err != nil {
		r.lose(in.ID, "", err)
		return next(ctx, c, ok)
	}
	k := &call{Recorder: r, roots: roots, id: in.ID, tool: len(ok.Changes) > 0}
	from := r.Pack.Size()
	touched := k.recordBefore(dir, ok.Changes)
	if c.Effect == tools.Execute {
		return k.command(ctx, in, c, ok, next)
	}
	ok.Keep = r.Pack.Sync
	res, err := next(ctx, c, ok)
	k.recordAfter(touched)
	k.recordPrograms(from, touched)
	return res, err
}

// lose notes for the summary of a call that its changes cannot be undone.
func (r *Recorder) lose(call, path string, why error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.keep(call, &event.FilesChanged{ID: call, Lost: []event.LostChange{{Path: path, Why: "its changes could not be recorded: " + why.Error()}}})
}

// turnBegan returns when the turn began, in nanoseconds since 1970; 0 before the first one.
func (r *Recorder) turnBegan() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return max(r.period.began.UnixNano(), 0)
}

// directories returns all roots.
func (r *Recorder) directories() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Concat(r.Roots, r.trees)
}

// begin notes the turn, unless it is noted already.
func (r *Recorder) begin() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.step != "" {
		return nil
	}
	id := rand.Text()
	turn, dirs := r.turn, slices.Concat(r.Roots, r.trees)
	err := r.Pack.Append(note{Kind: kindTurn, ID: id, Turn: &turn, Roots: dirs, Repositories: repositoriesOf(dirs), Heads: readHeads(r.Roots)})
	if err == nil {
		r.step = id
	}
	return err
}

// beginTyped notes a command of the user, which is a step of its own.
func (r *Recorder) beginTyped(in tools.Info, c tools.Call) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	turn, dirs := Turn{Number: r.turn.Number, At: r.turn.At, Prompt: "!" + commandOf(c), Time: r.turn.Time}, slices.Concat(r.Roots, r.trees)
	return r.Pack.Append(note{Kind: kindTyped, ID: rand.Text(), Call: in.ID, Turn: &turn, Roots: dirs, Repositories: repositoriesOf(dirs), Heads: readHeads(r.Roots)})
}

// commandOf returns the command of a call in one line.
func commandOf(c tools.Call) string {
	for _, t := range c.Targets {
		if t.Kind == tools.Command {
			return phrase.OneLine(t.Value, maxCommand)
		}
	}
	return c.Title
}

// maxCommand is the length in bytes of a command in a note.
const maxCommand = 200

// hookCall stands for the ID of a call in the notes about what hooks change.
const hookCall = "hooks"

// HookOrder returns the order to keep the files that a hook changes; nil before the first
// turn, and if the turn cannot be noted. The changes are summarized with those of jobs.
func (r *Recorder) HookOrder() *snapshot.Order {
	r.mu.Lock()
	first := r.turn.Number == 0
	r.mu.Unlock()
	if first || r.begin() != nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.jobs[hookCall] = true
	return &snapshot.Order{Call: hookCall, Store: r.Path, Roots: slices.Concat(r.Roots, r.trees), Skip: r.Skip, Strict: true, MaxFile: snapshot.MaxFile, Began: max(r.period.began.UnixNano(), 0)}
}

// SettleJobs notes what background jobs have changed by now, which belongs to the last
// turn. It returns what they changed since the last EndTurn or SettleJobs; nil for nothing.
func (r *Recorder) SettleJobs() *event.FilesChanged {
	r.recordJobs()
	return r.Changed("")
}

// recordJobs records what background jobs have left, for SettleJobs or EndTurn.
func (r *Recorder) recordJobs() {
	r.mu.Lock()
	from, jobs := r.from, maps.Clone(r.jobs)
	r.mu.Unlock()
	if len(jobs) == 0 {
		return
	}
	roots, err := openRoots(directories{dirs: r.directories()})
	if err != nil {
		r.lose("", "", err)
		return
	}
	defer roots.close()
	k := &call{Recorder: r, roots: roots}
	touched := r.touchedSince(from, func(call string) bool { return jobs[call] })
	k.recordAfter(touched)
	if len(touched) > 0 {
		r.mu.Lock()
		r.period.ran(r.period.began)
		r.mu.Unlock()
	}
}

// touchedSince returns the touched paths of some calls since an offset of the pack. The
// Before of a path is the last known state.
func (r *Recorder) touchedSince(from int64, of func(call string) bool) (all []snapshot.Touched) {
	at := map[string]int{}
	for n, err := range r.Pack.Notes(from) {
		if err != nil {
			continue
		}
		n, ok := decode(n.Body)
		if ok && n.Dropped > 0 && of(n.Call) {
			r.tellDropped(n)
		}
		if !ok || n.Path == "" || n.Kind == kindTouched && (n.Before == nil || !of(n.Call)) {
			continue
		}
		i, known := at[n.Path]
		switch {
		case n.Kind == kindTouched && !known:
			at[n.Path] = len(all)
			all = append(all, snapshot.Touched{Call: n.Call, Path: n.Path, Before: *n.Before})
		case n.Kind == kindAfter && n.After != nil && known:
			all[i].Before = *n.After
		}
	}
	return all
}

// tellDropped adds to the summary of a call that old contents of earlier turns were removed to make room.
func (r *Recorder) tellDropped(n note) {
	r.mu.Lock()
	defer r.mu.Unlock()
	why := madeRoom + ", the old contents of " + phrase.Count(n.Dropped, "file") + " of earlier turns were deleted"
	r.keep(n.Call, &event.FilesChanged{ID: n.Call, Lost: []event.LostChange{{Why: why}}})
}

// madeRoom begins the notice that old contents of earlier turns were removed.
const madeRoom = "to make room"
