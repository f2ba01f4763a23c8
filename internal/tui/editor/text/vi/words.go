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

// wordMotion returns the motion of a key over words; uppercase keys use WORDs. cw leaves
// the whitespace after the word, unlike dw.
func (b reader) wordMotion(key string, n int, operator string) motion {
	s, at := b.String(), b.Caret()
	small := strings.ToLower(key)
	big := key != small
	change := small == "w" && operator == "c" && kindAt(s, at, big) != text.Blank
	for i := range n {
		switch {
		case change || small == "e":
			at = wordEnd(s, at, big, change && i == 0)
		case small == "w":
			at = wordStart(s, at, big, operator != "" && i == n-1)
		case small == "ge":
			at = wordEndBack(s, at, big)
		default:
			at = wordStartBack(s, at, big)
		}
	}
	back := small == "b" || small == "ge"
	return motion{to: at, inclusive: change || strings.HasSuffix(small, "e"), fails: back && b.Caret() == 0}
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

// wordEndBack returns the last character of the previous word. An empty line is a word.
func wordEndBack(s string, at int, big bool) int {
	if at < len(s) && kindAt(s, at, big) != text.Blank {
		at = runStart(s, at, big)
	}
	for at > 0 {
		at = text.Previous(s, at)
		if kindAt(s, at, big) != text.Blank || emptyLineAt(s, at) {
			break
		}
	}
	return at
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

// firstLetter returns the first non-blank character of the line that starts at start.
func (b reader) firstLetter(start int) int {
	at, end := start, b.lineEnd(start)
	for at < end && isBlank(b.String()[at]) {
		at++
	}
	return at
}

// isBlank reports whether c is a space or a tab.
func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// characters returns the number of characters in s.
func characters(s string) (n int) {
	for at := 0; at < len(s); at = text.Next(s, at) {
		n++
	}
	return n
}
