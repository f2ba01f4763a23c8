package undo

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"maps"
	"slices"
	"strings"

	"agent/internal/loop/event"
	"agent/internal/tools"
	"agent/internal/tools/snapshot"
	"agent/internal/tools/workspace"
)

// attempt is what the command of a call changed, according to the pack. The command may run a second
// time, and its changes are undone before: all of them or none. The call stays a part of its turn: to undo
// the turn restores the files as they were before the attempt.
type attempt struct {
	*Recorder
	call  string
	runs  map[string]changeRun // by path
	lines map[string]lineCount // by path
	why   string               // why the changes cannot be undone, as a clause; empty if nothing is known against it
}

// lineCount is how many lines the attempt added and removed.
type lineCount struct{ added, removed int }

// attemptSince returns the attempt of k, whose notes begin at an offset of the pack.
func (k *call) attemptSince(from int64) *attempt {
	a := &attempt{Recorder: k.Recorder, call: k.id, runs: map[string]changeRun{}, lines: map[string]lineCount{}}
	k.mu.Lock()
	begin, jobs := min(k.from, from), maps.Clone(k.jobs)
	if s := k.changed[k.id]; s != nil {
		for _, l := range s.Lost {
			if !strings.HasPrefix(l.Why, madeRoom) {
				a.why = strings.TrimPrefix(l.Path+": "+l.Why, ": ")
			}
		}
	}
	k.mu.Unlock()
	others := map[string]map[string]bool{} // the calls that have changed a path while the attempt ran, by path
	for n, err := range k.Pack.Notes(begin) {
		next := n.Next
		n, ok := decode(n.Body)
		if err != nil || !ok {
			a.why = "a part of the record of changes is damaged"
			continue
		}
		during := next > from
		switch {
		case n.Path == "":
		case n.Call == a.call && during:
			a.add(n)
		case n.Call == a.call:
		case n.Kind == kindTouched:
			if others[n.Path] == nil {
				others[n.Path] = map[string]bool{}
			}
			others[n.Path][n.Call] = true
		case n.Kind == kindAfter && !during && !jobs[n.Call]:
			delete(others[n.Path], n.Call)
		}
	}
	for _, path := range a.paths() {
		if len(others[path]) > 0 {
			a.why = k.roots.show(path) + " was also changed by another command"
		}
	}
	return a
}

// add adds a note of the call.
func (a *attempt) add(n note) {
	run, known := a.runs[n.Path]
	switch {
	case n.Kind == kindTouched && n.Before != nil && !known:
		a.runs[n.Path] = changeRun{before: *n.Before}
	case n.Kind == kindAfter && n.After != nil && known:
		run.after = n.After
		if n.Refreshed {
			run.after = &run.before
		}
		a.runs[n.Path] = run
		c := a.lines[n.Path]
		a.lines[n.Path] = lineCount{c.added + n.Added, c.removed + n.Removed}
	}
}

// paths returns the changed paths, sorted.
func (a *attempt) paths() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(a.runs)), func(path string) bool {
		run := a.runs[path]
		return run.after != nil && same(a.Pack, *run.after, run.before)
	})
}

// names returns the changed files for the user; the changed directories if there are no files.
func (a *attempt) names(roots *roots) (names []string) {
	files, dirs := []string{}, []string{}
	for _, path := range a.paths() {
		at, ok := roots.at(path)
		run := a.runs[path]
		switch {
		case !ok:
		case at.repository != "":
			files = append(files, roots.show(at.repository))
		case isFile(run.before) || run.after != nil && isFile(*run.after):
			files = append(files, roots.show(path))
		default:
			dirs = append(dirs, roots.show(path)+"/")
		}
	}
	if len(files) > 0 {
		return unique(files)
	}
	return dirs
}

// plan plans to undo the attempt. It returns why that is not possible, as a clause; empty if it is.
func (a *attempt) plan(ctx context.Context, roots *roots) (p *Plan, why string) {
	paths := a.paths()
	for _, path := range paths {
		at, ok := roots.at(path)
		switch {
		case a.why != "":
			return nil, a.why
		case ok && at.repository != "":
			return nil, "the state of git in " + roots.show(at.repository) + " was changed"
		case ok && a.runs[path].after == nil:
			return nil, "what " + roots.show(path) + " became was not recorded"
		}
	}
	p = &Plan{}
	w := planner{pack: a.Pack, roots: roots, plan: p, removes: true}
	if err := w.fill(ctx, paths, func(path string) []changeRun { return []changeRun{a.runs[path]} }); err != nil {
		return nil, err.Error()
	}
	for _, l := range p.Lost {
		return nil, strings.TrimPrefix(l.Path+": "+l.Why, ": ")
	}
	for _, it := range p.Conflicts {
		return nil, it.Shown + " was changed since"
	}
	for _, it := range p.Items {
		unread := it.Now.Kind == snapshot.File && it.Now.Hash == ""
		if after := a.runs[it.Path].after; it.Merged || unread && it.Now.Stamp != after.Stamp {
			return nil, it.Shown + " was changed since"
		}
	}
	for _, path := range paths {
		if at, ok := roots.at(path); ok && w.items[path] == nil && a.runs[path].before.Kind == snapshot.Absent && at.look().Kind != snapshot.Absent {
			return nil, roots.show(path) + " has other files in it"
		}
	}
	return p, ""
}

