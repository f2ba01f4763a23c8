package agents

import (
	"strconv"

	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
	"agent/internal/tui/ink"
	"agent/internal/tui/screen"
	"agent/internal/tui/transcript"
)

// blockRows is the maximum number of delegates that Block shows.
const blockRows = 4

// Block draws the background delegates all, below a blank line if there is room. In a low
// window, several share one line.
func Block(w *screen.Window, all []event.Delegate) []string {
	const spacedHeight, low, tiny = 20, 16, 10
	switch {
	case len(all) == 0 || w.Height < tiny:
		return nil
	case len(all) > 1 && w.Height < low:
		return []string{w.Styles.Dim.Render(ink.Truncate(ink.MarkRunning+" "+phrase.Count(len(all), "delegate")+" · /agents", w.Width))}
	}
	var out []string
	if w.Height >= spacedHeight {
		out = append(out, "")
	}
	for i, d := range all {
		if i == blockRows {
			more := "  + " + strconv.Itoa(len(all)-i) + " more · /agents"
			return append(out, w.Styles.Dim.Render(ink.Truncate(more, w.Width)))
		}
		out = append(out, transcript.DelegateLine(w.Styles, d, w.Now().Sub(d.Began), w.Width))
	}
	return out
}
