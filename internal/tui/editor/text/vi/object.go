package vi

import (
	"strings"

	"agent/internal/tui/editor/text"
)

// takeObject applies the operator to a text object, or selects the object.
func (v *Vi) takeObject(which, key string) {
	b := v.b
	m, from, ok := v.object(which == "a", key)
	switch {
	case !ok:
		v.reset()
	case v.operator != "":
		b.doc.MoveTo(from)
		v.operate(m)
	default:
		if m.lines {
			v.mode = VisualLines
			from, m.to = b.lineStart(from), b.lineStart(m.to)
		} else if key != "w" && key != "W" && v.mode == VisualLines {
			v.mode = Visual
		}
		to := m.to
		if !m.lines && to > from {
			to = text.Previous(b.String(), to)
		}
		v.anchor = from
		b.doc.MoveTo(to)
		v.reset()
		v.column = -1
	}
}

// object returns the start of a text object and the motion over it: a word, a
// paragraph, or the text in quotes or brackets.
func (v *Vi) object(around bool, key string) (m motion, from int, ok bool) {
	b, n := v.b, v.times()
	switch key {
	case "w", "W":
		from, m.to, ok = v.words(n, key == "W", around)
		m.exact = true
	case "p":
		from, m.to, ok = b.paragraphs(n, around)
		m.lines = true
	case `"`, "'", "`":
		from, m.to, ok = b.quoted(key[0], around, n)
	default:
		const open, shut = "([{<", ")]}>"
		key = strings.NewReplacer("b", "(", "B", "{").Replace(key)
		i := max(strings.Index(open, key), strings.Index(shut, key))
		if i < 0 || len(key) != 1 {
			return m, 0, false
		}
		begin, end, marked := v.Selection()
		from, m.to, ok = b.bracketed(open[i], shut[i], around, n)
		for ok && marked && v.anchor != b.Caret() && from >= begin && m.to <= end { // not larger than the selection
			n++
			from, m.to, ok = b.bracketed(open[i], shut[i], around, n)
		}
	}
	return m, from, ok
}

// words returns the range of n words or runs of whitespace from the caret on. around
// includes the whitespace after each, or else before the last.
func (v *Vi) words(n int, big, around bool) (from, to int, ok bool) {
	b, all := v.b, v.b.String()
	from, to = b.Caret(), b.Caret()
	more := v.mode != Normal && v.anchor != b.Caret()
	if more && (v.anchor > b.Caret() || to == len(all)) {
		return 0, 0, false
	}
	if more {
		from, to = v.anchor, text.Next(all, to)
	} else {
		from = b.blanksStart(from, big)
	}
	if emptyLineAt(all, to) && !around {
		return to, to, true
	}
	blanksFirst := kindAt(all, to, big) == text.Blank
	for ok = true; n > 0 && ok; n-- {
		if to, ok = b.objectEnd(to, big); ok && around {
			to, ok = b.aroundEnd(to, big, blanksFirst)
		}
	}
	if !ok {
		return 0, 0, false
	}
	if around && !more && !blanksFirst && kindAt(all, text.Previous(all, to), big) != text.Blank {
		from = b.blanksBefore(from, big)
	}
	return from, to, true
}

// aroundEnd returns the end of an "a" object: after the whitespace that follows a
// word, or after the word that follows whitespace, maybe on the next line.
func (b reader) aroundEnd(at int, big, blanksFirst bool) (to int, ok bool) {
	s := b.String()
	if !blanksFirst {
		if at == len(s) || s[at] == '\n' || kindAt(s, at, big) != text.Blank {
			return at, true
		}
		return b.objectEnd(at, big)
	}
	for at < len(s) && kindAt(s, at, big) == text.Blank && !emptyLineAt(s, at) {
		at = text.Next(s, at)
	}
	return b.objectEnd(at, big)
}

// blanksBefore returns the start of the whitespace before a word, unless it is
// indentation.
func (b reader) blanksBefore(at int, big bool) int {
	start := b.lineStart(at)
	if at == start {
		return at
	}
	if from := b.blanksStart(text.Previous(b.String(), at), big); from > start && kindAt(b.String(), from, big) == text.Blank {
		return from
	}
	return at
}

