package ink

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// Query is what is searched for. A capital letter in it makes capitals count.
type Query struct {
	Text  string
	exact bool
}

// NewQuery returns the query for a text. Case counts if the text has a capital letter.
func NewQuery(text string) Query {
	lower := strings.ToLower(text)
	return Query{Text: text, exact: lower != text}
}

// Next returns where the needle is first found in s from a byte on; from is
// negative if it is not.
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

// prefix is how many bytes of s the needle takes that s begins with, or 0.
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

// In reports whether the needle is found in any of texts.
func (n Query) In(texts ...string) bool {
	for _, s := range texts {
		if n.exact && strings.Contains(s, n.Text) || !n.exact && strings.Contains(strings.ToLower(s), n.Text) {
			return n.Text != ""
		}
	}
	return false
}

// InLine reports whether the needle is found in a line that was drawn.
func (n Query) InLine(line string) bool {
	from, _ := n.Next(ansi.Strip(line), 0)
	return from >= 0
}

// Highlight returns a drawn line with what is found in it set off; all the more on
// the line that one went to.
func (n Query) Highlight(st *Styles, line string, here bool) string {
	plain := ansi.Strip(line)
	style := st.Plain.Reverse(true)
	if here {
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

// RenderMatches draws text in base, but for the characters at some bytes of it.
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
