// Package calls pairs the events of tool calls: it collects what the events report about
// a call until the call has its result. It holds no text for the model or the user. Start
// reading at Open.
package calls

import (
	"slices"

	"agent/internal/llm"
	"agent/internal/loop/event"
)

// Call is a tool call of the model and what the events report about it. Fields of events
// that did not happen are nil.
type Call struct {
	Message     llm.Message
	Start       *event.ToolStart
	Approval    *event.Decided       // of the user before the call started
	Answer      *event.Decided       // of the user to a question of the running call
	Rerun       *event.Decided       // of the user about a second run
	Todo        *event.TodoSet       // that the call set
	Plan        *event.PlanSet       // that the call presented, with the decision
	Delegate    *event.DelegateStart // that works for the call
	DelegateEnd *event.DelegateEnd   // of that delegate
}

// Open holds the calls without a result, in order. The nil value holds none.
type Open []*Call

// Take adds an event. It returns the call that the event is about, nil if that call is not
// open. A ToolEnd removes its call.
func (o *Open) Take(e event.Durable) (c *Call) {
	switch e := e.(type) {
	case *event.MessageDone:
		if e.Message.Kind == llm.ToolCall {
			c = o.add(e.Message)
		}
	case *event.ToolStart:
		if c = o.find(e.ID); c != nil {
			c.Start = e
		}
	case *event.Decided:
		if c = o.find(e.ID); c != nil {
			c.decide(e)
		}
	case *event.TodoSet:
		if c = o.find(e.ID); c != nil {
			c.Todo = e
		}
	case *event.PlanSet:
		if c = o.find(e.ID); c != nil {
			c.Plan = e
		}
	case *event.DelegateStart:
		if c = o.find(e.Call); c != nil {
			c.Delegate, c.DelegateEnd = e, nil
		}
	case *event.DelegateEnd:
		if c = o.waiting(e.ID); c != nil {
			c.DelegateEnd = e
		}
	case *event.ToolEnd:
		if c = o.find(e.Result.ID); c != nil {
			*o = slices.DeleteFunc(*o, func(other *Call) bool { return other == c })
		}
	}
	return c
}

// add adds a call. A damaged log may contain a call twice: then only the second one counts.
func (o *Open) add(m llm.Message) *Call {
	c := o.find(m.ID)
	if c == nil {
		c = &Call{}
		*o = append(*o, c)
	}
	*c = Call{Message: m}
	return c
}

// find returns the call with that ID, nil if it is not open.
func (o *Open) find(id string) *Call {
	for _, c := range *o {
		if c.Message.ID == id {
			return c
		}
	}
	return nil
}

// waiting returns the call that waits for the delegate with that ID, nil if none does.
func (o *Open) waiting(id int) *Call {
	for _, c := range *o {
		if c.Delegate != nil && c.Delegate.ID == id && c.DelegateEnd == nil {
			return c
		}
	}
	return nil
}

// decide adds a decision of the user.
func (c *Call) decide(e *event.Decided) {
	switch {
	case e.Rerun != "":
		c.Rerun = e
	case c.Start == nil:
		c.Approval = e
	default:
		c.Answer = e
	}
}