// blanksStart returns the start of the word or whitespace at an offset in the line.
func (b reader) blanksStart(at int, big bool) int {
	kind, start := kindAt(b.String(), at, big), b.lineStart(at)
	for at > start && kindAt(b.String(), text.Previous(b.String(), at), big) == kind {
		at = text.Previous(b.String(), at)
	}
	return at
}

// objectEnd returns the end of the word or whitespace at an offset in the line.
func (b reader) objectEnd(at int, big bool) (to int, ok bool) {
	if at >= len(b.String()) {
		return at, false
	}
	if emptyLineAt(b.String(), at) {
		return at, true
	}
	if b.String()[at] == '\n' {
		at++
	}
	kind, end := kindAt(b.String(), at, big), b.lineEnd(at)
	for at < end && kindAt(b.String(), at, big) == kind {
		at = text.Next(b.String(), at)
	}
	return at, true
}

// quoted returns the range between two quotes in the line: those around the caret,
// or the first ones after it.
func (b reader) quoted(quote byte, around bool, n int) (from, to int, ok bool) {
	start, end := b.lineStart(b.Caret()), b.lineEnd(b.Caret())
	line, at := b.String()[start:end], b.Caret()-start
	from, to = quotesAround(line, at, quote)
	if from < 0 || to < 0 {
		return 0, 0, false
	}
	switch {
	case around:
		if to++; to < len(line) && isBlank(line[to]) {
			for to < len(line) && isBlank(line[to]) {
				to++
			}
			break
		}
		for from > 0 && isBlank(line[from-1]) {
			from--
		}
	case n > 1:
		to++
	default:
		from++
	}
	return start + from, start + to, true
}

// quotesAround returns the positions of the quotes around or after an offset,
// negative if one is missing.
func quotesAround(line string, at int, quote byte) (from, to int) {
	if at < len(line) && line[at] == quote {
		for from = quoteAfter(line, 0, quote); from >= 0 && from <= at; from = quoteAfter(line, to+1, quote) {
			if to = quoteAfter(line, from+1, quote); to < 0 || to >= at {
				return from, to
			}
		}
		return -1, -1
	}
	for from = at - 1; from >= 0; from-- {
		if line[from] == quote && !escaped(line, from) {
			return from, quoteAfter(line, from+1, quote)
		}
	}
	if from = quoteAfter(line, at, quote); from < 0 {
		return -1, -1
	}
	return from, quoteAfter(line, from+1, quote)
}

func quoteAfter(line string, at int, quote byte) int {
	for ; at < len(line); at++ {
		switch line[at] {
		case '\\':
			at++
		case quote:
			return at
		}
	}
	return -1
}

// escaped reports whether the character at an offset is escaped by a backslash.
func escaped(line string, at int) bool {
	n := 0
	for at > n && line[at-n-1] == '\\' {
		n++
	}
	return n%2 == 1
}

// bracketed returns the range between the n-th brackets around the caret. It excludes
// a newline after the opening bracket and the indentation of the closing one.
func (b reader) bracketed(open, shut byte, around bool, n int) (from, to int, ok bool) {
	s := b.String()
	from = b.Caret()
	if from < len(s) && s[from] == open {
		n--
	}
	for first := true; n > 0; n, first = n-1, false {
		at, ok := b.unmatched(from, open, shut, false)
		if !ok && first && n == 1 { // the next ones
			at = from + strings.IndexAny(s[from:], string(open)+string(shut))
			ok = at >= from && s[at] == open
		}
		if !ok {
			return 0, 0, false
		}
		from = at
	}
	if to, ok = b.unmatched(from, open, shut, true); !ok {
		return 0, 0, false
	}
	if around {
		return from, to + 1, true
	}
	if from++; from < to && s[from] == '\n' {
		from++
	}
	if b.inIndent(to) {
		to = max(b.lineStart(to), from)
	}
	return from, to, true
}
