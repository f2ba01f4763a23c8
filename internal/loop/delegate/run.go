package delegate

import (
	"context"
	"slices"

	"agent/internal/llm"
	"agent/internal/loop/event"
)

// run is a session of a delegate while it works.
type run struct {
	*delegate
	commands chan event.Command
	queue    []event.Command // to be sent to commands
	answer   llm.Answer
	past     []event.Event // all durable events, for a front end that begins to watch
	stream   streaming
	began    bool // the delegate has read its task
	unread   int  // messages of the user that it has not read
	inTurn   bool
	action   string  // as in event.Delegate
	priced   bool    // the price of every turn is known
	cost     float64 // in US dollars
}

// run runs the session with the prompt and any later messages of the user until the
// delegate is done or ctx ends. It sets the fields of d.end.
func (d *delegate) run(ctx context.Context, s Session) {
	r := &run{delegate: d, commands: make(chan event.Command), inTurn: true, priced: true}
	events := make(chan event.Event, 64)
	d.pool.working.Go(func() { s.Run(context.WithoutCancel(ctx), r.commands, events) })
	r.queue = []event.Command{event.Prompt{Text: d.task.Prompt}}
	ended := ctx.Done()
	for {
		var send chan event.Command
		var next event.Command
		if len(r.queue) > 0 {
			send, next = r.commands, r.queue[0]
		}
		select {
		case e, ok := <-events:
			if !ok {
				r.close()
				return
			}
			r.handleEvent(e)
		case send <- next:
			r.queue = r.queue[1:]
		case <-d.orders.wake:
			r.drainCommands()
		case <-ended: // the pool closes, or the delegate was stopped before it began
			ended = nil
			r.queue = append(r.queue, event.Interrupt{})
		}
		if !r.inTurn && r.unread == 0 && len(r.queue) == 0 && r.commands != nil && r.orders.closeIfEmpty() {
			close(r.commands)
			r.commands = nil
		}
	}
}

// drainCommands moves the orders to the queue.
func (r *run) drainCommands() {
	for _, c := range r.orders.drain() {
		switch c.(type) {
		case watch:
			r.replay()
			continue
		case event.Prompt:
			r.unread++
		}
		r.queue = append(r.queue, c)
	}
}

// replay sends all durable events so far, and the reply that is being streamed, to the
// front end.
func (r *run) replay() {
	for _, e := range append(slices.Clip(r.past), r.stream.events()...) {
		_ = r.host.Emit(event.Delegated{ID: r.task.ID, Event: e})
	}
	r.pool.mu.Lock()
	r.pool.watched = r.task.ID
	r.pool.mu.Unlock()
}

// watched reports whether the front end gets the events of the delegate.
func (r *run) watched() bool {
	r.pool.mu.Lock()
	defer r.pool.mu.Unlock()
	return r.pool.watched == r.task.ID || r.pool.o.Forward
}

// handleEvent handles an event of the session.
func (r *run) handleEvent(e event.Event) {
	if r.watched() {
		_ = r.host.Emit(event.Delegated{ID: r.task.ID, Event: e})
	}
	if _, partial := e.(*event.Partial); partial {
		return
	}
	r.stream.handleEvent(e)
	if _, durable := e.(event.Durable); durable {
		r.past = append(r.past, e)
	}
	switch e := e.(type) {
	case *event.UserSaid:
		r.answer.Add(llm.Message{Kind: llm.User})
		r.inTurn = true
		switch {
		case e.Auto:
		case r.began:
			r.unread = max(0, r.unread-1)
		default:
			r.began = true
		}
	case event.Unsent:
		r.unread = max(0, r.unread-1)
		_ = r.host.Emit(e)
	case *event.MessageDone:
		r.answer.Add(e.Message)
	case *event.ToolEnd:
		r.answer.Add(llm.Message{Kind: llm.ToolResult})
		if e.Source != "" && !slices.Contains(r.end.Sources, e.Source) {
			r.end.Sources = append(r.end.Sources, e.Source)
		}
	case *event.TurnEnd:
		r.endTurn(e)
	}
	if action := actionOf(e); action != "" && action != r.action {
		r.action = action
		r.pool.change(r.delegate, func(s *event.Delegate) { s.Action = action })
	}
	if step, ok := e.(*event.StepEnd); ok {
		r.pool.change(r.delegate, func(s *event.Delegate) {
			s.Steps++
			s.Tokens += step.Usage.Total()
			if step.Cost != nil {
				s.Cost += *step.Cost
			}
		})
		if b := r.host.Budget(); b.Limited() {
			_ = r.host.Emit(b.Now())
		}
	}
}

// actionOf returns the action that a delegate begins with e; empty if e begins none.
func actionOf(e event.Event) string {
	switch e := e.(type) {
	case *event.ToolStart:
		return e.Title
	case *event.ToolEnd, *event.UserSaid:
		return "thinking"
	case event.Streamed:
		if _, text := e.Delta.(llm.TextDelta); text {
			return "writing"
		}
	case event.Retrying:
		return "retrying: " + e.Error
	case event.Summarizing:
		return "compacting its context"
	}
	return ""
}

// endTurn handles the end of a turn.
func (r *run) endTurn(e *event.TurnEnd) {
	r.inTurn = false
	end := r.end
	end.Reason, end.Error = e.Reason, e.Error
	end.Steps += e.Steps
	end.Usage = end.Usage.Add(e.Usage)
	if e.Cost != nil {
		r.cost += *e.Cost
	} else if e.Usage != (llm.Usage{}) {
		r.priced = false
	}
}

// close sets the answer and the cost in r.end after the session has ended.
func (r *run) close() {
	r.end.Answer = clip(r.answer.Text(), answerLimit(r.host.Model().Context))
	if r.priced && r.end.Usage != (llm.Usage{}) {
		r.end.Cost = &r.cost
	}
}
