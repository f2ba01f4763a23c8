package tools

import (
	"context"
	"path"
	"path/filepath"

	"agent/internal/tools/search"
)

// IndexUpdater tells an index of file names which files a call read, and that a call
// may have created or deleted files. It implements RunInterceptor.
type IndexUpdater struct{ Index *search.Index }

// Run runs the call and updates the index.
func (x IndexUpdater) Run(ctx context.Context, _ Info, c Call, ok Approved, next Runner) (Result, error) {
	r, err := next(ctx, c, ok)
	if c.Effect == Write || c.Effect == Execute || c.Effect == Delegate {
		x.Index.Changed()
	}
	for _, seen := range r.Reads {
		if name := filepath.ToSlash(seen.Path); filepath.IsLocal(seen.Path) {
			x.Index.Use(path.Clean(name))
		}
	}
	return r, err
}
