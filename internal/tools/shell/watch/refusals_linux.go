//go:build amd64 || arm64

package watch

import (
	"path/filepath"
	"sync"
)

// refusals reports why changes are refused that could not be undone.
type refusals struct {
	strict bool                   // otherwise nothing is refused
	report func(path, why string) // Reports.Refused

	mu       sync.Mutex
	reported bool // report was called for a path that is no lock of an index
	raced    bool // report was called with Raced
}

// refuse returns why if the order is strict, and reports the first path. A lock of an index
// counts only until another path is refused.
func (r *refusals) refuse(path, why string) string {
	if !r.strict {
		return ""
	}
	r.mu.Lock()
	first := !r.reported
	r.reported = r.reported || filepath.Base(path) != IndexLock
	r.mu.Unlock()
	if first {
		r.report(path, why)
	}
	return why
}

// race reports once that a path was replaced.
func (r *refusals) race() {
	r.mu.Lock()
	first := !r.raced
	r.raced, r.reported = true, true // no later path is reported in its place
	r.mu.Unlock()
	if first {
		r.report("", Raced)
	}
}
