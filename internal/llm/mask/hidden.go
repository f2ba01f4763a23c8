package mask

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// view is a text without what a terminal does not show in it: escape sequences such as
// colors, control characters and invisible characters. They can be in the middle of a
// secret, as in the output of grep --color.
type view struct {
	text string
	cuts []cut // in ascending order
}

// cut is the end of a hidden part: byte to of the original follows as byte at of the view.
type cut struct{ at, to int }

// hiddenSpans calls find with the two views of each part of s that has hidden parts: without
// them, and with spaces, because a color may begin where a secret ends.
func hiddenSpans(s string, find func(string) []span) (spans []span) {
	for at := 0; ; {
		from, to := aroundHidden(s, at)
		if to == 0 {
			return spans
		}
		joined, _ := visible(s[from:to], "", true)
		apart, _ := visible(s[from:to], " ", false)
		for _, v := range []view{joined, apart} {
			for _, p := range find(v.text) {
				spans = append(spans, span{from + v.offset(p.start), from + v.offset(p.end-1) + 1, p.kind})
			}
		}
		at = to
	}
}

// aroundHidden returns the next hidden parts of s from at on that are close to each other,
// with the text around them that may belong to a secret. To is 0 if there are none.
func aroundHidden(s string, at int) (from, to int) {
	for i := at; ; {
		for i < len(s) && printable(s[i]) {
			i++
		}
		if i >= len(s) || to > 0 && i >= to {
			break
		}
		n, hidden := hiddenLength(s[i:], true)
		if hidden && to == 0 {
			from = max(at, i-unlimited)
			from = max(at, strings.LastIndexByte(s[:from], '\n')+1)
		}
		i += n
		if hidden {
			to = min(len(s), i+unlimited)
		}
	}
	if to > 0 {
		if end := strings.IndexByte(s[to:], '\n'); end >= 0 {
			to += end
		}
	}
	return from, to
}

// printable reports whether c is visible ASCII, a tab or a line end.
func printable(c byte) bool { return c-0x20 < 0x5f || c == '\n' || c == '\t' }

// visible returns the view of s, with gap in place of each hidden part. It reports false if
// there is none. Unless content is set, the text in a sequence, such as the address of a
// link, is not hidden, and neither is a letter after ESC.
func visible(s, gap string, content bool) (view, bool) {
	var b strings.Builder
	var cuts []cut
	last := 0
	for i := 0; i < len(s); {
		if printable(s[i]) {
			i++
			continue
		}
		n, hidden := hiddenLength(s[i:], content)
		switch {
		case hidden && cuts != nil && i == last: // in a row with the one before
			last = i + n
			cuts[len(cuts)-1].to = last
		case hidden:
			b.WriteString(s[last:i])
			b.WriteString(gap)
			last = i + n
			cuts = append(cuts, cut{b.Len(), last})
		}
		i += n
	}
	if cuts == nil {
		return view{}, false
	}
	b.WriteString(s[last:])
	return view{b.String(), cuts}, true
}

// offset returns the original offset of byte i.
func (v view) offset(i int) int {
	n, found := slices.BinarySearchFunc(v.cuts, i, func(c cut, i int) int { return c.at - i })
	if !found {
		n--
	}
	if n < 0 {
		return i
	}
	return v.cuts[n].to + i - v.cuts[n].at
}

// hiddenLength returns the length of the hidden part at the beginning of s, or of the
// character there.
func hiddenLength(s string, content bool) (n int, hidden bool) {
	r, n := utf8.DecodeRuneInString(s)
	switch {
	case r == 0x1b && len(s) > 1:
		return 1 + escaped(s[1:], content), true
	case r >= 0x80 && r < 0xa0:
		return n + sequence(byte(r-0x40), s[n:], content), true
	case r == '\r':
		return n, !strings.HasPrefix(s, "\r\n")
	}
	return n, r < 0x20 && r != '\n' && r != '\t' || r == 0x7f || invisible(r)
}

// escaped returns the length of the rest of an escape sequence after ESC.
func escaped(s string, content bool) int {
	n := 0
	for n < len(s) && s[n] >= 0x20 && s[n] < 0x30 { // such as ( in that for ASCII
		n++
	}
	switch {
	case n == 0 && s[0] >= 0x40 && s[0] < 0x60:
		return 1 + sequence(s[0], s[1:], content)
	case n == len(s) || s[n] < 0x30 || s[n] > 0x7e || n == 0 && !content:
		return n
	}
	return n + 1
}

// sequence returns the length of the rest of an escape sequence after its introducer, which
// is the byte after ESC.
func sequence(introducer byte, rest string, content bool) int {
	switch introducer {
	case '[':
		n := 0
		for n < len(rest) && rest[n] >= 0x20 && rest[n] < 0x40 {
			n++
		}
		if n < len(rest) && rest[n] >= 0x40 && rest[n] < 0x7f {
			n++
		}
		return n
	case ']', 'P', 'X', '^', '_':
		// The end is BEL or ESC \. Without one, a terminal may show the text.
		n := strings.IndexAny(rest, "\a\x1b\n")
		if content && n >= 0 && rest[n] != '\n' {
			return n
		}
	}
	return 0
}

// invisible reports whether r has no width.
func invisible(r rune) bool {
	switch {
	case r < 0xad:
		return false
	case r == 0xad, r == 0x034f, r == 0x061c, r == 0x115f, r == 0x1160, r == 0x3164, r == 0xfeff, r == 0xffa0,
		r >= 0x180b && r <= 0x180f, r >= 0x200b && r <= 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2060 && r <= 0x206f,
		r >= 0xfe00 && r <= 0xfe0f, r >= 0xfff9 && r <= 0xfffb, r >= 0xe0000 && r <= 0xe0fff:
		return true
	}
	return false
}
