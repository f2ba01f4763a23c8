package tui

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"agent/internal/loop"
	"agent/internal/tui/ink"
)

// quiet is how long no key may have been pressed before a dialog takes one:
// what was meant for the editor must not answer a question.
const quiet = 500 * time.Millisecond

// dialog holds the questions that wait for the person, the first of which is
// shown. It stands where the editor does.
type dialog struct {
	keys   keymap
	st     *ink.Styles
	vi     bool // what is said is typed with the keys of vi
	asks   []loop.Ask
	armed  bool    // it takes keys
	behind bool    // a search has them until it is closed
	after  bool    // it follows another one: until it is armed, keys are nobody's
	note   *editor // what is said with a refusal or for an answer, while that is typed
	noteAt int     // the dialog's line that it begins in
	aside  *editor // the same, once the person went back from it

	choosing

	scroll int
	width  int
	low    bool     // there is little room
	body   []string // of the first question, for that width and room; nil is not made yet
	shown  int      // lines of body in the window
	deep   int      // how many lines of a diff body has at most, more as one scrolls
	more   bool     // some diff has more than that
}

func (d *dialog) waits() bool { return len(d.asks) > 0 }

// takes reports whether keys are the dialog's.
func (d *dialog) takes() bool { return d.waits() && d.armed }

// push adds a question. idle is how long nobody typed, after says that a dialog
// took a key just now.
func (d *dialog) push(ask loop.Ask, idle time.Duration, after bool) {
	d.asks, d.body = append(d.asks, ask), nil
	if len(d.asks) == 1 {
		d.reset()
		d.armed, d.after = idle >= quiet && !after, after
	}
}

// withdraw takes the question of that id away.
func (d *dialog) withdraw(id string) {
	i := slices.IndexFunc(d.asks, func(a loop.Ask) bool { return a.ID == id })
	if i < 0 {
		return
	}
	d.asks, d.body = slices.Delete(d.asks, i, i+1), nil
	if i == 0 {
		d.reset()
		d.armed, d.after = false, true
	}
}

// clear takes all questions away.
func (d *dialog) clear() {
	d.asks = nil
	d.reset()
}

func (d *dialog) reset() {
	d.scroll, d.deep, d.body, d.note, d.aside, d.choosing = 0, openLines, nil, nil, nil, choosing{}
}

// restyle draws the dialog with st.
func (d *dialog) restyle(st *ink.Styles) {
	d.st, d.body = st, nil
	for _, e := range []*editor{d.note, d.aside} {
		if e != nil {
			e.restyle(st)
		}
	}
}

// press takes a key. The answer, if it is one, is about the first question,
// which it takes away; taken says whether the key meant anything here.
func (d *dialog) press(msg tea.KeyPressMsg) (answer *loop.Answer, taken bool) {
	k := msg.String()
	if d.note != nil {
		return d.pressNote(msg), true
	}
	ask := d.asks[0]
	if len(ask.Choices) > 0 {
		return d.pressChoice(k)
	}
	switch {
	case d.keys.is(k, actApprove):
		return d.answer(loop.Allow, ""), true
	case d.keys.is(k, actRefuse):
		return d.answer(loop.Refuse, ""), true
	case d.keys.is(k, actAlways) && ask.Scope != "":
		return d.answer(loop.Always, ""), true
	case d.keys.is(k, actSay) && !ask.AboutTurn():
		d.speak(0)
	default:
		return nil, d.pressScroll(k)
	}
	return nil, true
}

// pressScroll takes a key that scrolls, as long as there is something to see.
func (d *dialog) pressScroll(k string) (taken bool) {
	switch {
	case d.keys.is(k, actUp):
		return d.roll(-d.stride(k))
	case d.keys.is(k, actDown):
		return d.roll(d.stride(k))
	}
	return false
}

// roll scrolls by so many lines, up if they are less than 0. It reports whether
// there was something to see.
func (d *dialog) roll(by int) bool {
	switch {
	case by < 0 && d.scroll > 0:
	case by > 0 && d.scroll < len(d.body)-d.shown:
	case by > 0 && d.more:
		d.deep, d.body = 4*d.deep, nil
	default:
		return false
	}
	d.scroll += by
	return true
}

// speak lets the person say something, or go on with it. Where there are
// choices, that is the one behind the last.
func (d *dialog) speak(choices int) {
	if choices > 0 {
		d.mark(choices)
	}
	if d.note, d.aside = d.aside, nil; d.note == nil {
		d.note = newEditor(d.keys, d.st, d.vi)
	}
}

// pressNote takes a key while the person says something.
func (d *dialog) pressNote(msg tea.KeyPressMsg) *loop.Answer {
	k := msg.String()
	switch {
	case d.keys.is(k, actSay):
		d.note, d.aside = nil, d.note
	case strings.HasPrefix(k, "pg"):
		d.pressScroll(k)
	case d.keys.is(k, actNewline):
		d.note.newline()
	case d.keys.is(k, actSend) && d.note.continued():
		d.note.newline()
	case d.keys.is(k, actSend) && len(d.asks[0].Choices) > 0:
		return d.answerChoice(strings.TrimSpace(d.note.take()))
	case d.keys.is(k, actSend):
		return d.answer(loop.Refuse, strings.TrimSpace(d.note.take()))
	default:
		d.note.press(msg)
	}
	return nil
}

