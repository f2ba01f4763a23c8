// Package trace writes OpenTelemetry traces of a session: a span for the session and
// each turn, step, request, tool call and approval. It listens to events, changes
// nothing, and never blocks. Attributes have the names of the GenAI conventions;
// those without a name there begin with "agent.".
//
// Prompts, answers, tool arguments, titles, results and the texts of errors are
// content, which is left out by default. Start reading at Trace.Listen.
package trace

import (
	"context"
	"net/url"
	"strconv"
	"strings"
	"time"

	"agent/internal/llm"
	"agent/internal/loop/event"
)

// closeTime limits Close.
const closeTime = time.Second

// Options configure a Trace.
type Options struct {
	File    string // spans are appended to it
	Session string // ID of the session; empty if it is not saved
	Content bool   // spans have the content of the conversation
	Version string // of the program
	// Endpoint is the base URL of a collector, as in OTEL_EXPORTER_OTLP_ENDPOINT; empty
	// for none. Headers are sent to it: "name=value,name=value".
	Endpoint, Headers string
}

// Trace turns the events of one session into spans and exports them. Listen and Close
// must not be called at the same time. On nil, Close does nothing.
type Trace struct {
	o       Options
	out     *exporter
	cancel  context.CancelFunc // stops sending
	session *span
	turn    *span // nil outside a turn
	step    *span // nil outside a step
	steps   int   // of the turn
	prefix  *event.Prefix
	tools   map[string]llm.Message // tool calls of the turn, by ID
	calls   map[string]*span       // running tool calls, by ID
	asks    map[string]*span       // open questions, by ID
	answer  llm.Answer
}

// Open opens the file and begins the trace.
func Open(o Options) (*Trace, error) {
	ctx, cancel := context.WithCancel(context.Background())
	out, err := newExporter(ctx, o)
	if err != nil {
		cancel()
		return nil, err
	}
	t := &Trace{o: o, out: out, cancel: cancel}
	t.session = &span{TraceID: newID(16), ID: newID(8), Name: "session", Kind: internal, Start: nanoseconds(time.Now())}
	t.session.set("gen_ai.conversation.id", o.Session)
	return t, nil
}

// Problems returns the channel of messages for the user.
func (t *Trace) Problems() <-chan string {
	return t.out.problems
}

// Close ends the trace of a session whose agent has ended. It waits about closeTime at
// most until everything is written and sent, and returns the messages that nobody
// received.
func (t *Trace) Close() (problems []string) {
	if t == nil {
		return nil
	}
	t.end(t.session, time.Now())
	close(t.out.spans)
	ended := make(chan struct{})
	go func() { t.out.done.Wait(); close(ended) }()
	time.AfterFunc(closeTime, t.cancel)
	select {
	case <-ended:
	case <-time.After(closeTime + closeTime/4): // a file system may hang
	}
	t.cancel()
	for {
		select {
		case text := <-t.out.problems:
			problems = append(problems, text)
		default:
			return problems
		}
	}
}

// Listen adds an event. The agent sends them in order.
func (t *Trace) Listen(e event.Event) {
	switch e := e.(type) {
	case *event.UserSaid:
		t.userSaid(e)
	case *event.Prefix:
		t.prefix = e
	case event.RequestDone:
		t.request(e)
	case *event.MessageDone:
		t.answer.Add(e.Message)
		if e.Message.Kind == llm.ToolCall {
			t.tools[e.Message.ID] = e.Message
		}
	case event.Asked:
		t.ask(e.Ask)
	case event.AskDone:
		t.asked(e)
	case *event.ToolStart:
		t.calls[e.ID] = t.call(e.ID, e.Time)
	case *event.ToolEnd:
		t.answer.Add(e.Result)
		t.toolEnd(e)
	case *event.StepEnd:
		s := t.inStep(e.Time)
		s.set("agent.cost_usd", e.Cost)
		t.end(s, e.Time)
		t.step = nil
	case *event.TurnEnd:
		t.turnEnd(e)
	}
}

// inTurn returns the span of the turn. At is when it began, if it just did.
func (t *Trace) inTurn(at time.Time) *span {
	if t.turn == nil {
		t.turn, t.steps, t.answer = t.session.child("invoke_agent agent", internal, at), 0, llm.Answer{}
		t.tools, t.calls, t.asks = map[string]llm.Message{}, map[string]*span{}, map[string]*span{}
	}
	return t.turn
}

// inStep is like inTurn for the step.
func (t *Trace) inStep(at time.Time) *span {
	if t.step == nil {
		turn := t.inTurn(at)
		t.steps++
		t.step = turn.child("step "+strconv.Itoa(t.steps), internal, at)
		t.step.set("agent.step", t.steps)
	}
	return t.step
}

// userSaid adds a message of the user to the span of the turn.
func (t *Trace) userSaid(e *event.UserSaid) {
	turn := t.inTurn(e.Time)
	if t.o.Content && !e.Auto && !e.Steered {
		turn.set("gen_ai.input.messages", messages([]llm.Message{{Kind: llm.User, Text: e.Text, Images: e.Images}}, ""))
	}
}

