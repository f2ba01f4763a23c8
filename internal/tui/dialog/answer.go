package dialog

import (
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"agent/internal/loop/event"
	"agent/internal/tui/keys"
)

// press handles a key for the first question: it answers, scrolls or types a
// comment. An answer removes the question.
func (d *Dialog) press(msg tea.KeyPressMsg) Result {
	k, lead := msg.String(), d.lead
	d.lead, d.hint = "", ""
	d.end.press(d.now())
	switch {
	case d.Plan().open:
		return d.pressPlan(msg)
	case d.question.reviewing:
		return d.pressReview(msg)
	case d.comment.open:
		return d.pressComment(msg)
	}
	switch {
	case k == "up" || k == "down":
		d.question.rows.move(map[string]int{"up": -1, "down": 1}[k])
		d.question.body.follows, d.typing = true, false
	case k == "enter":
		d.typing = d.typing && d.question.rows.marked() == nil
		return d.confirm()
	case k == "backspace" && d.typing && lead != "":
		d.question.rows.at = -1
	case k == "space" && (lead != "" || d.typing):
		return d.say(lead + " ")
	case k == "space":
		if d.question.rows.selects() {
			d.question.rows.toggle()
		}
	case d.question.ask.Plan != "" && !d.typing && k == editKey:
		d.full = false
		d.Plan().begin()
	case d.question.ask.Plan != "" && !d.typing && opensEditor(k, d.keys):
		return Result{EditPlan: true}
	case d.pressLook(k) || d.question.body.press(k):
	case k == "esc" && d.Own() != nil:
		return d.CancelOwn()
	case k == "esc" && d.escRejects():
		return d.give(event.Answer{Decision: event.Refuse, Hunks: d.question.hunks(false)})
	case k == "esc":
		return Result{Interrupt: true}
	default:
		return d.pressText(msg, lead)
	}
	return Result{}
}

// pressLook handles the keys for the review, full view and the reason. It reports
// whether k is one of them.
func (d *Dialog) pressLook(k string) bool {
	switch {
	case k == "tab", k == "shift+tab":
		d.openReview()
	case k == "ctrl+g", d.full && (k == "esc" || k == "q"):
		d.full, d.question.body.lines = !d.full, nil
	case k == "?" && !d.typing:
		d.question.why, d.question.body.lines = !d.question.why, nil
	default:
		return false
	}
	return true
}

// pressText handles a key that types text. lead is the y or n typed before it.
func (d *Dialog) pressText(msg tea.KeyPressMsg, lead string) Result {
	text := msg.Text
	if text == "" || msg.Mod == keys.Virtual {
		return Result{Pass: ToScreen}
	}
	if n, err := strconv.Atoi(text); err == nil && len(text) == 1 && (n < 5 || d.question.rows.Digit(n) >= 0) {
		return d.pressDigit(n, lead)
	}
	kind, ok := map[string]Kind{"y": Yes, "n": No}[strings.ToLower(text)]
	if ok && !d.question.chooses() && (lead == "" || lead == text) && d.question.rows.mark(kind) {
		d.lead = text
		if d.typing {
			d.lead, d.hint = lead+text, confirmHint
		}
		return Result{}
	}
	return d.say(lead + text)
}

// confirmHint is shown after a key that only moved the marker.
const confirmHint = "press enter to confirm"

// pressDigit answers with the row of digit n. In a multiple-choice question it
// selects the row; while the user is typing a sentence it only moves the marker.
func (d *Dialog) pressDigit(n int, lead string) Result {
	i := d.question.rows.Digit(n)
	switch {
	case i < 0 && d.typing:
		return d.say(lead + strconv.Itoa(n))
	case i < 0 && d.Own() != nil:
		d.hint = "answer with " + d.question.rows.digits()
		return Result{}
	case i < 0 && d.question.ask.AboutTurn():
		d.hint = "answer with 1 or 3"
		return Result{}
	case i < 0 && d.question.divided() && n == 1:
		d.hint = "every hunk is rejected: tab to change that"
		return Result{}
	case i < 0 && d.question.divided():
		d.hint = "a change with your decisions on hunks cannot be always allowed"
		return Result{}
	case i < 0:
		d.hint = "this cannot be always allowed"
		return Result{}
	}
	d.question.rows.at, d.question.body.follows = i, true
	if d.typing {
		d.lead, d.hint = lead+strconv.Itoa(n), confirmHint
		return Result{}
	}
	if d.question.rows.selects() {
		d.question.rows.toggle()
		return Result{}
	}
	return d.confirm()
}

