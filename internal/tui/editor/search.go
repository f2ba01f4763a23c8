package editor

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"agent/internal/tui/ink"
	"agent/internal/tui/keys"
)

// Search looks back through earlier prompts for one with what is typed.
type Search struct {
	ink.Query
	back int // how many prompts back the one shown is; 0 is none
	Lost bool

	draft    string // what was in the editor before
	caret    int
	from, to int // the match in the editor's text
}

// matched is the match in the editor's text.
func (s *Search) matched() (from, to int) {
	if s == nil {
		return 0, 0
	}
	return s.from, s.to
}

// BeginSearch begins to search.
func (e *Editor) BeginSearch() {
	e.Buffer.Join()
	e.Search = &Search{draft: e.Buffer.String(), caret: e.Buffer.Caret()}
}

// PressSearch takes a key while prompts are searched. It reports whether it
// did: any other key ends the search, and means what it always means.
func (e *Editor) PressSearch(msg tea.KeyPressMsg, prompts []string) bool {
	s, k := e.Search, msg.String()
	switch {
	case e.keys.Is(k, keys.Dismiss), e.keys.Is(k, keys.Clear):
		e.endSearch(true)
	case e.keys.Is(k, keys.Send):
		e.endSearch(false)
	case e.keys.Is(k, keys.Search), e.keys.Is(k, keys.PrevPrompt):
		e.seek(s.back+1, 1, prompts)
	case e.keys.Is(k, keys.NextPrompt):
		e.seek(s.back-1, -1, prompts)
	case e.keys.Is(k, keys.EraseLeft), k == "backspace":
		if r := []rune(s.Text); len(r) > 0 {
			e.SearchFor(string(r[:len(r)-1]), prompts)
		}
	case msg.Text != "" && msg.Mod != keys.Virtual:
		e.SearchFor(s.Text+Typable(msg.Text), prompts)
	default:
		e.endSearch(false)
		return false
	}
	return true
}

// SearchFor looks for another query: first in the prompt that is shown.
func (e *Editor) SearchFor(query string, prompts []string) {
	s := e.Search
	longer := strings.HasPrefix(query, s.Text)
	s.Query = ink.NewQuery(query)
	if !longer {
		s.back = 0
	}
	e.seek(max(s.back, 1), 1, prompts)
}

// seek shows the first prompt that fits from so many back on, older ones or
// newer.
func (e *Editor) seek(back, by int, prompts []string) {
	s := e.Search
	if s.Text == "" {
		return
	}
	for ; back >= 1 && back <= len(prompts); back += by {
		text := prompts[len(prompts)-back]
		if !s.In(text) || s.back > 0 && back != s.back && text == prompts[len(prompts)-s.back] {
			continue
		}
		s.back, s.Lost = back, false
		e.recall(text)
		s.from, s.to = 0, 0
		if from, to := s.Next(e.Buffer.String(), 0); from >= 0 {
			s.from, s.to = from, to
			e.Buffer.MoveTo(s.from)
		}
		return
	}
	if s.Lost = by > 0; !s.In(e.Buffer.String()) {
		s.from, s.to = 0, 0
	}
}

// endSearch ends the search; with undo, the draft is back as it was.
func (e *Editor) endSearch(undo bool) {
	s := e.Search
	e.Search = nil
	if undo {
		e.Set(s.draft)
		e.Buffer.MoveTo(s.caret)
	}
	e.Buffer.Seal()
	e.Walk.end()
}

// line draws what is searched for, and where the cursor stands in it.
func (s *Search) line(e *Editor) (string, int) {
	lead := "  earlier prompts with  "
	switch {
	case s.Lost && s.to > s.from:
		lead = "  no older prompt with  "
	case s.Lost:
		lead = "  no earlier prompt with  "
	}
	query := ink.Truncate(ink.SanitizeLine(s.Text), max(e.width-lipgloss.Width(lead)-2, 1))
	hint := e.keys.Name(keys.Send) + " takes it · " + e.keys.Name(keys.Search) + " older · " + e.keys.Name(keys.Dismiss) + " back"
	left := e.st.Dim.Render(lead) + e.st.Bold.Render(query)
	width := lipgloss.Width(left)
	if width+4+lipgloss.Width(hint) > e.width {
		return ink.Truncate(left, e.width), min(width, e.width-1)
	}
	return ink.Spread(left+" ", e.st.Dim.Render(hint), e.width), width
}
