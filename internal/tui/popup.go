package tui

import (
	"context"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"agent/internal/tui/keys"
	"agent/internal/tui/list"
)

// source is where the suggestions for a word come from.
type source int

const (
	nowhere source = iota
	fromFiles
	fromCommands
	fromArguments
)

// word is the part of the text that suggestions are for.
type word struct {
	source   source
	from, to int    // in the editor's text
	query    string // what was typed of it
	command  string // whose argument it is
}

// popup is the list of suggestions above the editor.
type popup struct {
	word
	list.Completion
	number int // of the latest question for files, counted up
	shown  int // of that whose answer is shown
	stop   context.CancelFunc

	seen      [2]int // the revision and the caret that it was last made for
	dismissed word   // was closed by hand
	chosen    string // the query for which the user moved the marker
}

// open reports whether there is anything to choose from.
func (p *popup) open() bool { return len(p.Rows) > 0 }

// close takes the suggestions away, and ends a question for more.
func (p *popup) close() {
	if p.stop != nil {
		p.stop()
	}
	p.word, p.Rows, p.stop = word{}, nil, nil
	p.number++
}

// suggest shows the suggestions for the word before the cursor.
func (m *model) suggest() tea.Cmd {
	p := &m.popup
	w := m.wordTyped()
	switch {
	case w.source == nowhere:
		p.close()
		if !m.editor.History.Searching() { // which gives the word back
			p.dismissed = word{}
		}
	case w.same(p.dismissed):
	case w.source == fromFiles:
		return m.suggestFiles(w)
	default:
		p.close()
		p.word = w
		m.offer(m.matching(w))
	}
	return nil
}

// same reports whether two words are one that is being typed.
func (w word) same(as word) bool {
	return w.source == as.source && w.from == as.from && w.source != nowhere
}

// wordTyped is the word before the cursor that suggestions are for.
func (m *model) wordTyped() word {
	e := m.editor
	if e.History.Walking() || e.History.Searching() || e.Mode.Hint() != "" {
		return word{}
	}
	raw, caret := e.Raw(), e.Caret()
	if w := commandTyped(raw, caret); w.source != nowhere {
		return w
	}
	if m.o.Files == nil {
		return word{}
	}
	return fileTyped(e.Before(), caret)
}

// offer shows suggestions. The first is marked once something is typed of it:
// enter on a bare sign sends that.
func (m *model) offer(rows []list.Suggestion) {
	p := &m.popup
	was := ""
	if p.open() && p.Marked > 0 {
		was = p.Rows[p.Marked].Text
	}
	p.Rows, p.Marked, p.Top = rows, 0, 0
	if p.query == "" {
		p.Marked = -1
	}
	if i := slices.IndexFunc(rows, func(s list.Suggestion) bool { return s.Text == was }); i > 0 {
		p.Marked = i // which somebody marked while more was found
	}
	if i := slices.IndexFunc(rows, p.exactly(m)); i >= 0 && p.chosen != p.query {
		p.Marked = i
	}
	if len(rows) == 1 && rows[0].Text == p.typed(m) {
		p.Rows = nil // it is there already
	}
}

// exactly returns a test for the suggestion that is already typed in full. It
// wins over longer ones: /mode must never run /model.
func (p *popup) exactly(m *model) func(list.Suggestion) bool {
	typed := p.typed(m)
	return func(s list.Suggestion) bool { return p.query != "" && strings.TrimSpace(s.Text) == typed }
}

// typed is the text of the word.
func (p *popup) typed(m *model) string { return m.editor.Raw()[p.from:p.to] }

// pressPopup takes a key while suggestions are shown. It reports whether it did.
func (m *model) pressPopup(k string) (cmd tea.Cmd, taken bool) {
	p := &m.popup
	switch {
	case m.keys.Is(k, keys.Complete) && !p.open():
		p.dismissed, p.seen = word{}, [2]int{-1, -1}
		return nil, false // it comes again
	case !p.open():
		return nil, false
	case m.keys.Is(k, keys.Dismiss) && m.editor.Mode.Name() != "":
		return nil, false // it ends insert mode, and this with it
	case m.keys.Is(k, keys.Dismiss):
		was := p.word
		p.close()
		p.dismissed = was
	case m.keys.Is(k, keys.ListUp):
		p.Marked, p.chosen = (max(p.Marked, 0)+len(p.Rows)-1)%len(p.Rows), p.query
	case m.keys.Is(k, keys.ListDown):
		p.Marked, p.chosen = (p.Marked+1)%len(p.Rows), p.query
	case m.keys.Is(k, keys.Complete):
		m.accept(p.Rows[max(p.Marked, 0)])
	case m.keys.Is(k, keys.Send) && p.Marked >= 0 && strings.TrimSpace(p.Rows[p.Marked].Text) != p.typed(m):
		s := p.Rows[p.Marked]
		m.accept(s)
		if s.Complete {
			return m.submit(), true
		}
	default:
		return nil, false
	}
	return nil, true
}

// accept puts a suggestion in the place of the word.
func (m *model) accept(s list.Suggestion) {
	p, text := &m.popup, s.Text
	if !s.Continues && !s.Complete && !strings.HasPrefix(m.editor.Raw()[p.to:], " ") {
		text += " "
	}
	m.editor.Complete(p.from, p.to, text)
	p.close()
}
