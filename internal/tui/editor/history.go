package editor

import (
	"strings"

	"agent/internal/tui/keys"
)

// History is the way back through earlier prompts, which are listed from the
// oldest to the latest, and the search in them.
type History struct {
	doc  *document
	keys keys.Map

	back   int               // how many prompts back the one shown is; 0 is the draft
	draft  string            // what was typed before, tokens and all
	kept   map[string]string // texts that were sent with tokens in them, as they were typed
	search *search           // nil unless earlier prompts are searched
}

// Walking reports whether an earlier prompt is shown.
func (h *History) Walking() bool { return h.back > 0 }

// Remember keeps what was typed, so that its images come back with it.
func (h *History) Remember(s Typed) { h.keep(s.Text, h.doc.withTokens(s)) }

// keep keeps the tokens in a text.
func (h *History) keep(text, raw string) {
	if text == raw {
		return
	}
	if h.kept == nil {
		h.kept = map[string]string{}
	}
	h.kept[strings.TrimSpace(text)] = strings.TrimSpace(raw)
}

// WithTokens returns a text that was sent before, with its tokens if they are
// known.
func (h *History) WithTokens(text string) string {
	if raw, ok := h.kept[strings.TrimSpace(text)]; ok {
		return raw
	}
	return h.doc.collapse(text, "")
}

// end forgets the way back.
func (h *History) end() { h.back, h.draft = 0, "" }

// Walk shows an earlier prompt, or a later one, if the cursor is in the first row
// or the last. It reports whether it did.
func (h *History) Walk(back bool, prompts []string) bool {
	row, _ := h.doc.Locate(h.doc.Caret())
	switch {
	case back && (row > 0 || h.back >= len(prompts)):
		return false
	case !back && (row < h.doc.RowCount()-1 || h.back == 0):
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

// next is the place of the next prompt in that direction. Those that were said
// several times in a row are one.
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
