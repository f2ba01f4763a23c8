package transcript

import "agent/internal/tui/ink"

// drawer draws the rows of the pages. It caches the lines of a row until the row is
// touched or the width or the look changes.
type drawer struct {
	Pages  pages
	styles *ink.Styles
	look   int // counts changes of styles and of full
	width  int
	Frame  int  // of the spinner
	full   bool // all items show everything

	OpenKey string // the key that opens an item, for hints; optional
}

// Restyle sets the styles and redraws everything.
func (d *drawer) Restyle(st *ink.Styles) {
	if st != d.styles {
		d.styles = st
		d.look++
	}
}

// lines returns the drawing of the row at p, and the number of blank lines above
// it. Of adjacent pages that are not read, only the last is drawn.
func (d *drawer) lines(p Position) (lines []string, gap int) {
	if d.Pages.unread(p) && !d.Pages.All[p.Page+1].Read {
		return nil, 0
	}
	r := d.Pages.row(p)
	now := drawing{r.version, d.width, d.look}
	if r.Drawn != now {
		r.Lines = r.Draw(Canvas{Styles: d.styles, Width: max(d.width, 1), Full: d.full, key: d.OpenKey})
		r.Drawn = now
	}
	if len(r.Lines) == 0 {
		return nil, 0
	}
	if a, ok := r.Item.(*answer); ok && a.Joins {
		return r.Lines, 0
	}
	if before, ok := d.Pages.prev(p); ok && !d.Pages.unread(p) && (r.class() != steps || d.Pages.row(before).class() != steps) {
		gap = 1
	}
	return r.Lines, gap
}

// height returns the number of lines of the row at p, with those above it.
func (d *drawer) height(p Position) int {
	lines, gap := d.lines(p)
	return len(lines) + gap
}
