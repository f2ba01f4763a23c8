package transcript

import (
	"strings"

	"agent/internal/tui/ink"
)

// Report is an item for an answer of the program: a summary, and a long text that is
// shown when the item is opened.
type Report struct {
	Summary, Text string
	expandable
}

func (r *Report) more() bool { return r.Text != "" }

// Draw implements Item.
func (r *Report) Draw(c Canvas) []string {
	width := c.Inner()
	lines := outputLines(r.Summary, width)
	if r.Text == "" {
		return ink.Hang(" ", lines)
	}
	if !r.Open && !c.Full {
		n := strings.Count(strings.TrimRight(r.Text, "\n"), "\n") + 1
		return ink.Hang(" ", append(lines, c.Styles.Dim.Render(ink.Truncate(c.collapsed(n), width))))
	}
	shown := strings.ToValidUTF8(r.Text[:min(len(r.Text), c.limit())], "")
	lines = append(lines, outputLines(shown, width)...)
	return ink.Hang(" ", append(lines, c.omitted(strings.Count(r.Text[len(shown):], "\n"))...))
}
