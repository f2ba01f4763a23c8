package emacs

import "agent/internal/tui/editor/text"

// kill cuts a range. Consecutive kills form one kill.
func (e *Emacs) kill(from, to int) {
	if from == to {
		return
	}
	b := e.b
	cut := b.String()[from:to]
	switch {
	case e.killed != b.Actions():
		e.kills.Keep(text.Kill{Text: cut})
	case to == b.Caret():
		e.kills.Prepend(cut)
	default:
		e.kills.Append(cut)
	}
	b.Edit(from, to, "")
	e.killed = b.Actions()
}

// Cut cuts a range as a kill of its own.
func (e *Emacs) Cut(from, to int) {
	e.killed = -1
	e.kill(from, to)
}

// Copy adds a range to the kills without cutting it.
func (e *Emacs) Copy(from, to int) { e.kills.Keep(text.Kill{Text: e.b.String()[from:to]}) }

// KillBlankWord cuts the text before the caret back to whitespace.
func (e *Emacs) KillBlankWord() { e.kill(blankBefore(e.b.String(), e.b.Caret()), e.b.Caret()) }

// KillWordLeft cuts the word before the caret.
func (e *Emacs) KillWordLeft() { e.kill(wordBefore(e.b.String(), e.b.Caret()), e.b.Caret()) }

// KillWordRight cuts the word after the caret.
func (e *Emacs) KillWordRight() { e.kill(e.b.Caret(), wordAfter(e.b.String(), e.b.Caret())) }

// KillToStart cuts to the start of the line, or the newline before it if the caret is there.
func (e *Emacs) KillToStart() {
	from := text.LineStart(e.b.String(), e.b.Caret())
	if from == e.b.Caret() && from > 0 {
		from--
	}
	e.kill(from, e.b.Caret())
}

// KillToEnd cuts to the end of the line, or the newline if the caret is there.
func (e *Emacs) KillToEnd() {
	to := text.LineEnd(e.b.String(), e.b.Caret())
	if to == e.b.Caret() && to < len(e.b.String()) {
		to++
	}
	e.kill(e.b.Caret(), to)
}

// Yank inserts the latest kill.
func (e *Emacs) Yank() {
	if k := e.kills.Select(); k.Text != "" {
		e.yank(e.b.Caret(), e.b.Caret(), k.Text)
	}
}

// YankOlder replaces the text that was just yanked by the kill before it.
func (e *Emacs) YankOlder() {
	if e.yanked == e.b.Actions() {
		e.yank(e.from, e.to, e.kills.SelectOlder().Text)
	}
}

func (e *Emacs) yank(from, to int, text string) {
	e.b.Edit(from, to, text)
	e.yanked = e.b.Actions()
	e.from, e.to = from, from+len(text)
}
