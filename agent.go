// Package agent runs a language model in a loop with tools inside another Go program. It is
// the loop of the program agent (cmd/agent) without its screen, files and sandbox: the only
// tools are the functions that you give it, and nothing is stored.
//
// Replies are streamed, failed requests are repeated, each call of a tool gets exactly one
// result, and a conversation that outgrows the context window is summarized. Start reading
// at New.
package agent

import (
	"context"
	"errors"
	"fmt"
	"time"

	"agent/internal/llm"
	"agent/internal/loop"
	"agent/internal/loop/event"
	"agent/internal/loop/session"
)

// Options configure an Agent. Only Model is required.
type Options struct {
	Model Model
	// System is the system prompt; empty for a short one.
	System string
	// Tools are the functions that the model may call. They run without approval, one at a
	// time.
	Tools  []Tool
	Limits Limits
	Events
}

// Events are functions that Prompt calls while it runs, one after the other. Each may be nil.
type Events struct {
	// OnToken gets the answer, and the text before calls, piece by piece. If a request
	// fails in the middle of a reply, the reply begins again after a notice.
	OnToken func(text string)
	// OnToolCallStart and OnToolCallEnd are called once for each call. A call that is not
	// run, because its arguments do not fit, ends with an error, too.
	OnToolCallStart func(ToolCall)
	OnToolCallEnd   func(ToolCall, ToolResult)
	// OnNotice gets sentences for a person, such as that a request is repeated.
	OnNotice func(text string)
	// OnComplete gets what Prompt returns.
	OnComplete func(Answer, error)
}

// Limits bound one prompt. A zero field is no limit, except that a prompt without any limit
// may take 500 steps. At a limit the model gives its last answer, without tools.
type Limits struct {
	Steps  int           // replies of the model
	Tokens int           // of input and output together
	Cost   float64       // US dollars; models with unknown prices cost nothing
	Time   time.Duration // of work
}

// Answer is the end of a prompt.
type Answer struct {
	Text  string // the text after the last call
	Steps int    // replies of the model
	// InputTokens and OutputTokens are those of all steps, as the provider counted them.
	InputTokens, OutputTokens int
	Cost                      *float64 // US dollars; nil if a price is unknown
}

