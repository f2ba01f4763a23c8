package vi

import (
	"strings"

	"agent/internal/tui/editor/text"
)

// brackets lists the bracket pairs.
const brackets = "()[]{}"

// blockMotion returns the motion of a key over sentences, paragraphs or brackets.
func (ms *motions) blockMotion(a motionKey) (m motion, ok bool) {
	b, n, key := ms.b, a.n, a.key
	m = motion{to: b.Caret(), jumps: true, wide: true}
	switch key {
	case "%":
		if a.counted {
			return ms.percent(n), true
		}
		m.inclusive = true
		m.to, ok = b.matching(b.Caret())
		m.fails = !ok
	case "{", "}":
		for ; n > 0 && !m.fails; n-- {
			m = b.paragraph(m, key == "}", n > 1)
		}
	case "(", ")":
		for ; n > 0 && !m.fails; n-- {
			m = b.sentence(m, key == ")")
		}
	case "[(", "[{", "])", "]}":
		m.wide = true
		open := strings.NewReplacer(")", "(", "}", "{").Replace(key[1:])
		shut := strings.NewReplacer("(", ")", "{", "}").Replace(key[1:])
		for ; n > 0; n-- {
			to, ok := b.unmatched(m.to, open[0], shut[0], key[0] == ']')
			if !ok {
				break
			}
			m.to = to
		}
		m.fails = m.to == b.Caret()
	default:
		return m, false
	}
	return m, true
}

// percent returns the motion to the line at n percent of the text.
func (ms *motions) percent(n int) motion {
	const whole = 100
	lines := strings.Count(ms.b.String(), "\n") + 1
	return motion{to: ms.b.firstLetter(text.Line(ms.b.String(), (n*lines+whole-1)/whole-1)), lines: true, jumps: true, fails: n > whole}
}

// matching returns the counterpart of the first bracket at or after an offset in the
// line.
func (b buffer) matching(at int) (to int, ok bool) {
	for end := b.lineEnd(at); at < end; at++ {
		i := strings.IndexByte(brackets, b.String()[at])
		if i < 0 {
			continue
		}
		open, shut := brackets[i&^1], brackets[i|1]
		if i%2 == 0 {
			return b.unmatched(at, open, shut, true)
		}
		return b.unmatched(at, open, shut, false)
	}
	return 0, false
}

// unmatched returns the nearest unmatched bracket after an offset, or before it if
// on is false.
func (b buffer) unmatched(at int, open, shut byte, on bool) (to int, ok bool) {
	step, inner, outer := 1, open, shut
	if !on {
		step, inner, outer = -1, shut, open
	}
	depth := 0
	for at += step; at >= 0 && at < len(b.String()); at += step {
		switch b.String()[at] {
		case inner:
			depth++
		case outer:
			if depth == 0 {
				return at, true
			}
			depth--
		}
	}
	return 0, false
}

// paragraph extends m to the empty line after the next paragraph, or before the
// previous one. The end of the text counts only if no more paragraphs are wanted.
func (b buffer) paragraph(m motion, on, more bool) motion {
	at, seen := b.lineStart(m.to), false
	for {
		if b.lineEmpty(at) && seen {
			m.to = at
			return m
		}
		seen = seen || !b.lineEmpty(at)
		switch {
		case on && b.lineEnd(at) == len(b.String()):
			m.to, m.inclusive, m.fails = b.lastLetter(), !b.lineEmpty(at), more
			return m
		case !on && at == 0:
			m.to, m.fails = 0, more || m.to == 0
			return m
		case on:
			at = b.lineEnd(at) + 1
		default:
			at = b.lineStart(at - 1)
		}
	}
}

// lastLetter returns the last character of the text, or the end of an empty last line.
func (b buffer) lastLetter() int {
	if at := len(b.String()); at > 0 && b.String()[at-1] != '\n' {
		return text.Previous(b.String(), at)
	}
	return len(b.String())
}

// sentence extends m to the start of the next sentence, or of the previous one.
func (b buffer) sentence(m motion, on bool) motion {
	at := m.to
	if !on {
		for m.to--; m.to > 0 && emptyLineAt(b.String(), m.to+1) && emptyLineAt(b.String(), m.to); m.to-- {
		}
		if at > m.to+1 {
			m.to--
		}
		for ; m.to > 0 && !b.sentenceAt(m.to); m.to-- {
		}
		m.to, m.fails = max(m.to, 0), at == 0
		return m
	}
	for m.to++; m.to < len(b.String()); m.to++ {
		if b.sentenceAt(m.to) {
			return m
		}
	}
	m.to, m.inclusive = b.lastLetter(), true
	return m
}

// sentenceAt reports whether a sentence starts at an offset: at the start of a
// paragraph, at the empty line after one, or after end punctuation and whitespace.
func (b buffer) sentenceAt(at int) bool {
	s := b.String()
	if emptyLineAt(s, at) {
		return at == 0 || !emptyLineAt(s, at-1)
	}
	if at > 0 && at < len(s) && (s[at] == '\n' || isBlank(s[at])) {
		return false
	}
	i := at
	for i > 0 && isBlank(s[i-1]) {
		i--
	}
	if i == 0 || s[i-1] == '\n' && emptyLineAt(s, i-1) {
		return i > 0 || at == 0
	}
	if i > 0 && s[i-1] == '\n' {
		i--
	} else if i == at {
		return false
	}
	for i > 0 && isBlank(s[i-1]) {
		i--
	}
	for i > 0 && strings.IndexByte(`)]"'`, s[i-1]) >= 0 {
		i--
	}
	return i > 0 && strings.IndexByte(".!?", s[i-1]) >= 0
}
