// Package changes records what the calls of a session change, so that it can be undone.
package changes

import (
	"io/fs"
	"path/filepath"

	"agent/internal/history/blobs"
	"agent/internal/loop"
	"agent/internal/loop/part"
	"agent/internal/loop/undo"
	"agent/internal/realpath"
	"agent/internal/tools/snapshot"
	"agent/internal/tools/snapshot/scan"
	"agent/internal/tools/workspace"
)

// Changes records the changes of a session. It is a part.Part, and records nothing on nil.
type Changes struct {
	Undo     loop.Undo
	pack     *blobs.Pack
	scan     *scan.Scanner
	recorder *undo.Recorder
	watches  func() bool
}

// Open records the changes in w and its added directories in the file path. Watches reports
// whether the sandbox reports what commands change. The caller closes the result.
func Open(path string, w *workspace.Workspace, watches func() bool) (*Changes, error) {
	pack, err := blobs.Open(path, blobs.Limits{})
	if err != nil {
		return nil, err
	}
	roots := []string{realpath.Of(w.Dir())}
	for _, dir := range w.Added() {
		roots = append(roots, realpath.Of(dir))
	}
	skip := []string{filepath.Dir(path)}
	files := scan.New(scan.Options{Roots: roots, Skip: skip, Store: pack, Eager: func() bool { return !watches() }})
	r := undo.NewRecorder(undo.Options{Pack: pack, Path: path, Roots: roots, Skip: skip, Scan: files, Watches: watches})
	return &Changes{Undo: loop.Undo{Recorder: r, Restorer: undo.NewRestorer(pack, roots)}, pack: pack, scan: files, recorder: r, watches: watches}, nil
}

// Room returns how many bytes of old file contents undo still accepts from commands in a
// sandbox; 0 if it does not record what they change.
func (c *Changes) Room() int64 {
	if c == nil || !c.watches() {
		return 0
	}
	return c.pack.Room()
}

// Keeps reports whether undo can keep a file without a copy if a command in a sandbox removes it, after
// others with so many bytes.
func (c *Changes) Keeps(file fs.FileInfo, bytes int64) bool {
	return c != nil && c.watches() && blobs.Keeps(filepath.Dir(c.recorder.Path), file, bytes)
}

// HookOrder returns the order to record what a hook changes; nil if it is not recorded.
func (c *Changes) HookOrder() *snapshot.Order {
	if c == nil {
		return nil
	}
	return c.recorder.HookOrder()
}

// Has reports whether the old content with that SHA-256 sum, in hexadecimal, is kept.
func (c *Changes) Has(sum string) bool { return c.pack.Has(sum) }

// For records the changes of an agent.
func (c *Changes) For(a part.Agent) (part.Added, error) {
	switch {
	case c == nil:
		return part.Added{}, nil
	case a.Isolated:
		return part.Added{Around: c.recorder.In(realpath.Of(a.Workspace.Dir()))}, nil
	}
	return part.Added{Around: c.recorder}, nil
}

// Close notes what the jobs changed until they were stopped, and ends the recording.
func (c *Changes) Close() []string {
	if c == nil {
		return nil
	}
	_ = c.recorder.SettleJobs()
	c.scan.Close()
	_ = c.pack.Close()
	return nil
}
