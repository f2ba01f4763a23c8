package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"agent/internal/tui/ink"
	"agent/internal/tui/keys"
)

// search looks back through earlier prompts for one with what is typed.
type search struct {
	ink.Query
	back int // how many prompts back the one shown is; 0 is none
	lost bool

	draft    string // what was in the editor before
	caret    int
	from, to int // the match in the editor's text
}

// matched is the match in the editor's text.
func (s *search) matched() (from, to int) {
	if s == nil {
		return 0, 0
	}
	return s.from, s.to
}

// beginSearch begins to search.
func (e *editor) beginSearch() {
	e.buf.Join()
	e.search = &search{draft: e.buf.String(), caret: e.buf.Caret()}
}

// pressSearch takes a key while prompts are searched. It reports whether it
// did: any other key ends the search, and means what it always means.
func (e *editor) pressSearch(msg tea.KeyPressMsg, prompts []string) bool {
	s, k := e.search, msg.String()
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
			e.searchFor(string(r[:len(r)-1]), prompts)
		}
	case msg.Text != "" && msg.Mod != keys.Virtual:
		e.searchFor(s.Text+tidy(msg.Text), prompts)
	default:
		e.endSearch(false)
		return false
	}
	return true
}

// searchFor looks for another query: first in the prompt that is shown.
func (e *editor) searchFor(query string, prompts []string) {
	s := e.search
	longer := strings.HasPrefix(query, s.Text)
	s.Query = ink.NewQuery(query)
	if !longer {
		s.back = 0
	}
	e.seek(max(s.back, 1), 1, prompts)
}

// seek shows the first prompt that fits from so many back on, older ones or
// newer.
func (e *editor) seek(back, by int, prompts []string) {
	s := e.search
	if s.Text == "" {
		return
	}
	for ; back >= 1 && back <= len(prompts); back += by {
		text := prompts[len(prompts)-back]
		if !s.In(text) || s.back > 0 && back != s.back && text == prompts[len(prompts)-s.back] {
			continue
		}
		s.back, s.lost = back, false
		e.recall(text)
		s.from, s.to = 0, 0
		if from, to := s.Next(e.buf.String(), 0); from >= 0 {
			s.from, s.to = from, to
			e.buf.MoveTo(s.from)
		}
		return
	}
	if s.lost = by > 0; !s.In(e.buf.String()) {
		s.from, s.to = 0, 0
	}
}

// endSearch ends the search; with undo, the draft is back as it was.
func (e *editor) endSearch(undo bool) {
	s := e.search
	e.search = nil
	if undo {
		e.set(s.draft)
		e.buf.MoveTo(s.caret)
	}
	e.buf.Seal()
	e.walk.end()
}

// line draws what is searched for, and where the cursor stands in it.
func (s *search) line(e *editor) (string, int) {
	lead := "  earlier prompts with  "
	switch {
	case s.lost && s.to > s.from:
		lead = "  no older prompt with  "
	case s.lost:
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
