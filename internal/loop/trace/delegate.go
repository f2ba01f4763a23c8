package trace

import (
	"strconv"
	"strings"
	"time"

	"agent/internal/llm"
	"agent/internal/loop/event"
)

// delegate listens to a delegate. The span of the delegate is the top of its listener.
type delegate struct {
	*listener
	begun, ended bool
}

// newDelegate returns the delegate of an agent that main listens to. Until it begins,
// its span is below that of the session.
func newDelegate(main *listener) *delegate {
	d := &delegate{listener: newListener(main.o, main.out, main.top.child("invoke_agent", internal, time.Now()))}
	d.listener.delegate = true
	return d
}

// begin describes the delegate. Call is the span of the call that started it; nil if
// the user did.
func (d *delegate) begin(e *event.DelegateStart, call *span) {
	s := d.top
	d.begun, d.conversation = true, e.Session
	s.Name, s.Start = "invoke_agent "+e.Name, nanoseconds(e.Time)
	if call != nil {
		s.Parent = call.ID
	}
	s.set("gen_ai.operation.name", "invoke_agent")
	s.set("gen_ai.agent.name", e.Name)
	s.set("gen_ai.agent.id", strconv.Itoa(e.ID))
	s.set("gen_ai.agent.version", d.o.Version)
	s.set("gen_ai.conversation.id", e.Session)
	provider, model, _ := strings.Cut(e.Model, "/")
	s.set("gen_ai.provider.name", provider)
	s.set("gen_ai.request.model", model)
	if d.o.Content {
		s.set("gen_ai.input.messages", messages([]llm.Message{{Kind: llm.User, Text: e.Prompt}}, ""))
	}
}

// finish ends the span as e says.
func (d *delegate) finish(e *event.DelegateEnd) {
	s := d.top
	setUsage(s, e.Usage)
	s.set("agent.cost_usd", e.Cost)
	s.set("agent.steps", e.Steps)
	s.set("agent.delegate.reason", string(e.Reason))
	if e.Background {
		s.set("agent.delegate.background", true)
	}
	if d.o.Content && e.Answer != "" {
		s.set("gen_ai.output.messages", messages([]llm.Message{{Kind: llm.Assistant, Text: e.Answer}}, llm.Stop))
	}
	if e.Reason != event.Done && e.Reason != event.UserInterrupt {
		s.fail(string(e.Reason), d.text(e.Error))
	}
	d.end(e.Time)
}

// end ends all spans of the delegate, unless it has not begun.
func (d *delegate) end(at time.Time) {
	d.ended = true
	if !d.begun {
		return
	}
	d.endStep(at)
	for _, s := range d.calls {
		d.write(s, at)
	}
	if d.turn != nil {
		d.write(d.turn, at)
	}
	d.write(d.top, at)
}
