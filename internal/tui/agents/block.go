package agents

import (
	"strconv"

	"agent/internal/llm/phrase"
	"agent/internal/tui/ink"
	"agent/internal/tui/screen"
	"agent/internal/tui/transcript"
)

// blockRows is the maximum number of delegates that Block shows.
const blockRows = 4

// Block draws the background delegates, below a blank line if there is room. In a low
// window, several share one line.
func Block(c *screen.Conversation) []string {
	const roomy, low, tiny = 20, 16, 10
	all := c.Background()
	switch {
	case len(all) == 0 || c.Height < tiny:
		return nil
	case len(all) > 1 && c.Height < low:
		return []string{c.Styles.Dim.Render(ink.Truncate(ink.MarkRunning+" "+phrase.Count(len(all), "delegate")+" · /agents", c.Width))}
	}
	var out []string
	if c.Height >= roomy {
		out = append(out, "")
	}
	for i, d := range all {
		if i == blockRows {
			more := "  + " + strconv.Itoa(len(all)-i) + " more · /agents"
			return append(out, c.Styles.Dim.Render(ink.Truncate(more, c.Width)))
		}
		out = append(out, transcript.DelegateLine(c.Styles, d, c.Now().Sub(d.Began), c.Width))
	}
	return out
}
