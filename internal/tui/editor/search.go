package editor

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"agent/internal/tui/ink"
	"agent/internal/tui/keys"
)

// search looks back through earlier prompts for one with the query.
type search struct {
	ink.Query
	back int  // how many prompts back the one shown is; 0 is none
	lost bool // no older prompt has the query

	draft    string // what was in the editor before
	caret    int
	from, to int // the match in the editor's text
}

// Searching reports whether earlier prompts are searched.
func (h *History) Searching() bool { return h.search != nil }

// matched is the match of the search in the text.
func (h *History) matched() (from, to int) {
	if h.search == nil {
		return 0, 0
	}
	return h.search.from, h.search.to
}

// Search begins a search in earlier prompts.
func (h *History) Search() {
	h.doc.Join()
	h.search = &search{draft: h.doc.String(), caret: h.doc.Caret()}
}

// Extend adds text to the query. Without text it searches again if nothing was
// found: there are more prompts.
func (h *History) Extend(text string, prompts []string) {
	if s := h.search; text != "" || s.lost {
		h.searchFor(s.Text+text, prompts)
	}
}

// Press takes a key while prompts are searched. It reports whether it
// did: any other key ends the search, and means what it always means.
func (h *History) Press(msg tea.KeyPressMsg, prompts []string) bool {
	s, k := h.search, msg.String()
	switch {
	case h.keys.Is(k, keys.Dismiss), h.keys.Is(k, keys.Clear):
		h.endSearch(true)
	case h.keys.Is(k, keys.Send):
		h.endSearch(false)
	case h.keys.Is(k, keys.Search), h.keys.Is(k, keys.PrevPrompt):
		h.seek(s.back+1, 1, prompts)
	case h.keys.Is(k, keys.NextPrompt):
		h.seek(s.back-1, -1, prompts)
	case h.keys.Is(k, keys.EraseLeft), k == "backspace":
		if r := []rune(s.Text); len(r) > 0 {
			h.searchFor(string(r[:len(r)-1]), prompts)
		}
	case msg.Text != "" && msg.Mod != keys.Virtual:
		h.searchFor(s.Text+Typable(msg.Text), prompts)
	default:
		h.endSearch(false)
		return false
	}
	return true
}

// searchFor looks for another query: first in the prompt that is shown.
func (h *History) searchFor(query string, prompts []string) {
	s := h.search
	longer := strings.HasPrefix(query, s.Text)
	s.Query = ink.NewQuery(query)
	if !longer {
		s.back = 0
	}
	h.seek(max(s.back, 1), 1, prompts)
}

// seek shows the first prompt that fits from so many back on, older ones or
// newer.
func (h *History) seek(back, by int, prompts []string) {
	s := h.search
	if s.Text == "" {
		return
	}
	for ; back >= 1 && back <= len(prompts); back += by {
		text := prompts[len(prompts)-back]
		if !s.In(text) || s.back > 0 && back != s.back && text == prompts[len(prompts)-s.back] {
			continue
		}
		s.back, s.lost = back, false
		h.doc.set(h.WithTokens(text))
		s.from, s.to = 0, 0
		if from, to := s.Next(h.doc.String(), 0); from >= 0 {
			s.from, s.to = from, to
			h.doc.MoveTo(s.from)
		}
		return
	}
	if s.lost = by > 0; !s.In(h.doc.String()) {
		s.from, s.to = 0, 0
	}
}

// endSearch ends the search; with undo, the draft is back as it was.
func (h *History) endSearch(undo bool) {
	s := h.search
	h.search = nil
	if undo {
		h.doc.set(s.draft)
		h.doc.MoveTo(s.caret)
	}
	h.doc.Seal()
	h.end()
}

// line draws what is searched for, and where the cursor stands in it.
func (h *History) line(st *ink.Styles, columns int) (string, int) {
	s := h.search
	lead := "  earlier prompts with  "
	switch {
	case s.lost && s.to > s.from:
		lead = "  no older prompt with  "
	case s.lost:
		lead = "  no earlier prompt with  "
	}
	query := ink.Truncate(ink.SanitizeLine(s.Text), max(columns-lipgloss.Width(lead)-2, 1))
	hint := h.keys.Name(keys.Send) + " takes it · " + h.keys.Name(keys.Search) + " older · " + h.keys.Name(keys.Dismiss) + " back"
	left := st.Dim.Render(lead) + st.Bold.Render(query)
	width := lipgloss.Width(left)
	if width+4+lipgloss.Width(hint) > columns {
		return ink.Truncate(left, columns), min(width, columns-1)
	}
	return ink.Spread(left+" ", st.Dim.Render(hint), columns), width
}
