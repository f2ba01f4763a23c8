package undo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"

	"agent/internal/history/blobs"
	"agent/internal/loop/event"
	"agent/internal/tools/snapshot"
	"agent/internal/tools/workspace"
)

// Apply performs a plan. A path that has changed since the plan was made becomes a
// conflict. The error is for the user. It means that nothing was changed, or that the end
// of the undo could not be noted; then the next Recover finishes the undo.
func (r *Restorer) Apply(ctx context.Context, p *Plan) (event.Undone, error) {
	a, err := openRoots(p.directories)
	if err != nil {
		return event.Undone{}, err
	}
	defer a.close()
	out := event.Undone{Redo: p.Redo, Turns: p.turns, Lost: slices.Clone(p.Lost), Ignored: p.Ignored, Git: p.Git}
	for _, c := range p.Conflicts {
		out.Conflicts = append(out.Conflicts, c.Shown)
	}
	w := applier{pack: r.pack, roots: a, journal: note{Kind: kindUndo, ID: p.ID, Roots: r.dirs[:1], Redo: p.Redo, Of: p.steps}}
	for _, it := range p.Items {
		w.spare += int64(len(it.Path)) + maxItem
	}
	var items, dropped []Item
	for _, it := range p.Items {
		if err := ctx.Err(); err != nil {
			return event.Undone{}, err
		}
		switch err := w.admit(&it); {
		case err == nil:
			items = append(items, it)
		case errors.Is(err, errChanged):
			dropped = append(dropped, it)
			out.Conflicts = append(out.Conflicts, a.showItem(it.Path))
		default:
			dropped = append(dropped, it)
			out.Lost = append(out.Lost, event.LostChange{Path: a.showItem(it.Path), Why: "its current content cannot be stored: " + err.Error()})
		}
	}
	items = w.dropRepositories(items, dropped)
	for i, it := range slices.Backward(items) {
		if it.isLast(dropped, items) {
			out.Lost = append(out.Lost, event.LostChange{Path: it.Shown, Why: errLast.Error()})
			items = slices.Delete(items, i, i+1)
			w.journal.Items, w.stamps = slices.Delete(w.journal.Items, i, i+1), slices.Delete(w.stamps, i, i+1)
		}
	}
	w.admitParents()
	if err := r.perform(&w); err != nil {
		return event.Undone{}, err
	}
	out.Unsaved = unsaved(items)
	w.report(p, items, &out)
	out.Restored, out.Conflicts = unique(out.Restored), unique(out.Conflicts)
	return out, nil
}

// report adds to out what became of the items that were admitted, and sets p.Partial.
func (w *applier) report(p *Plan, items []Item, out *event.Undone) {
	for i, it := range items {
		why, skipped := w.skipped[i]
		it.Shown = w.roots.showItem(it.Path)
		switch {
		case skipped && errors.Is(why, errChanged):
			out.Conflicts = append(out.Conflicts, it.Shown)
		case skipped && errors.Is(why, errNotEmpty):
		case skipped:
			p.Partial = len(w.skipped) < len(items) && (p.Partial || !errors.Is(why, errLast) && !errors.Is(why, errUnlinked))
			out.Lost = append(out.Lost, event.LostChange{Path: it.Shown, Why: workspace.Cause(why).Error()})
		case w.missed[i] != nil:
			out.Lost = append(out.Lost, event.LostChange{Path: it.Shown, Why: "it was restored, but " + strings.Join(w.missed[i], ", ") + " could not be"})
		case it.Merged:
			out.Merged = append(out.Merged, it.Shown)
		default:
			out.Restored = append(out.Restored, it.Shown)
		}
	}
}

// Unfinished reports whether a crash interrupted an undo that Recover will finish.
func (r *Restorer) Unfinished() bool { return readHistory(r.pack, r.dirs[0]).pending != nil }

// Recover finishes the undo that a crash interrupted. It returns nil if there was none.
// Call it at the start of a session, before any tool runs.
func (r *Restorer) Recover() (*event.Undone, error) {
	r.pack.UnshareAll(snapshot.MaxFile)
	h := readHistory(r.pack, r.dirs[0])
	if h.pending == nil {
		return nil, nil
	}
	a, err := openRoots(r.with(h))
	if err != nil {
		return nil, err
	}
	defer a.close()
	out := &event.Undone{Redo: h.pending.Redo}
	for _, s := range h.named(h.pending.Of) {
		if s.kind == kindTurn || h.pending.Redo {
			out.Turns++
		}
	}
	w := applier{pack: r.pack, roots: a, journal: *h.pending}
	w.resume()
	if err := r.finish(&w); err != nil {
		return nil, err
	}
	for i, it := range w.journal.Items {
		if it.From == it.To { // see admitParents
			continue
		}
		switch why, skipped := w.skipped[i]; {
		case skipped && !errors.Is(why, errNotEmpty):
			out.Conflicts = append(out.Conflicts, a.showItem(it.Path))
		case !skipped:
			out.Restored = append(out.Restored, a.showItem(it.Path))
		}
	}
	out.Restored, out.Conflicts = unique(out.Restored), unique(out.Conflicts)
	return out, nil
}

