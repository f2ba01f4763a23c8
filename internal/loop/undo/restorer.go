package undo

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"agent/internal/history/blobs"
	"agent/internal/loop/diffs"
	"agent/internal/loop/event"
	"agent/internal/tools"
	"agent/internal/tools/snapshot"
)

// Restorer undoes what the notes of a pack say. It is not safe for concurrent use, and
// must not be used during a turn.
type Restorer struct {
	pack *blobs.Pack
	dirs []string // the roots; the first one is the workspace
}

// NewRestorer returns a Restorer of the files below roots, which are absolute
// directories without symbolic links. The first one is the workspace. Roots of the
// delegates' worktrees are in the pack.
func NewRestorer(p *blobs.Pack, roots []string) *Restorer { return &Restorer{p, roots} }

// Back says how far to go back.
type Back struct {
	Redo bool // undo the last undo
	// Turns is the number of turns to undo. Turns that changed no files do not count. Zero
	// means one turn, or as many as it takes to change a file.
	Turns int
	// Since, if not zero, is the time of a prompt: that turn and all later ones are undone.
	Since time.Time
	// Removes also removes the files that git ignores and that commands created.
	Removes bool
}

// Turns returns the turns that changed files and are not undone, newest first. A typed
// command that changed files has the number of the turn before it.
func (r *Restorer) Turns() []event.ChangedTurn {
	return summaries(r.history().undoable(0))
}

// summaries returns steps for the user, newest first.
func summaries(steps []*step) (all []event.ChangedTurn) {
	for i := range steps {
		all = append(all, steps[len(steps)-1-i].summary())
	}
	return all
}

// history reads the history. It leaves out what happened in directories that are gone,
// such as the worktrees of delegates, whose changes were applied to the workspace.
func (r *Restorer) history() *history {
	h := readHistory(r.pack, r.dirs[0])
	for _, dir := range h.roots {
		isBelow := func(root string) bool {
			return strings.HasPrefix(dir+string(filepath.Separator), root+string(filepath.Separator))
		}
		if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) && !slices.ContainsFunc(r.dirs, isBelow) {
			h.dropBelow(dir)
		}
	}
	r.count(h)
	return h
}

// count counts the lines of changes that were not counted, from the contents before to
// those after, or to the present ones if the contents after are not known.
func (r *Restorer) count(h *history) {
	var all []*change
	for _, s := range h.steps {
		for _, c := range s.changes {
			if s.kind != kindUndo && !c.counted && c.isChange() && !isGitPath(c.path) && len(all) < maxCounted {
				all = append(all, c)
			}
		}
	}
	if len(all) == 0 {
		return
	}
	roots, err := openRoots(r.with(h))
	if err != nil {
		return
	}
	defer roots.close()
	for _, c := range all {
		at, ok := roots.at(c.path)
		if !ok || c.before.Kind == snapshot.Absent && at.isIgnored() {
			continue
		}
		left := value{}
		if c.after != nil {
			left.State = *c.after
		} else {
			left = at.now(nil)
			c.present = isFile(left.State)
		}
		change := tools.Change{Before: r.shown(value{State: c.before}), After: r.shown(left)}
		for _, d := range diffs.Of([]tools.Change{change}) {
			c.added, c.removed = d.Added, d.Removed
		}
	}
}

// with returns the roots and those of a history.
func (r *Restorer) with(h *history) directories {
	return directories{slices.Concat(r.dirs, h.roots), h.repositories}
}

// Plan plans an undo or a redo. Nothing is changed. A plan without Items has nothing to
// do; then Why says why. The error is for the user.
func (r *Restorer) Plan(ctx context.Context, b Back) (*Plan, error) {
	h, isDefault := r.history(), !b.Redo && b.Since.IsZero() && b.Turns == 0
	a, err := openRoots(r.with(h))
	if err != nil {
		return nil, err
	}
	defer a.close()
	for {
		steps := h.back(b)
		p := &Plan{Redo: b.Redo, directories: r.with(h)}
		w := planner{pack: r.pack, roots: a, plan: p, removes: b.Removes}
		all := changeRuns(steps)
		if err := w.fill(ctx, slices.Sorted(maps.Keys(all)), func(path string) []changeRun { return all[path] }); err != nil {
			return nil, err
		}
		p.describe(h, steps)
		p.Git = p.gitCommands(h, steps, r.dirs)
		further := Back{Turns: max(b.Turns, 1) + 1, Removes: b.Removes}
		if !isDefault || !p.changesNothing() || len(h.back(further)) == len(steps) {
			return p, nil
		}
		b = further // nothing is left of these changes
	}
}
