package editor

import "strings"

// Walk is the way back through earlier prompts.
type Walk struct {
	Back  int               // how many prompts; 0 is the draft
	draft string            // what was typed before, tokens and all
	kept  map[string]string // texts that were sent with tokens in them, as they were typed
}

// Remember keeps what was typed, so that its tokens come back with it.
func (w *Walk) Remember(text, raw string) {
	if text == raw {
		return
	}
	if w.kept == nil {
		w.kept = map[string]string{}
	}
	w.kept[strings.TrimSpace(text)] = strings.TrimSpace(raw)
}

func (w *Walk) end() { w.Back, w.draft = 0, "" }

// WalkPrompts shows an earlier prompt, or a later one, if the cursor is in the
// first row or the last. It reports whether it did.
func (e *Editor) WalkPrompts(back bool, prompts []string) bool {
	row, of := e.CaretRow()
	w := &e.Walk
	switch {
	case back && (row > 0 || w.Back >= len(prompts)):
		return false
	case !back && (row < of-1 || w.Back == 0):
		return false
	}
	if w.Back == 0 {
		w.draft = e.Buffer.String()
	}
	w.Back = w.next(back, prompts)
	if w.Back == 0 {
		e.Set(w.draft)
		return true
	}
	e.recall(prompts[len(prompts)-w.Back])
	return true
}

// next is the place of the next prompt in that direction. Those that were said
// several times in a row are one.
func (w *Walk) next(back bool, prompts []string) int {
	at := func(n int) string { return prompts[len(prompts)-n] }
	n := w.Back
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
func (e *Editor) recall(text string) { e.Set(e.FromHistory(text)) }

// TakeBack shows what was typed before, with its own images: another text that
// reads alike may have had others.
func (e *Editor) TakeBack(s Typed) {
	raw := e.FromHistory(s.Text)
	if !SameImages(e.Tokens.images(raw), s.Images) {
		raw = e.Tokens.WithTokens(s)
	}
	e.Set(raw)
}

// FromHistory is what was sent before, with its tokens if they are known.
func (e *Editor) FromHistory(text string) string {
	if raw, ok := e.Walk.kept[strings.TrimSpace(text)]; ok {
		return raw
	}
	return e.Tokens.collapse(text, "")
}

// PutBefore puts what was sent before above what is typed.
func (e *Editor) PutBefore(text string) {
	before := e.FromHistory(text)
	if !e.Blank() {
		before += "\n" + e.Buffer.String()
	}
	e.Walk.end()
	e.Set(before)
}
