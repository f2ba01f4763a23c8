package tui

import (
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"agent/internal/loop/event"
	"agent/internal/tui/editor"
	"agent/internal/tui/ink"
	"agent/internal/tui/keys"
	"agent/internal/tui/transcript"
)

// dialog holds the questions that wait for the user, the first of which is
// shown. It stands where the editor does. Its keys are fixed: arrows and enter
// or digits answer, and any other text is a comment.
type dialog struct {
	keys   keys.Map
	st     *ink.Styles
	now    func() time.Time
	short  func(dir string) string // shortens a directory for the screen
	asks   []event.Ask
	arming arming
	behind bool // a search has the keys until it is closed

	rows    answerRows
	comment comment
	held    held
	end     endPause
	typing  bool   // the user writes a sentence into the draft, and text goes on in it
	lead    string // what moved the marker just now; text that follows begins with it
	hint    string // why the last key did nothing; shown until the next
	why     bool   // it is shown why the question is asked
	full    bool   // the question has the whole window

	scroll  int
	width   int
	height  int
	low     bool     // there is little room
	tiny    bool     // there is no room for a row of each answer
	body    []string // of the first question, for that width and room; nil is not made yet
	hunks   []int    // the lines of body in which the hunks of a change begin
	shown   int      // lines of body in the window
	deep    int      // how many lines of a diff body has at most, more as one scrolls
	more    bool     // some diff has more than that
	drawn   bool     // the question was on the screen
	seen    bool     // the end of body was on the screen
	given   int      // how many questions were answered since none waited
	follows bool     // the marked row is brought into the window
	rowsAt  int      // the line of the dialog in which the rows of an approval begin
}

// pressed is what came of a key in a dialog.
type pressed struct {
	answer    *event.Answer
	rest      string // a comment that is not part of the answer
	draft     string // text that belongs in the draft
	interrupt bool
	ignored   bool // the key means nothing in a dialog
}

func newDialog(keys keys.Map, st *ink.Styles, o Options, now func() time.Time) *dialog {
	d := &dialog{keys: keys, st: st, now: now, short: o.Short}
	if d.short == nil {
		d.short = func(dir string) string { return dir }
	}
	d.comment.make = func() *editor.Editor { return editor.New(d.keys, d.st, o.Vi) }
	return d
}

func (d *dialog) waits() bool { return len(d.asks) > 0 }

// takes reports whether keys are the dialog's.
func (d *dialog) takes() bool { return d.waits() && d.arming.ready }

// push adds a question. typing says that the user is typing: it is shown
// without a marked row, so that enter answers nothing that was not chosen.
func (d *dialog) push(ask event.Ask, typing bool) {
	d.asks, d.body = append(d.asks, ask), nil
	if len(d.asks) == 1 {
		d.given = 0
		d.reset()
		if typing {
			d.interrupted(true)
		}
	}
}

// withdraw takes the question of that ID away.
func (d *dialog) withdraw(id string) {
	i := slices.IndexFunc(d.asks, func(a event.Ask) bool { return a.ID == id })
	if i < 0 {
		return
	}
	d.asks, d.body = slices.Delete(d.asks, i, i+1), nil
	d.given++
	if i == 0 {
		typing := d.comment.open
		if typing {
			d.arming.typed(d.now())
		}
		d.reset()
		if typing {
			d.interrupted(true)
		}
	}
}

// clear takes all questions away.
func (d *dialog) clear() {
	d.asks = nil
	d.reset()
}

func (d *dialog) reset() {
	d.scroll, d.deep, d.body, d.seen, d.rows = 0, transcript.OpenLines, nil, false, answerRows{}
	d.lead, d.hint, d.why, d.full, d.typing, d.drawn, d.end = "", "", false, false, false, false, endPause{}
	d.comment.clear()
	if d.waits() {
		d.rows = rowsOf(d.asks[0])
		if len(warningsOf(d.asks[0])) > 0 { // enter approves nothing that was not chosen
			d.rows.at = -1
		}
		d.arming.appear(d.now(), isApproval(d.asks[0]))
	}
}

// isApproval reports whether a question is about a tool call, with a yes or a no.
func isApproval(ask event.Ask) bool { return !ask.AboutTurn() && len(ask.Choices) == 0 }

// took notes that the question took a key, a paste or a click.
func (d *dialog) took(now time.Time) { d.arming.took(now, d.waits() && isApproval(d.asks[0])) }

