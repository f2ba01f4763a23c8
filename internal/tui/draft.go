package tui

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"agent/internal/llm"
	"agent/internal/loop/event"
	"agent/internal/tui/editor/text"
)

// draftPause is how often at most a draft is saved.
const draftPause = time.Second

// draftDue says that a draft is to be saved.
type draftDue struct{}

// typedAt is a state of all that is being typed.
type typedAt struct {
	prompt int     // the editor's revision
	note   *editor // in which a question is answered; nil if none is
	words  int     // its revision
}

func (m *model) typedAt() typedAt {
	at := typedAt{prompt: m.editor.buf.Revision(), note: m.dialog.comment.edit}
	if at.note != nil {
		at.words = at.note.buf.Revision()
	}
	return at
}

// restoreDraft puts what was typed before into the editor, and what waited for
// the end of a turn into the queue, where it waits for the person. The comment on
// a question goes into the editor too: the question is gone, or comes again.
func (m *model) restoreDraft(d event.Draft) {
	m.saved = d
	if d.Text != "" {
		m.editor.restoreDraft(d)
	}
	for _, w := range d.Queue {
		if w.About != "" {
			m.giveBack(w.Text)
			m.unsaid = unsaid{w.About, m.editor.buf.String(), w.Text}
			continue
		}
		said := typing{w.Text, w.Images}
		m.editor.walk.remember(said.text, m.editor.tokens.tokenised(said))
		m.waits = append(m.waits, queued{typing: said})
	}
	m.hold("unsent")
	m.savedAt, m.waited = m.typedAt(), m.unsentQueue()
}

// restoreDraft shows a draft that was kept, with tokens for what was pasted and
// for images.
func (e *editor) restoreDraft(d event.Draft) {
	raw, at, no, first := "", 0, 1, len(e.tokens.all)
	add := func(typed string) {
		var more string
		more, no = e.tokens.pictured(typed, raw, d.Images, no)
		raw += more
	}
	for _, p := range d.Pasted {
		if p.From < at || p.To < p.From || p.To > len(d.Text) {
			break
		}
		add(d.Text[at:p.From])
		raw += e.tokens.pasted(d.Text[p.From:p.To], raw)
		at = p.To
	}
	add(d.Text[at:])
	e.set(e.tokens.again(raw, first))
	e.buf.Forget()
}

// pictured is collapse for a text that names images by their labels, the first
// of which has the number no. It returns the number of the next.
func (t *tokens) pictured(typed, raw string, images []llm.Image, no int) (string, int) {
	var out string
	for no <= len(images) {
		before, rest, found := strings.Cut(typed, fmt.Sprintf("[image %d: ", no))
		name, after, closed := strings.Cut(rest, "]")
		if !found || !closed {
			break
		}
		if before != "" {
			out += t.collapse(before, raw+out)
		}
		out += t.add(piece{name: name, no: no, image: &images[no-1]})
		typed, no = after, no+1
	}
	return out + t.collapse(typed, raw+out), no
}

// tokenised is what was typed, with tokens for the images in it.
func (t *tokens) tokenised(s typing) string {
	first := len(t.all)
	raw, _ := t.pictured(s.text, "", s.images, 1)
	return t.again(raw, first)
}

// again puts the tokens of images, from that number of a token on, wherever else
// raw has their labels: an image can be there twice.
func (t *tokens) again(raw string, first int) string {
	for i, tok := range t.all[first:] {
		if tok.image != nil {
			raw = strings.ReplaceAll(raw, tok.label(), string(text.FirstToken+rune(first+i)))
		}
	}
	return raw
}

// unsaid is a comment that was typed before the program ended.
type unsaid struct {
	about string // the title of the question
	raw   string // all that is in the editor since, with the comment first
	text  string
}

// takeUp opens the comment on a question that comes again with what was typed
// before the program ended, unless the user edited that.
func (m *model) takeUp(ask event.Ask) {
	was := m.unsaid
	if was.about == "" || was.about != ask.Title || len(m.dialog.asks) > 1 || ask.AboutTurn() {
		return
	}
	m.unsaid = unsaid{}
	rest, found := strings.CutPrefix(m.editor.buf.String(), m.editor.recalled(was.text))
	if m.editor.buf.String() != was.raw || !found {
		return
	}
	m.editor.set(strings.TrimPrefix(rest, "\n"))
	m.dialog.typing = false
	m.dialog.resume(was.text)
}

// keepWords puts what was being said to a question that goes away into the
// editor.
func (m *model) keepWords() {
	if c := &m.dialog.comment; !c.blank() {
		m.giveBack(c.text())
	}
}

// draft is what the person has not sent yet, and what the agent has yet to take
// into the turn that runs.
func (m *model) draft() event.Draft {
	d := m.editor.draft()
	if c := &m.dialog.comment; !c.blank() {
		d.Queue = append(d.Queue, event.Waiting{Text: c.text(), About: m.dialog.asks[0].Title})
	}
	d.Queue = append(d.Queue, m.unsentQueue()...)
	return d
}

// unsentQueue is what the agent has yet to take into the turn that runs, and
// what waits for its end. Of the first the agent knows the images.
func (m *model) unsentQueue() (all []event.Waiting) {
	for _, p := range m.feed.Pending {
		if p.Steers {
			all = append(all, event.Waiting{Text: p.Text})
		}
	}
	for _, w := range m.waits {
		all = append(all, event.Waiting{Text: w.text, Images: w.images})
	}
	return all
}

// draft is what is in the editor; nothing where that is no more than blanks.
func (e *editor) draft() event.Draft {
	if e.blank() {
		return event.Draft{}
	}
	raw := e.buf.String()
	text, pasted := e.tokens.spans(raw)
	return event.Draft{Text: text, Images: e.tokens.images(raw), Pasted: pasted}
}

// touched reports whether the draft may be another than was saved last. It
// costs the same however long the draft is.
func (m *model) touched() bool {
	return m.typedAt() != m.savedAt || !slices.EqualFunc(m.unsentQueue(), m.waited, sameWaiting)
}

// sameWaiting reports whether a and b are one message.
func sameWaiting(a, b event.Waiting) bool {
	return a.Text == b.Text && a.About == b.About && sameImages(a.Images, b.Images)
}

func sameImages(a, b []llm.Image) bool {
	return slices.EqualFunc(a, b, func(a, b llm.Image) bool { return bytes.Equal(a.Data, b.Data) })
}

// keepDraft sees to it that the draft is saved soon; that there is none any
// more, at once.
func (m *model) keepDraft() tea.Cmd {
	switch {
	case !m.touched():
	case m.editor.blank() && m.dialog.comment.blank() && len(m.unsentQueue()) == 0:
		m.saveDraft()
	case !m.saving:
		m.saving = true
		return m.after(draftPause, draftDue{})
	}
	return nil
}

func (m *model) saveDraft() {
	if !m.touched() {
		return
	}
	d := m.draft()
	m.savedAt, m.waited = m.typedAt(), m.unsentQueue()
	if d.Text != m.saved.Text || !sameImages(d.Images, m.saved.Images) || !slices.EqualFunc(d.Queue, m.saved.Queue, sameWaiting) {
		m.saved = d
		m.send(event.SaveDraft{Draft: d})
	}
}
