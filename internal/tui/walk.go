package tui

import "strings"

// walk is the way back through earlier prompts.
type walk struct {
	back  int               // how many prompts; 0 is the draft
	draft string            // what was typed before, tokens and all
	kept  map[string]string // texts that were sent with tokens in them, as they were typed
}

// remember keeps what was typed, so that its tokens come back with it.
func (w *walk) remember(text, raw string) {
	if text == raw {
		return
	}
	if w.kept == nil {
		w.kept = map[string]string{}
	}
	w.kept[strings.TrimSpace(text)] = strings.TrimSpace(raw)
}

func (w *walk) end() { w.back, w.draft = 0, "" }

// walkPrompts shows an earlier prompt, or a later one, if the cursor is in the
// first row or the last. It reports whether it did.
func (e *editor) walkPrompts(back bool, prompts []string) bool {
	row, of := e.rows()
	w := &e.walk
	switch {
	case back && (row > 0 || w.back >= len(prompts)):
		return false
	case !back && (row < of-1 || w.back == 0):
		return false
	}
	if w.back == 0 {
		w.draft = e.buf.String()
	}
	w.back = w.next(back, prompts)
	if w.back == 0 {
		e.set(w.draft)
		return true
	}
	e.recall(prompts[len(prompts)-w.back])
	return true
}

// next is the place of the next prompt in that direction. Those that were said
// several times in a row are one.
func (w *walk) next(back bool, prompts []string) int {
	at := func(n int) string { return prompts[len(prompts)-n] }
	n := w.back
	if !back {
		for n--; n > 0 && at(n) == at(n+1); n-- {
		}
		return n
	}
	for n++; n < len(prompts) && n > 1 && at(n) == at(n-1); n++ {
	}
	return n
}

// recall shows what was sent before.
func (e *editor) recall(text string) { e.set(e.recalled(text)) }

// takeBack shows what was typed before, with its own images: another text that
// reads alike may have had others.
func (e *editor) takeBack(s typing) {
	raw := e.recalled(s.text)
	if !sameImages(e.tokens.images(raw), s.images) {
		raw = e.tokens.tokenised(s)
	}
	e.set(raw)
}

// recalled is what was sent before, with its tokens if they are known.
func (e *editor) recalled(text string) string {
	if raw, ok := e.walk.kept[strings.TrimSpace(text)]; ok {
		return raw
	}
	return e.tokens.collapse(text, "")
}

// putBefore puts what was sent before above what is typed.
func (e *editor) putBefore(text string) {
	before := e.recalled(text)
	if !e.blank() {
		before += "\n" + e.buf.String()
	}
	e.walk.end()
	e.set(before)
}
