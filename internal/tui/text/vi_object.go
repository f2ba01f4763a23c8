package text

import "strings"

// object returns the range of a text object: "i" and "a" of a word, of what is
// quoted, and of what is in brackets.
func (v *Vi) object(which, key string) (from, to int, ok bool) {
	switch key {
	case "w", "W":
		from, to = v.b.wordAround(key == "W", which == "a")
		return from, to, to > from
	case `"`, "'", "`":
		return v.b.quoted(key[0], which == "a")
	case "b":
		key = "("
	case "B":
		key = "{"
	}
	const open, shut = "([{<", ")]}>"
	i := max(strings.Index(open, key), strings.Index(shut, key))
	if i < 0 || len(key) != 1 {
		return 0, 0, false
	}
	return v.b.bracketed(open[i], shut[i], which == "a")
}

// wordAround is the word at the caret, or the blanks there; with what is blank
// behind it, or else before it.
func (b *Buffer) wordAround(big, around bool) (from, to int) {
	s, start, end := b.text, b.lineStart(b.caret), b.lineEnd(b.caret)
	if b.caret == end {
		return end, end
	}
	on := func(at int) int {
		kind := kindAt(s, at, big)
		for at < end && kindAt(s, at, big) == kind {
			at = next(s, at)
		}
		return at
	}
	back := func(at int) int {
		kind := kindAt(s, previous(s, at), big)
		for at > start && kindAt(s, previous(s, at), big) == kind {
			at = previous(s, at)
		}
		return at
	}
	from, to = back(next(s, b.caret)), on(b.caret)
	switch {
	case !around:
	case to < end && (kindAt(s, from, big) == blank || kindAt(s, to, big) == blank):
		to = on(to)
	case from > start && kindAt(s, previous(s, from), big) == blank:
		from = back(from)
	}
	return from, to
}

// quoted is what stands between two quotes in the line: those around the
// caret, or the first ones behind it.
func (b *Buffer) quoted(quote byte, around bool) (from, to int, ok bool) {
	start, end := b.lineStart(b.caret), b.lineEnd(b.caret)
	opened := -1
	for at := start; at < end; at++ {
		switch {
		case b.text[at] == '\\':
			at++
		case b.text[at] != quote:
		case opened < 0:
			opened = at
		case at < b.caret:
			opened = -1
		case around:
			at++
			for at < end && b.text[at] == ' ' {
				at++
			}
			return opened, at, true
		default:
			return opened + 1, at, true
		}
	}
	return 0, 0, false
}

// bracketed is what stands between the brackets around the caret.
func (b *Buffer) bracketed(open, shut byte, around bool) (from, to int, ok bool) {
	s, depth := b.text, 0
	from = b.caret
	for ; from >= 0; from-- {
		if from < len(s) && s[from] == shut && from != b.caret {
			depth++
		}
		if from < len(s) && s[from] == open {
			if depth == 0 {
				break
			}
			depth--
		}
	}
	if from < 0 {
		return 0, 0, false
	}
	depth = 0
	for to = from + 1; to < len(s); to++ {
		switch {
		case s[to] == open:
			depth++
		case s[to] == shut && depth == 0:
			if around {
				return from, to + 1, true
			}
			return from + 1, to, true
		case s[to] == shut:
			depth--
		}
	}
	return 0, 0, false
}
