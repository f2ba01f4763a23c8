// Package trace writes OpenTelemetry traces of a session: a span for the session and
// each turn, step, request, tool call, approval and delegate. It listens to events,
// changes nothing, and never waits for a file or the network. Attributes have the names of the GenAI conventions;
// those without a name there begin with "agent.".
//
// Prompts, answers, tool arguments, titles, results and the texts of errors are
// content, which is left out by default. Start reading at Trace.Listen and
// Trace.Delegate.
package trace

import (
	"context"
	"sync"
	"time"

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

// Trace turns the events of a session and of its delegates into spans and exports
// them. It is safe for concurrent use. On nil, Delegate and Close do nothing.
type Trace struct {
	out    *exporter
	cancel context.CancelFunc // stops sending

	mu        sync.Mutex
	closed    bool
	main      *listener
	delegates map[int]*delegate // running, by number
}

// Open opens the file and begins the trace.
func Open(o Options) (*Trace, error) {
	ctx, cancel := context.WithCancel(context.Background())
	out, err := newExporter(ctx, o)
	if err != nil {
		cancel()
		return nil, err
	}
	session := &span{TraceID: newID(16), ID: newID(8), Name: "session", Kind: internal, Start: nanoseconds(time.Now())}
	session.set("gen_ai.conversation.id", o.Session)
	main := newListener(o, out, session)
	main.conversation = o.Session
	return &Trace{out: out, cancel: cancel, main: main, delegates: map[int]*delegate{}}, nil
}

// Close ends the trace and drops later events. It waits about closeTime at most until
// everything is written and sent, and returns the messages that nobody received.
func (t *Trace) Close() (problems []string) {
	if t == nil {
		return nil
	}
	t.endAll()
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

// endAll ends the spans of the delegates and of the session, and the queue of spans.
func (t *Trace) endAll() {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	for _, d := range t.delegates {
		d.end(now)
	}
	t.main.write(t.main.top, now)
	t.closed = true
	close(t.out.spans)
}

// Listen adds an event of the main agent, which sends them in order.
func (t *Trace) Listen(e event.Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return
	}
	switch e := e.(type) {
	case *event.DelegateStart:
		t.delegate(e.ID).begin(e, t.main.calls[e.Call])
	case *event.DelegateEnd:
		if d := t.delegates[e.ID]; d != nil {
			d.finish(e)
			delete(t.delegates, e.ID)
		}
	case event.Asked:
		l := t.main
		if e.Ask.Agent != "" {
			l, e.Ask.ID = t.asking(e.Ask.ID)
		}
		l.ask(e.Ask)
	case event.AskDone:
		l := t.main
		if l.asks[e.ID] == nil {
			l, e.ID = t.asking(e.ID)
		}
		l.asked(e)
	default:
		t.main.listen(e)
	}
}

// asking returns the listener of the delegate that asks the question with the ID
// "2:ID", and the ID that the question has there. If there is no such delegate, it
// returns main and id.
func (t *Trace) asking(id string) (*listener, string) {
	n, own, ok := event.CutAskID(id)
	if d := t.delegates[n]; ok && d != nil {
		return d.listener, own
	}
	return t.main, id
}

// Delegate returns the function that listens to the delegate with the number id; nil
// if t is nil. Its span begins with the DelegateStart that Listen gets and ends with
// the DelegateEnd.
func (t *Trace) Delegate(id int) func(event.Event) {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	d := t.delegate(id)
	return func(e event.Event) {
		t.mu.Lock()
		defer t.mu.Unlock()
		if !t.closed && !d.ended {
			d.listen(e)
		}
	}
}

// delegate returns the delegate with the number id, which may be new. It is called
// with the lock held.
func (t *Trace) delegate(id int) *delegate {
	d := t.delegates[id]
	if d == nil {
		d = newDelegate(t.main)
		t.delegates[id] = d
	}
	return d
}
