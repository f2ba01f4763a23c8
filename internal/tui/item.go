package tui

import (
	"slices"
	"strings"

	"agent/internal/tui/ink"
	"agent/internal/tui/markdown"
)

// inner is the width that the gutter leaves.
func (c canvas) inner() int { return max(c.width-ink.Gutter, 1) }

// header is the first line of the transcript.
type header struct{ text string }

func (h *header) class() class { return said }

func (h *header) draw(c canvas) []string {
	return []string{c.st.Dim.Render(ink.Truncate(h.text, c.width))}
}

// user is what the person said.
type user struct {
	text string
	open bool
	long bool // the last drawing left something out
}

// userLines is how much of a long prompt is shown while it is closed.
const userLines = 12

func (u *user) class() class   { return said }
func (u *user) more() bool     { return u.open || u.long }
func (u *user) opened() bool   { return u.open }
func (u *user) setOpen(b bool) { u.open = b }

func (u *user) draw(c canvas) []string {
	limit := closedBytes
	if u.open || c.whole {
		limit = c.limit()
	}
	text, more := ink.Head(u.text, limit)
	lines := ink.Wrap(ink.Sanitize(text), c.inner())
	over := len(lines) + more - userLines
	u.long = over > 1
	if u.long && !u.open && !c.whole {
		lines, more = lines[:min(userLines, len(lines))], over
	}
	return ink.Hang(c.st.Cyan.Render(ink.MarkUser), append(ink.RenderLines(c.st.Bold, lines), c.left(more)...))
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

func (a *answer) class() class { return prose }

// finish makes p the whole of it.
func (a *answer) finish(p part) {
	if a.text.String() != p.text || a.plain != p.plain {
		a.text.Reset()
		a.text.WriteString(p.text)
		a.md = nil
	}
	a.done, a.head, a.tail, a.joins, a.plain = true, p.head, p.tail, p.joins, p.plain
}

// own returns the text that the model wrote.
func (a *answer) own() string { return part{text: a.text.String(), head: a.head, tail: a.tail}.own() }

func (a *answer) draw(c canvas) []string {
	lines := a.lines(c)
	if a.cut {
		lines = append(slices.Clone(lines), c.st.Dim.Render(ink.Truncate("(cut)", c.inner())))
	}
	return lines
}

// lines draws the text.
func (a *answer) lines(c canvas) []string {
	if a.plain {
		return ink.Wrap(strings.TrimSuffix(ink.Sanitize(a.text.String()), "\n"), c.inner())
	}
	if a.md == nil || a.st != c.st {
		a.md, a.st, a.fed = markdown.New(c.st), c.st, 0
	}
	text := a.text.String()
	if a.fed < len(text) {
		a.md.Append(text[a.fed:])
		a.fed = len(text)
	}
	if a.done {
		a.md.Finish()
	}
	return a.md.Lines(c.inner())
}

// release gives up what was drawn, which is drawn again where it is wanted.
func (a *answer) release() { a.md = nil }

// thinking is the model's reasoning: a line, or all of it.
type thinking struct {
	text strings.Builder
	done bool
	open bool
}

func (t *thinking) class() class   { return steps }
func (t *thinking) more() bool     { return true }
func (t *thinking) opened() bool   { return t.open }
func (t *thinking) setOpen(b bool) { t.open = b }

// finish makes text the whole of it.
func (t *thinking) finish(text string) {
	if t.text.String() != text {
		t.text.Reset()
		t.text.WriteString(text)
	}
	t.done = true
}

func (t *thinking) draw(c canvas) []string {
	text := t.text.String()
	mark, word, line := ink.MarkRunning, "thinking", ink.LastLine(strings.TrimSpace(ink.Tail(text, lineBytes)))
	if t.done {
		mark, word = ink.MarkDone, "thought"
		start, _ := ink.Head(strings.TrimLeft(text, " \t\r\n"), lineBytes)
		line, _, _ = strings.Cut(start, "\n")
	}
	if t.open || c.whole {
		limit := c.limit()
		if !t.done {
			limit = openBytes // it is drawn again with each piece
		}
		text, more := ink.Head(strings.TrimSpace(text), limit)
		lines := append([]string{word}, ink.Wrap(ink.Sanitize(text), c.inner())...)
		return ink.Hang(c.st.Dim.Render(mark), append(ink.RenderLines(c.st.Dim, lines), c.left(more)...))
	}
	line = ink.Truncate(word+"  "+ink.SanitizeLine(strings.Trim(line, "*# ")), c.inner())
	return ink.Hang(c.st.Dim.Render(mark), ink.RenderLines(c.st.Dim, []string{line}))
}

// notice is something that the person should know.
type notice struct{ text string }

func (n *notice) class() class { return said }

func (n *notice) draw(c canvas) []string {
	return ink.Hang(" ", ink.RenderLines(c.st.Dim, ink.Wrap(ink.Sanitize(n.text), c.inner())))
}

// fault is an error, with what can be done about it.
type fault struct{ text, hint string }

func (f *fault) class() class { return said }

func (f *fault) draw(c canvas) []string {
	text := ink.Sanitize(f.text)
	if f.hint != "" {
		text += "\n" + ink.Sanitize(f.hint)
	}
	return ink.Hang(c.st.Red.Render(ink.MarkFailed), ink.Wrap(text, c.inner()))
}

// ending is the line that closes a turn.
type ending struct{ text string }

func (e *ending) class() class { return said }

func (e *ending) draw(c canvas) []string {
	return ink.Hang(" ", ink.RenderLines(c.st.Dim, ink.Wrap(e.text, c.inner())))
}
