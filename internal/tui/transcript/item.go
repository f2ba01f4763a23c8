package transcript

import (
	"slices"
	"strings"

	"agent/internal/tui/ink"
	"agent/internal/tui/markdown"
)

// Inner is the width that the gutter leaves.
func (c Canvas) Inner() int { return max(c.Width-ink.Gutter, 1) }

// Header is the first line of the transcript.
type Header struct{ Text string }

func (h *Header) Class() Class { return Apart }

func (h *Header) Draw(c Canvas) []string {
	return []string{c.Styles.Dim.Render(ink.Truncate(h.Text, c.Width))}
}

// Prompt is what the person said.
type Prompt struct {
	Text string
	Open bool
	long bool // the last drawing left something out
}

// userLines is how much of a long prompt is shown while it is closed.
const userLines = 12

func (u *Prompt) Class() Class { return Apart }

func (u *Prompt) more() bool { return u.Open || u.long }

func (u *Prompt) opened() bool { return u.Open }

func (u *Prompt) setOpen(b bool) { u.Open = b }

func (u *Prompt) Draw(c Canvas) []string {
	limit := closedBytes
	if u.Open || c.Full {
		limit = c.limit()
	}
	text, more := ink.Head(u.Text, limit)
	lines := ink.Wrap(ink.Sanitize(text), c.Inner())
	over := len(lines) + more - userLines
	u.long = over > 1
	if u.long && !u.Open && !c.Full {
		lines, more = lines[:min(userLines, len(lines))], over
	}
	return ink.Hang(c.Styles.Cyan.Render(ink.MarkUser), append(ink.RenderLines(c.Styles.Bold, lines), c.left(more)...))
}

// answer is text of the model, as markdown: all of it, or a part of a long one.
type answer struct {
	text  strings.Builder
	done  bool
	cut   bool // it ended before it was whole
	head  int  // see part
	tail  int
	joins bool
	plain bool

	md  *markdown.Text
	st  *ink.Styles // that md was made with
	fed int         // how much of text md has got
}

func (a *answer) Class() Class { return Prose }

// finish makes p the whole of it.
func (a *answer) finish(p Part) {
	if a.text.String() != p.Text || a.plain != p.plain {
		a.text.Reset()
		a.text.WriteString(p.Text)
		a.md = nil
	}
	a.done, a.head, a.tail, a.joins, a.plain = true, p.Head, p.tail, p.joins, p.plain
}

// own returns the text that the model wrote.
func (a *answer) own() string { return Part{Text: a.text.String(), Head: a.head, tail: a.tail}.Own() }

func (a *answer) Draw(c Canvas) []string {
	lines := a.lines(c)
	if a.cut {
		lines = append(slices.Clone(lines), c.Styles.Dim.Render(ink.Truncate("(cut)", c.Inner())))
	}
	return lines
}

// lines draws the text.
func (a *answer) lines(c Canvas) []string {
	if a.plain {
		return ink.Wrap(strings.TrimSuffix(ink.Sanitize(a.text.String()), "\n"), c.Inner())
	}
	if a.md == nil || a.st != c.Styles {
		a.md, a.st, a.fed = markdown.New(c.Styles), c.Styles, 0
	}
	text := a.text.String()
	if a.fed < len(text) {
		a.md.Append(text[a.fed:])
		a.fed = len(text)
	}
	if a.done {
		a.md.Finish()
	}
	return a.md.Lines(c.Inner())
}

// release gives up what was drawn, which is drawn again where it is wanted.
func (a *answer) release() { a.md = nil }

// thinking is the model's reasoning: a line, or all of it.
type thinking struct {
	text strings.Builder
	done bool
	open bool
}

func (t *thinking) Class() Class { return Steps }

func (t *thinking) more() bool { return true }

func (t *thinking) opened() bool { return t.open }

func (t *thinking) setOpen(b bool) { t.open = b }

// finish makes text the whole of it.
func (t *thinking) finish(text string) {
	if t.text.String() != text {
		t.text.Reset()
		t.text.WriteString(text)
	}
	t.done = true
}

func (t *thinking) Draw(c Canvas) []string {
	text := t.text.String()
	mark, word, line := ink.MarkRunning, "thinking", ink.LastLine(strings.TrimSpace(ink.Tail(text, lineBytes)))
	if t.done {
		mark, word = ink.MarkDone, "thought"
		start, _ := ink.Head(strings.TrimLeft(text, " \t\r\n"), lineBytes)
		line, _, _ = strings.Cut(start, "\n")
	}
	if t.open || c.Full {
		limit := c.limit()
		if !t.done {
			limit = openBytes // it is drawn again with each piece
		}
		text, more := ink.Head(strings.TrimSpace(text), limit)
		lines := append([]string{word}, ink.Wrap(ink.Sanitize(text), c.Inner())...)
		return ink.Hang(c.Styles.Dim.Render(mark), append(ink.RenderLines(c.Styles.Dim, lines), c.left(more)...))
	}
	line = ink.Truncate(word+"  "+ink.SanitizeLine(strings.Trim(line, "*# ")), c.Inner())
	return ink.Hang(c.Styles.Dim.Render(mark), ink.RenderLines(c.Styles.Dim, []string{line}))
}

// Notice is something that the person should know.
type Notice struct{ Text string }

func (n *Notice) Class() Class { return Apart }

func (n *Notice) Draw(c Canvas) []string {
	return ink.Hang(" ", ink.RenderLines(c.Styles.Dim, ink.Wrap(ink.Sanitize(n.Text), c.Inner())))
}

// Problem is an error, with what can be done about it.
type Problem struct{ Text, Hint string }

func (f *Problem) Class() Class { return Apart }

func (f *Problem) Draw(c Canvas) []string {
	text := ink.Sanitize(f.Text)
	if f.Hint != "" {
		text += "\n" + ink.Sanitize(f.Hint)
	}
	return ink.Hang(c.Styles.Red.Render(ink.MarkFailed), ink.Wrap(text, c.Inner()))
}

// Closing is the line that closes a turn.
type Closing struct{ Text string }

func (e *Closing) Class() Class { return Apart }

func (e *Closing) Draw(c Canvas) []string {
	return ink.Hang(" ", ink.RenderLines(c.Styles.Dim, ink.Wrap(e.Text, c.Inner())))
}
