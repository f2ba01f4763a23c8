package prompt

import (
	"context"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"agent/internal/loop/event"
	"agent/internal/tui/editor"
	"agent/internal/tui/keys"
	"agent/internal/tui/list"
	"agent/internal/tui/screen"
	"agent/internal/tui/slash"
)

// source is the kind of suggestions for a word.
type source int

const (
	noSource source = iota
	fromFiles
	fromCommands
	fromArguments
	fromAgents
	fromResources // of an MCP server
)

// word is the part of the text that a suggestion replaces.
type word struct {
	source   source
	from, to int    // byte offsets in the editor's text
	query    string // the typed text without its sign and quotes
	command  string // the slash command whose argument it is; may be empty
}

// Suggestions is the list of completions above the editor for the word at the cursor.
type Suggestions struct {
	*screen.Window
	editor *editor.Editor
	slash  *slash.Session
	submit func() tea.Cmd        // sends the prompt
	agents func() []screen.Agent // that can be started

	list.Completion
	word   word
	search fileSearch
	drawn  int // number of lines in the window

	last lastState
}

// lastState is what has happened to the suggestions before.
type lastState struct {
	seen      [2]int // the editor's revision and caret at the last update
	dismissed word   // the user closed the suggestions for it
	chosen    string // the query for which the user moved the marker
}

// fileSearch is the state of the search for files.
type fileSearch struct {
	number int                // of the latest search
	shown  int                // number of the search whose result is shown
	stop   context.CancelFunc // cancels the search; nil if there is none
}

// changed reports whether the text or the caret has changed since the last call.
func (p *Suggestions) changed() bool {
	now := [2]int{p.editor.Revision(), p.editor.Caret()}
	changed := now != p.last.seen
	p.last.seen = now
	return changed
}

// Open reports whether suggestions are shown.
func (p *Suggestions) Open() bool { return len(p.Rows) > 0 }

// close closes the list and cancels the search.
func (p *Suggestions) close() {
	if p.search.stop != nil {
		p.search.stop()
	}
	p.word, p.Rows, p.search.stop = word{}, nil, nil
	p.search.number++
}

// Refresh updates the suggestions for the argument of a slash command, if it is being
// typed.
func (p *Suggestions) Refresh(command string) {
	if p.word.command == command {
		p.last.seen = [2]int{-1, -1}
	}
}

// Command returns the slash command whose argument is being typed; empty for none.
func (p *Suggestions) Command() string { return p.word.command }

// suggest shows the suggestions for the word at the cursor.
func (p *Suggestions) suggest() tea.Cmd {
	w := p.wordTyped()
	switch {
	case w.source == noSource:
		p.close()
		if !p.editor.History.Searching() { // a canceled search restores the word
			p.last.dismissed = word{}
		}
	case w.same(p.last.dismissed):
	case w.source == fromFiles:
		return p.suggestFiles(w)
	case w.source == fromAgents:
		p.suggestAgents(w)
	case w.source == fromResources:
		p.suggestResources(w)
	default:
		p.close()
		p.word = w
		p.offer(p.matching(w))
	}
	return nil
}

// same reports whether w and as are the same word, which may have been edited.
func (w word) same(as word) bool {
	return w.source == as.source && w.from == as.from && w.source != noSource
}

// wordTyped returns the word at the cursor, if it has suggestions.
func (p *Suggestions) wordTyped() word {
	e := p.editor
	if e.History.Navigating() || e.History.Searching() || e.Mode.Hint() != "" {
		return word{}
	}
	raw, caret := e.Raw(), e.Caret()
	if w := commandTyped(raw, caret); w.source != noSource {
		return w
	}
	w := fileTyped(e.Before(), caret)
	if name, ok := strings.CutPrefix(e.Raw()[w.from:w.to], event.Mention); ok && w.source != noSource && len(p.agents()) > 0 {
		w.source, w.query = fromAgents, name
	} else if server, _, ok := strings.Cut(w.query, ":"); ok && slices.Contains(p.withResources(), server) {
		w.source = fromResources
	} else if p.Options.Files.Find == nil {
		return word{}
	}
	return w
}

// offer shows suggestions. It marks the first only if the query is not empty, so that
// enter after a bare / or @ sends it.
func (p *Suggestions) offer(rows []list.Suggestion) {
	marked := ""
	if p.Open() && p.Marked > 0 {
		marked = p.Rows[p.Marked].Text
	}
	p.Rows, p.Marked, p.Top = rows, 0, 0
	if p.word.query == "" {
		p.Marked = -1
	}
	if i := slices.IndexFunc(rows, func(s list.Suggestion) bool { return s.Text == marked }); i > 0 {
		p.Marked = i
	}
	if i := slices.IndexFunc(rows, p.exactly()); i >= 0 && p.last.chosen != p.word.query {
		p.Marked = i
	}
	if len(rows) == 1 && rows[0].Text == p.typed() {
		p.Rows = nil // typed in full
	}
}

// exactly returns a predicate for the suggestion that is typed in full. It takes
// precedence over longer ones: /mode must never run /model.
func (p *Suggestions) exactly() func(list.Suggestion) bool {
	typed := p.typed()
	return func(s list.Suggestion) bool { return p.word.query != "" && strings.TrimSpace(s.Text) == typed }
}

// typed returns the text of the word.
func (p *Suggestions) typed() string { return p.editor.Raw()[p.word.from:p.word.to] }

// press handles a key of the suggestions. It reports whether it did.
func (p *Suggestions) press(k string) (cmd tea.Cmd, taken bool) {
	switch {
	case p.Keys.Is(k, keys.Complete) && !p.Open():
		p.last.dismissed, p.last.seen = word{}, [2]int{-1, -1}
		return nil, false // show them again
	case !p.Open():
		return nil, false
	case p.Keys.Is(k, keys.Dismiss) && p.editor.Mode.Name() != "":
		return nil, false // leaving insert mode closes the list
	case p.Keys.Is(k, keys.Dismiss):
		dismissed := p.word
		p.close()
		p.last.dismissed = dismissed
	case p.Keys.Is(k, keys.ListUp):
		p.Marked, p.last.chosen = (max(p.Marked, 0)+len(p.Rows)-1)%len(p.Rows), p.word.query
	case p.Keys.Is(k, keys.ListDown):
		p.Marked, p.last.chosen = (p.Marked+1)%len(p.Rows), p.word.query
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

// Accept replaces the word with a suggestion.
func (p *Suggestions) Accept(s list.Suggestion) {
	text := s.Text
	if !s.Continues && !s.Complete && !strings.HasPrefix(p.editor.Raw()[p.word.to:], " ") {
		text += " "
	}
	p.editor.Complete(p.word.from, p.word.to, text)
	p.close()
}

// roll moves the marker by that many rows, up if negative.
func (p *Suggestions) roll(by int) { p.Marked = max(0, min(p.Marked+by, len(p.Rows)-1)) }

// click accepts the suggestion in line y of the list.
func (p *Suggestions) click(y int) {
	if i := p.Top + y; i < len(p.Rows) {
		p.Accept(p.Rows[i])
	}
}
