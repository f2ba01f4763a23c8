package turn

import (
	"bytes"
	"unicode/utf8"

	"agent/internal/loop/event"
	"agent/internal/loop/hunk"
	"agent/internal/tools"
)

// diffLimit is the file size in bytes above which no diff is made: it would take
// long, and nobody reads it.
const diffLimit = 2 << 20

// Diffs returns the unified diffs of changes.
func Diffs(changes []tools.Change) []event.Diff {
	var out []event.Diff
	for _, c := range changes {
		d := event.Diff{Path: c.Path, Created: c.Before == nil, Deleted: c.After == nil, Moved: c.Moved}
		switch {
		case len(c.Before) > diffLimit || len(c.After) > diffLimit:
			d.Unified = "@@ too large to show @@\n"
		case !isText(c.Before) || !isText(c.After):
			d.Unified = "@@ binary content @@\n"
		default:
			d.Unified, d.Added, d.Removed = hunk.Unified(string(c.Before), string(c.After))
		}
		out = append(out, d)
	}
	return out
}

func isText(b []byte) bool { return utf8.Valid(b) && bytes.IndexByte(b, 0) < 0 }
