package undo

import (
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/history/blobs"
	"agent/internal/loop/event"
	"agent/internal/realpath"
	"agent/internal/tools/snapshot"
)

// history holds the file changes that a pack records.
type history struct {
	steps   []*step // in the order of time
	pending *note   // the undo that was not applied completely; nil if there is none
	roots   []string
	// repositories are the git directories outside roots whose state was recorded.
	repositories []string
	damaged      bool // a part of the pack cannot be read
}

// step is a turn, a typed command or an undo.
type step struct {
	id       string
	kind     kind // kindTurn, kindTyped or kindUndo
	call     string
	turn     Turn
	redo     bool
	of       []string // steps that it undid
	undone   bool
	commands int
	heads    map[string]head // at its begin
	left     map[string]head // at its end; nil if unknown
	ended    bool
	changes  []*change
	skipped  []int // of an undo: see note
}

// change is what a step did to a path, as long as nobody else changed it meanwhile. A
// path can have several changes in a step.
type change struct {
	path   string // absolute
	before snapshot.State
	after  *snapshot.State // nil if it is unknown, because the program was killed
	tool   bool            // see note.Tool
	step   *step
	// added and removed are numbers of lines. They are zero if they were not counted,
	// because the program was killed.
	added, removed int
	counted        bool
	// open are the calls that have touched the path and may still change it.
	open []string
	// follows is set if the change before was by the same job, and nobody else can have changed
	// the path in between.
	follows bool
	// late is set if after was noted after the end of the step, for a job.
	late bool
	// touches is how many calls began to change the path. refreshed is how many of them left an index
	// that stages the same, altered whether one did not.
	touches, refreshed int
	altered            bool
	// present is set if after is unknown and a file is there now.
	present bool
}

// readHistory reads the notes of a pack of a session whose workspace is dir. Paths below the
// workspace of an earlier time are paths below dir: the session has moved with its files.
func readHistory(p *blobs.Pack, dir string) *history {
	r := historyReader{pack: p, h: &history{}, dir: dir, base: dir, byID: map[string]*step{}, typed: map[string]*step{}, latest: map[string]*change{}, jobs: map[string]bool{}}
	for n, err := range p.Notes(0) {
		if err != nil {
			r.h.damaged = true
			continue
		}
		if n, ok := decode(n.Body); ok {
			r.add(n)
		} else {
			r.h.damaged = true
		}
	}
	for _, s := range r.h.steps {
		s.drop()
	}
	for _, c := range r.latest {
		if len(c.open) > 0 && c.step.kind == kindTurn && !c.step.ended {
			c.after, c.counted = nil, false // the program was killed before it noted the last state
		}
	}
	return r.h
}

// historyReader builds a history from notes in their order.
type historyReader struct {
	pack   *blobs.Pack
	h      *history
	byID   map[string]*step
	typed  map[string]*step   // typed commands by their call
	latest map[string]*change // the last change of each path
	jobs   map[string]bool    // calls that became jobs
	turn   *step              // the last turn

	dir  string // the workspace
	base string // the workspace when the notes were written
}

// here returns an absolute path of a note: below dir if it was below base.
func (r *historyReader) here(path string) string {
	if r.base == r.dir {
		return path
	}
	if rel, in := realpath.Rel(path, r.base); in {
		return filepath.Join(r.dir, rel)
	}
	return path
}

// headsHere returns heads with the paths of here.
func (r *historyReader) headsHere(heads map[string]head) map[string]head {
	if r.base == r.dir || heads == nil {
		return heads
	}
	out := map[string]head{}
	for path, h := range heads {
		out[r.here(path)] = h
	}
	return out
}

func (r *historyReader) add(n note) {
	if len(n.Roots) > 0 && (n.Turn != nil || n.Kind == kindUndo) { // the others add worktrees
		r.base = n.Roots[0]
	}
	n.Path = r.here(n.Path)
	switch n.Kind {
	case kindTouched:
		if n.Before != nil && n.Path != "" {
			r.addBefore(n)
		}
	case kindAfter:
		r.after(n)
	case kindJob:
		r.jobs[n.Call] = true
	case kindTurn, kindTyped:
		r.mark(n)
	case kindEnd:
		if s := r.byID[n.ID]; s != nil {
			s.left, s.commands, s.ended = r.headsHere(n.Heads), n.Commands, true
		}
	case kindUndo:
		r.undo(n)
	case kindDone:
		r.done(n)
	}
}