// perform writes the journal and carries it out.
func (r *Restorer) perform(w *applier) error {
	if err := r.pack.Append(w.journal); err != nil {
		return fmt.Errorf("record the undo: %w", err)
	}
	if err := r.pack.Sync(); err != nil {
		return fmt.Errorf("record the undo: %w", err)
	}
	return r.finish(w)
}

// finish carries out the journal and notes that it is done.
func (r *Restorer) finish(w *applier) error {
	unlock := w.lockRepositories()
	w.run()
	unlock()
	done := note{Kind: kindDone, ID: w.journal.ID, Skipped: slices.Sorted(maps.Keys(w.skipped))}
	err := r.pack.Append(done)
	if err != nil && !errors.Is(err, blobs.ErrFull) { // if it is full, Recover looks at the files again
		return fmt.Errorf("record the end of the undo: %w", err)
	}
	return r.pack.Sync()
}

// Reasons why an item is not restored.
var (
	errChanged  = errors.New("it was changed meanwhile")
	errNotEmpty = errors.New("the directory is not empty")
	errUnlinked = errors.New("its other hard links have changed")
	errLast     = errors.New("it is kept, because another name of this file cannot be restored")
)

// applier carries out a journal.
type applier struct {
	pack    *blobs.Pack
	roots   *roots
	journal note
	spare   int64          // bytes of the pack that the contents of files that no undo needs leave for the journal
	stamps  []string       // of the items before the undo; empty if nothing is there
	ready   map[int]bool   // items that were restored before a crash
	torn    map[int]bool   // items that a crash interrupted while they were overwritten: see isTorn
	linked  map[file][]int // items that restore names of the same file with several hard links

	mu      sync.Mutex
	skipped map[int]error    // items that were not restored
	missed  map[int][]string // what could not be restored of items that were, for the user
}

// run restores all items that are not skipped.
func (w *applier) run() {
	items := w.journal.Items
	up := make([]int, len(items))
	for i := range up {
		up[i] = i
	}
	slices.SortFunc(up, func(i, j int) int { return strings.Compare(items[i].Path, items[j].Path) })
	down := slices.Clone(up)
	slices.Reverse(down)
	isDir := func(s snapshot.State) bool { return s.Kind == snapshot.Dir }
	w.each(up, func(it journalItem) bool { return isDir(it.From) }, w.openDir, false)
	w.linked = map[file][]int{}
	for i, it := range items {
		if it.To.Kind == snapshot.File && it.To.Lost == snapshot.UnsavedLinks {
			w.linked[fileOf(it.To)] = append(w.linked[fileOf(it.To)], i)
		}
	}
	w.linkEarly(up)
	w.each(down, func(it journalItem) bool {
		return !isDir(it.From) && it.From.Kind != snapshot.Absent && (it.To.Kind == snapshot.Absent || isDir(it.To))
	}, w.remove, false)
	w.each(down, func(it journalItem) bool { return isDir(it.From) && !isDir(it.To) }, w.removeDir, false)
	w.each(up, func(it journalItem) bool { return isDir(it.To) && !isDir(it.From) }, w.makeDir, true)
	w.writeAll(up)
	w.each(down, func(it journalItem) bool { return isDir(it.To) }, w.setMode, false)
	w.syncDirs()
}

// each calls do for the items that match. Create is as in try.
func (w *applier) each(order []int, matches func(journalItem) bool, do func(int, rootPath) error, create bool) {
	for _, i := range order {
		if it := w.journal.Items[i]; matches(it) {
			w.try(i, do, create)
		}
	}
}

// try calls do with the path of an item in its directory, unless the item is skipped or
// done already. If a parent is missing, try creates it if create is set; otherwise do gets
// a path at which nothing is. An error makes the item skipped.
func (w *applier) try(i int, do func(int, rootPath) error, create bool) {
	if w.ready[i] || w.isSkipped(i) {
		return
	}
	err := errChanged
	if at, ok := w.roots.at(w.journal.Items[i].Path); ok {
		var within rootPath
		if within, err = at.enter(create); err == nil || !create {
			err = do(i, within)
			within.close()
		}
	}
	if err != nil {
		w.skip(i, err)
	}
}

func (w *applier) isSkipped(i int) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.skipped[i] != nil
}

func (w *applier) skip(i int, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.skipped == nil {
		w.skipped = map[int]error{}
	}
	w.skipped[i] = err
}

