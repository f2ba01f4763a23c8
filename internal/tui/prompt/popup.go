package prompt

import (
	"context"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"agent/internal/tui/editor"
	"agent/internal/tui/keys"
	"agent/internal/tui/list"
	"agent/internal/tui/screen"
	"agent/internal/tui/slash"
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

// Suggestions is the list above the editor of what can take the place of the word
// that is typed.
type Suggestions struct {
	*screen.Conversation
	editor *editor.Editor
	slash  *slash.Session
	submit func() tea.Cmd // sends what is typed

	word
	list.Completion
	number int // of the latest question for files, counted up
	shown  int // of that whose answer is shown
	stop   context.CancelFunc

	seen      [2]int // the revision and the caret that it was last made for
	dismissed word   // was closed by hand
	chosen    string // the query for which the user moved the marker
}

// Open reports whether there is anything to choose from.
func (p *Suggestions) Open() bool { return len(p.Rows) > 0 }

// close takes the suggestions away, and ends a question for more.
func (p *Suggestions) close() {
	if p.stop != nil {
		p.stop()
	}
	p.word, p.Rows, p.stop = word{}, nil, nil
	p.number++
}

// Refresh has the arguments of a slash command suggested again, if they are shown:
// there may be others now.
func (p *Suggestions) Refresh(command string) {
	if p.command == command {
		p.seen = [2]int{-1, -1}
	}
}

// Command returns the slash command whose argument is typed, empty if none is.
func (p *Suggestions) Command() string { return p.command }

// suggest shows the suggestions for the word before the cursor.
func (p *Suggestions) suggest() tea.Cmd {
	w := p.wordTyped()
	switch {
	case w.source == nowhere:
		p.close()
		if !p.editor.History.Searching() { // which gives the word back
			p.dismissed = word{}
		}
	case w.same(p.dismissed):
	case w.source == fromFiles:
		return p.suggestFiles(w)
	default:
		p.close()
		p.word = w
		p.offer(p.matching(w))
	}
	return nil
}

// same reports whether two words are one that is being typed.
func (w word) same(as word) bool {
	return w.source == as.source && w.from == as.from && w.source != nowhere
}

// wordTyped is the word before the cursor that suggestions are for.
func (p *Suggestions) wordTyped() word {
	e := p.editor
	if e.History.Walking() || e.History.Searching() || e.Mode.Hint() != "" {
		return word{}
	}
	raw, caret := e.Raw(), e.Caret()
	if w := commandTyped(raw, caret); w.source != nowhere {
		return w
	}
	if p.Options.Files.Find == nil {
		return word{}
	}
	return fileTyped(e.Before(), caret)
}

// offer shows suggestions. The first is marked once something is typed of it:
// enter on a bare sign sends that.
func (p *Suggestions) offer(rows []list.Suggestion) {
	was := ""
	if p.Open() && p.Marked > 0 {
		was = p.Rows[p.Marked].Text
	}
	p.Rows, p.Marked, p.Top = rows, 0, 0
	if p.query == "" {
		p.Marked = -1
	}
	if i := slices.IndexFunc(rows, func(s list.Suggestion) bool { return s.Text == was }); i > 0 {
		p.Marked = i // which somebody marked while more was found
	}
	if i := slices.IndexFunc(rows, p.exactly()); i >= 0 && p.chosen != p.query {
		p.Marked = i
	}
	if len(rows) == 1 && rows[0].Text == p.typed() {
		p.Rows = nil // it is there already
	}
}

// exactly returns a test for the suggestion that is already typed in full. It
// wins over longer ones: /mode must never run /model.
func (p *Suggestions) exactly() func(list.Suggestion) bool {
	typed := p.typed()
	return func(s list.Suggestion) bool { return p.query != "" && strings.TrimSpace(s.Text) == typed }
}

// typed is the text of the word.
func (p *Suggestions) typed() string { return p.editor.Raw()[p.from:p.to] }

// press takes a key while suggestions are shown. It reports whether it did.
func (p *Suggestions) press(k string) (cmd tea.Cmd, taken bool) {
	switch {
	case p.Keys.Is(k, keys.Complete) && !p.Open():
		p.dismissed, p.seen = word{}, [2]int{-1, -1}
		return nil, false // it comes again
	case !p.Open():
		return nil, false
	case p.Keys.Is(k, keys.Dismiss) && p.editor.Mode.Name() != "":
		return nil, false // it ends insert mode, and this with it
	case p.Keys.Is(k, keys.Dismiss):
		was := p.word
		p.close()
		p.dismissed = was
	case p.Keys.Is(k, keys.ListUp):
		p.Marked, p.chosen = (max(p.Marked, 0)+len(p.Rows)-1)%len(p.Rows), p.query
	case p.Keys.Is(k, keys.ListDown):
		p.Marked, p.chosen = (p.Marked+1)%len(p.Rows), p.query
	case p.Keys.Is(k, keys.Complete):
		p.Accept(p.Rows[max(p.Marked, 0)])
	case p.Keys.Is(k, keys.Send) && p.Marked >= 0 && strings.TrimSpace(p.Rows[p.Marked].Text) != p.typed():
		s := p.Rows[p.Marked]
		p.Accept(s)
		if s.Complete {
			return p.submit(), true
		}
	default:
		return nil, false
	}
	return nil, true
}

// Accept puts a suggestion in the place of the word.
func (p *Suggestions) Accept(s list.Suggestion) {
	text := s.Text
	if !s.Continues && !s.Complete && !strings.HasPrefix(p.editor.Raw()[p.to:], " ") {
		text += " "
	}
	p.editor.Complete(p.from, p.to, text)
	p.close()
}
