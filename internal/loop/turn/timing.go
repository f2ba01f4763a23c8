package turn

import (
	"context"
	"errors"
	"strings"
	"time"

	"agent/internal/llm"
	"agent/internal/loop/event"
)

// timing collects the RequestDone of a request.
type timing struct {
	model Model
	now   func() time.Time
	done  event.RequestDone
}

// startTiming begins the timing of a request to m, which is sent now.
func startTiming(m Model, req llm.Request, now func() time.Time) timing {
	return timing{m, now, event.RequestDone{
		Model: m.Name, ID: m.ID, BaseURL: m.BaseURL, MaxTokens: req.MaxTokens, Start: now(), New: sinceReply(req.Messages),
	}}
}

// arrived notes that a delta arrived.
func (t *timing) arrived() {
	if t.done.First == 0 {
		t.done.First = t.now().Sub(t.done.Start)
	}
}

// end returns the result of a request with the reply and the error err.
func (t *timing) end(reply *llm.Reply, err error) event.RequestDone {
	e := t.done
	e.Duration = t.now().Sub(e.Start)
	e.Finish, e.Usage, e.Reply = reply.Finish.Reason, reply.Finish.Usage, reply.Messages()
	if usd, known := t.model.price(e.Usage); known {
		e.Cost = &usd
	}
	if err != nil {
		e.Error, e.ErrorKind = err.Error(), llm.ErrCanceled
		if failure, ok := errors.AsType[*llm.Error](err); ok {
			e.ErrorKind = failure.Kind
		}
	}
	return e
}

// sinceReply returns the messages after the last one of the model.
func sinceReply(msgs []llm.Message) []llm.Message {
	from := len(msgs)
	for from > 0 && (msgs[from-1].Kind == llm.User || msgs[from-1].Kind == llm.ToolResult) {
		from--
	}
	return msgs[from:]
}

// price returns the price of a reply in US dollars, if it is known. A reply without
// usage has no known price.
func (m Model) price(u llm.Usage) (usd float64, known bool) {
	if m.Cost == nil || u == (llm.Usage{}) {
		return 0, false
	}
	return m.Cost(u)
}

// Complete sends a request whose reply is not shown. It returns the text of the reply.
func (m Model) Complete(ctx context.Context, req llm.Request, now func() time.Time) (string, event.RequestDone, error) {
	t := startTiming(m, req, now)
	reply, err := m.receive(ctx, req, t.arrived)
	var text strings.Builder
	for _, said := range reply.Messages() {
		if said.Kind == llm.Assistant {
			text.WriteString(said.Text)
		}
	}
	if err == nil && strings.TrimSpace(text.String()) == "" {
		err = &llm.Error{Kind: llm.ErrProtocol, Message: m.Name + " gave an empty answer", Retry: true}
	}
	return text.String(), t.end(reply, err), err
}

// receive returns the reply to req, as far as it arrived before the error.
func (m Model) receive(ctx context.Context, req llm.Request, arrived func()) (*llm.Reply, error) {
	reply := llm.NewReply("")
	for d, err := range m.Provider.Stream(ctx, req) {
		if err != nil {
			return reply, err
		}
		arrived()
		reply.Add(d)
		if reply.Exceeded() != "" {
			break
		}
	}
	return reply, ctx.Err()
}
