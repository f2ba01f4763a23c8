package transcript

import (
	"strings"

	"agent/internal/llm"
	"agent/internal/tui/ink"
)

// webSearch is an item for a web search that the provider ran. Its results are shown
// while it is expanded.
type webSearch struct {
	llm.Search
	done bool // nothing more arrives
	expandable
}

func (w *webSearch) class() class { return steps }

func (w *webSearch) more() bool { return len(w.Results) > 0 }

// finish sets the final state.
func (w *webSearch) finish(m llm.Message) {
	if w.done = true; m.Search != nil {
		w.Search = *m.Search
	}
}

// Draw implements Item.
func (w *webSearch) Draw(c Canvas) []string {
	mark := c.Styles.Dim.Render(ink.MarkRunning)
	text := w.Text()
	switch {
	case w.Error != "":
		mark = c.Styles.Red.Render(ink.MarkFailed)
	case w.Ended:
		mark = c.Styles.Dim.Render(ink.MarkDone)
	case w.done:
		mark = c.Styles.Red.Render(ink.MarkFailed)
		text = strings.TrimSuffix(text, " …") + " · interrupted"
	}
	lines := []string{ink.Truncate(ink.SanitizeLine(text), c.Inner())}
	if w.Open || c.Full {
		for _, r := range w.Results {
			lines = append(lines, ink.RenderLines(c.Styles.Dim, ink.Wrap(ink.SanitizeLine(strings.TrimSpace(r.Title+"  "+r.URL)), c.Inner()))...)
		}
	}
	return ink.Hang(mark, lines)
}
