package offline

import (
	"strings"
	"unicode/utf8"
)

// Quoted text stands in a masked prompt as one rune of a private area, so that
// no rule and no cut looks into it.
const (
	firstMask = '\uE000'
	lastMask  = '\uF8FF'
	// maxClosers is how many signs are tried as the end of a quotation before
	// its opening is taken for an apostrophe.
	maxClosers = 16
)

// quotes is a text whose quotations are masked.
type quotes struct {
	text  string
	spans []span
}

// span is one quotation.
type span struct {
	raw   string // with its signs
	inner string
}

func masked(r rune) bool { return r >= firstMask && r <= lastMask }

// mask replaces every quotation in s, and every rune that looks like a mask.
func mask(s string) quotes {
	var q quotes
	var b strings.Builder
	before := ' '
	for len(s) > 0 {
		r, size := firstRune(s)
		sp, ok := opening(s, before)
		if masked(r) {
			sp, ok = span{raw: s[:size], inner: s[:size]}, true
		}
		if ok && len(q.spans) <= int(lastMask-firstMask) {
			r, size = firstMask+rune(len(q.spans)), len(sp.raw)
			q.spans = append(q.spans, sp)
			b.WriteRune(r)
		} else {
			b.WriteString(s[:size])
		}
		before, s = r, s[size:]
	}
	q.text = b.String()
	return q
}

// opening returns the quotation that s begins with, if it does.
func opening(s string, before rune) (span, bool) {
	if rest, ok := strings.CutPrefix(s, "```"); ok {
		return fence(s, rest)
	}
	r, size := firstRune(s)
	if r == '`' {
		return closing(s, size, "`", true)
	}
	if !strings.ContainsRune(" \t\n([=:,", before) {
		return span{}, false
	}
	switch r {
	case '"':
		return closing(s, size, `"`, false)
	case '“', '„':
		if sp, ok := closing(s, size, "”", false); ok {
			return sp, true
		}
		return closing(s, size, "“", false)
	case '\'':
		return closing(s, size, "'", true)
	}
	return span{}, false
}

// fence returns the fenced block that s begins with.
func fence(s, rest string) (span, bool) {
	info, body, ok := strings.Cut(rest, "\n")
	if !ok || strings.Contains(info, "`") {
		return span{}, false
	}
	inner, after, ok := strings.Cut("\n"+body, "\n```")
	if !ok {
		return span{}, false
	}
	return span{raw: s[:len(s)-len(after)], inner: strings.TrimPrefix(inner, "\n")}, true
}

// closing returns what s begins with up to the sign that ends it: one that no
// letter follows, on the same line if oneLine.
func closing(s string, from int, sign string, oneLine bool) (span, bool) {
	at := from
	for range maxClosers {
		i := strings.Index(s[at:], sign)
		if i < 0 || oneLine && strings.Contains(s[from:at+i], "\n") {
			break
		}
		i += at
		at = i + len(sign)
		if i == from && sign == "`" {
			break
		}
		after, _ := firstRune(s[at:])
		if s[i-1] == '\\' || at < len(s) && sign != "`" && !strings.ContainsRune(" \t\n.,;:!?)]", after) {
			continue
		}
		inner := s[from:i]
		if sign != "`" {
			inner = strings.ReplaceAll(inner, `\`+sign, sign)
		}
		return span{raw: s[:at], inner: inner}, true
	}
	return span{}, false
}

// restore gives s back its quotations as they were written.
func (q quotes) restore(s string) string {
	return q.replace(s, func(sp span) string { return sp.raw })
}

// value is what s means: a quotation without its signs, anything else as it was
// written.
func (q quotes) value(s string) string {
	s = strings.TrimSpace(s)
	if r, size := firstRune(s); masked(r) && size == len(s) {
		return q.replace(s, func(sp span) string { return sp.inner })
	}
	return q.restore(s)
}

// path is a file's name as s means it.
func (q quotes) path(s string) string {
	s = strings.TrimPrefix(q.value(s), "@")
	if strings.EqualFold(s, "readme") && s != "README" {
		return "README.md"
	}
	return s
}

// content is what a file is to hold: whole lines.
func (q quotes) content(s string) string {
	s = strings.TrimSpace(s)
	bare := strings.TrimRight(s, ".,;!")
	if r, size := firstRune(bare); masked(r) && size == len(bare) {
		s = bare // the sentence's full stop, not the content's
	}
	switch strings.ToLower(s) {
	case "nothing", "no content", "empty", "empty content":
		return ""
	}
	s = q.value(s)
	if s != "" && !strings.HasSuffix(s, "\n") {
		s += "\n"
	}
	return s
}

func (q quotes) replace(s string, with func(span) string) string {
	var b strings.Builder
	for len(s) > 0 {
		r, size := firstRune(s)
		if i := int(r - firstMask); masked(r) && i < len(q.spans) {
			b.WriteString(with(q.spans[i]))
		} else {
			b.WriteString(s[:size])
		}
		s = s[size:]
	}
	return b.String()
}

func firstRune(s string) (rune, int) { return utf8.DecodeRuneInString(s) }
