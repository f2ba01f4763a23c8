package vi

import (
	"strings"

	"agent/internal/tui/editor/text"
)

// kindAt returns the class at an offset. If big, all non-blank characters have one class.
func kindAt(s string, at int, big bool) text.Class {
	c := text.ClassAt(s, at)
	if big && c != text.Blank {
		return text.Letter
	}
	return c
}

// emptyLineAt reports whether an empty line is at an offset.
func emptyLineAt(s string, at int) bool {
	return (at == len(s) || s[at] == '\n') && (at == 0 || s[at-1] == '\n')
}

// wordMotion returns the motion of a key over words; uppercase keys use WORDs.
func (ms *motions) wordMotion(a motionKey) (m motion, ok bool) {
	s, n, big := ms.b.String(), a.n, a.key != strings.ToLower(a.key)
	m.to = ms.b.Caret()
	switch strings.ToLower(a.key) {
	case "w":
		if a.operator == "c" && m.to < len(s) && text.ClassAt(s, m.to) != text.Blank {
			m.to, m.inclusive = ms.changedEnd(n, big), true
			return m, true
		}
		for ; n > 0; n-- {
			m.to = wordStart(s, m.to, big, a.operator != "" && n == 1)
		}
	case "b":
		for ; n > 0; n-- {
			m.to = wordStartBack(s, m.to, big)
		}
		m.fails = m.to == ms.b.Caret()
	case "e":
		m.inclusive = true
		for ; n > 0; n-- {
			m.to = wordEnd(s, m.to, big, false)
		}
	default:
		return m, false
	}
	return m, true
}

// changedEnd returns the end of cw: the last character of the word, without the
// whitespace that dw includes.
func (ms *motions) changedEnd(n int, big bool) int {
	s, at := ms.b.String(), ms.b.Caret()
	at = wordEnd(s, at, big, true)
	for ; n > 1; n-- {
		at = wordEnd(s, at, big, false)
	}
	return at
}

// wordStart returns the start of the next word. An empty line is a word. If stops, it
// stops at the end of the line, for the last word of an operator.
func wordStart(s string, at int, big, stops bool) int {
	if at >= len(s) {
		return at
	}
	kind := kindAt(s, at, big)
	if s[at] == '\n' {
		at++
		if stops {
			return at
		}
	} else {
		for at < len(s) && kind != text.Blank && kindAt(s, at, big) == kind {
			at = text.Next(s, at)
		}
	}
	for at < len(s) && kindAt(s, at, big) == text.Blank && !emptyLineAt(s, at) {
		if s[at] == '\n' && stops {
			return at
		}
		at = text.Next(s, at)
	}
	return at
}

// wordStartBack returns the start of this word or of the previous one.
func wordStartBack(s string, at int, big bool) int {
	for at > 0 {
		at = text.Previous(s, at)
		if kindAt(s, at, big) != text.Blank || emptyLineAt(s, at) {
			break
		}
	}
	return runStart(s, at, big)
}

// runStart returns the start of the run of characters of one class at an offset.
func runStart(s string, at int, big bool) int {
	kind := kindAt(s, at, big)
	for at > 0 && kind != text.Blank && kindAt(s, text.Previous(s, at), big) == kind {
		at = text.Previous(s, at)
	}
	return at
}

// runEnd returns the last character of the run at an offset.
func runEnd(s string, at int, big bool) int {
	kind := kindAt(s, at, big)
	for {
		n := text.Next(s, at)
		if n >= len(s) || kindAt(s, n, big) != kind {
			return at
		}
		at = n
	}
}

// wordEnd returns the last character of the next word end. If stays, that may be the
// character at the offset.
func wordEnd(s string, at int, big, stays bool) int {
	if at >= len(s) {
		return at
	}
	if !stays {
		at = text.Next(s, at)
	}
	for at < len(s) && kindAt(s, at, big) == text.Blank {
		at = text.Next(s, at)
	}
	if at >= len(s) {
		return len(s)
	}
	return runEnd(s, at, big)
}
