package text

import "slices"

// killLimit is the maximum number of kills.
const killLimit = 60

// Kill is text that was cut or copied.
type Kill struct {
	Text  string
	Lines bool // Text is complete lines and ends with a newline
}

// kills is the kill ring, the latest kill last.
type kills struct {
	all      []Kill
	at       int // the kill that was yanked last
	from, to int // the range of the yanked text
}

// Keep adds k to the kills, as the latest.
func (b *Buffer) Keep(k Kill) {
	if k.Text == "" {
		return
	}
	b.kills.all = append(b.kills.all, k)
	if len(b.kills.all) > killLimit {
		b.kills.all = slices.Delete(b.kills.all, 0, 1)
	}
}

// LastKill returns the latest kill, an empty one if nothing was cut or copied.
func (b *Buffer) LastKill() Kill {
	if len(b.kills.all) == 0 {
		return Kill{}
	}
	return b.kills.all[len(b.kills.all)-1]
}

// kill cuts a range. Consecutive kills form one kill.
func (b *Buffer) kill(from, to int) {
	if from == to {
		return
	}
	text := b.text[from:to]
	switch n := len(b.kills.all) - 1; {
	case b.last != killed || n < 0:
		b.Keep(Kill{Text: text})
	case to == b.caret && from < b.caret:
		b.kills.all[n].Text = text + b.kills.all[n].Text
	default:
		b.kills.all[n].Text += text
	}
	b.edit(killed, from, to, "")
}

// Cut cuts a range.
func (b *Buffer) Cut(from, to int) {
	b.last = moved
	b.kill(from, to)
}

// Copy adds a range to the kills without cutting it.
func (b *Buffer) Copy(from, to int) { b.Keep(Kill{Text: b.text[from:to]}) }

// KillBlankWord cuts the text before the caret back to whitespace.
func (b *Buffer) KillBlankWord() { b.kill(blankBefore(b.text, b.caret), b.caret) }

// KillWordLeft cuts the word before the caret.
func (b *Buffer) KillWordLeft() { b.kill(wordBefore(b.text, b.caret), b.caret) }

// KillWordRight cuts the word after the caret.
func (b *Buffer) KillWordRight() { b.kill(b.caret, wordAfter(b.text, b.caret)) }

// KillToStart cuts to the start of the line, or the newline before it if the caret is there.
func (b *Buffer) KillToStart() {
	from := LineStart(b.text, b.caret)
	if from == b.caret && from > 0 {
		from--
	}
	b.kill(from, b.caret)
}

// KillToEnd cuts to the end of the line, or the newline if the caret is there.
func (b *Buffer) KillToEnd() {
	to := LineEnd(b.text, b.caret)
	if to == b.caret && to < len(b.text) {
		to++
	}
	b.kill(b.caret, to)
}

// Yank inserts the latest kill.
func (b *Buffer) Yank() {
	k := &b.kills
	if len(k.all) == 0 {
		return
	}
	k.at = len(k.all) - 1
	b.yank(b.caret, b.caret)
}

// YankOlder replaces the text that was just yanked by the kill before it.
func (b *Buffer) YankOlder() {
	k := &b.kills
	if b.last != yanked {
		return
	}
	k.at = (k.at + len(k.all) - 1) % len(k.all)
	b.yank(k.from, k.to)
}

func (b *Buffer) yank(from, to int) {
	text := b.kills.all[b.kills.at].Text
	b.edit(yanked, from, to, text)
	b.kills.from, b.kills.to = from, from+len(text)
}