// restyle draws the dialog with st.
func (d *dialog) restyle(st *ink.Styles) {
	d.st, d.body = st, nil
	if e := d.comment.edit; e != nil {
		e.Restyle(st)
	}
}

// resume opens the comment on the first question with a text that was typed
// before the program ended.
func (d *dialog) resume(text string) {
	if d.rows.mark(answerComment) {
		d.body, d.follows = nil, true
		d.comment.restore(text)
	}
}

// interrupted notes that the user types into the draft while the question
// waits. typing says that there is text in it: the sentence may not be complete.
func (d *dialog) interrupted(typing bool) {
	if d.waits() && !d.comment.open {
		d.rows.at, d.body, d.typing = -1, nil, typing
	}
}

// answersWith reports whether a key can answer the question.
func (d *dialog) answersWith(k string) bool {
	return k == "enter" || d.keys.Is(k, keys.Send) || !d.comment.open && isDigit(k)
}

// pauses reports whether some keys are ignored for a moment.
func (d *dialog) pauses() bool { return d.held.ignores(d.now()) || !d.end.over(d.now()) }

// press takes a key. An answer is about the first question, which it takes away.
func (d *dialog) press(msg tea.KeyPressMsg) pressed {
	k, lead := msg.String(), d.lead
	d.lead, d.hint = "", ""
	d.end.press(d.now())
	if d.comment.open {
		return d.pressComment(msg)
	}
	switch {
	case k == "up" || k == "down":
		d.rows.move(map[string]int{"up": -1, "down": 1}[k])
		d.body, d.follows, d.typing = nil, true, false
	case k == "enter":
		d.typing = d.typing && d.rows.marked() == nil
		return d.confirm()
	case k == "backspace" && d.typing && lead != "":
		d.rows.at, d.body = -1, nil
	case k == "space" && (lead != "" || d.typing):
		return d.say(lead + " ")
	case k == "space":
		if d.rows.many && d.rows.marked() != nil && d.rows.marked().kind == answerChoice {
			d.rows.toggle()
			d.body = nil
		}
	case d.pressLook(k) || d.pressScroll(k):
	case k == "esc":
		return pressed{interrupt: true}
	default:
		return d.pressText(msg, lead)
	}
	return pressed{}
}

// pressLook takes a key that looks at the question closer. It reports whether it
// is one.
func (d *dialog) pressLook(k string) bool {
	switch {
	case k == "tab":
		d.nextHunk()
	case k == "shift+tab":
		d.previousHunk()
	case k == "ctrl+g", d.full && (k == "esc" || k == "q"):
		d.full, d.body = !d.full, nil
	case k == "?" && !d.typing:
		d.why, d.body = !d.why, nil
	default:
		return false
	}
	return true
}

// pressText takes a key that types something. lead is the y or n before it.
func (d *dialog) pressText(msg tea.KeyPressMsg, lead string) pressed {
	text := msg.Text
	if text == "" || msg.Mod == keys.Virtual {
		return pressed{ignored: true}
	}
	if n, err := strconv.Atoi(text); err == nil && len(text) == 1 && (n < 5 || d.rows.digit(n) >= 0) {
		return d.pressDigit(n, lead)
	}
	kind, is := map[string]answerKind{"y": answerYes, "n": answerNo}[strings.ToLower(text)]
	if is && len(d.asks[0].Choices) == 0 && (lead == "" || lead == text) && d.rows.mark(kind) {
		d.lead = text
		if d.typing {
			d.lead, d.hint = lead+text, confirmHint
		}
		return pressed{}
	}
	return d.say(lead + text)
}

// confirmHint says how the marked row answers after a key that only marked it.
const confirmHint = "press enter to confirm"

// pressDigit answers with the row of a digit, or selects it where several may
// be. While the user writes a sentence it only moves the marker.
func (d *dialog) pressDigit(n int, lead string) pressed {
	i := d.rows.digit(n)
	switch {
	case i < 0 && d.typing:
		return d.say(lead + strconv.Itoa(n))
	case i < 0 && d.asks[0].AboutTurn():
		d.hint = "answer with 1 or 3"
		return pressed{}
	case i < 0:
		d.hint = "this cannot be always allowed"
		return pressed{}
	}
	d.rows.at, d.body, d.follows = i, nil, true
	if d.typing {
		d.lead, d.hint = lead+strconv.Itoa(n), confirmHint
		return pressed{}
	}
	if d.rows.many && d.rows.all[i].kind == answerChoice {
		d.rows.toggle()
		return pressed{}
	}
	return d.confirm()
}