// say starts or continues the comment with text. It returns the text for the draft
// if the user is typing there, or if the question takes no comment.
func (d *Dialog) say(text string) Result {
	if d.typing || !d.question.rows.mark(Comment) {
		d.question.rows.at = -1
		return Result{Draft: text}
	}
	d.question.body.follows = true
	d.comment.start(text)
	return Result{}
}

// confirm answers with the marked row.
func (d *Dialog) confirm() Result {
	row := d.question.rows.marked()
	if row == nil {
		d.hint = "choose a row: ↑↓ or its digit"
		return Result{}
	}
	switch row.Kind {
	case Yes, Always:
		if !d.question.readable() {
			d.hint = d.question.body.unread()
			return Result{}
		}
		if !d.end.over(d.now()) {
			return Result{}
		}
		if d.Own() != nil {
			return d.giveOwn(d.question.rows.at)
		}
		if d.hint = d.Plan().Problem(); d.hint != "" {
			return Result{}
		}
		return d.give(event.Answer{Mode: row.Mode, Text: d.Plan().Edited(), Hunks: d.question.hunks(true), Decision: map[Kind]event.Decision{Yes: event.Allow, Always: event.Always}[row.Kind]})
	case No:
		if d.Own() != nil {
			return d.giveOwn(d.question.rows.at)
		}
		return d.give(event.Answer{Decision: event.Refuse, Hunks: d.question.hunks(false)})
	case Comment:
		return d.say("")
	}
	switch {
	case len(d.question.rows.picked) > 0:
	case d.question.rows.many:
		d.hint = "select choices with space, or choose “Let the model decide”"
		return Result{}
	default:
		d.question.rows.picked = []int{d.question.rows.at}
	}
	return d.give(event.Answer{Decision: event.Answered, Choices: d.question.rows.picked})
}

// pressComment handles a key while the comment has the focus.
func (d *Dialog) pressComment(msg tea.KeyPressMsg) Result {
	k, e := msg.String(), d.comment.edit
	switch {
	case d.comment.leaves(k):
		d.comment.open = false
	case k == "pgup" || k == "pgdown":
		d.question.body.press(k)
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

// send answers with the comment. If the comment is only "yes" or "no", it moves the
// marker to that row instead; another enter confirms it.
func (d *Dialog) send() Result {
	text := strings.TrimSpace(d.comment.text())
	choices := d.question.chooses()
	kind, word := map[string]Kind{"y": Yes, "yes": Yes, "n": No, "no": No}[strings.ToLower(text)]
	switch {
	case d.IsCommand != nil && d.IsCommand(text):
		d.hint = "answer first, then send the command: esc keeps it for the prompt"
		return Result{}
	case choices && text == "" && len(d.question.rows.picked) == 0:
		d.hint = "type your answer, or go back with esc"
		return Result{}
	case choices:
		d.comment.clear()
		return d.give(event.Answer{Decision: event.Answered, Choices: d.question.rows.picked, Note: text})
	case word:
		d.comment.clear()
		d.question.rows.mark(kind)
		d.hint = "press enter again to confirm"
		return Result{}
	}
	d.comment.clear()
	return d.give(event.Answer{Decision: event.Refuse, Note: text, Hunks: d.question.hunks(false)})
}

// give answers the first question with a and removes it. Result.Rest keeps a
// comment or an edited plan that is not part of the answer.
func (d *Dialog) give(a event.Answer) Result {
	r := Result{Answer: &a, Rest: d.Comment()}
	if plan := d.Plan().Edited(); plan != a.Text {
		r.Rest = strings.TrimSuffix(plan+"\n"+r.Rest, "\n")
	}
	a.ID = d.question.ask.ID
	typing := d.writes()
	if typing {
		d.arming.typed(d.now())
	}
	d.removeFirst(typing)
	return r
}
