package dialog

import (
	"strings"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"agent/internal/loop/event"
	"agent/internal/tui/keys"
)

// Result is what the dialog decided about a key. The zero Result says that the key
// is done with.
type Result struct {
	Answer    *event.Answer // to the question that was the first
	Rest      string        // a comment that is not part of the answer
	Draft     string        // text that belongs in the draft
	Interrupt bool          // the turn is to be interrupted
	Pass      Pass
	Deferred  *DeferredKey // is to come back after its delay, nil for none
}

// Pass says which other part of the screen gets a key.
type Pass int

// The parts of the screen that a dialog passes keys to.
const (
	ToNone   Pass = iota
	ToDraft       // the editor with the draft
	ToScreen      // the keys that mean the same whatever has the focus
)

// Key takes a key while a question waits or none. Before the question takes keys,
// they go to the draft, unless it directly follows an answer: then only letters do.
func (d *Dialog) Key(msg tea.KeyPressMsg) Result {
	k, now := msg.String(), d.now()
	v := d.held.press(msg, now)
	answers := k == "enter" || d.keys.Is(k, keys.Send) || !d.comment.open && isDigit(k)
	switch {
	case d.Takes() && answers && v == ignored:
		d.held.dropped = true
		return Result{}
	case d.Takes() && answers && v == deferred:
		return d.held.later(msg, repeatGap)
	case d.Takes():
		return d.take(msg)
	case d.Waits() && d.arming.next && !isWord(msg):
		if v == deferred && d.arming.alike {
			return d.held.later(msg, max(repeatGap, d.arming.rest(now)))
		}
		d.arming.last = now
		return Result{}
	}
	d.arming.typed(now)
	return Result{Pass: ToDraft}
}

// Due takes a key that was deferred. It does nothing if another key was pressed
// since.
func (d *Dialog) Due(key DeferredKey) Result {
	if key.number != d.held.number || !d.Takes() || d.comment.open {
		return Result{}
	}
	return d.take(key.Key)
}

// Paste takes pasted text as a comment on a question that takes keys. It reports
// whether it did. Text that it did not take goes elsewhere.
func (d *Dialog) Paste(text string) bool {
	if !d.Takes() || !d.comment.open && !d.question.rows.mark(Comment) {
		d.Elsewhere()
		return false
	}
	d.held.release()
	d.lead, d.hint, d.question.body.follows = "", "", true
	d.comment.paste(text)
	d.took()
	return true
}

// Tick makes the question take keys once the pause has passed.
func (d *Dialog) Tick() { d.arming.advance(d.now()) }

// Hold takes the keys away from the question until the next pause.
func (d *Dialog) Hold() { d.arming.hold(d.now()) }

// Release notes a key that something took that comes before a question.
func (d *Dialog) Release() { d.held.release() }

// Elsewhere notes a key, a paste or a click that was meant for something else.
func (d *Dialog) Elsewhere() {
	d.held.release()
	d.arming.typed(d.now())
}

// DraftTyped notes that the draft changed while a question waits. typing says that
// there is text in it: the sentence may not be complete.
func (d *Dialog) DraftTyped(typing bool) {
	if d.Waits() && !d.comment.open {
		d.question.rows.at, d.typing = -1, typing
	}
}

// took notes that the question took a key, a paste or a click.
func (d *Dialog) took() { d.arming.took(d.now(), IsApproval(d.asks[0])) }

// take lets the question take a key.
func (d *Dialog) take(msg tea.KeyPressMsg) Result {
	d.took()
	r := d.press(msg)
	if r.Pass == ToScreen && d.typing {
		r.Pass = ToDraft
	}
	switch {
	case r.Draft != "" || r.Pass == ToDraft: // and so does what follows
		d.arming.hold(d.now())
		d.arming.typed(d.now())
	case r.Answer != nil:
		d.held.answered = true
	}
	return r
}

// isWord reports whether a key types a letter that answers no question.
func isWord(msg tea.KeyPressMsg) bool {
	r, _ := utf8.DecodeRuneInString(msg.Text)
	return msg.Mod != keys.Virtual && unicode.IsLetter(r) && !strings.ContainsRune("ynYN", r)
}
