package undo

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"

	"agent/internal/loop/diffs"
	"agent/internal/loop/event"
	"agent/internal/loop/hunk"
	"agent/internal/tools"
	"agent/internal/tools/snapshot"
)

// Changes returns all file changes, without those of the state of git, since the session began, as a plan that undoes
// them: from the current states to those before the first change, whoever made them.
// Pick makes a plan of a part of it.
func (r *Restorer) Changes(ctx context.Context) (*Plan, error) {
	h := r.history()
	roots, err := openRoots(r.with(h))
	if err != nil {
		return nil, err
	}
	defer roots.close()
	first := map[string]changeRun{}
	for _, s := range h.steps {
		for _, c := range s.changes {
			if _, known := first[c.path]; !known && !roots.isState(c.path) && s.kind != kindUndo {
				first[c.path] = changeRun{before: c.before, tool: c.tool}
			}
		}
	}
	p := &Plan{directories: r.with(h)}
	w := planner{pack: r.pack, roots: roots, plan: p}
	if err := w.fill(ctx, slices.Sorted(maps.Keys(first)), func(path string) []changeRun { return []changeRun{first[path]} }); err != nil {
		return nil, err
	}
	p.describe(h, nil)
	if len(p.Items) == 0 {
		p.Why = "no files have changed since the session began"
	}
	return p, nil
}

// PreviewChanges returns the plan of Changes for the user, with diffs from the states
// before the session to those of now.
func (r *Restorer) PreviewChanges(p *Plan) event.ChangesNow {
	out := event.ChangesNow{Diffs: r.diffs(p, p.Items, true), Lost: p.Lost, Why: p.Why}
	if len(p.Items) > 0 {
		out.ID = p.ID
	}
	return out
}

// Pick returns a plan that undoes only the picked hunks of the plan of Changes. Hunks are
// numbered as in PreviewChanges. The error is for the user.
func (r *Restorer) Pick(p *Plan, picks []event.HunkPick) (*Plan, error) {
	roots, err := openRoots(p.directories)
	if err != nil {
		return nil, err
	}
	defer roots.close()
	out := *p
	out.Items = nil
	for _, it := range p.Items {
		i := slices.IndexFunc(picks, func(k event.HunkPick) bool { return k.Path == it.Shown })
		if i < 0 {
			continue
		}
		if picks[i].Hunks != nil {
			at, _ := roots.at(it.Path)
			if it, err = r.pickHunks(it, at.now(nil), picks[i].Hunks); err != nil {
				return nil, err
			}
		}
		out.Items = append(out.Items, it)
	}
	return &out, nil
}

// pickHunks returns the item that undoes some hunks. Now is the current state.
func (r *Restorer) pickHunks(it Item, now value, hunks []int) (Item, error) {
	if !now.Same(it.Now) {
		return it, fmt.Errorf("%s has changed; list the changes again", it.Shown)
	}
	before, after := r.shown(value{State: it.To, content: it.content}), r.shown(now)
	if before == nil || after == nil || len(before) > maxCapture || len(after) > maxCapture {
		return it, fmt.Errorf("%s can only be restored completely", it.Shown)
	}
	text, err := revertHunks(string(before), string(after), hunks)
	if err != nil {
		return it, fmt.Errorf("%s: %w", it.Shown, err)
	}
	to := it.Now
	it.content, to.Stamp = []byte(text), ""
	to.Hash, to.Size, err = snapshot.Hashes{}.Put(bytes.NewReader(it.content))
	it.To = to
	return it, err
}

// revertHunks returns after without the hunks with these indices of the unified diff of
// before and after.
func revertHunks(before, after string, hunks []int) (string, error) {
	d := diffs.Of([]tools.Change{{Before: []byte(before), After: []byte(after)}})[0]
	all := hunk.Of(d)
	for _, i := range hunks {
		if i < 0 || i >= len(all) || all[i].Whole {
			return "", fmt.Errorf("there is no hunk %d", i+1)
		}
	}
	var kept event.HunkAnswer
	for i := range all {
		if !slices.Contains(hunks, i) {
			kept.Accepted = append(kept.Accepted, i)
		}
	}
	text, err := hunk.Apply([]byte(before), []byte(after), d, kept)
	return string(text), err
}
