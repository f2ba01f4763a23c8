package undo

import (
	"bytes"
	"context"
	"path/filepath"
	"slices"
	"time"

	"agent/internal/loop/diffs"
	"agent/internal/loop/event"
	"agent/internal/tools"
	"agent/internal/tools/snapshot"
	"agent/internal/tools/snapshot/scan"
)

// The limits of a summary.
const (
	maxPaths   = 20   // names of changed files
	maxCounted = 1000 // files whose lines are counted
)

// call records the changes of one call, or of all background jobs.
type call struct {
	*Recorder
	roots *roots
	id    string // empty for jobs
	tool  bool   // see note.Tool
}

// recordBefore records the states of the paths of changes, and which of their directories are
// missing.
func (k *call) recordBefore(dir string, changes []tools.Change) (touched []snapshot.Touched) {
	known := map[string]bool{}
	add := func(at rootPath, contents snapshot.Contents) {
		path := join(at.dir, at.rel)
		if known[path] {
			return
		}
		known[path] = true
		t := snapshot.Touched{Call: k.id, Path: path, Before: *stored(at.capture(contents)), Tool: true}
		if err := k.Pack.Append(t); err != nil {
			k.lose(k.id, k.roots.show(path), err)
			return
		}
		touched = append(touched, t)
	}
	for _, c := range changes {
		path := c.Path
		if !filepath.IsAbs(path) {
			path = join(dir, path)
		}
		at, ok := k.roots.at(path)
		if !ok {
			continue
		}
		for i, r := range at.rel {
			if parent := (rootPath{root: at.root, rel: at.rel[:i]}); r == '/' && parent.look().Kind == snapshot.Absent {
				add(parent, k.Pack)
			}
		}
		add(at, k.Pack)
	}
	return touched
}

// command runs a command, and notes the states in which it left the paths that it touched.
func (k *call) command(ctx context.Context, in tools.Info, c tools.Call, ok tools.Approved, next tools.Runner) (tools.Result, error) {
	var scanned *scan.Command
	if k.Scan != nil && (in.Step == 0 || ok.Access.Outside || k.Watches != nil && !k.Watches()) {
		scanned = k.Scan.Begin(ctx)
	}
	defer k.begins()()
	from, began := k.Pack.Size(), time.Now()
	res, err := next(ctx, c, ok)
	took := time.Since(began)
	if scanned != nil {
		k.touchFound(context.WithoutCancel(ctx), scanned, from)
	}
	touched := k.touchedSince(from, func(call string) bool { return call == in.ID })
	k.mu.Lock()
	if in.Step > 0 && in.ID != k.last {
		k.commands, k.last = k.commands+1, in.ID
	}
	if res.Job > 0 {
		k.jobs[in.ID] = true
	}
	if scanned == nil && (len(touched) > 0 || took > longCommand) {
		k.period.ran(began)
	}
	k.mu.Unlock()
	if res.Job > 0 {
		_ = k.Pack.Append(note{Kind: kindJob, Call: in.ID}) // before the notes of what it has left by now
	}
	k.recordAfter(touched)
	if res.Blocked != nil && err == nil && (scanned != nil || ok.Snapshot != nil && (k.Watches == nil || k.Watches())) {
		k.describe(context.WithoutCancel(ctx), res.Blocked, from)
	}
	return res, err
}

// touchFound notes the changes of a command that a scan found. It leaves out what other
// commands have touched since an offset of the pack.
func (k *call) touchFound(ctx context.Context, scanned *scan.Command, from int64) {
	others := map[string]bool{}
	for _, t := range k.touchedSince(from, func(call string) bool { return call != k.id }) {
		others[t.Path] = true
	}
	found, err := scanned.Changes(ctx, func(path string) bool { return others[path] })
	if err != nil {
		k.lose(k.id, "", err)
	}
	for _, t := range found {
		t.Call = k.id
		if err := k.Pack.Append(t); err != nil {
			k.lose(k.id, k.roots.show(t.Path), err)
		}
	}
}

