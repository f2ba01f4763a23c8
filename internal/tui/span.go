package tui

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// span is text drawn in one way. It holds no escape sequence and no newline.
type span struct {
	text string
	pen  pen
	link string // where a click leads, if anywhere
}

// spansWidth returns the columns that spans take.
func spansWidth(spans []span) int {
	w := 0
	for _, sp := range spans {
		w += ansi.StringWidth(sp.text)
	}
	return w
}

// drawSpans returns a line of spans for the terminal, without the blanks at
// its end, unless they are painted. It ends in the state it began in.
func drawSpans(spans []span) string {
	for len(spans) > 0 && !spans[len(spans)-1].pen.paints() {
		last := strings.TrimRight(spans[len(spans)-1].text, " ")
		if last == spans[len(spans)-1].text && last != "" {
			break
		}
		spans = append([]span(nil), spans...)
		spans[len(spans)-1].text = last
		if last != "" {
			break
		}
		spans = spans[:len(spans)-1]
	}
	if len(spans) == 1 && spans[0].pen == "" && spans[0].link == "" {
		return spans[0].text
	}
	var b strings.Builder
	for _, sp := range spans {
		if sp.link != "" {
			b.WriteString(ansi.SetHyperlink(sp.link))
		}
		if sp.pen != "" {
			b.WriteString("\x1b[" + string(sp.pen) + "m")
		}
		b.WriteString(sp.text)
		if sp.pen != "" {
			b.WriteString("\x1b[m")
		}
		if sp.link != "" {
			b.WriteString(ansi.ResetHyperlink())
		}
	}
	return b.String()
}

// readSpans reads what a renderer drew: lines of text, styles and links. Any
// other escape sequence is dropped, and any other control character.
func readSpans(s string) [][]span {
	var (
		lines [][]span
		line  []span
		now   span
	)
	flush := func(text string) {
		if text != "" {
			line = append(line, span{text, now.pen, now.link})
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
func (sp span) after(seq string) span {
	if body, ok := strings.CutPrefix(seq, "\x1b["); ok {
		params, ok := strings.CutSuffix(body, "m")
		switch {
		case !ok:
		case params == "" || params == "0":
			sp.pen = ""
		default:
			sp.pen = sp.pen.and(pen(params))
		}
	}
	if body, ok := strings.CutPrefix(seq, "\x1b]8;"); ok {
		_, url, _ := strings.Cut(strings.TrimRight(body, "\a\x1b\\"), ";")
		sp.link = url
	}
	return sp
}
