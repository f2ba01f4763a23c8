package ink

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// Query is a search text. It is case-sensitive if it has an uppercase letter.
type Query struct {
	Text  string
	exact bool
}

// NewQuery returns the query for text.
func NewQuery(text string) Query {
	lower := strings.ToLower(text)
	return Query{Text: text, exact: lower != text}
}

// Next returns the first match in s at or after byte at. from is negative if there
// is none.
func (n Query) Next(s string, at int) (from, to int) {
	if n.Text == "" {
		return -1, -1
	}
	if n.exact {
		if i := strings.Index(s[at:], n.Text); i >= 0 {
			return at + i, at + i + len(n.Text)
		}
		return -1, -1
	}
	for i := at; i < len(s); {
		if l := n.prefix(s[i:]); l > 0 {
			return i, i + l
		}
		_, size := utf8.DecodeRuneInString(s[i:])
		i += size
	}
	return -1, -1
}

// prefix returns the length of the match at the start of s, or 0.
func (n Query) prefix(s string) int {
	i := 0
	for _, want := range n.Text {
		r, size := utf8.DecodeRuneInString(s[i:])
		if size == 0 || r != want && unicode.ToLower(r) != want {
			return 0
		}
		i += size
	}
	return i
}

// In reports whether any of texts has a match.
func (n Query) In(texts ...string) bool {
	for _, s := range texts {
		if n.exact && strings.Contains(s, n.Text) || !n.exact && strings.Contains(strings.ToLower(s), n.Text) {
			return n.Text != ""
		}
	}
	return false
}

// InLine reports whether a drawn line has a match.
func (n Query) InLine(line string) bool {
	from, _ := n.Next(ansi.Strip(line), 0)
	return from >= 0
}

// Highlight returns a drawn line with its matches highlighted. current marks the line of
// the current match.
func (n Query) Highlight(st *Styles, line string, current bool) string {
	plain := ansi.Strip(line)
	style := st.Plain.Reverse(true)
	if current {
		style = st.Bold.Reverse(true)
	}
	var ranges []lipgloss.Range
	for at := 0; ; {
		from, to := n.Next(plain, at)
		if from < 0 {
			break
		}
		ranges = append(ranges, lipgloss.NewRange(ansi.StringWidth(plain[:from]), ansi.StringWidth(plain[:to]), style))
		at = to
	}
	if len(ranges) == 0 {
		return line
	}
	return lipgloss.StyleRanges(line, ranges...)
}

// RenderMatches renders text in base, and the characters at the byte offsets at in look.
func RenderMatches(text string, at []int, base, look lipgloss.Style) string {
	var b strings.Builder
	from := 0
	for _, i := range at {
		if i < from || i >= len(text) {
			continue
		}
		g, _ := ansi.FirstGraphemeCluster(text[i:], ansi.GraphemeWidth)
		if i > from {
			b.WriteString(base.Render(text[from:i]))
		}
		b.WriteString(look.Inherit(base).Render(g))
		from = i + len(g)
	}
	if from < len(text) {
		b.WriteString(base.Render(text[from:]))
	}
	return b.String()
}
