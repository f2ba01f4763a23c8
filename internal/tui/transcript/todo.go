package transcript

import (
	"fmt"
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

// todoRows is how much of a plan is shown while it is closed.
const todoRows = 10

// todoSet takes a new plan, and shows it with the call that made it.
func (f *Feed) todoSet(ev *event.TodoSet) {
	f.Todo = ev.Items
	if ev.ID != "" {
		f.call(ev.ID, func(t *Tool) { t.todo = ev.Items })
	}
}

// todoLines draws a plan. Of a long one that is closed, what is near the active
// item is shown.
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

// activeItem is the index of the item that is worked on, else of the first that
// is not done.
func activeItem(items []event.TodoItem) int {
	at := slices.IndexFunc(items, func(i event.TodoItem) bool { return i.State == event.TodoActive })
	if at < 0 {
		at = slices.IndexFunc(items, func(i event.TodoItem) bool { return i.State != event.TodoDone })
	}
	return max(at, 0)
}

// TodoNow says in a line what the model is at while a turn runs; empty if
// nothing of its plan is.
func (f *Feed) TodoNow() string {
	i := activeItem(f.Todo)
	if !f.Running || i >= len(f.Todo) || f.Todo[i].State != event.TodoActive {
		return ""
	}
	return fmt.Sprintf("%s %d of %d  %s", markTodoActive, i+1, len(f.Todo), ink.SanitizeLine(f.Todo[i].Text))
}
