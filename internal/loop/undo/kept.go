package undo

import (
	"os"
	"path/filepath"
	"strings"

	"agent/internal/history/blobs"
	"agent/internal/tools/snapshot"
	"agent/internal/tools/workspace"
)

// resolved returns s with the Hash of a file that the pack keeps as a link. From then on the pack finds
// the content by it. If the content is gone or has changed, it sets Lost. It reads the file, unless the
// Hash is known.
func resolved(p *blobs.Pack, s snapshot.State) snapshot.State {
	if s.Kept == "" || s.Lost != "" {
		return s
	}
	sum, err := p.Sum(s.Kept, s.Size, s.Modified(), s.Hash)
	if err != nil {
		s.Lost = err.Error()
		return s
	}
	s.Hash = sum
	return s
}

// same is a.Same(b). It reads a file that the pack keeps as a link only if the sizes are equal.
func same(p *blobs.Pack, a, b snapshot.State) bool {
	if a.Kind != b.Kind || a.Size != b.Size || !a.SameMode(b) || a.Same(b) {
		return a.Same(b)
	}
	return resolved(p, a).Same(resolved(p, b))
}

// copyKeptAttributes gives f the attributes and the access control list of the file of item i, if the
// pack keeps the file itself. It reports whether it does.
func (w *applier) copyKeptAttributes(i int, f *os.File) bool {
	to := w.journal.Items[i].To
	if to.Kept == "" {
		return false
	}
	dir, err := os.OpenRoot(w.pack.KeptDir())
	if err != nil {
		return false
	}
	defer dir.Close()
	name := filepath.Base(to.Kept)
	info, err := dir.Lstat(name)
	if err != nil || !strings.HasPrefix(to.Stamp, snapshot.Inode(info)+":") { // a copy has none
		return false
	}
	w.miss(i, workspace.CopyAttributes(dir, name, f)...)
	return true
}
