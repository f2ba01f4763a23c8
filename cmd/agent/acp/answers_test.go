package acp

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"agent/internal/loop/event"
)

// fake is an agent of a stored session with one prompt. It reports first, then answers each
// command with the events of answer.
type fake struct {
	first    []event.Event
	answer   func(event.Command) []event.Event
	commands chan event.Command // a copy of each command
}

func (f fake) Run(ctx context.Context, commands <-chan event.Command, events chan<- event.Event) {
	defer close(events)
	for _, e := range f.first {
		events <- e
	}
	for {
		select {
		case c := <-commands:
			f.commands <- c
			for _, e := range f.answer(c) {
				events <- e
			}
		case <-ctx.Done():
			return
		}
	}
}

func (f fake) Page(int, int) ([]event.Event, error) {
	return []event.Event{&event.UserSaid{Text: "the old prompt"}}, nil
}

// caller sends lines to a front end whose sessions have the agent f.
type caller struct {
	t     *testing.T
	in    io.WriteCloser
	lines *bufio.Scanner
}

func connect(t *testing.T, f fake) *caller {
	t.Helper()
	o := Options{Log: io.Discard, Open: func(o Opening) (*Opened, error) {
		return &Opened{
			Agent: f, ID: o.Resume, Resumed: true, Mode: event.ModeAsk, Modes: event.Modes, Model: event.ModelSet{Model: "p/m"},
			Models: func(context.Context) []Model { return nil }, Saved: func() bool { return true }, Close: func() {},
		}, nil
	}}
	toAgent, in := io.Pipe()
	fromAgent, out := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- Serve(t.Context(), toAgent, out, o) }()
	t.Cleanup(func() {
		_ = in.Close()
		go func() { _, _ = io.Copy(io.Discard, fromAgent) }()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return &caller{t, in, bufio.NewScanner(fromAgent)}
}

// call sends a request and returns the lines up to its answer.
func (c *caller) call(id, method, params string) (before []string, answer string) {
	c.t.Helper()
	go func() {
		_, _ = io.WriteString(c.in, `{"jsonrpc":"2.0","id":`+id+`,"method":"`+method+`","params":`+params+"}\n")
	}()
	for c.lines.Scan() {
		var m struct{ ID json.RawMessage }
		if err := json.Unmarshal(c.lines.Bytes(), &m); err != nil {
			c.t.Fatal(err)
		}
		if string(m.ID) == id {
			return before, c.lines.Text()
		}
		before = append(before, c.lines.Text())
	}
	c.t.Fatal("the connection ended")
	return nil, ""
}

const load = `{"sessionId":"old","cwd":"/","mcpServers":[]}`

// A resumed session is read when the agent reports it as opened. No command is needed for
// that. What the agent reports next follows the transcript, and is not in it.
func TestResumeNeedsNoCommand(t *testing.T) {
	f := fake{commands: make(chan event.Command, 10), first: []event.Event{
		event.Opened{Events: 1, Mode: "plan", Problems: []string{"a record was damaged"}}, &event.Undone{Restored: []string{"a.go"}}, event.Notice{Text: "a server failed"},
	}}
	c := connect(t, f)
	before, answer := c.call("1", "session/load", load)
	if !strings.Contains(answer, `"currentModeId":"plan"`) {
		t.Errorf("got %s", answer)
	}
	if len(before) == 0 || !strings.Contains(before[0], "the old prompt") || strings.Count(strings.Join(before, ""), "the old prompt") != 1 {
		t.Errorf("the answer follows %q", before)
	}
	select {
	case command := <-f.commands:
		t.Errorf("the agent got %#v", command)
	default:
	}
}

// A session that cannot be read is not opened.
func TestResumeReportsAnUnreadableSession(t *testing.T) {
	c := connect(t, fake{commands: make(chan event.Command, 10), first: []event.Event{event.Unreadable{Why: "the disk failed"}}})
	for _, method := range []string{"session/load", "session/resume"} {
		if _, answer := c.call(`"`+method+`"`, method, load); !strings.Contains(answer, "the session cannot be read: the disk failed") {
			t.Errorf("%s: got %s", method, answer)
		}
	}
}

// A change of the model ends with its own answer: other notices and models, and answers to
// unknown commands, do not end it.
func TestOptionsWaitForTheirAnswer(t *testing.T) {
	f := fake{commands: make(chan event.Command, 10), first: []event.Event{event.Opened{Events: 1}}}
	f.answer = func(c event.Command) []event.Event {
		set, _ := c.(event.SetModel)
		foreign := event.Ref{CommandID: "foreign"}
		noise := []event.Event{event.Notice{Text: "a server failed"}, event.Notice{Ref: foreign, Text: "failed"}, &event.ModelSet{Model: "p/other"}, &event.ModelSet{Ref: foreign, Model: "p/other"}}
		if set.Model == "p/none" {
			return append(noise, event.Notice{Ref: set.Ref, Text: "There is no model p/none."})
		}
		return append(noise, &event.ModelSet{Ref: set.Ref, Model: set.Model})
	}
	c := connect(t, f)
	c.call("1", "session/load", load)
	option := func(model string) string { return `{"sessionId":"old","configId":"model","value":"` + model + `"}` }
	if _, answer := c.call("2", "session/set_config_option", option("p/new")); !strings.Contains(answer, `"currentValue":"p/new"`) {
		t.Errorf("got %s", answer)
	}
	if _, answer := c.call("3", "session/set_config_option", option("p/none")); !strings.Contains(answer, "Invalid params: There is no model p/none.") {
		t.Errorf("got %s", answer)
	}
}

// An undo ends with the answer to its own command.
func TestUndoWaitsForItsAnswer(t *testing.T) {
	f := fake{commands: make(chan event.Command, 10), first: []event.Event{event.Opened{Events: 1}}}
	f.answer = func(c event.Command) []event.Event {
		return []event.Event{event.Notice{Text: "a server failed"}, &event.Undone{}, event.UndoPlan{Why: "of another command"}, event.UndoPlan{Ref: event.RefOf(c), Why: "no turn changed files"}}
	}
	c := connect(t, f)
	c.call("1", "session/load", load)
	before, answer := c.call("2", "session/prompt", `{"sessionId":"old","prompt":[{"type":"text","text":"/undo"}]}`)
	if all := strings.Join(before, "\n"); !strings.Contains(all, "no turn changed files") || strings.Contains(all, "of another") || !strings.Contains(answer, `"end_turn"`) {
		t.Errorf("got %s\n%s", all, answer)
	}
}
