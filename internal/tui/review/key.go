package review

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"agent/internal/loop/event"
	"agent/internal/loop/hunk"
	"agent/internal/tui/keys"
)

// Result is the effect of a key.
type Result int

// The effects of a key.
const (
	Taken Result = iota
	Close        // the user has finished
	Edit         // open the hunk that Editable returns in the user's editor
	Pass         // the key means nothing here
)

// Writing reports whether keys type a comment.
func (r *Review) Writing() bool { return r.comment != nil }

// Key handles a key.
func (r *Review) Key(msg tea.KeyPressMsg) Result {
	r.hint = ""
	if r.comment != nil {
		r.pressComment(msg)
		return Taken
	}
	k, t := msg.String(), r.terms
	switch {
	case r.moves(k) || r.decides(k):
	case t.Bare && k != "esc" && k != "enter" && k != "q" && msg.Text != "" && msg.Mod != keys.Virtual:
		r.hint = fmt.Sprintf("%s to %s, %s to %s; %s or %s for all hunks", t.Accept.Key, t.Accept.Verb, t.Reject.Key, t.Reject.Verb, strings.ToUpper(t.Accept.Key), strings.ToUpper(t.Reject.Key))
	case k == "c":
		r.beginComment()
	case !t.Bare && (k == "e" || k == "ctrl+x ctrl+e" || r.keys.Is(k, keys.Edit)):
		if _, _, _, ok := r.Editable(); ok {
			return Edit
		}
		r.hint = "this hunk cannot be edited: accept or reject it"
	case k == "esc", k == "enter", k == "q":
		return Close
	case msg.Text != "" && msg.Mod != keys.Virtual:
		r.hint = fmt.Sprintf("%s to %s, %s to %s, c to comment on a line", t.Accept.Key, t.Accept.Verb, t.Reject.Key, t.Reject.Verb)
	default:
		return Pass
	}
	return Taken
}

// moves handles a key that moves to another line or hunk. It reports whether k is one.
func (r *Review) moves(k string) bool {
	n := len(r.hunks)
	switch k {
	case "tab":
		r.show((r.at + 1) % n)
	case "shift+tab":
		r.show((r.at + n - 1) % n)
	case "up":
		r.move(-1)
	case "down":
		r.move(1)
	case "pgup":
		r.move(-max(r.view.height-1, 1))
	case "pgdown":
		r.move(max(r.view.height-1, 1))
	case "home":
		r.move(-r.line)
	case "end":
		r.move(len(r.lines()))
	default:
		return false
	}
	return true
}

// move moves to the line that many lines below, above if by is negative.
func (r *Review) move(by int) {
	r.line = max(min(r.line+by, len(r.lines())-1), 0)
	r.view.follows = true
}

// decides handles a key that accepts or rejects. It reports whether k is one.
func (r *Review) decides(k string) bool {
	p, yes, no := r.current(), r.terms.Accept, r.terms.Reject
	switch k {
	case yes.Key, no.Key:
		p.rejected = k == no.Key
		if r.at+1 < len(r.hunks) {
			r.show(r.at + 1)
		} else {
			r.hint = "that was the last hunk · enter to go back and answer"
		}
	case strings.ToUpper(yes.Key), strings.ToUpper(no.Key):
		decision := yes
		if k != strings.ToUpper(yes.Key) {
			decision = no
		}
		for i := range r.hunks {
			r.hunks[i].rejected = decision == no
		}
		r.hint = "all hunks are " + decision.Done
	case "u":
		if p.edited == "" {
			r.hint = "this hunk is not edited"
			break
		}
		p.edited = ""
		r.show(r.at)
	default:
		return false
	}
	return true
}

// commented returns the place of the current line for a comment. It reports false if the
// line can have none.
func (r *Review) commented() (c event.LineComment, ok bool) {
	lines := r.lines()
	if r.current().edited != "" || r.line >= len(lines) {
		return c, false
	}
	return placeOf(lines[r.line])
}

// placeOf returns a comment without text on l. It reports false if l can have none.
func placeOf(l hunk.Line) (c event.LineComment, ok bool) {
	switch l.Mark {
	case ' ', '+':
		return event.LineComment{Line: l.New}, true
	case '-':
		return event.LineComment{Line: l.Old, Removed: true}, true
	}
	return c, false
}

// find returns the index of the comment at the place of c, negative for none.
func (p *part) find(c event.LineComment) int {
	return slices.IndexFunc(p.comments, func(o event.LineComment) bool { return o.Line == c.Line && o.Removed == c.Removed })
}

// beginComment opens the comment on the current line.
func (r *Review) beginComment() {
	c, ok := r.commented()
	switch p := r.current(); {
	case r.terms.Bare:
		r.hint = "you cannot comment on these hunks"
	case p.edited != "":
		r.hint = "you cannot comment on an edited hunk: press e to edit it, or u to undo the edit"
	case !ok:
		r.hint = "you cannot comment on this line"
	default:
		r.comment = r.make()
		r.comment.Mode.Begin()
		if i := p.find(c); i >= 0 {
			r.comment.Restore(p.comments[i].Text)
			r.comment.MoveToEnd()
		}
		r.view.follows = true
	}
}

// pressComment handles a key while a comment is typed.
func (r *Review) pressComment(msg tea.KeyPressMsg) {
	k, e := msg.String(), r.comment
	switch {
	case k == "esc" && !e.Mode.HandlesEscape():
		r.comment = nil
	case r.keys.Is(k, keys.Newline):
		e.Newline()
	case r.keys.Is(k, keys.Send) && e.ContinueLine():
		e.Newline()
	case r.keys.Is(k, keys.Send):
		r.setComment(strings.TrimSpace(e.Text()))
	default:
		e.Press(msg)
	}
}

// setComment closes the comment and replaces the one on the current line. Empty text
// removes it.
func (r *Review) setComment(text string) {
	r.comment = nil
	r.view.follows = true
	p := r.current()
	c, _ := r.commented()
	if i := p.find(c); i >= 0 {
		p.comments = slices.Delete(p.comments, i, i+1)
	}
	if c.Text = text; text != "" {
		p.comments = append(p.comments, c)
	}
}

// Paste pastes text into the comment on the current line. It reports false if the line
// can have none.
func (r *Review) Paste(text string) bool {
	if r.comment == nil {
		r.beginComment()
	}
	if r.comment == nil {
		return false
	}
	r.comment.Paste(text)
	return true
}
