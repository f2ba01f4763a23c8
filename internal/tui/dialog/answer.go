package dialog

import (
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"agent/internal/loop/event"
	"agent/internal/tui/keys"
)

// press handles a key: it answers, scrolls or types a comment.
func (f *form) press(msg tea.KeyPressMsg) Result {
	k, lead := msg.String(), f.lead
	f.lead, f.hint = "", ""
	f.attention.end.press(f.attention.now())
	switch {
	case f.question.plan.open:
		return f.pressPlan(msg)
	case f.question.reviewing:
		return f.pressReview(msg)
	case f.comment.open:
		return f.pressComment(msg)
	}
	switch {
	case k == "up" || k == "down":
		f.question.rows.move(map[string]int{"up": -1, "down": 1}[k])
		f.question.body.follows, f.typing = true, false
	case k == "enter":
		f.typing = f.typing && f.question.rows.marked() == nil
		return f.confirm()
	case k == "backspace" && f.typing && lead != "":
		f.question.rows.at = -1
	case k == "space" && (lead != "" || f.typing):
		return f.say(lead + " ")
	case k == "space":
		if f.question.rows.selects() {
			f.question.rows.toggle()
		}
	case f.question.ask.Plan != "" && !f.typing && k == editKey:
		f.full = false
		f.question.plan.begin()
	case f.question.ask.Plan != "" && !f.typing && opensEditor(k, f.keys):
		return Result{EditPlan: true}
	case !f.typing && f.keys.Is(k, keys.Mode) && f.otherMode() != "":
		to := f.otherMode()
		f.hint = "mode " + to.Name() + " from the next call on · answer this one"
		return Result{Mode: to}
	case f.pressLook(k) || f.question.body.press(k):
	case k == "esc" && f.question.local != nil:
		return f.giveLocal(f.question.local.Cancel())
	case k == "esc":
		return f.cancel()
	default:
		return f.pressText(msg, lead)
	}
	return Result{}
}

// cancel rejects the question of a delegate, or interrupts the turn.
func (f *form) cancel() Result {
	if f.escRejects() {
		f.comment.open = false
		return f.give(event.Answer{Decision: event.Refuse, Hunks: f.question.hunks(false)})
	}
	return Result{Interrupt: true}
}

// pressLook handles the keys for the review, full view and the reason. It reports
// whether k is one of them.
func (f *form) pressLook(k string) bool {
	switch {
	case k == "tab":
		f.openReview()
	case k == "ctrl+g", f.full && (k == "esc" || k == "q"):
		f.full, f.question.body.lines = !f.full, nil
	case k == "?" && !f.typing:
		f.question.why, f.question.body.lines = !f.question.why, nil
	default:
		return false
	}
	return true
}

// pressText handles a key that types text. lead is the y or n typed before it.
func (f *form) pressText(msg tea.KeyPressMsg, lead string) Result {
	text := msg.Text
	if text == "" || msg.Mod == keys.Virtual {
		return Result{Pass: ToScreen}
	}
	if n, err := strconv.Atoi(text); err == nil && len(text) == 1 && !f.question.typed() && (n < 5 || f.question.rows.Digit(n) >= 0) {
		return f.pressDigit(n, lead)
	}
	if f.question.asksValue() && !f.question.typed() && !f.typing {
		f.hint = "answer with " + f.question.rows.digits()
		return Result{}
	}
	kind, ok := map[string]Kind{"y": Yes, "n": No}[strings.ToLower(text)]
	if ok && !f.question.chooses() && (lead == "" || lead == text) && f.question.rows.mark(kind) {
		f.lead = text
		if f.typing {
			f.lead, f.hint = lead+text, confirmHint
		}
		return Result{}
	}
	return f.say(lead + text)
}

// confirmHint is shown after a key that only moved the marker.
const confirmHint = "press enter to confirm"

// pressDigit answers with the row of digit n. In a multiple-choice question it
// selects the row; while the user is typing a sentence it only moves the marker.
func (f *form) pressDigit(n int, lead string) Result {
	i := f.question.rows.Digit(n)
	switch {
	case i < 0 && f.typing, endsInDigit(lead) && !f.typing:
		return f.say(lead + strconv.Itoa(n))
	case i < 0 && f.question.local != nil:
		f.hint = "answer with " + f.question.rows.digits()
		return Result{}
	case i < 0 && f.question.ask.Form != nil:
		f.hint = "answer with " + f.question.rows.digits()
		return Result{}
	case i < 0 && f.question.ask.AboutTurn():
		f.hint = "answer with 1 or 3"
		return Result{}
	case i < 0 && f.question.divided() && n == 1:
		f.hint = "every hunk is rejected: tab to change that"
		return Result{}
	case i < 0 && f.question.divided():
		f.hint = "a change with your decisions on hunks cannot be always allowed"
		return Result{}
	case i < 0:
		f.hint = "this cannot be always allowed"
		return Result{}
	}
	f.question.rows.at, f.question.body.follows = i, true
	if f.typing {
		f.lead, f.hint = lead+strconv.Itoa(n), confirmHint
		return Result{}
	}
	if f.question.rows.selects() {
		f.question.rows.toggle()
		return Result{}
	}
	return f.confirm()
}

