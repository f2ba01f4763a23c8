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

// put implements p, P, gp and gP: it inserts a kill after or before the caret.
func (b buffer) put(k text.Kill, key string, times int) {
	if k.Text == "" {
		return
	}
	with := strings.Repeat(k.Text, fits(k, times))
	at, after, beyond := b.Caret(), strings.HasSuffix(key, "p"), key[0] == 'g'
	b.doc.Join()
	switch {
	case k.Lines && after:
		at = b.lineEnd(at)
		b.doc.Edit(at, at, "\n"+strings.TrimSuffix(with, "\n"))
		at++
	case k.Lines:
		at = b.lineStart(at)
		b.doc.Edit(at, at, with)
	default:
		if after {
			at = b.along(1)
		}
		b.doc.Edit(at, at, with)
	}
	switch {
	case beyond && k.Lines:
		b.doc.MoveTo(b.lineStart(min(at+len(with), len(b.String()))))
	case k.Lines:
		b.doc.MoveTo(b.firstLetter(at))
	case !beyond:
		b.endPut(at, with)
	}
	b.doc.Seal()
}

// endPut moves the caret from the end of text that was put within a line to its last
// character, or to its start if it has several lines.
func (b buffer) endPut(start int, s string) {
	if strings.Contains(s, "\n") {
		b.doc.MoveTo(start)
	} else {
		b.doc.MoveTo(text.Previous(b.String(), b.Caret()))
	}
}

// putOver implements p and P of visual mode: it replaces the selection by a kill.
func (b buffer) putOver(s span, k text.Kill) {
	b.doc.Join()
	b.doc.MoveTo(s.from)
	with := strings.Repeat(k.Text, fits(k, s.times))
	switch {
	case with == "":
		b.cutOut(s)
	case s.lines:
		if !k.Lines {
			with = strings.Repeat(k.Text+"\n", fits(k, s.times))
		}
		b.doc.Edit(s.from, s.to, strings.TrimSuffix(with, "\n"))
		b.doc.MoveTo(b.firstLetter(s.from))
	case k.Lines:
		b.doc.Edit(s.from, s.to, "\n"+with)
		b.doc.MoveTo(b.firstLetter(s.from + 1))
	default:
		b.doc.Edit(s.from, s.to, with)
		b.endPut(s.from, with)
	}
	b.doc.Seal()
}