// mark begins a turn or a typed command, or adds roots to it.
func (r *historyReader) mark(n note) {
	for _, dir := range n.Roots {
		dir = r.here(dir)
		if !slices.Contains(r.h.roots, dir) {
			r.h.roots = append(r.h.roots, dir)
		}
	}
	for _, dir := range n.Repositories {
		if dir = r.here(dir); !slices.Contains(r.h.repositories, dir) {
			r.h.repositories = append(r.h.repositories, dir)
		}
	}
	if r.byID[n.ID] != nil {
		return
	}
	s := r.begin(n)
	s.call, s.heads = n.Call, r.headsHere(n.Heads)
	if n.Kind == kindTurn {
		r.turn = s
	} else {
		r.typed[n.Call] = s
	}
}

// begin adds the step of a note.
func (r *historyReader) begin(n note) *step {
	s := &step{id: n.ID, kind: n.Kind}
	if n.Turn != nil {
		s.turn = *n.Turn
	}
	r.h.steps = append(r.h.steps, s)
	r.byID[n.ID] = s
	return s
}

// stepOf returns the step to which a call belongs. A job belongs to the turn in which it
// changes something.
func (r *historyReader) stepOf(call string) *step {
	if s := r.typed[call]; s != nil {
		return s
	}
	if r.turn == nil { // its mark is damaged
		r.turn = r.begin(note{Kind: kindTurn})
	}
	return r.turn
}

// addBefore adds what was at a path before a call. What has changed there since the last note is a
// change by others, unless another call is open for the path.
func (r *historyReader) addBefore(n note) {
	s, last := r.stepOf(n.Call), r.latest[n.Path]
	if last != nil && last.step == s && (last.after == nil || same(r.pack, *last.after, *n.Before) || len(last.open) > 0) {
		last.after, last.tool, last.counted = nil, n.Tool, false
		last.touches++
		if !slices.Contains(last.open, n.Call) {
			last.open = append(last.open, n.Call)
		}
		return
	}
	if last != nil && last.after == nil {
		last.after = n.Before
	}
	c := &change{path: n.Path, before: *n.Before, tool: n.Tool, step: s, open: []string{n.Call}, touches: 1}
	c.follows = last != nil && last.late && slices.Contains(last.open, n.Call)
	s.changes = append(s.changes, c)
	r.latest[n.Path] = c
}

// after adds what a call left at a path.
func (r *historyReader) after(n note) {
	c := r.latest[n.Path]
	if c == nil || c.step.kind == kindUndo || n.After == nil {
		return
	}
	c.after, c.tool, c.counted, c.late = n.After, n.Tool, true, c.step.ended
	if c.altered = c.altered || !n.Refreshed; n.Refreshed {
		c.refreshed++
	}
	if !r.jobs[n.Call] {
		c.open = slices.DeleteFunc(c.open, func(call string) bool { return call == n.Call })
	}
	c.added += n.Added
	c.removed += n.Removed
}

// undo adds an undo and marks what it undid.
func (r *historyReader) undo(n note) {
	s := r.begin(n)
	s.redo, s.of = n.Redo, n.Of
	for i := range n.Items {
		it := &n.Items[i]
		it.Path, it.Link = r.here(it.Path), r.here(it.Link)
		c := &change{path: it.Path, before: it.From, after: &it.To, tool: true, step: s}
		s.changes = append(s.changes, c)
		if last := r.latest[it.Path]; last != nil && last.after == nil {
			last.after = &it.From
		}
		r.latest[it.Path] = c
	}
	for _, id := range n.Of {
		if of := r.byID[id]; of != nil {
			of.undone = true
			r.revive(of, s)
		}
	}
	r.h.pending = &n
}

// revive marks the steps that the undo s undid as not undone, because redo has undone s itself. The
// files that they left unread are what redo has restored.
func (r *historyReader) revive(s, redo *step) {
	restored := map[string]*snapshot.State{}
	for _, c := range redo.changes {
		restored[c.path] = c.after
	}
	for _, id := range s.of {
		of := r.byID[id]
		if of == nil {
			continue
		}
		of.undone = false
		for _, c := range of.changes {
			to := restored[c.path]
			if to != nil && to.Hash != "" && c.after != nil && c.after.Kind == snapshot.File && c.after.Hash == "" {
				c.after = to
			}
		}
	}
}

