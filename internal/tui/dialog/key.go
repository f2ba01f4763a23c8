package dialog

import (
	"strings"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"agent/internal/loop/event"
	"agent/internal/tui/keys"
)

// Result is the effect of a key on the dialog. The zero Result means that the
// dialog handled the key.
type Result struct {
	Answer    *event.Answer // the answer to the first question; nil for none
	Local     *LocalAnswer  // the answer to a question of the program; nil for none
	Open      string        // the URL of a page to open in the browser
	Copy      string        // text to copy
	Rest      string        // a typed comment that is not part of the answer
	Draft     string        // text to insert into the draft
	EditPlan  bool          // open the plan in the user's editor
	EditHunk  bool          // open the hunk that Dialog.Hunk returns in the user's editor
	Interrupt bool          // interrupt the turn
	Mode      event.Mode    // set this permission mode; empty to keep it
	Pass      Pass
	Deferred  *DeferredKey // pass it to Due after its delay; nil for none
}

// Pass is the part of the screen that gets a key which the dialog did not handle.
type Pass int

// The parts of the screen that a dialog passes keys to.
const (
	ToNone   Pass = iota
	ToDraft       // the editor with the draft
	ToScreen      // the keys that work independently of the focus
)

// Key handles a key. Before a question takes keys, they go to the draft; if the
// question directly follows an answer, only letters do.
func (d *Dialog) Key(msg tea.KeyPressMsg) Result {
	k, now, pending := msg.String(), d.now(), d.held.pending()
	sends := k == "enter" || d.form.keys.Is(k, keys.Send)
	v := d.held.press(msg, sends, now)
	answers := !d.Plan().open && !d.form.question.reviewing && (sends || !d.form.comment.open && !d.form.question.typed() && isDigit(k))
	d.form.settle(pending && v != deferred)
	switch {
	case d.Takes() && sends && pending && !msg.IsRepeat: // confirms the digit
		return d.handleKey(msg)
	case d.Takes() && answers && v == ignored:
		d.form.settle(false)
		d.held.dropped = true
		return Result{}
	case d.Takes() && v == repeated:
		return Result{}
	case d.Takes() && v == renewed:
		d.form.lead += k
		return d.held.later(msg, DigitPause)
	case d.Takes() && answers && d.form.announces(k):
		d.held.digit = v == accepted
		d.took(d.asks[0])
		return d.held.later(msg, DigitPause)
	case d.Takes() && answers && v == deferred:
		return d.held.later(msg, repeatGap)
	case d.Takes():
		return d.handleKey(msg)
	case d.Waits() && d.arming.next && !isWord(msg):
		if v == deferred && d.arming.alike {
			return d.held.later(msg, max(DigitPause, d.arming.remaining(now)))
		}
		d.arming.last = now
		return Result{}
	}
	d.arming.typed(now)
	return Result{Pass: ToDraft}
}

// Due handles a deferred key after its delay. It does nothing if another key was
// pressed since.
func (d *Dialog) Due(key DeferredKey) Result {
	if !d.held.due(key, d.now()) || !d.Takes() || d.form.writes() || d.form.question.reviewing {
		return Result{}
	}
	d.form.lead = ""
	return d.handleKey(key.Key)
}

// Paste pastes text into the plan if that is edited, into the comment on the current line
// of a review, or into the comment, if the question takes keys and allows one. It reports
// whether it did.
func (d *Dialog) Paste(text string) bool {
	if d.Takes() && d.form.question.reviewing {
		d.held.release()
		d.took(d.asks[0])
		return d.form.question.review.Paste(text)
	}
	if !d.Takes() || !d.form.writes() && !d.form.question.rows.mark(Comment) {
		d.Elsewhere()
		return false
	}
	d.held.release()
	d.form.lead, d.form.hint, d.form.question.body.follows = "", "", true
	if d.Plan().open {
		d.Plan().edit.Paste(text)
	} else {
		d.form.comment.paste(text)
	}
	d.took(d.asks[0])
	return true
}

// DraftTyped records that the draft changed while a question waits. typing says
// whether the draft has text, which may be an incomplete sentence.
func (d *Dialog) DraftTyped(typing bool) {
	if d.form.question.typed() && !d.Takes() {
		d.form.comment.open = false
	}
	if d.Waits() && !d.form.writes() {
		d.form.question.rows.at, d.form.typing = -1, typing
	}
}

// handleKey passes a key to the question, and removes the question if the key answers it.
func (d *Dialog) handleKey(msg tea.KeyPressMsg) Result {
	d.took(d.asks[0])
	r := d.form.press(msg)
	if r.Pass == ToScreen && d.form.typing {
		r.Pass = ToDraft
	}
	switch {
	case r.Draft != "" || r.Pass == ToDraft: // the keys that follow go to the draft, too
		d.arming.hold(d.now())
		d.arming.typed(d.now())
	case r.Answer != nil, r.Local != nil:
		typing := d.form.writes()
		if typing {
			d.arming.typed(d.now())
		}
		d.removeFirst(typing)
		d.held.answered = true
	}
	return r
}

// isWord reports whether msg types a letter other than y and n.
func isWord(msg tea.KeyPressMsg) bool {
	r, _ := utf8.DecodeRuneInString(msg.Text)
	return msg.Mod != keys.Virtual && unicode.IsLetter(r) && !strings.ContainsRune("ynYN", r)
}
