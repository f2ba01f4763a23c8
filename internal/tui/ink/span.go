package ink

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Span is text in one style. It has no escape sequences and no newlines.
type Span struct {
	Text string
	Pen  Pen
	Link string // URL of a hyperlink; empty for none
}

// Width returns the width of spans in columns.
func Width(spans []Span) int {
	w := 0
	for _, sp := range spans {
		w += ansi.StringWidth(sp.Text)
	}
	return w
}

// Draw encodes a line of spans for the terminal. It trims trailing spaces that have
// no background, and resets every style and link that it sets.
func Draw(spans []Span) string {
	for len(spans) > 0 && !spans[len(spans)-1].Pen.paints() {
		last := strings.TrimRight(spans[len(spans)-1].Text, " ")
		if last == spans[len(spans)-1].Text && last != "" {
			break
		}
		spans = append([]Span(nil), spans...)
		spans[len(spans)-1].Text = last
		if last != "" {
			break
		}
		spans = spans[:len(spans)-1]
	}
	if len(spans) == 1 && spans[0].Pen == "" && spans[0].Link == "" {
		return spans[0].Text
	}
	var b strings.Builder
	for _, sp := range spans {
		if sp.Link != "" {
			b.WriteString(ansi.SetHyperlink(sp.Link))
		}
		if sp.Pen != "" {
			b.WriteString("\x1b[" + string(sp.Pen) + "m")
		}
		b.WriteString(sp.Text)
		if sp.Pen != "" {
			b.WriteString("\x1b[m")
		}
		if sp.Link != "" {
			b.WriteString(ansi.ResetHyperlink())
		}
	}
	return b.String()
}

// Read parses drawn text into lines of spans with styles and links. It drops other
// escape sequences and control characters.
func Read(s string) [][]Span {
	var (
		lines [][]Span
		line  []Span
		now   Span
	)
	flush := func(text string) {
		if text != "" {
			line = append(line, Span{text, now.Pen, now.Link})
		}
	}
	for s != "" {
		i := strings.IndexFunc(s, func(r rune) bool { return r < 0x20 || r >= 0x7f && r < 0xa0 })
		if i < 0 {
			flush(s)
			break
		}
		flush(s[:i])
		s = s[i:]
		if s[0] == '\n' {
			lines, line = append(lines, line), nil
			s = s[1:]
			continue
		}
		seq, _, n, _ := ansi.DecodeSequence(s, ansi.NormalState, nil)
		s = s[n:]
		now = now.after(seq)
	}
	return append(lines, line)
}

// after returns sp with the style or link of the escape sequence seq applied.
func (sp Span) after(seq string) Span {
	if body, ok := strings.CutPrefix(seq, "\x1b["); ok {
		params, ok := strings.CutSuffix(body, "m")
		switch {
		case !ok:
		case params == "" || params == "0":
			sp.Pen = ""
		default:
			sp.Pen = sp.Pen.And(Pen(params))
		}
	}
	if body, ok := strings.CutPrefix(seq, "\x1b]8;"); ok {
		_, url, _ := strings.Cut(strings.TrimRight(body, "\a\x1b\\"), ";")
		sp.Link = url
	}
	return sp
}
