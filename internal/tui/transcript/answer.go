package transcript

import (
	"slices"
	"strings"

	"agent/internal/tui/ink"
	"agent/internal/tui/markdown"
)

// answer is an item for Markdown text of the model: a complete answer, or a part of a
// long answer.
type answer struct {
	text strings.Builder
	markdown.Edges
	done bool
	cut  bool // the reply is incomplete: it was interrupted or ran out of tokens

	md     *markdown.Text
	styles *ink.Styles // the styles of md
	drawn  int         // number of bytes of text in md
}

func (a *answer) class() class { return prose }

// finish sets the final text.
func (a *answer) finish(p markdown.Part) {
	if a.text.String() != p.Text || a.Plain != p.Plain {
		a.text.Reset()
		a.text.WriteString(p.Text)
		if a.md != nil {
			a.md.SetText(p.Text)
			a.drawn = len(p.Text)
		}
	}
	a.done, a.Edges = true, p.Edges
}

// own returns the text that the model wrote.
func (a *answer) own() string { return a.Edges.Own(a.text.String()) }

// Draw implements Item.
func (a *answer) Draw(c Canvas) []string {
	lines := a.lines(c)
	if a.cut {
		lines = append(slices.Clone(lines), c.Styles.Dim.Render(ink.Truncate("(incomplete)", c.Inner())))
	}
	return lines
}

// lines draws the text.
func (a *answer) lines(c Canvas) []string {
	text := a.text.String()
	if a.Plain {
		return ink.Wrap(strings.TrimSuffix(ink.Sanitize(text), "\n"), c.Inner())
	}
	if a.md == nil || a.styles != c.Styles {
		a.md, a.styles, a.drawn = markdown.New(c.Styles), c.Styles, 0
	}
	if a.drawn < len(text) {
		a.md.Append(text[a.drawn:])
		a.drawn = len(text)
	}
	if a.done {
		a.md.Finish()
	}
	return a.md.Lines(c.Inner())
}

// thinking is an item for the model's reasoning. It is one line while collapsed.
type thinking struct {
	text strings.Builder
	done bool
	expandable
}

func (t *thinking) class() class { return steps }

func (t *thinking) more() bool { return true }

// finish sets the final text.
func (t *thinking) finish(text string) {
	if t.text.String() != text {
		t.text.Reset()
		t.text.WriteString(text)
	}
	t.done = true
}

// Draw implements Item.
func (t *thinking) Draw(c Canvas) []string {
	text := t.text.String()
	mark, word, line := ink.MarkRunning, "thinking", ink.LastLine(strings.TrimSpace(ink.Tail(text, lineBytes)))
	if t.done {
		mark, word = ink.MarkDone, "thought"
		start, _ := ink.Head(strings.TrimLeft(text, " \t\r\n"), lineBytes)
		line, _, _ = strings.Cut(start, "\n")
	}
	lines := []string{ink.Truncate(word+"  "+ink.SanitizeLine(strings.Trim(line, "*# ")), c.Inner())}
	more := 0
	if t.Open || c.Full {
		limit := c.limit()
		if !t.done {
			limit = openBytes // it is drawn again with each piece
		}
		text, more = ink.Head(strings.TrimSpace(text), limit)
		lines = append([]string{word}, ink.Wrap(ink.Sanitize(text), c.Inner())...)
	}
	return ink.Hang(c.Styles.Dim.Render(mark), append(ink.RenderLines(c.Styles.Dim, lines), c.omitted(more)...))
}
