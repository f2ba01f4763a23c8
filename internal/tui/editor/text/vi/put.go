package vi

import (
	"strings"

	"agent/internal/tui/editor/text"
)

// fits limits how often text is put, to bound its size.
func fits(k text.Kill, times int) int {
	const most = 1 << 20
	return min(times, max(most/max(len(k.Text), 1), 1))
}

// put implements p and P: it inserts the latest kill after or before the caret.
func (e *edits) put(after bool, times int) {
	b, k := e.b, e.kills.Latest()
	if k.Text == "" {
		return
	}
	times = fits(k, times)
	b.Join()
	if k.Lines {
		e.putLines(strings.Repeat(k.Text, times), after)
	} else {
		e.putLetters(k.Text, times, after)
	}
	b.Seal()
}

// putLetters inserts text in the line. The caret moves to its end, or to its start if
// it has several lines.
func (e *edits) putLetters(s string, times int, after bool) {
	b := e.b
	if after && b.Caret() < b.lineEnd(b.Caret()) {
		b.MoveTo(text.Next(b.String(), b.Caret()))
	}
	at := b.Caret()
	b.Insert(strings.Repeat(s, times))
	if !strings.Contains(s, "\n") {
		at = text.Previous(b.String(), b.Caret())
	}
	b.MoveTo(at)
}

// putLines inserts lines below or above the caret's line.
func (e *edits) putLines(text string, after bool) {
	b := e.b
	at := b.lineStart(b.Caret())
	if after {
		at = b.lineEnd(b.Caret())
		text = "\n" + strings.TrimSuffix(text, "\n")
	}
	b.Edit(at, at, text)
	if after {
		at++
	}
	b.MoveTo(b.firstLetter(at))
}

// putOver implements p and P of visual mode: it replaces the selection by the latest
// kill. keeps says whether the replaced text becomes the latest kill.
func (e *edits) putOver(s span, keeps bool) {
	b, k := e.b, e.kills.Latest()
	n := fits(k, s.times)
	b.Join()
	b.MoveTo(s.from)
	old := b.taken(s)
	if k.Text == "" {
		b.cutOut(s)
	}
	if keeps {
		e.kills.Keep(old)
	}
	with := strings.Repeat(k.Text, n)
	at := min(s.from, len(b.String()))
	switch {
	case k.Text == "":
	case k.Lines && s.lines:
		with = strings.TrimSuffix(with, "\n")
		b.Edit(s.from, s.to, with)
		at = b.firstLetter(s.from)
	case k.Lines:
		b.Edit(s.from, s.to, "\n"+with)
		at = b.firstLetter(s.from + 1)
	case s.lines:
		with = strings.TrimSuffix(strings.Repeat(k.Text+"\n", n), "\n")
		b.Edit(s.from, s.to, with)
		at = b.firstLetter(s.from)
	default:
		b.Edit(s.from, s.to, with)
	}
	if !k.Lines && !s.lines && !strings.Contains(with, "\n") && with != "" {
		at = text.Previous(b.String(), s.from+len(with))
	}
	b.MoveTo(at)
	b.Seal()
}
