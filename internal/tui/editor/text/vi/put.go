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

// put implements p and P: it inserts a kill after or before the caret.
func (b buffer) put(k text.Kill, after bool, times int) {
	if k.Text == "" {
		return
	}
	with := strings.Repeat(k.Text, fits(k, times))
	b.Join()
	switch {
	case !k.Lines:
		if after {
			b.MoveTo(b.along(1))
		}
		at := b.Caret()
		b.Insert(with)
		b.endPut(at, with)
	case after:
		at := b.lineEnd(b.Caret())
		b.Edit(at, at, "\n"+strings.TrimSuffix(with, "\n"))
		b.MoveTo(b.firstLetter(at + 1))
	default:
		at := b.lineStart(b.Caret())
		b.Edit(at, at, with)
		b.MoveTo(b.firstLetter(at))
	}
	b.Seal()
}

// endPut moves the caret from the end of text that was put within a line to its last
// character, or to its start if it has several lines.
func (b buffer) endPut(start int, s string) {
	if strings.Contains(s, "\n") {
		b.MoveTo(start)
	} else {
		b.MoveTo(text.Previous(b.String(), b.Caret()))
	}
}

// putOver implements p and P of visual mode: it replaces the selection by a kill.
func (b buffer) putOver(s span, k text.Kill) {
	b.Join()
	b.MoveTo(s.from)
	with := strings.Repeat(k.Text, fits(k, s.times))
	switch {
	case with == "":
		b.cutOut(s)
	case s.lines:
		if !k.Lines {
			with = strings.Repeat(k.Text+"\n", fits(k, s.times))
		}
		b.Edit(s.from, s.to, strings.TrimSuffix(with, "\n"))
		b.MoveTo(b.firstLetter(s.from))
	case k.Lines:
		b.Edit(s.from, s.to, "\n"+with)
		b.MoveTo(b.firstLetter(s.from + 1))
	default:
		b.Edit(s.from, s.to, with)
		b.endPut(s.from, with)
	}
	b.Seal()
}
