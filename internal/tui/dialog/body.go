package dialog

import "slices"

// diffLines is the number of diff lines drawn at first; scrolling draws more.
const diffLines = 2000

// body is the part of a question that scrolls.
type body struct {
	lines   []string // nil if they must be composed
	change  int      // the first line of the changes or of the plan, negative for none
	limit   int      // maximum number of lines of all diffs to compose
	more    bool     // the diffs have more lines than limit
	scroll  int      // index of the first visible line
	shown   int      // number of visible lines
	drawn   bool     // the body was on the screen
	seen    bool     // the end of the body was on the screen
	follows bool     // scroll the marked row into view
}

// resize sets the number of visible lines for a height of room. If lines are
// hidden, one line is left for saying so.
func (b *body) resize(room int) {
	b.shown = min(len(b.lines), room)
	if b.cut() && b.shown > 1 {
		b.shown--
	}
}

// visible returns the visible lines. ended says that scrolling brought the end into
// view for the first time.
func (b *body) visible() (lines []string, ended bool) {
	b.scroll = max(0, min(b.scroll, len(b.lines)-b.shown))
	if !b.seen && !b.more && (b.shown > 0 || len(b.lines) == 0) && b.scroll+b.shown >= len(b.lines) {
		b.seen, ended = true, b.drawn
	}
	b.drawn = true
	return slices.Clone(b.lines[b.scroll : b.scroll+b.shown]), ended
}

// cut reports whether some lines are hidden.
func (b *body) cut() bool { return b.shown < len(b.lines) }

// hidesChange reports whether the window is too low to show a line of the diff.
func (b *body) hidesChange() bool { return b.change >= 0 && b.scroll+b.shown <= b.change }

// unread returns the hint that tells the user how to read the rest before approving.
func (b *body) unread() string {
	if b.shown == 0 {
		return "enlarge the window to read the command"
	}
	return "read to the end first: pgdn or end"
}

// press handles a key that scrolls. It reports whether k is one.
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

// roll scrolls by that many lines, up if negative.
func (b *body) roll(by int) {
	if by > 0 && b.scroll >= len(b.lines)-b.shown && b.more {
		b.limit, b.lines = 4*b.limit, nil
	}
	b.scroll = max(b.scroll+by, 0)
}

// follow scrolls the lines from first up to end into view.
func (b *body) follow(first, end int) { b.scroll = min(max(b.scroll, end-b.shown), first) }
