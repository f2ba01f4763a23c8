package trace

import (
	"cmp"
	"net/url"
	"strconv"
	"strings"
	"time"

	"agent/internal/llm"
	"agent/internal/loop/event"
)

// listener turns the events of one agent into spans: of the main agent or of a
// delegate. It is not safe for concurrent use.
type listener struct {
	o            Options
	out          *exporter
	delegate     bool   // its agent is a delegate
	conversation string // ID of the session of its agent; empty if it is not saved
	top          *span  // of the session or of the delegate; the parent of the turns
	turns        int
	turn         *span // nil outside a turn
	step         *span // nil outside a step
	steps        int   // of the turn
	prefix       *event.Prefix
	tools        map[string]llm.Message // tool calls of the turn, by ID
	calls        map[string]*span       // running tool calls, by ID
	asks         map[string]*span       // open questions, by ID
	answer       llm.Answer
}

func newListener(o Options, out *exporter, top *span) *listener {
	return &listener{
		o: o, out: out, top: top,
		tools: map[string]llm.Message{}, calls: map[string]*span{}, asks: map[string]*span{},
	}
}

// listen adds an event.
func (l *listener) listen(e event.Event) {
	switch e := e.(type) {
	case *event.UserSaid:
		l.userSaid(e)
	case *event.Prefix:
		l.prefix = e
	case event.RequestDone:
		l.request(e)
	case *event.MessageDone:
		l.answer.Add(e.Message)
		if e.Message.Kind == llm.ToolCall {
			l.tools[e.Message.ID] = e.Message
		}
	case event.Asked:
		l.ask(e.Ask)
	case event.AskDone:
		l.asked(e)
	case *event.Decided: // in a delegate it can precede the AskDone, which its parent sends
		l.asked(event.AskDone{ID: e.ID, Decision: e.Decision})
	case *event.ToolStart:
		l.calls[e.ID] = l.inStep(e.Time).child("", internal, e.Time)
	case *event.ToolEnd:
		l.answer.Add(e.Result)
		l.toolEnd(e)
	case *event.StepEnd:
		s := l.inStep(e.Time)
		s.set("agent.cost_usd", e.Cost)
		l.write(s, e.Time)
		l.step = nil
	case *event.TurnEnd:
		l.turnEnd(e)
	}
}

// inTurn returns the span of the turn. At is when it began, if it just did.
func (l *listener) inTurn(at time.Time) *span {
	if l.turn == nil {
		l.turns++
		name := "invoke_agent agent"
		if l.delegate {
			name = "turn " + strconv.Itoa(l.turns)
		}
		l.turn, l.steps, l.answer = l.top.child(name, internal, at), 0, llm.Answer{}
		clear(l.tools)
		clear(l.calls)
		clear(l.asks)
	}
	return l.turn
}

// inStep is like inTurn for the step.
func (l *listener) inStep(at time.Time) *span {
	if l.step == nil {
		turn := l.inTurn(at)
		l.steps++
		l.step = turn.child("step "+strconv.Itoa(l.steps), internal, at)
		l.step.set("agent.step", l.steps)
	}
	return l.step
}

// userSaid adds a message of the user to the span of the turn.
func (l *listener) userSaid(e *event.UserSaid) {
	turn := l.inTurn(e.Time)
	if l.o.Content && !e.Auto && !e.Steered {
		turn.set("gen_ai.input.messages", messages([]llm.Message{{Kind: llm.User, Text: e.Text, Images: e.Images}}, ""))
	}
}

// request writes the span of a request to a model.
func (l *listener) request(e event.RequestDone) {
	parent := l.top
	switch {
	case e.Task == "":
		parent = l.inStep(e.Start)
	case e.Task == event.SummaryTask && l.step != nil:
		parent = l.step
	case e.Task == event.SummaryTask:
		parent = l.inTurn(e.Start)
	}
	s := parent.child("chat "+e.ID, client, e.Start)
	s.set("gen_ai.operation.name", "chat")
	provider, _, _ := strings.Cut(e.Model, "/")
	s.set("gen_ai.provider.name", provider)
	s.set("gen_ai.conversation.id", l.conversation)
	s.set("gen_ai.request.model", e.ID)
	s.set("gen_ai.request.max_tokens", e.MaxTokens)
	s.set("gen_ai.request.stream", true)
	if u, err := url.Parse(e.BaseURL); err == nil {
		s.set("server.address", u.Hostname())
		port, _ := strconv.Atoi(u.Port())
		s.set("server.port", port)
	}
	if e.Finish != "" {
		s.set("gen_ai.response.finish_reasons", []string{string(e.Finish)})
	}
	if e.First > 0 {
		s.set("gen_ai.response.time_to_first_chunk", e.First.Seconds())
	}
	setUsage(s, e.Usage)
	s.set("agent.cost_usd", e.Cost)
	s.set("agent.task", string(e.Task))
	if l.o.Content {
		s.set("gen_ai.input.messages", messages(e.New, ""))
		s.set("gen_ai.output.messages", messages(e.Reply, e.Finish))
	}
	switch {
	case e.ErrorKind == llm.ErrCanceled:
		s.set("error.type", string(e.ErrorKind))
	case e.ErrorKind != "":
		s.fail(string(e.ErrorKind), l.text(e.Error))
	}
	l.write(s, e.Start.Add(e.Duration))
}