// request writes the span of a request to a model.
func (t *Trace) request(e event.RequestDone) {
	parent := t.session
	switch {
	case e.Task == "":
		parent = t.inStep(e.Start)
	case e.Task == event.SummaryTask && t.step != nil:
		parent = t.step
	case e.Task == event.SummaryTask:
		parent = t.inTurn(e.Start)
	}
	s := parent.child("chat "+e.ID, client, e.Start)
	s.set("gen_ai.operation.name", "chat")
	provider, _, _ := strings.Cut(e.Model, "/")
	s.set("gen_ai.provider.name", provider)
	s.set("gen_ai.conversation.id", t.o.Session)
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
	if t.o.Content {
		s.set("gen_ai.input.messages", messages(e.New, ""))
		s.set("gen_ai.output.messages", messages(e.Reply, e.Finish))
	}
	switch {
	case e.ErrorKind == llm.ErrCanceled:
		s.set("error.type", string(e.ErrorKind))
	case e.ErrorKind != "":
		s.fail(string(e.ErrorKind), t.text(e.Error))
	}
	t.end(s, e.Start.Add(e.Duration))
}

// ask begins the span of a question.
func (t *Trace) ask(a event.Ask) {
	at := time.Now()
	parent := t.inStep(at)
	name := "approval"
	if call := t.tools[a.ID].Name; call != "" {
		name += " " + call
	}
	s := parent.child(name, internal, at)
	if a.AboutTurn() {
		s.set("agent.approval.about", a.ID)
	} else {
		s.set("gen_ai.tool.name", t.tools[a.ID].Name)
		s.set("gen_ai.tool.call.id", a.ID)
		s.set("agent.tool.effect", a.Effect)
	}
	t.asks[a.ID] = s
}

// asked ends the span of a question.
func (t *Trace) asked(e event.AskDone) {
	if s := t.asks[e.ID]; s != nil {
		delete(t.asks, e.ID)
		s.set("agent.approval.decision", string(e.Decision))
		t.end(s, time.Now())
	}
}

// call returns a new span of the tool call id.
func (t *Trace) call(id string, start time.Time) *span {
	s := t.inStep(start).child(strings.TrimSpace("execute_tool "+t.tools[id].Name), internal, start)
	s.set("gen_ai.operation.name", "execute_tool")
	s.set("gen_ai.tool.name", t.tools[id].Name)
	s.set("gen_ai.tool.type", "function")
	s.set("gen_ai.tool.call.id", id)
	return s
}

func (t *Trace) toolEnd(e *event.ToolEnd) {
	id := e.Result.ID
	s := t.calls[id]
	delete(t.calls, id)
	if s == nil { // it did not run
		s = t.call(id, e.Time)
	}
	s.set("agent.tool.effect", e.Effect)
	s.set("agent.tool.outcome", string(e.Outcome))
	if t.o.Content {
		s.set("gen_ai.tool.call.arguments", string(t.tools[id].Input))
		s.set("gen_ai.tool.call.result", e.Result.Text)
	}
	if e.Outcome == event.Failed || e.Outcome == event.Uncertain {
		message := e.Error
		if message == "" {
			message, _, _ = strings.Cut(e.Result.Text, "\n")
		}
		s.fail(string(e.Outcome), t.text(message))
	}
	t.end(s, e.Time)
}

func (t *Trace) turnEnd(e *event.TurnEnd) {
	s := t.inTurn(e.Time.Add(-e.Duration))
	for id := range t.asks {
		t.asked(event.AskDone{ID: id})
	}
	if t.step != nil {
		t.end(t.step, e.Time)
	}
	if e.Duration > 0 { // more exact than the first event
		s.Start = nanoseconds(e.Time.Add(-e.Duration))
	}
	s.set("gen_ai.operation.name", "invoke_agent")
	s.set("gen_ai.agent.name", "agent")
	s.set("gen_ai.agent.version", t.o.Version)
	s.set("gen_ai.conversation.id", t.o.Session)
	setUsage(s, e.Usage)
	s.set("agent.cost_usd", e.Cost)
	s.set("agent.steps", e.Steps)
	s.set("agent.turn.reason", string(e.Reason))
	if t.o.Content {
		if p := t.prefix; p != nil {
			s.set("gen_ai.system_instructions", encoded([]part{{Type: "text", Content: p.System}}))
		}
		if text := t.answer.Text(); text != "" {
			s.set("gen_ai.output.messages", messages([]llm.Message{{Kind: llm.Assistant, Text: text}}, llm.Stop))
		}
	}
	if e.Reason != event.Done && e.Reason != event.UserInterrupt {
		s.fail(string(e.Reason), t.text(e.Error))
	}
	t.end(s, e.Time)
	t.turn, t.step = nil, nil
}

// text returns the text of an error if content is written.
func (t *Trace) text(message string) string {
	if !t.o.Content {
		return ""
	}
	return message
}

// end writes a span that ended at a time.
func (t *Trace) end(s *span, at time.Time) {
	s.End = nanoseconds(at)
	t.out.send(s)
}

func setUsage(s *span, u llm.Usage) {
	s.set("gen_ai.usage.input_tokens", u.Input)
	s.set("gen_ai.usage.output_tokens", u.Output)
	s.set("gen_ai.usage.cache_read.input_tokens", u.Cached)
	s.set("gen_ai.usage.cache_creation.input_tokens", u.CacheWrite)
	s.set("gen_ai.usage.reasoning.output_tokens", u.Reasoning)
}
