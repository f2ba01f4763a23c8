package editor

import (
	"strings"

	"agent/internal/tui/keys"
)

// History navigates and searches the prompt history. Its methods take the prompts
// from the oldest to the latest.
type History struct {
	doc  *document
	keys keys.Map

	back   int               // 1 for the latest prompt; 0 for the draft
	draft  string            // the draft, with tokens
	kept   map[string]string // sent prompt to the same prompt with tokens
	search *search           // nil if no search is open
}

// Navigating reports whether a prompt of the history is shown.
func (h *History) Navigating() bool { return h.back > 0 }

// Remember keeps the images of a prompt for the history.
func (h *History) Remember(s Typed) { h.saveTokens(s.Text, h.doc.pieces.withTokens(s)) }

// saveTokens saves the tokens of a sent prompt.
func (h *History) saveTokens(text, raw string) {
	if text == raw {
		return
	}
	if h.kept == nil {
		h.kept = map[string]string{}
	}
	h.kept[strings.TrimSpace(text)] = strings.TrimSpace(raw)
}

// WithTokens returns a sent prompt with its tokens if they are known.
func (h *History) WithTokens(text string) string {
	if raw, ok := h.kept[strings.TrimSpace(text)]; ok {
		return raw
	}
	return h.doc.pieces.collapse(text, "")
}

// end leaves the history.
func (h *History) end() { h.back, h.draft = 0, "" }

// Navigate shows the previous prompt if the cursor is on the first row, or the next one
// if it is on the last row. It reports whether it did.
func (h *History) Navigate(back bool, prompts []string) bool {
	row, _ := h.doc.Rows().Locate(h.doc.Caret())
	switch {
	case back && (row > 0 || h.back >= len(prompts)):
		return false
	case !back && (row < h.doc.Rows().Count()-1 || h.back == 0):
		return false
	}
	if h.back == 0 {
		h.draft = h.doc.String()
	}
	h.back = h.next(back, prompts)
	if h.back == 0 {
		h.doc.set(h.draft)
		return true
	}
	h.doc.set(h.WithTokens(prompts[len(prompts)-h.back]))
	return true
}

// next returns the position of the next prompt in that direction. It skips
// consecutive duplicates.
func (h *History) next(back bool, prompts []string) int {
	at := func(n int) string { return prompts[len(prompts)-n] }
	n := h.back
	if !back {
		for n--; n > 0 && at(n) == at(n+1); n-- {
		}
		return n
	}
	for n++; n < len(prompts) && n > 1 && at(n) == at(n-1); n++ {
	}
	return n
}
