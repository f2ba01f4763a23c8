package transcript

import (
	"strings"

	"agent/internal/llm/phrase"
	"agent/internal/tui/ink"
)

// Item is an entry of the transcript.
type Item interface {
	// Draw returns lines that fit in the window, those of prose without their margin.
	// An item without lines is hidden. The lines are cached until the row of the item
	// is touched, or the width or the look changes.
	Draw(c Canvas) []string
}

// Canvas holds the settings for drawing an item.
type Canvas struct {
	Styles *ink.Styles
	Width  int    // of the window; at least 1
	Full   bool   // items show everything, whether they are open or not
	key    string // opens an item; empty for none
}

// Inner returns the width without the gutter.
func (c Canvas) Inner() int { return max(c.Width-ink.Gutter, 1) }

// How much of a text is drawn, so that drawing takes less than a frame.
const (
	lineBytes   = 4 << 10   // of reasoning that is drawn as one line
	closedBytes = 8 << 10   // of a collapsed prompt or output
	openBytes   = 128 << 10 // of an expanded item
	fullBytes   = 1 << 20   // of an item in the full-screen transcript
)

// limit returns the maximum number of bytes of an expanded item that are drawn.
func (c Canvas) limit() int {
	if c.Full {
		return fullBytes
	}
	return openBytes
}

// collapsed returns the text that stands for n hidden lines of a closed item, with
// the key that opens it.
func (c Canvas) collapsed(n int) string {
	text := "+ " + phrase.Count(n, "line")
	if c.key != "" {
		text += " (" + c.key + ")"
	}
	return text
}

// omitted returns the line that says how many lines are left out, if any.
func (c Canvas) omitted(lines int) []string {
	if lines == 0 {
		return nil
	}
	return []string{c.Styles.Dim.Render(moreLines(lines, c.Inner()))}
}

// moreLines returns the text that stands for n lines that are not shown.
func moreLines(n, width int) string {
	return ink.Truncate("… "+phrase.Count(n, "more line"), width)
}

// class determines the blank lines between items.
type class int

const (
	apart class = iota // between blank lines
	prose              // like apart, and Draw returns lines without their margin
	steps              // tool calls and reasoning, without blank lines between them
)

// class returns the class of the row's item, apart if the item does not have one.
func (r *Row) class() class {
	if it, ok := r.Item.(interface{ class() class }); ok {
		return it.class()
	}
	return apart
}

// Expander is an item that can be expanded and collapsed.
type Expander interface {
	Item
	more() bool
	open() *bool
}

// expandable is the state of an Expander.
type expandable struct{ Open bool }

func (e *expandable) open() *bool { return &e.Open }

// toggle expands or collapses the item of a row.
func toggle(r *Row) {
	if o, ok := r.Item.(Expander); ok {
		*o.open() = !*o.open()
		r.Touch()
	}
}

// Header is the first line of the transcript.
type Header struct{ Text string }

// Draw implements Item.
func (h *Header) Draw(c Canvas) []string {
	return []string{c.Styles.Dim.Render(ink.Truncate(h.Text, c.Width))}
}

// Prompt is an item for a prompt of the user.
type Prompt struct {
	Text string
	expandable
	long bool // the last drawing was truncated
}

// promptLines is the number of lines of a collapsed prompt.
const promptLines = 12

func (p *Prompt) more() bool { return p.Open || p.long }

// Draw implements Item.
func (p *Prompt) Draw(c Canvas) []string {
	limit := closedBytes
	if p.Open || c.Full {
		limit = c.limit()
	}
	text, more := ink.Head(p.Text, limit)
	lines := ink.Wrap(ink.Sanitize(text), c.Inner())
	over := len(lines) + more - promptLines
	p.long = over > 1
	rest := c.omitted(more)
	if p.long && !p.Open && !c.Full {
		lines = lines[:min(promptLines, len(lines))]
		rest = []string{c.Styles.Dim.Render(ink.Truncate(c.collapsed(over), c.Inner()))}
	}
	return ink.Hang(c.Styles.Cyan.Render(ink.MarkUser), append(ink.RenderLines(c.Styles.Bold, lines), rest...))
}

// Notice is an item for a message to the user.
type Notice struct{ Text string }

// Draw implements Item.
func (n *Notice) Draw(c Canvas) []string { return dimText(c, ink.Sanitize(n.Text)) }

// Problem is an item for an error and a hint.
type Problem struct{ Text, Hint string }

// Draw implements Item.
func (p *Problem) Draw(c Canvas) []string {
	return ink.Hang(c.Styles.Red.Render(ink.MarkFailed), ink.Wrap(withHint(ink.Sanitize(p.Text), p.Hint), c.Inner()))
}

// withHint appends the hint, if any, to the text of an error.
func withHint(text, hint string) string {
	if hint == "" {
		return text
	}
	return text + "\n" + ink.Sanitize(hint)
}

// Closing is an item for the line that ends a turn.
type Closing struct{ Text string }

// Draw implements Item.
func (e *Closing) Draw(c Canvas) []string { return dimText(c, e.Text) }

// dimText draws dim text.
func dimText(c Canvas, text string) []string {
	return ink.Hang(" ", ink.RenderLines(c.Styles.Dim, ink.Wrap(text, c.Inner())))
}

// outputLines breaks output into lines as a terminal shows them: text before a
// carriage return is overwritten.
func outputLines(s string, width int) []string {
	s = strings.TrimRight(s, "\r\n")
	if s == "" {
		return nil
	}
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		l = strings.TrimRight(l, "\r")
		lines[i] = l[strings.LastIndexByte(l, '\r')+1:]
	}
	return ink.Wrap(ink.Sanitize(strings.Join(lines, "\n")), width)
}

// lastLines returns the last n lines.
func lastLines(lines []string, n int) []string { return lines[max(0, len(lines)-n):] }

// firstLines returns the first n lines and a line with the number of omitted ones.
func firstLines(lines []string, n, width int) []string {
	if more := len(lines) - n; more > 1 {
		return append(lines[:n:n], moreLines(more, width))
	}
	return lines
}

// Spinner returns a frame of the spinner.
func Spinner(frame int) string {
	frames := []string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}
	return frames[frame%len(frames)]
}