// done ends an undo. What it skipped was not changed.
func (r *historyReader) done(n note) {
	s := r.byID[n.ID]
	if s == nil || s.kind != kindUndo {
		return
	}
	if p := r.h.pending; p != nil && p.ID == n.ID {
		r.h.pending = nil
	}
	s.skipped = n.Skipped
	if len(n.Skipped) > 0 && !s.appliesAny() {
		r.cancel(s)
	}
}

// appliesAny reports whether an undo changed anything.
func (s *step) appliesAny() bool {
	for i, c := range s.changes {
		if *c.after != c.before && !slices.Contains(s.skipped, i) {
			return true
		}
	}
	return false
}

// cancel takes back that an undo happened, so that the user can repeat it.
func (r *historyReader) cancel(s *step) {
	s.undone = true
	for _, id := range s.of {
		of := r.byID[id]
		if of == nil {
			continue
		}
		of.undone = false
		for _, id := range of.of {
			if again := r.byID[id]; again != nil {
				again.undone = true
			}
		}
	}
}

// drop removes the changes that an undo skipped.
func (s *step) drop() {
	skipped := s.skipped
	s.skipped = nil
	for _, i := range slices.Backward(slices.Sorted(slices.Values(skipped))) {
		if i < len(s.changes) {
			s.changes = slices.Delete(s.changes, i, i+1)
		}
	}
}

// changesFiles reports whether the step changed anything.
func (s *step) changesFiles() bool {
	return slices.ContainsFunc(s.changes, (*change).isChange)
}

// isChange reports whether c may have changed its path.
func (c *change) isChange() bool {
	isRefreshed := !c.altered && c.refreshed > 0 && c.refreshed >= c.touches
	return c.after == nil || !c.after.Same(c.before) && !isRefreshed
}

// files returns how many files the step changed.
func (s *step) files() int {
	paths := map[string]bool{}
	for _, c := range s.changes {
		if c.isChange() && !isGitPath(c.path) && (isFile(c.before) || c.present || c.after != nil && isFile(*c.after)) {
			paths[c.path] = true
		}
	}
	return len(paths)
}

// summary returns the step for the user.
func (s *step) summary() event.ChangedTurn {
	t := event.ChangedTurn{Number: s.turn.Number, At: s.turn.At, Prompt: s.turn.Prompt, Files: s.files(), Commands: s.commands}
	for _, c := range s.changes {
		t.Git = t.Git || isGitPath(c.path) && c.isChange()
		t.Added += c.added
		t.Removed += c.removed
	}
	return t
}

// dropBelow removes the changes of paths below a directory.
func (h *history) dropBelow(dir string) {
	for _, s := range h.steps {
		s.changes = slices.DeleteFunc(s.changes, func(c *change) bool { return strings.HasPrefix(c.path, dir+string(filepath.Separator)) })
	}
}

// back returns the steps to undo, oldest first.
func (h *history) back(b Back) []*step {
	if b.Redo {
		return h.lastUndone()
	}
	if !b.Since.IsZero() { // the numbers of events repeat after a rewind
		from := slices.IndexFunc(h.steps, func(s *step) bool { return s.kind != kindUndo && !s.turn.Time.Before(b.Since) })
		if from < 0 {
			return nil
		}
		return h.undoable(from)
	}
	turns, from := max(b.Turns, 1), len(h.steps)
	for i, s := range slices.Backward(h.steps) {
		if s.kind == kindUndo || s.undone || !s.changesFiles() {
			continue
		}
		if turns == 0 {
			break
		}
		if from = i; s.kind == kindTurn {
			turns--
		}
	}
	return h.undoable(from)
}

// undoable returns the steps from an index on that can be undone and are not.
func (h *history) undoable(from int) (steps []*step) {
	for _, s := range h.steps[from:] {
		if s.kind != kindUndo && !s.undone && s.changesFiles() {
			steps = append(steps, s)
		}
	}
	return steps
}

// lastUndone returns the last undo that was not redone, if nothing was changed since by
// a step that is not undone.
func (h *history) lastUndone() []*step {
	for _, s := range slices.Backward(h.steps) {
		switch {
		case s.undone || s.redo:
		case s.kind == kindUndo:
			return []*step{s}
		case s.changesFiles():
			return nil
		}
	}
	return nil
}

// named returns the steps with these IDs, oldest first.
func (h *history) named(ids []string) (steps []*step) {
	for _, s := range h.steps {
		if slices.Contains(ids, s.id) {
			steps = append(steps, s)
		}
	}
	return steps
}