// undo undoes the attempt. The error says why nothing was undone, or which files were not restored.
func (a *attempt) undo(ctx context.Context) error {
	roots, err := openRoots(directories{dirs: a.directories()})
	if err != nil {
		return err
	}
	defer roots.close()
	p, why := a.plan(ctx, roots)
	if why != "" {
		return errors.New(why)
	}
	w := applier{pack: a.Pack, roots: roots, journal: note{ID: rand.Text()}}
	for i, it := range p.Items {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := a.admit(&w, i, it); err != nil {
			return err
		}
	}
	w.admitParents()
	temps, err := a.noteBegin(&w)
	if err != nil {
		return err
	}
	w.run()
	return a.noteEnd(&w, temps)
}

// admit adds an item to the journal of w, if its path has not changed since the plan. The pack gets the
// content of the file only if that is overwritten in place: no undo needs it.
func (a *attempt) admit(w *applier, i int, it Item) error {
	at, ok := w.roots.at(it.Path)
	if !ok {
		return errors.New(it.Shown + " was changed since")
	}
	now := at.now(a.runs[it.Path].after).State
	if inPlace(it.To, it.Now) {
		now = at.capture(a.Pack)
	}
	if !now.Same(it.Now) {
		return errors.New(it.Shown + " was changed since")
	}
	if it.content != nil {
		if _, _, err := a.Pack.Put(bytes.NewReader(it.content)); err != nil {
			return err
		}
	}
	w.journal.Items = append(w.journal.Items, journalItem{it.Path, *stored(now), *stored(it.To), it.link, at.inode()})
	w.stamps = append(w.stamps, now.Stamp)
	return nil
}

// noteBegin notes what the undo will change, as changes of the call: if the program is killed meanwhile, to
// undo the turn restores the rest. It returns the temporary files of the undo.
func (a *attempt) noteBegin(w *applier) (temps []string, err error) {
	for i, it := range w.journal.Items {
		if err := a.Pack.Append(snapshot.Touched{Call: a.call, Path: it.Path, Before: it.From}); err != nil {
			return nil, err
		}
		if at, ok := w.roots.at(it.Path); ok && isFile(it.To) {
			temps = append(temps, join(at.dir, w.temp(i, at)))
		}
	}
	for _, path := range temps { // as of a tool, so that they are removed even if git ignores them
		if err := a.Pack.Append(snapshot.Touched{Call: a.call, Path: path, Before: snapshot.State{Kind: snapshot.Absent}, Tool: true}); err != nil {
			return nil, err
		}
	}
	return temps, a.Pack.Sync()
}

// noteEnd notes the states after the undo, and takes the attempt out of the summary of the call.
func (a *attempt) noteEnd(w *applier, temps []string) error {
	var failed []error
	for i, it := range w.journal.Items {
		n := note{Kind: kindAfter, Call: a.call, Path: it.Path, After: &it.To}
		why, skipped := w.skipped[i]
		switch {
		case skipped:
			n.After = &it.From
			failed = append(failed, errors.New(w.roots.show(it.Path)+": "+workspace.Cause(why).Error()))
		case w.missed[i] != nil:
			if at, ok := w.roots.at(it.Path); ok {
				n.After = stored(at.capture(snapshot.Hashes{}))
			}
			failed = append(failed, errors.New(w.roots.show(it.Path)+": "+strings.Join(w.missed[i], ", ")+" could not be restored"))
		}
		if c := a.lines[it.Path]; !skipped {
			n.Added, n.Removed = -c.added, -c.removed
		}
		if err := a.Pack.Append(n); err != nil {
			failed = append(failed, err)
		}
	}
	for _, path := range temps {
		if err := a.Pack.Append(note{Kind: kindAfter, Call: a.call, Path: path, After: &snapshot.State{Kind: snapshot.Absent}, Tool: true}); err != nil {
			failed = append(failed, err)
		}
	}
	if len(failed) > 0 {
		return errors.Join(failed[0], errPartly)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if s := a.changed[a.call]; s != nil {
		a.changed[a.call] = &event.FilesChanged{ID: s.ID, Lost: s.Lost}
		if len(s.Lost) == 0 {
			delete(a.changed, a.call)
		}
	}
	return nil
}

// errPartly is in the error of an undo that restored some files, but not all.
var errPartly = errors.New("the others were restored")

// describe tells what the command of a call changed that may run a second time, and how to undo it.
func (k *call) describe(ctx context.Context, b *tools.Blocked, from int64) {
	a := k.attemptSince(from)
	b.Changed = a.names(k.roots)
	switch {
	case b.Unrecorded != "" && len(b.Changed) == 0:
		b.Changed = nil
	case b.Unrecorded != "":
		b.Stays = "not all of them were recorded: " + b.Unrecorded
	case len(b.Changed) == 0:
	case b.Restart != nil:
		b.Stays = "the job still runs"
	default:
		if _, b.Stays = a.plan(ctx, k.roots); b.Stays == "" {
			b.Undo = a.undo
		}
	}
}