// Error is why a prompt ended before the model was done.
type Error struct {
	// Reason is "max_steps" or "budget" at a limit, "tools_failed" or "repeating" if the model
	// made no progress, "length" or "content_filter" if the provider cut off the reply, and
	// "error" if requests failed.
	Reason  string
	Message string // one sentence for a person
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// Agent is a conversation with a model. Its methods must not be called at the same time.
type Agent struct {
	events   Events
	commands chan event.Command
	received chan event.Event
	stop     context.CancelFunc
	replay   *session.Replay
	closed   bool
}

// New returns an agent whose conversation is empty. It does not connect yet. Close must be
// called at the end.
func New(o Options) (*Agent, error) {
	model, err := o.Model.connect()
	if err != nil {
		return nil, err
	}
	own, names, err := toolsOf(o.Tools)
	if err != nil {
		return nil, err
	}
	if o.System == "" {
		o.System = "Answer the user. Call the tools that help."
	}
	ctx, stop := context.WithCancel(context.Background())
	a := &Agent{events: o.Events, commands: make(chan event.Command), received: make(chan event.Event), stop: stop, replay: session.NewReplay()}
	in := loop.NewAgent(loop.Options{
		Models:      loop.ModelOptions{Current: model},
		Prompt:      loop.PromptOptions{System: o.System},
		TurnBudget:  o.Limits.budget(),
		Permissions: loop.PermissionOptions{Mode: event.ModeAll},
		Tools:       own,
		Delegate:    loop.DelegateOptions{Only: names}, // none of the agent's own
	})
	go in.Run(ctx, a.commands, a.received)
	return a, nil
}

// budget returns the limits as a budget; nil for none.
func (l Limits) budget() event.Budget {
	b := event.Budget{}
	for limit, amount := range map[event.Limit]float64{
		event.LimitSteps: float64(l.Steps), event.LimitTokens: float64(l.Tokens), event.LimitCost: l.Cost, event.LimitTime: l.Time.Seconds(),
	} {
		if amount > 0 {
			b[limit] = amount
		}
	}
	return b
}

// Prompt sends a message of the user, runs the calls of the model, and returns its answer.
// When ctx ends, it interrupts the model and the running function, and returns the text so
// far with the error of ctx. The conversation stays usable after every error.
func (a *Agent) Prompt(ctx context.Context, text string) (Answer, error) {
	if a.closed {
		return Answer{}, errors.New("the agent is closed")
	}
	p := &prompt{Events: a.events, calls: map[string]ToolCall{}, started: map[string]bool{}}
	var next event.Command = event.Prompt{Text: text}
	commands, interrupted := a.commands, (<-chan struct{})(nil)
	for {
		select {
		case commands <- next:
			if _, isPrompt := next.(event.Prompt); isPrompt {
				interrupted = ctx.Done()
			}
			commands = nil
		case <-interrupted:
			interrupted, commands, next = nil, a.commands, event.Interrupt{}
		case e := <-a.received:
			if d, ok := e.(event.Durable); ok {
				a.replay.Add(d)
			}
			end, over := p.add(e)
			if !over {
				continue
			}
			answer, err := p.end(ctx, end)
			if a.events.OnComplete != nil {
				a.events.OnComplete(answer, err)
			}
			return answer, err
		}
	}
}

// Close ends the agent. It waits until nothing runs any more.
func (a *Agent) Close() {
	if a.closed {
		return
	}
	a.closed = true
	a.stop()
	for range a.received { // until Run has ended
	}
}

// prompt is what a prompt has led to.
type prompt struct {
	Events
	answer  llm.Answer
	calls   map[string]ToolCall // by ID
	started map[string]bool     // IDs of the calls that OnToolCallStart got
}

// add handles an event. It reports whether that is the end of the prompt.
func (p *prompt) add(e event.Event) (end *event.TurnEnd, over bool) {
	switch e := e.(type) {
	case event.Streamed:
		if d, ok := e.Delta.(llm.TextDelta); ok && p.OnToken != nil {
			p.OnToken(d.Text)
		}
	case *event.UserSaid:
		p.answer.Add(llm.Message{Kind: llm.User})
	case *event.MessageDone:
		p.answer.Add(e.Message)
		if m := e.Message; m.Kind == llm.ToolCall {
			p.calls[m.ID] = ToolCall{ID: m.ID, Name: m.Name, Arguments: m.Input}
		}
	case *event.ToolStart:
		p.start(e.ID)
	case *event.ToolEnd:
		p.answer.Add(e.Result)
		p.start(e.Result.ID)
		if p.OnToolCallEnd != nil {
			p.OnToolCallEnd(p.calls[e.Result.ID], ToolResult{Text: e.Result.Text, IsError: e.Result.IsError, Duration: e.Duration})
		}
	case event.Notice:
		p.notify(e.Text)
	case event.Retrying:
		p.notify(fmt.Sprintf("%s; the request is repeated in %s", e.Error, e.In.Round(time.Second)))
	case *event.TurnEnd:
		return e, true
	}
	return nil, false
}

func (p *prompt) start(id string) {
	if p.OnToolCallStart != nil && !p.started[id] {
		p.OnToolCallStart(p.calls[id])
	}
	p.started[id] = true
}

func (p *prompt) notify(text string) {
	if p.OnNotice != nil {
		p.OnNotice(text)
	}
}

// end returns the answer, and an error unless the model gave it.
func (p *prompt) end(ctx context.Context, e *event.TurnEnd) (Answer, error) {
	answer := Answer{Text: p.answer.Text(), Steps: e.Steps, InputTokens: e.Usage.Input, OutputTokens: e.Usage.Output, Cost: e.Cost}
	switch {
	case e.Reason == event.Done:
		return answer, nil
	case e.Reason == event.UserInterrupt && ctx.Err() != nil:
		return answer, context.Cause(ctx)
	}
	return answer, &Error{Reason: string(e.Reason), Message: e.Error}
}