// own gives what was created at temp, in the directory of at, the owner and group of an item.
// It returns the mode that it may have: only with them setuid and setgid mean what they did.
func (w *applier) own(i int, at rootPath, temp string) fs.FileMode {
	to := w.journal.Items[i].To
	mode := w.permitted(i, at, temp)
	if at.giveOwner(temp, to) {
		return mode
	}
	w.miss(i, "its owner "+to.Owner)
	return mode &^ (fs.ModeSetuid | fs.ModeSetgid)
}

// permitted returns the mode that item i gets: without the permissions that an access control
// list denied the group, unless the file called name, in the directory of at, has a list again.
func (w *applier) permitted(i int, at rootPath, name string) fs.FileMode {
	it := w.journal.Items[i]
	denied := it.To.Mode & (it.To.Denied | it.From.Denied)
	if denied != 0 {
		denied &^= snapshot.Denied(at.open, name)
	}
	if denied != 0 {
		w.miss(i, missedList)
	}
	return it.To.FileMode() &^ fs.FileMode(denied)
}

// missedList names an access control list that cannot be restored.
const missedList = "its access control list"

// miss notes what could not be restored of an item.
func (w *applier) miss(i int, what ...string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.missed == nil {
		w.missed = map[int][]string{}
	}
	for _, m := range what {
		if !slices.Contains(w.missed[i], m) {
			w.missed[i] = append(w.missed[i], m)
		}
	}
}

// unchanged returns errChanged if an item has changed since the undo began.
func (w *applier) unchanged(i int, at rootPath) error {
	want, from := w.stamps[i], w.journal.Items[i].From
	if from.Kind == snapshot.Dir { // it was removed already
		want = ""
	}
	switch now := at.look(); {
	case now.Stamp == want:
		return nil
	case from.Hash == "" && now.SameUnread(snapshot.State{Kind: from.Kind, Stamp: want}),
		from.Kind == snapshot.File && from.Hash != "" && at.capture(snapshot.Hashes{}).Same(from):
		return nil // the undo removed a hard link to it, which changes its times
	}
	return errChanged
}

// openDir makes a directory writable for the time of the undo.
func (w *applier) openDir(i int, at rootPath) error {
	mode := w.journal.Items[i].From.FileMode()
	if mode&0o700 == 0o700 || at.look().Kind != snapshot.Dir {
		return nil
	}
	return at.open.Chmod(at.rel, mode|0o700)
}

func (w *applier) remove(i int, at rootPath) error {
	if w.stamps[i] == "" || at.look().Kind == snapshot.Dir {
		return nil // it was removed before the crash
	}
	if err := w.unchanged(i, at); err != nil {
		return err
	}
	if w.isLast(i) {
		return errLast
	}
	return at.open.Remove(at.rel)
}

// removeDir removes a directory, if it is empty.
func (w *applier) removeDir(i int, at rootPath) error {
	switch at.look().Kind {
	case snapshot.Absent:
		return nil // it was removed before the crash
	case snapshot.Dir:
	default:
		return errChanged
	}
	if at.open.Remove(at.rel) == nil {
		return nil
	}
	if mode := w.journal.Items[i].From.FileMode(); mode&0o700 != 0o700 {
		_ = at.open.Chmod(at.rel, mode)
	}
	return errNotEmpty
}

func (w *applier) makeDir(i int, at rootPath) error {
	err := at.open.Mkdir(at.rel, w.journal.Items[i].To.FileMode().Perm()|0o700)
	if errors.Is(err, fs.ErrExist) && at.look().Kind == snapshot.Dir {
		return nil
	}
	return err
}

// setMode gives a directory its mode, and a restored one its owner and group.
func (w *applier) setMode(i int, at rootPath) error {
	if at.look().Kind != snapshot.Dir {
		return errChanged
	}
	mode := w.journal.Items[i].To.FileMode()
	if w.journal.Items[i].From.Kind != snapshot.Dir {
		mode = w.own(i, at, at.rel)
	}
	return at.open.Chmod(at.rel, mode)
}

// syncDirs syncs the directories of all items, so that the new names survive a power
// failure.
func (w *applier) syncDirs() {
	done := map[string]bool{}
	for _, it := range w.journal.Items {
		at, ok := w.roots.at(it.Path)
		if !ok {
			continue
		}
		dir := path.Dir(at.rel)
		if full := join(at.dir, dir); done[full] {
			continue
		} else {
			done[full] = true
		}
		if d, err := at.open.Open(dir); err == nil {
			_ = d.Sync()
			_ = d.Close()
		}
	}
}

// temp returns the path of the temporary file of an item.
func (w *applier) temp(i int, at rootPath) string {
	return path.Join(path.Dir(at.rel), ".agent-"+w.journal.ID+"-"+strconv.Itoa(i)+".tmp")
}
