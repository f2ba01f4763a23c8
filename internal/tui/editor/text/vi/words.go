package vi

import (
	"strings"

	"agent/internal/tui/editor/text"
)

// kindAt is classAt, or for big words no more than whether it is blank.
func kindAt(s string, at int, big bool) text.Class {
	c := text.ClassAt(s, at)
	if big && c != text.Blank {
		return text.Letter
	}
	return c
}

// emptyLineAt reports whether an offset is an empty line.
func emptyLineAt(s string, at int) bool {
	return (at == len(s) || s[at] == '\n') && (at == 0 || s[at-1] == '\n')
}

// wordMotion is motion over words; capitals count all between blanks as one.
func (v *Vi) wordMotion(key string) (m motion, ok bool) {
	s, n, big := v.b.String(), v.times(), key != strings.ToLower(key)
	m.to = v.b.Caret()
	switch strings.ToLower(key) {
	case "w":
		if v.operator == "c" && m.to < len(s) && text.ClassAt(s, m.to) != text.Blank {
			m.to, m.inclusive = v.changedEnd(n, big), true
			return m, true
		}
		for ; n > 0; n-- {
			m.to = wordStart(s, m.to, big, v.operator != "" && n == 1)
		}
	case "b":
		for ; n > 0; n-- {
			m.to = wordStartBack(s, m.to, big)
		}
		m.fails = m.to == v.b.Caret()
	case "e":
		m.inclusive = true
		for ; n > 0; n-- {
			m.to = wordEnd(s, m.to, big, false)
		}
	case "ge":
		m.inclusive = true
		for ; n > 0; n-- {
			m.to = wordEndBack(s, m.to, big)
		}
		m.fails = v.b.Caret() == 0
	default:
		return m, false
	}
	return m, true
}

// changedEnd is where cw ends: on the word's last character, before the blanks
// that dw takes, too.
func (v *Vi) changedEnd(n int, big bool) int {
	s, at := v.b.String(), v.b.Caret()
	at = wordEnd(s, at, big, true)
	for ; n > 1; n-- {
		at = wordEnd(s, at, big, false)
	}
	return at
}

// wordStart is the start of the next word. An empty line is one. For the last
// word that an operator takes, the end of its line is far enough.
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

// wordStartBack is the start of this word, or of the one before.
func wordStartBack(s string, at int, big bool) int {
	for at > 0 {
		at = text.Previous(s, at)
		if kindAt(s, at, big) != text.Blank || emptyLineAt(s, at) {
			break
		}
	}
	return runStart(s, at, big)
}

// runStart is where the run of characters of one kind begins that an offset is
// in. Blanks are none.
func runStart(s string, at int, big bool) int {
	kind := kindAt(s, at, big)
	for at > 0 && kind != text.Blank && kindAt(s, text.Previous(s, at), big) == kind {
		at = text.Previous(s, at)
	}
	return at
}

// runEnd is the last character of such a run.
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

// wordEnd is the last character of this word, or of the next one; stays lets
// it be where it is.
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

// wordEndBack is the last character of the word before. An empty line is one.
func wordEndBack(s string, at int, big bool) int {
	if at < len(s) && kindAt(s, at, big) != text.Blank {
		at = runStart(s, at, big)
	}
	for at > 0 {
		at = text.Previous(s, at)
		if kindAt(s, at, big) != text.Blank || emptyLineAt(s, at) {
			return at
		}
	}
	return 0
}
