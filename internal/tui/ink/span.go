package ink

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Span is text drawn in one way. It holds no escape sequence and no newline.
type Span struct {
	Text string
	Pen  Pen
	Link string // where a click leads, if anywhere
}

// Width returns the columns that spans take.
func Width(spans []Span) int {
	w := 0
	for _, sp := range spans {
		w += ansi.StringWidth(sp.Text)
	}
	return w
}

// Draw returns a line of spans for the terminal, without the blanks at its end,
// unless they are painted. It ends in the state it began in.
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

// Read reads what a renderer drew: lines of text, styles and links. Any other
// escape sequence is dropped, and any other control character.
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

// after returns how a span is drawn once the terminal has read seq.
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
