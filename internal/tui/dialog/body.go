package dialog

import "slices"

// diffLines is how many lines of a diff are drawn at first; scrolling draws more.
const diffLines = 2000

// body is the part of a question that scrolls.
type body struct {
	lines   []string // nil if they are not made yet
	hunks   []int    // the lines in which the hunks of a change begin
	limit   int      // how many lines of a diff are made at most
	more    bool     // some diff has more than that
	scroll  int      // the first line in the window
	shown   int      // lines in the window
	drawn   bool     // it was on the screen
	seen    bool     // its end was on the screen
	follows bool     // the marked row is brought into the window
}

// resize sets how many lines are shown in room lines, the last of which may say
// how many are hidden.
func (b *body) resize(room int) {
	b.shown = min(len(b.lines), room)
	if b.cut() && b.shown > 1 {
		b.shown--
	}
}

// visible returns the lines in the window. ended says that the end came into view
// for the first time, by scrolling.
func (b *body) visible() (lines []string, ended bool) {
	b.scroll = max(0, min(b.scroll, len(b.lines)-b.shown))
	if !b.seen && !b.more && (b.shown > 0 || len(b.lines) == 0) && b.scroll+b.shown >= len(b.lines) {
		b.seen, ended = true, b.drawn
	}
	b.drawn = true
	return slices.Clone(b.lines[b.scroll : b.scroll+b.shown]), ended
}

// cut reports whether some lines are not in the window.
func (b *body) cut() bool { return b.shown < len(b.lines) }

// hidesChange reports whether the window is so low that not one line of the
// change is in view.
func (b *body) hidesChange() bool { return len(b.hunks) > 0 && b.scroll+b.shown <= b.hunks[0] }

// unread says how to read the rest of what a yes approves.
func (b *body) unread() string {
	if b.shown == 0 {
		return "enlarge the window to read the command"
	}
	return "pgdn or end: read to the end first"
}

// press takes a key that scrolls. It reports whether it is one.
func (b *body) press(k string) bool {
	page := max(b.shown-1, 1)
	switch k {
	case "pgup":
		b.roll(-page)
	case "pgdown":
		b.roll(page)
	case "home":
		b.roll(-len(b.lines))
	case "end":
		b.roll(len(b.lines))
	default:
		return false
	}
	return true
}

// roll scrolls by so many lines, up if they are less than 0.
func (b *body) roll(by int) {
	if by > 0 && b.scroll >= len(b.lines)-b.shown && b.more {
		b.limit, b.lines = 4*b.limit, nil
	}
	b.scroll = max(b.scroll+by, 0)
}

// nextHunk scrolls to the next hunk of a change, from the last one to the first.
// remake makes the lines again with another limit.
func (b *body) nextHunk(remake func()) {
	for {
		last := len(b.lines) - b.shown
		for _, at := range b.hunks {
			if at > b.scroll && b.scroll < last {
				b.scroll = at
				return
			}
		}
		if !b.more {
			break
		}
		b.limit *= 4
		remake()
	}
	b.scroll = 0
}

// previousHunk scrolls to the hunk before, from the first one to the last.
func (b *body) previousHunk() {
	last := len(b.lines) - b.shown
	to := -1
	for _, at := range b.hunks {
		if at = min(at, last); at < b.scroll || b.scroll == 0 {
			to = max(to, at)
		}
	}
	b.scroll = max(to, 0)
}

// follow scrolls to a row, from its first line to before end.
func (b *body) follow(first, end int) { b.scroll = min(max(b.scroll, end-b.shown), first) }
