package main

import (
	"path/filepath"
	"slices"

	"agent/cmd/agent/access"
	"agent/internal/history/blobs"
	"agent/internal/loop"
	"agent/internal/loop/undo"
	"agent/internal/realpath"
	"agent/internal/tools"
	"agent/internal/tools/snapshot/scan"
	"agent/internal/tools/workspace"
)

// changes records what the calls of a session change, so that it can be undone. The zero
// value records nothing.
type changes struct {
	off      bool // record nothing
	pack     *blobs.Pack
	scan     *scan.Scanner
	recorder *undo.Recorder
}

// recordChanges makes the session record file changes, if it is saved.
func (a *app) recordChanges() {
	if a.stored.Log == nil || a.changes.off {
		return
	}
	path := a.stored.Log.UndoPath()
	pack, err := blobs.Open(path, blobs.Limits{})
	if err != nil {
		a.notices = append(a.notices, "File changes are not recorded, so they cannot be undone: "+err.Error())
		a.options.Undo.Why = err.Error()
		return
	}
	roots := []string{realpath.Of(a.work.Dir())}
	for _, dir := range a.work.Added() {
		roots = append(roots, realpath.Of(dir))
	}
	skip := []string{filepath.Dir(path)}
	files := scan.New(scan.Options{Roots: roots, Skip: skip, Store: pack, Eager: func() bool { return !a.sandbox.Watches() }})
	a.changes = changes{pack: pack, scan: files, recorder: undo.NewRecorder(undo.Options{
		Pack: pack, Path: path, Roots: roots, Skip: skip, Scan: files, Watches: a.sandbox.Watches,
	})}
	a.options.Undo = loop.Undo{Recorder: a.changes.recorder, Restorer: undo.NewRestorer(pack, roots)}
}

// room returns how many bytes of old file contents undo still accepts from commands in a
// sandbox; 0 if it does not record what they change.
func (c *changes) room(of *access.Sandbox) int64 {
	if c.pack == nil || !of.Watches() {
		return 0
	}
	return c.pack.Room()
}

// with returns the interceptors of an agent that works in w, with the one that records
// changes. It is the first one, so it also sees the changes that the others make.
func (c *changes) with(w *workspace.Workspace, isolated bool, all []any) []any {
	if c.recorder == nil {
		return all
	}
	var r tools.RunInterceptor = c.recorder
	if isolated {
		r = c.recorder.In(realpath.Of(w.Dir()))
	}
	return slices.Insert(all, 0, any(r))
}

// close notes what the jobs changed until they were stopped, and closes the pack and the
// scanner.
func (c *changes) close() {
	if c.pack == nil {
		return
	}
	_ = c.recorder.SettleJobs()
	c.scan.Close()
	_ = c.pack.Close()
}