// announces reports whether k is a digit that answers. If it is, it marks the row that it
// will choose. The question is answered later, because a sentence can begin with a digit.
func (f *form) announces(k string) bool {
	if !isDigit(k) || f.typing || endsInDigit(f.lead) {
		return false
	}
	i := f.question.rows.Digit(int(k[0] - '0'))
	if i < 0 || !f.answers(f.question.rows.All[i]) {
		return false
	}
	f.question.rows.at, f.question.body.follows = i, true
	f.lead, f.hint = f.lead+k, k+" answers in a moment, unless you keep typing"
	return true
}

// answers reports whether the digit of row answers the question now.
func (f *form) answers(row Row) bool {
	switch row.Kind {
	case Yes, Always, Copy:
		return f.question.readable() && f.attention.end.over(f.attention.now())
	case Choice:
		return !f.question.rows.many
	}
	return row.Kind != Comment
}

// settle forgets a digit that answers no more. waits is set while it still may.
func (f *form) settle(waits bool) {
	if !waits && !f.typing && endsInDigit(f.lead) {
		f.lead = ""
	}
}

func endsInDigit(s string) bool { return s != "" && isDigit(s[len(s)-1:]) }

// say starts or continues the comment with text. It returns the text for the draft
// if the user is typing there, or if the question takes no comment.
func (f *form) say(text string) Result {
	if f.typing || !f.question.rows.mark(Comment) {
		f.question.rows.at = -1
		return Result{Draft: text}
	}
	f.question.body.follows = true
	f.comment.start(text)
	return Result{}
}

// confirm answers with the marked row.
func (f *form) confirm() Result {
	row := f.question.rows.marked()
	if row == nil {
		f.hint = "choose a row: ↑↓ or its digit"
		return Result{}
	}
	if f.question.asksValue() && row.Kind != No && !f.mayAnswer() {
		return Result{}
	}
	switch row.Kind {
	case Yes, Always, Copy:
		if !f.question.readable() {
			f.hint = f.question.body.unread()
			return Result{}
		}
		if !f.attention.end.over(f.attention.now()) {
			return Result{}
		}
		if f.question.local != nil {
			return f.giveLocal(f.question.rows.at)
		}
		if f.question.ask.Form != nil {
			return f.givePage(row.Kind)
		}
		if f.hint = f.question.plan.Problem(); f.hint != "" {
			return Result{}
		}
		return f.give(event.Answer{Mode: row.Mode, Text: f.question.plan.Edited(), Hunks: f.question.hunks(true), Decision: map[Kind]event.Decision{Yes: event.Allow, Always: event.Always}[row.Kind]})
	case No:
		if f.question.local != nil {
			return f.giveLocal(f.question.rows.at)
		}
		return f.give(event.Answer{Decision: event.Refuse, Hunks: f.question.hunks(false)})
	case Comment:
		return f.say("")
	case Skip:
		return f.give(event.Answer{Decision: event.Answered})
	}
	switch {
	case len(f.question.rows.picked) > 0 || f.question.rows.many && f.question.asksValue():
	case f.question.rows.many:
		f.hint = "select choices with space, or choose “Let the model decide”"
		return Result{}
	default:
		f.question.rows.picked = []int{f.question.rows.at}
	}
	return f.give(event.Answer{Decision: event.Answered, Choices: f.question.rows.picked})
}

// pressComment handles a key while the comment has the focus.
func (f *form) pressComment(msg tea.KeyPressMsg) Result {
	k, e := msg.String(), f.comment.edit
	switch {
	case f.question.typed() && k == "esc" && !e.Mode.HandlesEscape():
		return f.cancel()
	case f.comment.leaves(k):
		f.comment.open = false
	case k == "pgup" || k == "pgdown":
		f.question.body.press(k)
	case f.keys.Is(k, keys.Newline):
		e.Newline()
	case f.keys.Is(k, keys.Send) && e.ContinueLine():
		e.Newline()
	case f.keys.Is(k, keys.Send):
		return f.send()
	default:
		e.Press(msg)
	}
	return Result{}
}

// send answers with the comment. If the comment is only "yes" or "no", it moves the
// marker to that row instead; another enter confirms it.
func (f *form) send() Result {
	text := strings.TrimSpace(f.comment.text())
	choices := f.question.chooses()
	kind, word := map[string]Kind{"y": Yes, "yes": Yes, "n": No, "no": No}[strings.ToLower(text)]
	switch {
	case f.question.typed():
		return f.sendValue()
	case f.screen.IsCommand != nil && f.screen.IsCommand(text):
		f.hint = "answer first, then send the command: esc keeps it for the prompt"
		return Result{}
	case choices && text == "" && len(f.question.rows.picked) == 0:
		f.hint = "type your answer, or go back with esc"
		return Result{}
	case choices:
		f.comment.clear()
		return f.give(event.Answer{Decision: event.Answered, Choices: f.question.rows.picked, Note: text})
	case word:
		f.comment.clear()
		f.question.rows.mark(kind)
		f.hint = "press enter again to confirm"
		return Result{}
	}
	f.comment.clear()
	return f.give(event.Answer{Decision: event.Refuse, Note: text, Hunks: f.question.hunks(false)})
}

// give answers the question with a. Result.Rest keeps a
// comment or an edited plan that is not part of the answer.
func (f *form) give(a event.Answer) Result {
	r := Result{Answer: &a, Rest: f.kept()}
	if plan := f.question.plan.Edited(); plan != a.Text {
		r.Rest = strings.TrimSuffix(plan+"\n"+r.Rest, "\n")
	}
	a.ID = f.question.ask.ID
	return r
}
