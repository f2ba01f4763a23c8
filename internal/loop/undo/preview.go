package undo

import (
	"fmt"
	"path/filepath"
	"strings"

	"agent/internal/loop/diffs"
	"agent/internal/loop/event"
	"agent/internal/tools"
	"agent/internal/tools/snapshot"
)

// Preview returns a plan for the user, with diffs from the files as they are to what they
// would be.
func (r *Restorer) Preview(p *Plan) event.UndoPlan {
	out := event.UndoPlan{
		Redo: p.Redo, Turns: p.Turns, Lost: p.Lost, Unsaved: unsaved(p.Items), Ignored: p.Ignored, Git: p.Git, Why: p.Why,
		Diffs: r.allDiffs(p), Conflicts: r.diffs(p, p.Conflicts, false),
	}
	if len(p.Items) > 0 {
		out.ID = p.ID
	}
	for _, it := range p.Items {
		if it.Merged {
			out.Merged = append(out.Merged, it.Shown)
		}
	}
	return out
}

// allDiffs returns the diffs of what a plan restores.
func (r *Restorer) allDiffs(p *Plan) []event.Diff {
	all := r.diffs(p, p.Items, false)
	if len(p.repositories) == 0 {
		return all
	}
	roots, err := openRoots(p.directories)
	if err != nil {
		return all
	}
	defer roots.close()
	return append(all, r.stateDiffs(p, roots)...)
}

// diffs returns the diffs of items, without the state of git; if back is set, from the To to the Now.
func (r *Restorer) diffs(p *Plan, items []Item, back bool) (all []event.Diff) {
	roots, err := openRoots(p.directories)
	if err != nil {
		return nil
	}
	defer roots.close()
	for i, it := range items {
		if isBelow := i+1 < len(items) && strings.HasPrefix(items[i+1].Path, it.Path+string(filepath.Separator)); isBelow && !isFile(it.Now) && !isFile(it.To) {
			continue // the diffs of its files show the directory
		}
		at, ok := roots.at(it.Path)
		if !ok || at.repository != "" {
			continue
		}
		now, to := it.Now, it.To
		change := tools.Change{Path: it.Shown, Before: r.shown(at.now(nil)), After: r.shown(value{State: to, content: it.content})}
		if back {
			now, to, change.Before, change.After = to, now, change.After, change.Before
		}
		all = append(all, diff(change, now, to))
	}
	return all
}

// shown returns the content of v for a diff: nil if it is not a file.
func (r *Restorer) shown(v value) []byte {
	switch {
	case v.Kind != snapshot.File:
		return nil
	case v.content != nil:
		return v.content
	case v.Size > maxCapture || v.Hash == "" && v.Kept == "":
		return make([]byte, maxCapture+1) // "too large to show"
	}
	content, err := r.pack.Read(resolved(r.pack, v.State).Hash)
	if err != nil {
		return nil
	}
	return append([]byte{}, content...)
}

// diff returns the diff of a change from one state to another.
func diff(c tools.Change, from, to snapshot.State) event.Diff {
	plain := func(s snapshot.State) bool { return s.Kind == snapshot.File || s.Kind == snapshot.Absent }
	d := event.Diff{Path: c.Path, Created: from.Kind == snapshot.Absent, Deleted: to.Kind == snapshot.Absent}
	switch {
	case !plain(from) || !plain(to):
		d.Unified = fmt.Sprintf("@@ %s becomes %s @@\n", describe(from), describe(to))
	case from.Kind == to.Kind && from.SameContent(to):
		d.Unified = fmt.Sprintf("@@ mode %04o becomes %04o @@\n", from.Mode, to.Mode)
	default:
		return diffs.Of([]tools.Change{c})[0]
	}
	return d
}

// describe describes a state for the user.
func describe(s snapshot.State) string {
	switch s.Kind {
	case snapshot.Absent:
		return "nothing"
	case snapshot.File:
		return "a file"
	case snapshot.Dir:
		return fmt.Sprintf("a directory with mode %04o", s.Mode)
	case snapshot.Link:
		return fmt.Sprintf("a symbolic link to %q", s.Target)
	}
	return "a special file"
}
