package turn

import (
	"context"
	"fmt"

	"agent/internal/llm"
	"agent/internal/loop/event"
)

// noteWindow tells the user, once for each model, that its context window is only
// assumed.
func (q *requester) noteWindow(m Model) {
	if q.conv.assumed[m.Name] {
		return
	}
	q.conv.assumed[m.Name] = true
	q.out.emit(event.Notice{Text: fmt.Sprintf("%s: the context window is assumed to be %d tokens until the server has loaded the model. To raise it, %s.",
		m.Name, m.Context, m.Window.Advice)})
}

// measure replaces the assumed context window of m, which has just sent reply.
func (q *requester) measure(ctx context.Context, m Model, reply *llm.Reply) {
	if m.Window == nil || reply.Finish.Reason == "" || ctx.Err() != nil {
		return
	}
	window := m.Window.Measure(ctx)
	if window == 0 {
		q.noteWindow(m)
		return
	}
	q.models.Update(func(now Model) Model { return now.Measured(m.Name, window) })
	if window != m.Context {
		q.out.emit(event.Notice{Text: fmt.Sprintf("%s: the context window is %d tokens.", m.Name, window)})
	}
}