// recordAfter records the current states of touched paths, and adds to the summary of the call.
func (k *call) recordAfter(touched []snapshot.Touched) {
	sum := &event.FilesChanged{ID: k.id}
	known := map[directory]bool{} // to look up each directory of a deep tree once
	for _, t := range touched {
		at, ok := k.roots.at(t.Path)
		if !ok {
			continue
		}
		at.known = known
		created := t.Before.Kind == snapshot.Absent
		ignored := created && !k.tool && at.isIgnored()
		var c capture
		var left snapshot.State
		switch {
		case ignored:
			left = at.look()
		case at.repository != "" && isIndex(at.rel) && at.look().Size <= maxCapture: // to compare a later one with it
			left = at.capture(k.Pack)
		default:
			left = at.capture(&c)
		}
		n := note{Kind: kindAfter, Call: t.Call, Path: t.Path, After: stored(left), Tool: k.tool}
		isSame := same(k.Pack, left, t.Before)
		n.Refreshed = isSame && t.Before.Kept != "" || at.repository != "" && isIndex(at.rel) && sameStaged(k.Pack, left, t.Before)
		if !isSame && !ignored && at.repository == "" {
			n.Added, n.Removed = k.count(sum, t, left, c.content)
		}
		if t.Before.Kind == snapshot.File && at.repository == "" && c.content != nil && isText(c.content) {
			_, _, _ = k.Pack.Put(bytes.NewReader(c.content)) // without it there is no merge
		}
		if err := k.Pack.Append(n); err != nil {
			sum.Lost = append(sum.Lost, event.LostChange{Path: k.roots.show(t.Path), Why: "the change could not be recorded: " + err.Error()})
		}
	}
	if sum.Files > 0 || len(sum.Lost) > 0 {
		k.mu.Lock()
		k.keep(k.id, sum)
		k.mu.Unlock()
	}
}

// recordPrograms records what the checks and hooks of a call have left, except in the paths
// that the call itself touched. From is an offset of the pack.
func (k *call) recordPrograms(from int64, touched []snapshot.Touched) {
	others := slices.DeleteFunc(k.touchedSince(from, func(call string) bool { return call == k.id }), func(t snapshot.Touched) bool {
		return slices.ContainsFunc(touched, func(own snapshot.Touched) bool { return own.Path == t.Path })
	})
	programs := *k
	programs.tool = false
	programs.recordAfter(others)
}

// count adds a changed path to a summary, and returns how many lines were added and
// removed. Content is that of the file now; nil if it is not known.
func (k *call) count(sum *event.FilesChanged, t snapshot.Touched, left snapshot.State, content []byte) (added, removed int) {
	shown := k.roots.show(t.Path)
	relinks := left.Kind == snapshot.Absent && k.roots.relinks(t.Before)
	if t.Before.Lost != "" && !relinks && !(k.tool && inPlace(t.Before, left)) {
		sum.Lost = append(sum.Lost, event.LostChange{Path: shown, Why: t.Before.Lost})
	}
	if !isFile(t.Before) && !isFile(left) {
		return 0, 0
	}
	if len(sum.Paths) < maxPaths {
		sum.Paths = append(sum.Paths, shown)
	}
	if sum.Files++; sum.Files > maxCounted {
		return 0, 0
	}
	change := tools.Change{Path: shown, After: content}
	if t.Before.Kind == snapshot.File {
		if t.Before.Size > maxCapture {
			return 0, 0
		}
		before, err := k.Pack.Read(resolved(k.Pack, t.Before).Hash)
		if err != nil {
			return 0, 0
		}
		change.Before = before
	}
	for _, d := range diffs.Of([]tools.Change{change}) {
		added, removed = d.Added, d.Removed
	}
	sum.Added += added
	sum.Removed += removed
	return added, removed
}

// isFile reports whether something other than a directory is there.
func isFile(s snapshot.State) bool { return s.Kind != snapshot.Absent && s.Kind != snapshot.Dir }