// say starts a comment with text, or continues it. The text belongs in the draft
// if a sentence is being written there, or if the question has no comment.
func (d *dialog) say(text string) pressed {
	if d.typing || !d.rows.mark(answerComment) {
		d.rows.at, d.body = -1, nil
		return pressed{draft: text}
	}
	d.body, d.follows = nil, true
	d.comment.start(text)
	return pressed{}
}

// paste starts a comment with pasted text, or goes on with it. It reports
// whether it did.
func (d *dialog) paste(text string) bool {
	if !d.comment.open && !d.rows.mark(answerComment) {
		return false
	}
	d.lead, d.hint, d.body, d.follows = "", "", nil, true
	d.comment.paste(text)
	return true
}

// confirm answers with the marked row.
func (d *dialog) confirm() pressed {
	row := d.rows.marked()
	if row == nil {
		d.hint = "choose a row: ↑↓ or its digit"
		return pressed{}
	}
	switch row.kind {
	case answerYes, answerAlways:
		if !d.readable() {
			d.hint = d.unread()
			return pressed{}
		}
		if !d.end.over(d.now()) {
			return pressed{}
		}
		return d.give(event.Answer{Decision: map[answerKind]event.Decision{answerYes: event.Allow, answerAlways: event.Always}[row.kind]})
	case answerNo:
		return d.give(event.Answer{Decision: event.Refuse})
	case answerComment:
		return d.say("")
	}
	switch {
	case len(d.rows.picked) > 0:
	case d.rows.many:
		d.hint = "select choices with space, or choose “Let the model decide”"
		return pressed{}
	default:
		d.rows.picked = []int{d.rows.at}
	}
	return d.give(event.Answer{Decision: event.Answered, Choices: d.rows.picked})
}

// pressComment takes a key while the comment has the keys.
func (d *dialog) pressComment(msg tea.KeyPressMsg) pressed {
	k, e := msg.String(), d.comment.edit
	switch {
	case d.comment.leaves(k):
		d.comment.open, d.body = false, nil
	case k == "pgup" || k == "pgdown":
		d.pressScroll(k)
	case d.keys.Is(k, keys.Newline):
		e.Newline()
	case d.keys.Is(k, keys.Send) && e.ContinueLine():
		e.Newline()
	case d.keys.Is(k, keys.Send):
		return d.send()
	default:
		e.Press(msg)
	}
	return pressed{}
}

// send answers with the comment. A comment that is only a yes or a no moves the
// marker there instead, for another enter to confirm.
func (d *dialog) send() pressed {
	text := strings.TrimSpace(d.comment.text())
	choices := len(d.asks[0].Choices) > 0
	kind, word := map[string]answerKind{"y": answerYes, "yes": answerYes, "n": answerNo, "no": answerNo}[strings.ToLower(text)]
	switch {
	case choices && text == "" && len(d.rows.picked) == 0:
		d.hint = "type your answer, or go back with esc"
		return pressed{}
	case choices:
		d.comment.clear()
		return d.give(event.Answer{Decision: event.Answered, Choices: d.rows.picked, Note: text})
	case word:
		d.comment.clear()
		d.rows.mark(kind)
		d.body, d.hint = nil, "press enter again to confirm"
		return pressed{}
	}
	d.comment.clear()
	return d.give(event.Answer{Decision: event.Refuse, Note: text})
}

// give answers the first question with a. A comment that is not part of it is
// kept.
func (d *dialog) give(a event.Answer) pressed {
	p := pressed{answer: &a}
	if !d.comment.blank() {
		p.rest = d.comment.text()
	}
	a.ID = d.asks[0].ID
	d.withdraw(a.ID)
	return p
}

// click takes a click on a cell of the dialog. It moves the marker, selects a
// choice where several may be, or places the cursor in the comment. It never
// answers.
func (d *dialog) click(x, y int) {
	if d.comment.open {
		if y -= d.comment.line; y >= 0 {
			d.comment.edit.MoveCaret(d.comment.edit.OffsetAt(x, y))
		}
		return
	}
	i := d.rowAt(y)
	if i < 0 {
		return
	}
	d.body, d.lead, d.hint = nil, "", ""
	if d.rows.all[i].kind == answerAlways {
		d.hint = "press 2 to choose this answer"
		return
	}
	d.rows.at, d.typing = i, false
	if d.rows.many && d.rows.all[i].kind == answerChoice {
		d.rows.toggle()
	}
}
