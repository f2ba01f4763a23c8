package transcript

import (
	"agent/internal/tui/ink"
)

// Target is an event to show in the window.
type Target struct {
	At   int
	home bool      // the beginning of the transcript instead
	Find ink.Query // text of the event to mark; empty for none
	Last bool      // mark its last occurrence instead of the first
}

// Scroll moves the window by n lines, up if n is negative. At the end of the transcript
// it sets Follow. At a page that is not in memory it continues once the page is read.
func (v *viewport) Scroll(n int) {
	v.owed, v.target = 0, nil
	if !v.Pages.exists(v.Top) {
		return
	}
	if n < 0 {
		v.Follow = false
	}
	v.moveTo(v.Top, v.skip+n)
}

// moveTo makes line skip of the row at p the first line of the window. skip may be
// outside the row.
func (v *viewport) moveTo(p Position, skip int) {
	v.Top, v.skip = p, skip
	for v.skip < 0 {
		p, ok := v.Pages.prev(v.Top)
		switch {
		case v.Pages.unread(v.Top):
			v.owed, v.skip = v.skip, 0
		case !ok:
			v.skip = 0
		default:
			v.Top = p
			v.skip += v.height(p)
		}
	}
	for {
		p, ok := v.Pages.next(v.Top)
		h := v.height(v.Top)
		if !ok || v.skip < h {
			return
		}
		if v.Pages.unread(p) && !v.Pages.unread(v.Top) {
			last := max(h-1, 0)
			v.owed, v.skip = v.skip-last, last
			return
		}
		v.Top, v.skip = p, v.skip-h
	}
}

// ShowStart shows the beginning.
func (v *viewport) ShowStart() { v.Seek(Target{home: true}) }

// ShowEnd shows the end and sets Follow.
func (v *viewport) ShowEnd() { v.owed, v.target, v.Follow = 0, nil, true }

// Seek moves the window to an event, once its page is read.
func (v *viewport) Seek(to Target) {
	v.owed, v.target = 0, &to
	v.ReachTarget()
}

// ReachTarget moves the window to its target if the page of the target is read.
func (v *viewport) ReachTarget() {
	if v.target == nil {
		return
	}
	to := *v.target
	i := v.Pages.pageOf(to.At)
	if !v.Pages.All[i].Read || to.home && !v.Pages.Settled {
		return
	}
	v.target, v.Follow = nil, false
	if to.Find.Text != "" {
		v.reveal(i, to)
		return
	}
	v.skip = 0
	if to.home {
		v.Top = v.Pages.nearest(Position{})
		return
	}
	p := Position{Page: i}
	for i, r := range v.Pages.All[i].Rows {
		if r.at > to.At || r.own {
			continue
		}
		if p.row = i; r.at == to.At {
			break
		}
	}
	if v.Top = v.Pages.nearest(p); v.Pages.exists(v.Top) {
		_, v.skip = v.lines(v.Top)
	}
}
