package editor

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"agent/internal/tui/ink"
	"agent/internal/tui/keys"
)

// search is a search of the prompt history, from the latest prompt back.
type search struct {
	ink.Query
	back int  // 1 for the latest prompt; 0 for none
	lost bool // no older prompt has the query

	draft    string // the text before the search
	caret    int
	from, to int // the match in the editor's text
}

// Searching reports whether a search is open.
func (h *History) Searching() bool { return h.search != nil }

// matched returns the range of the match in the text.
func (h *History) matched() (from, to int) {
	if h.search == nil {
		return 0, 0
	}
	return h.search.from, h.search.to
}

// Search opens a search.
func (h *History) Search() {
	h.doc.Join()
	h.search = &search{draft: h.doc.String(), caret: h.doc.Caret()}
}

// Extend adds text to the query. With empty text it repeats a search that found
// nothing, because more prompts were loaded.
func (h *History) Extend(text string, prompts []string) {
	if s := h.search; text != "" || s.lost {
		h.searchFor(s.Text+text, prompts)
	}
}

// Press handles a key while a search is open. It returns false for a key that only
// ends the search and keeps its usual meaning.
func (h *History) Press(msg tea.KeyPressMsg, prompts []string) bool {
	s, k := h.search, msg.String()
	switch {
	case h.keys.Is(k, keys.Dismiss):
		h.CancelSearch()
	case h.keys.Is(k, keys.Send):
		h.endSearch(false)
	case h.keys.Is(k, keys.Search), h.keys.Is(k, keys.PrevPrompt):
		h.seek(s.back+1, 1, prompts)
	case h.keys.Is(k, keys.NextPrompt):
		h.seek(s.back-1, -1, prompts)
	case h.keys.Is(k, keys.DeleteLeft), k == "backspace":
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

// CancelSearch ends the search and restores the draft.
func (h *History) CancelSearch() { h.endSearch(true) }

// searchFor searches for another query, starting with the shown prompt if the query grew.
func (h *History) searchFor(query string, prompts []string) {
	s := h.search
	longer := strings.HasPrefix(query, s.Text)
	s.Query = ink.NewQuery(query)
	if !longer {
		s.back = 0
	}
	h.seek(max(s.back, 1), 1, prompts)
}

// seek shows the first match from position back on. by is 1 for older prompts and -1
// for newer ones.
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

// endSearch ends the search. undo restores the draft.
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

// line draws the search line and returns the cursor column.
func (h *History) line(st *ink.Styles, columns int) (string, int) {
	s := h.search
	lead := "  search prompt history:  "
	switch {
	case s.lost && s.to > s.from:
		lead = "  no older match:  "
	case s.lost:
		lead = "  no match in prompt history:  "
	}
	query := ink.Truncate(ink.SanitizeLine(s.Text), max(columns-lipgloss.Width(lead)-2, 1))
	hint := h.keys.Name(keys.Send) + " accept · " + h.keys.Name(keys.Search) + " older · " + h.keys.Name(keys.Dismiss) + " cancel"
	left := st.Dim.Render(lead) + st.Bold.Render(query)
	width := lipgloss.Width(left)
	if width+4+lipgloss.Width(hint) > columns {
		return ink.Truncate(left, columns), min(width, columns-1)
	}
	return ink.Spread(left+" ", st.Dim.Render(hint), columns), width
}
