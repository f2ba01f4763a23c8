// Package diffs shows the file changes of tool calls as unified diffs, and divides the
// changes of a call by what the user decided on their hunks. It reads no file and asks
// nobody. Start reading at Of.
package diffs

import (
	"bytes"
	"unicode/utf8"

	"agent/internal/loop/event"
	"agent/internal/loop/hunk"
	"agent/internal/tools"
	"agent/internal/tools/charset"
)

// diffLimit is the file size in bytes above which no diff is made: it would take
// long, and nobody reads it.
const diffLimit = 2 << 20

// Of returns the unified diffs of changes, in their order. Text in another encoding is shown as UTF-8.
func Of(changes []tools.Change) []event.Diff {
	var out []event.Diff
	for _, c := range changes {
		d := event.Diff{Path: c.Path, Created: c.Before == nil, Deleted: c.After == nil, Moved: c.Moved}
		switch {
		case len(c.Before) > diffLimit || len(c.After) > diffLimit:
			d.Unified = "@@ too large to show @@\n"
		default:
			before, _ := charset.Text(c.Before)
			after, _ := charset.Text(c.After)
			if !isText(before) || !isText(after) {
				d.Unified = "@@ binary content @@\n"
				break
			}
			d.Unified, d.Added, d.Removed = hunk.Unified(string(before), string(after))
		}
		out = append(out, d)
	}
	return out
}

func isText(b []byte) bool { return utf8.Valid(b) && bytes.IndexByte(b, 0) < 0 }