// stride is how far a key scrolls.
func (d *dialog) stride(k string) int {
	if strings.HasPrefix(k, "pg") {
		return max(d.shown-1, 1)
	}
	return 1
}

func (d *dialog) answer(decision loop.Decision, note string) *loop.Answer {
	return d.give(loop.Answer{Decision: decision, Note: note})
}

// give answers the first question with a.
func (d *dialog) give(a loop.Answer) *loop.Answer {
	a.ID = d.asks[0].ID
	d.withdraw(a.ID)
	return &a
}

// lowDialog is how many lines a dialog needs for what stands around a change
// besides the change.
const lowDialog = 12

// lines draws the first question in at most height lines, and returns where the
// cursor stands in them.
func (d *dialog) lines(width, height int) ([]string, *tea.Cursor) {
	if low := height < lowDialog; d.body == nil || d.width != width || d.low != low {
		d.follow = d.follow || d.width != width && d.at+d.scroll > 0
		d.width, d.low = width, low
		d.body = d.makeBody(max(width-4, 1))
	}
	foot, cursor := d.foot(width)
	room := max(height-1-len(foot), 0)
	out := []string{d.title()}
	out = append(out, d.visible(room, width)...)
	if cursor != nil {
		cursor.Y += len(out)
		d.noteAt = len(out)
	}
	return append(out, foot...), cursor
}

// visible returns the part of the body that fits in room lines, the last of
// which tells of what does not.
func (d *dialog) visible(room, width int) []string {
	d.shown = min(len(d.body), room)
	if d.shown < len(d.body) && d.shown > 1 {
		d.shown--
	}
	d.followMark()
	d.scroll = max(0, min(d.scroll, len(d.body)-d.shown))
	out := slices.Clone(d.body[d.scroll : d.scroll+d.shown])
	if d.shown < len(d.body) && room > 1 {
		more, left := "    the end", len(d.body)-d.shown-d.scroll
		switch {
		case d.more:
			more = "    many more lines below"
		case left > 0:
			more = "    " + count(left, "more line") + " below"
		}
		up, down := d.scrolls(actUp), d.scrolls(actDown)
		for _, hint := range []string{" · " + up + " and " + down + " scroll", " · " + up + ", " + down} {
			if lipgloss.Width(more+hint) <= width {
				more += hint
				break
			}
		}
		out = append(out, d.st.Dim.Render(ink.Truncate(more, width)))
	}
	return out
}

// scrolls is the key of a that scrolls: while something is typed, one that
// means nothing in the text.
func (d *dialog) scrolls(a action) string {
	for _, k := range d.keys.keys(a) {
		if d.note == nil || strings.HasPrefix(k, "pg") {
			return k
		}
	}
	return ""
}

// foot is the line of keys, or what is being said with the refusal.
func (d *dialog) foot(width int) ([]string, *tea.Cursor) {
	if d.note != nil {
		d.note.resize(width, editorLines)
		lines, cursor := d.note.lines()
		hint := d.keys.name(actSend) + " " + d.saying() + " · " + d.keys.name(actSay) + " back"
		return append(slices.Clone(lines), d.st.Dim.Render(ink.Truncate("  "+hint, width))), cursor
	}
	lines := flow(d.hints(), "   ", max(width-gutter, 1))
	if !d.armed {
		until := "waits until you stop typing"
		if d.behind {
			until = "waits until the search is closed"
		}
		lines = paint(d.st.Dim, append(lines, flow([]string{until}, "", max(width-gutter, 1))...))
	}
	for i, l := range lines {
		lines[i] = "  " + l
	}
	return lines, nil
}

// hints are the keys that answer the first question.
func (d *dialog) hints() []string {
	ask := d.asks[0]
	if len(ask.Choices) > 0 {
		return d.choiceHints()
	}
	yes, no := yesWord(ask), "refuse"
	if ask.AboutTurn() {
		no = "stop"
	}
	hints := []string{d.keys.name(actApprove) + " " + yes, d.keys.name(actRefuse) + " " + no}
	if !ask.AboutTurn() {
		hints = append(hints, d.keys.name(actSay)+" say something")
	}
	if ask.Scope != "" { // the longest, so that the others stand in one line
		hints = append(hints, d.always())
	}
	return hints
}

// saying is what sending does with what is typed.
func (d *dialog) saying() string {
	if len(d.asks[0].Choices) > 0 {
		return "answers"
	}
	return "refuses and says so"
}

func yesWord(a loop.Ask) string {
	switch {
	case a.AboutTurn():
		return "go on"
	case a.Effect == "write":
		return "apply"
	case a.Effect == "execute":
		return "run"
	}
	return "allow"
}

// flow sets parts side by side in as many lines as they need.
func flow(parts []string, between string, width int) []string {
	var lines []string
	for _, p := range parts {
		p = ink.Truncate(p, width)
		if n := len(lines) - 1; n >= 0 && lipgloss.Width(lines[n]+between+p) <= width {
			lines[n] += between + p
			continue
		}
		lines = append(lines, p)
	}
	return lines
}
