package dialog

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
)

// diffLines is how many lines of a diff are drawn at first; scrolling draws more.
const diffLines = 2000

// Dialog holds the questions that wait for the user, the first of which is
// shown. It stands where the editor does. Its keys are fixed: arrows and enter
// or digits answer, and any other text is a comment.
type Dialog struct {
	keys   keys.Map
	st     *ink.Styles
	now    func() time.Time
	Short  func(dir string) string // shortens a directory for the screen
	Asks   []event.Ask
	Arming arming
	Behind bool // a search has the keys until it is closed

	rows    Rows
	Comment comment
	Held    HeldKey
	end     endPause
	Typing  bool   // the user writes a sentence into the draft, and text goes on in it
	lead    string // what moved the marker just now; text that follows begins with it
	hint    string // why the last key did nothing; shown until the next
	why     bool   // it is shown why the question is asked
	Full    bool   // the question has the whole window

	Scroll  int
	width   int
	height  int
	low     bool     // there is little room
	tiny    bool     // there is no room for a row of each answer
	Body    []string // of the first question, for that width and room; nil is not made yet
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

// Result is what came of a key in a dialog.
type Result struct {
	Answer    *event.Answer
	Rest      string // a comment that is not part of the answer
	Draft     string // text that belongs in the draft
	Interrupt bool
	Ignored   bool // the key means nothing in a dialog
}

func New(keys keys.Map, st *ink.Styles, vi bool, short func(dir string) string, now func() time.Time) *Dialog {
	d := &Dialog{keys: keys, st: st, now: now, Short: short}
	if d.Short == nil {
		d.Short = func(dir string) string { return dir }
	}
	d.Comment.make = func() *editor.Editor { return editor.New(d.keys, d.st, vi) }
	return d
}

func (d *Dialog) Waits() bool { return len(d.Asks) > 0 }

// Takes reports whether keys are the dialog's.
func (d *Dialog) Takes() bool { return d.Waits() && d.Arming.Ready }

// Push adds a question. typing says that the user is typing: it is shown
// without a marked row, so that enter answers nothing that was not chosen.
func (d *Dialog) Push(ask event.Ask, typing bool) {
	d.Asks, d.Body = append(d.Asks, ask), nil
	if len(d.Asks) == 1 {
		d.given = 0
		d.reset()
		if typing {
			d.StopForDraft(true)
		}
	}
}

// Withdraw takes the question of that ID away.
func (d *Dialog) Withdraw(id string) {
	i := slices.IndexFunc(d.Asks, func(a event.Ask) bool { return a.ID == id })
	if i < 0 {
		return
	}
	d.Asks, d.Body = slices.Delete(d.Asks, i, i+1), nil
	d.given++
	if i == 0 {
		typing := d.Comment.Open
		if typing {
			d.Arming.Typed(d.now())
		}
		d.reset()
		if typing {
			d.StopForDraft(true)
		}
	}
}

// Clear takes all questions away.
func (d *Dialog) Clear() {
	d.Asks = nil
	d.reset()
}

func (d *Dialog) reset() {
	d.Scroll, d.deep, d.Body, d.seen, d.rows = 0, diffLines, nil, false, Rows{}
	d.lead, d.hint, d.why, d.Full, d.Typing, d.drawn, d.end = "", "", false, false, false, false, endPause{}
	d.Comment.clear()
	if d.Waits() {
		d.rows = RowsOf(d.Asks[0])
		if len(WarningsOf(d.Asks[0])) > 0 { // enter approves nothing that was not chosen
			d.rows.at = -1
		}
		d.Arming.appear(d.now(), IsApproval(d.Asks[0]))
	}
}

// IsApproval reports whether a question is about a tool call, with a yes or a no.
func IsApproval(ask event.Ask) bool { return !ask.AboutTurn() && len(ask.Choices) == 0 }

// Took notes that the question took a key, a paste or a click.
func (d *Dialog) Took(now time.Time) { d.Arming.took(now, d.Waits() && IsApproval(d.Asks[0])) }

// Restyle draws the dialog with st.
func (d *Dialog) Restyle(st *ink.Styles) {
	d.st, d.Body = st, nil
	if e := d.Comment.Edit; e != nil {
		e.Restyle(st)
	}
}

// Resume opens the comment on the first question with a text that was typed
// before the program ended.
func (d *Dialog) Resume(text string) {
	if d.rows.mark(Comment) {
		d.Body, d.follows = nil, true
		d.Comment.restore(text)
	}
}

// StopForDraft notes that the user types into the draft while the question
// waits. typing says that there is text in it: the sentence may not be complete.
func (d *Dialog) StopForDraft(typing bool) {
	if d.Waits() && !d.Comment.Open {
		d.rows.at, d.Body, d.Typing = -1, nil, typing
	}
}

// AnswersWith reports whether a key can answer the question.
func (d *Dialog) AnswersWith(k string) bool {
	return k == "enter" || d.keys.Is(k, keys.Send) || !d.Comment.Open && isDigit(k)
}

// Pauses reports whether some keys are ignored for a moment.
func (d *Dialog) Pauses() bool { return d.Held.ignores(d.now()) || !d.end.over(d.now()) }

// Press takes a key. An answer is about the first question, which it takes away.
func (d *Dialog) Press(msg tea.KeyPressMsg) Result {
	k, lead := msg.String(), d.lead
	d.lead, d.hint = "", ""
	d.end.press(d.now())
	if d.Comment.Open {
		return d.pressComment(msg)
	}
	switch {
	case k == "up" || k == "down":
		d.rows.move(map[string]int{"up": -1, "down": 1}[k])
		d.Body, d.follows, d.Typing = nil, true, false
	case k == "enter":
		d.Typing = d.Typing && d.rows.marked() == nil
		return d.confirm()
	case k == "backspace" && d.Typing && lead != "":
		d.rows.at, d.Body = -1, nil
	case k == "space" && (lead != "" || d.Typing):
		return d.say(lead + " ")
	case k == "space":
		if d.rows.many && d.rows.marked() != nil && d.rows.marked().Kind == Choice {
			d.rows.toggle()
			d.Body = nil
		}
	case d.pressLook(k) || d.pressScroll(k):
	case k == "esc":
		return Result{Interrupt: true}
	default:
		return d.pressText(msg, lead)
	}
	return Result{}
}

// pressLook takes a key that looks at the question closer. It reports whether it
// is one.
func (d *Dialog) pressLook(k string) bool {
	switch {
	case k == "tab":
		d.nextHunk()
	case k == "shift+tab":
		d.previousHunk()
	case k == "ctrl+g", d.Full && (k == "esc" || k == "q"):
		d.Full, d.Body = !d.Full, nil
	case k == "?" && !d.Typing:
		d.why, d.Body = !d.why, nil
	default:
		return false
	}
	return true
}

// pressText takes a key that types something. lead is the y or n before it.
func (d *Dialog) pressText(msg tea.KeyPressMsg, lead string) Result {
	text := msg.Text
	if text == "" || msg.Mod == keys.Virtual {
		return Result{Ignored: true}
	}
	if n, err := strconv.Atoi(text); err == nil && len(text) == 1 && (n < 5 || d.rows.Digit(n) >= 0) {
		return d.pressDigit(n, lead)
	}
	kind, is := map[string]Kind{"y": Yes, "n": No}[strings.ToLower(text)]
	if is && len(d.Asks[0].Choices) == 0 && (lead == "" || lead == text) && d.rows.mark(kind) {
		d.lead = text
		if d.Typing {
			d.lead, d.hint = lead+text, confirmHint
		}
		return Result{}
	}
	return d.say(lead + text)
}

// confirmHint says how the marked row answers after a key that only marked it.
const confirmHint = "press enter to confirm"

// pressDigit answers with the row of a digit, or selects it where several may
// be. While the user writes a sentence it only moves the marker.
func (d *Dialog) pressDigit(n int, lead string) Result {
	i := d.rows.Digit(n)
	switch {
	case i < 0 && d.Typing:
		return d.say(lead + strconv.Itoa(n))
	case i < 0 && d.Asks[0].AboutTurn():
		d.hint = "answer with 1 or 3"
		return Result{}
	case i < 0:
		d.hint = "this cannot be always allowed"
		return Result{}
	}
	d.rows.at, d.Body, d.follows = i, nil, true
	if d.Typing {
		d.lead, d.hint = lead+strconv.Itoa(n), confirmHint
		return Result{}
	}
	if d.rows.many && d.rows.All[i].Kind == Choice {
		d.rows.toggle()
		return Result{}
	}
	return d.confirm()
}

// say starts a comment with text, or continues it. The text belongs in the draft
// if a sentence is being written there, or if the question has no comment.
func (d *Dialog) say(text string) Result {
	if d.Typing || !d.rows.mark(Comment) {
		d.rows.at, d.Body = -1, nil
		return Result{Draft: text}
	}
	d.Body, d.follows = nil, true
	d.Comment.start(text)
	return Result{}
}

// Paste starts a comment with pasted text, or goes on with it. It reports
// whether it did.
func (d *Dialog) Paste(text string) bool {
	if !d.Comment.Open && !d.rows.mark(Comment) {
		return false
	}
	d.lead, d.hint, d.Body, d.follows = "", "", nil, true
	d.Comment.paste(text)
	return true
}

// confirm answers with the marked row.
func (d *Dialog) confirm() Result {
	row := d.rows.marked()
	if row == nil {
		d.hint = "choose a row: ↑↓ or its digit"
		return Result{}
	}
	switch row.Kind {
	case Yes, Always:
		if !d.readable() {
			d.hint = d.unread()
			return Result{}
		}
		if !d.end.over(d.now()) {
			return Result{}
		}
		return d.give(event.Answer{Decision: map[Kind]event.Decision{Yes: event.Allow, Always: event.Always}[row.Kind]})
	case No:
		return d.give(event.Answer{Decision: event.Refuse})
	case Comment:
		return d.say("")
	}
	switch {
	case len(d.rows.picked) > 0:
	case d.rows.many:
		d.hint = "select choices with space, or choose “Let the model decide”"
		return Result{}
	default:
		d.rows.picked = []int{d.rows.at}
	}
	return d.give(event.Answer{Decision: event.Answered, Choices: d.rows.picked})
}

// pressComment takes a key while the comment has the keys.
func (d *Dialog) pressComment(msg tea.KeyPressMsg) Result {
	k, e := msg.String(), d.Comment.Edit
	switch {
	case d.Comment.leaves(k):
		d.Comment.Open, d.Body = false, nil
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
	return Result{}
}

// send answers with the comment. A comment that is only a yes or a no moves the
// marker there instead, for another enter to confirm.
func (d *Dialog) send() Result {
	text := strings.TrimSpace(d.Comment.Text())
	choices := len(d.Asks[0].Choices) > 0
	kind, word := map[string]Kind{"y": Yes, "yes": Yes, "n": No, "no": No}[strings.ToLower(text)]
	switch {
	case choices && text == "" && len(d.rows.picked) == 0:
		d.hint = "type your answer, or go back with esc"
		return Result{}
	case choices:
		d.Comment.clear()
		return d.give(event.Answer{Decision: event.Answered, Choices: d.rows.picked, Note: text})
	case word:
		d.Comment.clear()
		d.rows.mark(kind)
		d.Body, d.hint = nil, "press enter again to confirm"
		return Result{}
	}
	d.Comment.clear()
	return d.give(event.Answer{Decision: event.Refuse, Note: text})
}

// give answers the first question with a. A comment that is not part of it is
// kept.
func (d *Dialog) give(a event.Answer) Result {
	p := Result{Answer: &a}
	if !d.Comment.Blank() {
		p.Rest = d.Comment.Text()
	}
	a.ID = d.Asks[0].ID
	d.Withdraw(a.ID)
	return p
}

// Click takes a click on a cell of the dialog. It moves the marker, selects a
// choice where several may be, or places the cursor in the comment. It never
// answers.
func (d *Dialog) Click(x, y int) {
	if d.Comment.Open {
		if y -= d.Comment.line; y >= 0 {
			d.Comment.Edit.MoveCaret(d.Comment.Edit.OffsetAt(x, y))
		}
		return
	}
	i := d.rowAt(y)
	if i < 0 {
		return
	}
	d.Body, d.lead, d.hint = nil, "", ""
	if d.rows.All[i].Kind == Always {
		d.hint = "press 2 to choose this answer"
		return
	}
	d.rows.at, d.Typing = i, false
	if d.rows.many && d.rows.All[i].Kind == Choice {
		d.rows.toggle()
	}
}