// ask begins the span of a question.
func (l *listener) ask(a event.Ask) {
	if l.asks[a.ID] != nil {
		return
	}
	at := time.Now()
	parent := l.top
	if l.turn != nil || !l.delegate { // changes of a delegate are approved after its turns
		parent = l.inStep(at)
	}
	called := l.tools[a.ID].Name
	tool := cmp.Or(a.Tool, called)
	s := parent.child(strings.TrimSpace("approval "+tool), internal, at)
	if a.AboutTurn() {
		s.set("agent.approval.about", a.ID)
	} else {
		s.set("gen_ai.tool.name", tool)
		if tool != called {
			s.set("agent.tool.called", called)
		}
		s.set("gen_ai.tool.call.id", a.ID)
		s.set("agent.tool.effect", a.Effect)
	}
	l.asks[a.ID] = s
}

// asked ends the span of a question.
func (l *listener) asked(e event.AskDone) {
	if s := l.asks[e.ID]; s != nil {
		delete(l.asks, e.ID)
		s.set("agent.approval.decision", string(e.Decision))
		l.write(s, time.Now())
	}
}

// toolEnd ends the span of a tool call, which names the tool that was called in effect.
func (l *listener) toolEnd(e *event.ToolEnd) {
	id := e.Result.ID
	s := l.calls[id]
	delete(l.calls, id)
	if s == nil { // it did not run
		s = l.inStep(e.Time).child("", internal, e.Time)
	}
	called := event.EffectiveCall{Tool: l.tools[id].Name, Arguments: l.tools[id].Input}
	if e.Effective != nil {
		s.set("agent.tool.called", called.Tool)
		called = *e.Effective
	}
	s.Name = strings.TrimSpace("execute_tool " + called.Tool)
	s.set("gen_ai.operation.name", "execute_tool")
	s.set("gen_ai.tool.name", called.Tool)
	s.set("gen_ai.tool.type", "function")
	s.set("gen_ai.tool.call.id", id)
	s.set("agent.tool.effect", e.Effect)
	s.set("agent.tool.outcome", string(e.Outcome))
	if l.o.Content {
		s.set("gen_ai.tool.call.arguments", string(called.Arguments))
		s.set("gen_ai.tool.call.result", e.Result.Text)
	}
	if e.Outcome == event.Failed || e.Outcome == event.Uncertain {
		message := e.Error
		if message == "" {
			message, _, _ = strings.Cut(e.Result.Text, "\n")
		}
		s.fail(string(e.Outcome), l.text(message))
	}
	l.write(s, e.Time)
}

func (l *listener) turnEnd(e *event.TurnEnd) {
	s := l.inTurn(e.Time.Add(-e.Duration))
	l.endStep(e.Time)
	if e.Duration > 0 { // more exact than the first event
		s.Start = nanoseconds(e.Time.Add(-e.Duration))
	}
	if !l.delegate {
		s.set("gen_ai.operation.name", "invoke_agent")
		s.set("gen_ai.agent.name", "agent")
		s.set("gen_ai.agent.version", l.o.Version)
	}
	s.set("gen_ai.conversation.id", l.conversation)
	setUsage(s, e.Usage)
	s.set("agent.cost_usd", e.Cost)
	s.set("agent.steps", e.Steps)
	s.set("agent.turn.reason", string(e.Reason))
	if l.o.Content {
		if p := l.prefix; p != nil {
			s.set("gen_ai.system_instructions", encoded([]part{{Type: "text", Content: p.System}}))
		}
		if text := l.answer.Text(); text != "" {
			s.set("gen_ai.output.messages", messages([]llm.Message{{Kind: llm.Assistant, Text: text}}, llm.Stop))
		}
	}
	if e.Reason != event.Done && e.Reason != event.UserInterrupt {
		s.fail(string(e.Reason), l.text(e.Error))
	}
	l.write(s, e.Time)
	l.turn = nil
}

// endStep ends the open questions and the step, if any.
func (l *listener) endStep(at time.Time) {
	for _, s := range l.asks {
		l.write(s, at)
	}
	clear(l.asks)
	if l.step != nil {
		l.write(l.step, at)
		l.step = nil
	}
}

// text returns the text of an error if content is written.
func (l *listener) text(message string) string {
	if !l.o.Content {
		return ""
	}
	return message
}

// write writes a span that ended at a time.
func (l *listener) write(s *span, at time.Time) {
	s.End = nanoseconds(at)
	l.out.send(s)
}

func setUsage(s *span, u llm.Usage) {
	s.set("gen_ai.usage.input_tokens", u.Input)
	s.set("gen_ai.usage.output_tokens", u.Output)
	s.set("gen_ai.usage.cache_read.input_tokens", u.Cached)
	s.set("gen_ai.usage.cache_creation.input_tokens", u.CacheWrite)
	s.set("gen_ai.usage.reasoning.output_tokens", u.Reasoning)
}
