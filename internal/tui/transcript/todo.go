package transcript

import (
	"slices"

	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
	"agent/internal/tui/ink"
)

// The marks of a plan.
const (
	markTodoDone    = "✓"
	markTodoActive  = "▸"
	markTodoPending = "○"
)

// todoRows is the maximum number of items of a collapsed plan.
const todoRows = 10

// todoLines draws a plan. If it is long and collapsed, it shows the items near the
// active one.
func todoLines(st *ink.Styles, items []event.TodoItem, width int, open bool) []string {
	from, to := 0, len(items)
	if to > todoRows && !open {
		from = max(0, min(activeItem(items)-todoRows/3, to-todoRows))
		to = from + todoRows
	}
	var out []string
	if from > 0 {
		out = append(out, st.Dim.Render(ink.Truncate("… "+phrase.Count(from, "more item")+" above", width)))
	}
	for _, item := range items[from:to] {
		mark, style := st.Dim.Render(markTodoPending), st.Plain
		switch item.State {
		case event.TodoDone:
			mark, style = st.Green.Render(markTodoDone), st.Dim
		case event.TodoActive:
			mark, style = markTodoActive, st.Bold
		}
		out = append(out, ink.Hang(mark, ink.RenderLines(style, ink.Wrap(ink.SanitizeLine(item.Text), max(width-ink.Gutter, 1))))...)
	}
	if rest := len(items) - to; rest > 0 {
		out = append(out, st.Dim.Render(ink.Truncate("… "+phrase.Count(rest, "more item"), width)))
	}
	return out
}

// activeItem returns the index of the active item, or else of the first that is not
// done.
func activeItem(items []event.TodoItem) int {
	at := slices.IndexFunc(items, func(i event.TodoItem) bool { return i.State == event.TodoActive })
	if at < 0 {
		at = slices.IndexFunc(items, func(i event.TodoItem) bool { return i.State != event.TodoDone })
	}
	return max(at, 0)
}
