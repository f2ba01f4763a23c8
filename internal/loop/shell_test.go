package loop_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/llm/script"
	"agent/internal/loop"
	"agent/internal/loop/event"
	"agent/internal/loop/session"
	"agent/internal/tools"
)

// typed prepares commands of the user: "hang" runs until it is interrupted, "bad" cannot
// be run, all others print their line. hanging receives a value when a command hangs.
func typed(hanging chan<- struct{}) func(string, bool) (tools.Call, error) {
	return func(line string, join bool) (tools.Call, error) {
		if line == "bad" {
			return tools.Call{}, errors.New("no such thing")
		}
		return tools.Call{Title: "shell " + line, Effect: tools.Execute, Run: func(ctx context.Context, ok tools.Approved) (tools.Result, error) {
			ok.Progress("running " + line + "\n")
			if strings.HasPrefix(line, "hang") {
				hanging <- struct{}{}
				<-ctx.Done()
				return tools.Result{Text: "half\n"}, ctx.Err()
			}
			return tools.Result{Text: "did " + line + "\n[exit 0]\n", Summary: "exit 0 · 1 line"}, nil
		}}, nil
	}
}

func shellEnds(events []event.Event) (out []string) {
	for _, e := range events {
		if end, ok := e.(*event.ShellEnd); ok {
			out = append(out, fmt.Sprintf("%s %v %s %q", end.Line, end.Join, end.Outcome, end.Text))
		}
	}
	return out
}

// ranOrDone reports whether an event ends a prompt or a typed command.
func ranOrDone(e event.Event) bool {
	_, ran := e.(*event.ShellEnd)
	return ran || carriedOut(e)
}

const ranX = "[The user ran this command:]\n$ x\ndid x\n[exit 0]"

// The model gets the user's command with its next request or never, also after a
// resume.
func TestTypedCommandJoins(t *testing.T) {
	p := script.New(script.Say("first"), script.Say("second"), script.Say("third"))
	o := options(p)
	o.Workspace.Shell = typed(nil)
	o.Log = history.Open(t.TempDir()).Create(history.Header{Dir: "/w"})
	defer o.Log.Close()
	events := command(t, o, []event.Command{
		event.RunShell{Line: "x", Join: true}, event.RunShell{Line: "y"}, event.Prompt{Text: "one"}, event.Prompt{Text: "two"},
	}, ranOrDone)
	want := []string{`x true ok "did x\n[exit 0]\n"`, `y false ok "did y\n[exit 0]\n"`}
	if d := cmp.Diff(shellEnds(events), want); d != "" {
		t.Error(d)
	}
	sent := sameAsReplayed(t, o.Log, p)
	if d := cmp.Diff(sent, []llm.Message{
		{Kind: llm.User, Text: ranX}, {Kind: llm.User, Text: "one"}, {Kind: llm.Assistant, Text: "first"}, {Kind: llm.User, Text: "two"},
	}, ignoreReplies()); d != "" {
		t.Error(d)
	}
	state, err := session.ReplayRecords(recorded(o.Log))
	if err != nil {
		t.Fatal(err)
	}
	if len(state.Closing) > 0 || len(state.UnsentOutputs) > 0 {
		t.Errorf("the session is not whole: %d events are lacking, %d are untold", len(state.Closing), len(state.UnsentOutputs))
	}
}

func ignoreReplies() cmp.Option {
	return cmp.Transformer("said", func(m llm.Message) []string { return []string{string(m.Kind), m.Text} })
}

// A command runs in parallel to a turn, and the next step gets its output.
func TestTypedCommandDuringATurn(t *testing.T) {
	ended := make(chan struct{})
	slow := tools.New("slow", "", func(context.Context, struct{}) (tools.Call, error) {
		return tools.Call{Title: "slow", Effect: tools.Write, Run: func(ctx context.Context, _ tools.Approved) (tools.Result, error) {
			select {
			case <-ended:
			case <-ctx.Done():
			}
			return tools.Result{Text: "slow is done"}, nil
		}}, nil
	})
	p := script.New(script.Call("c1", "slow", "{}"), script.Say("done"))
	o := options(p, slow)
	o.Workspace.Shell = typed(nil)
	o.Log = history.Open(t.TempDir()).Create(history.Header{Dir: "/w"})
	defer o.Log.Close()
	play(t, o, []string{"one"}, func(e event.Event) []event.Command {
		switch e.(type) {
		case *event.ToolStart:
			return []event.Command{event.RunShell{Line: "x", Join: true}}
		case *event.ShellEnd:
			close(ended)
		}
		return nil
	})
	sent := sameAsReplayed(t, o.Log, p)
	if last := sent[len(sent)-1]; len(sent) != 4 || last.Text != ranX {
		t.Errorf("got %d messages, the last %q, want 4 that end with the user's command", len(sent), last.Text)
	}
}

// An interrupt ends the command and keeps its output. A second command is rejected
// while it runs; a command that cannot be prepared is rejected at once.
func TestTypedCommandIsStopped(t *testing.T) {
	hanging := make(chan struct{}, 1)
	p := script.New(script.Say("I see"))
	o := options(p)
	o.Workspace.Shell = typed(hanging)
	o.Log = history.Open(t.TempDir()).Create(history.Header{Dir: "/w"})
	defer o.Log.Close()
	ctx, stop := context.WithTimeout(t.Context(), hang)
	defer stop()
	commands, events := make(chan event.Command, 8), make(chan event.Event, 64)
	go loop.NewAgent(fill(o)).Run(ctx, commands, events)
	commands <- event.RunShell{Line: "bad"}
	commands <- event.RunShell{Line: "hang", Join: true}
	<-hanging
	commands <- event.RunShell{Line: "x"}
	var all []event.Event
	refused := 0
	for e := range events {
		all = append(all, e)
		switch e.(type) {
		case event.NotRun:
			if refused++; refused == 2 {
				commands <- event.Interrupt{}
			}
		case *event.ShellEnd:
			commands <- event.Prompt{Text: "why?"}
		case *event.TurnEnd:
			close(commands)
		}
	}
	if d := cmp.Diff(shellEnds(all), []string{`hang true interrupted "half\n"`}); d != "" {
		t.Error(d)
	}
	if sent := sameAsReplayed(t, o.Log, p); len(sent) != 2 || !strings.Contains(sent[0].Text, "$ hang\nhalf") {
		t.Errorf("got %v, want a message that the command was interrupted", sent)
	}
}

// A command that runs when the agent ends is interrupted and recorded.
func TestTypedCommandEndsWithTheAgent(t *testing.T) {
	hanging := make(chan struct{}, 1)
	o := options(script.New())
	o.Workspace.Shell = typed(hanging)
	commands, events := make(chan event.Command, 1), make(chan event.Event, 64)
	go loop.NewAgent(fill(o)).Run(t.Context(), commands, events)
	commands <- event.RunShell{Line: "hang"}
	<-hanging
	close(commands)
	var all []event.Event
	for e := range events {
		all = append(all, e)
	}
	if got := shellEnds(all); len(got) != 1 || !strings.Contains(got[0], "interrupted") {
		t.Errorf("got %v, want the command to be interrupted", got)
	}
}

// Every prefix and rewind of a session with typed commands resumes as a conversation
// that the providers accept, with a note about unknown effects.
func TestTypedCommandsInEveryPrefix(t *testing.T) {
	events := []event.Durable{
		&event.ShellStart{ID: "a", Line: "x", Join: true}, &event.ShellEnd{ID: "a", Line: "x", Join: true, Outcome: event.OK, Text: "did x\n[exit 0]\n"},
		&event.ShellOutputSent{ID: "a"}, &event.UserSaid{Text: "one"},
		&event.ShellStart{ID: "b", Line: "x", Join: true},
		&event.MessageDone{Message: llm.Message{Kind: llm.Assistant, Reply: "r1", Text: "let me"}},
		&event.ShellStart{ID: "c", Line: "y"},
		&event.MessageDone{Message: llm.Message{Kind: llm.ToolCall, Reply: "r1", ID: "c1", Name: "look", Input: []byte(`{}`)}},
		&event.ShellEnd{ID: "b", Line: "x", Join: true, Outcome: event.OK, Text: "did x\n[exit 0]\n"},
		&event.ToolStart{ID: "c1", Title: "look"},
		&event.ShellEnd{ID: "c", Line: "y", Outcome: event.OK, Text: "never sent"},
		&event.ToolEnd{Result: llm.Message{Kind: llm.ToolResult, Reply: "r1", ID: "c1", Text: "seen"}, Outcome: event.OK},
		&event.StepEnd{Reply: "r1"}, &event.ShellOutputSent{ID: "b"}, &event.ShellStart{ID: "d", Line: "z", Join: true},
		&event.MessageDone{Message: llm.Message{Kind: llm.Assistant, Reply: "r2", Text: "done"}},
		&event.StepEnd{Reply: "r2"}, &event.TurnEnd{Reason: event.Done},
		&event.ShellOutputSent{ID: "d"}, &event.ShellOutputSent{ID: "nobody"}, &event.UserSaid{Text: "two"},
	}
	records := recordsOf(t, events...)
	check := func(what string, records []history.Record) {
		state, err := session.ReplayRecords(of(records))
		if err != nil {
			t.Fatal(err)
		}
		msgs := append(state.Messages, llm.Message{Kind: llm.User, Text: "continue"})
		if err := errors.Join(acceptedByAnthropic(msgs), acceptedByOpenAI(msgs)); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		for _, m := range msgs {
			if strings.Contains(m.Text, "never sent") {
				t.Errorf("%s: the model gets a command that is not for it", what)
			}
		}
		open := map[string]bool{}
		for _, e := range state.Events {
			switch e := e.(type) {
			case *event.ShellStart:
				open[e.ID] = true
			case *event.ShellEnd:
				delete(open, e.ID)
			}
		}
		if len(open) > 0 {
			t.Errorf("%s: commands without an end: %v", what, open)
		}
	}
	for n := range len(records) + 1 {
		check(fmt.Sprintf("%d records", n), records[:n])
		check(fmt.Sprintf("back to %d", n), append(records[:len(records):len(records)], recordsOf(t, &event.Rewound{Keep: n})...))
	}
	state, err := session.ReplayRecords(of(records))
	if err != nil {
		t.Fatal(err)
	}
	if want := "[The user ran this command:]\n$ z\n[The program exited while this command was running. It may or may not have taken effect.]"; state.Messages[len(state.Messages)-2].Text != want {
		t.Errorf("got %q, want %q", state.Messages[len(state.Messages)-2].Text, want)
	}
}

// A resumed session gives the model the output of a command that it has not received.
func TestTypedCommandOutputAfterResume(t *testing.T) {
	log := resumedLog(t, &event.UserSaid{Text: "one"}, &event.TurnEnd{Reason: event.Done},
		&event.ShellStart{ID: "a", Line: "x", Join: true}, &event.ShellEnd{ID: "a", Line: "x", Join: true, Outcome: event.OK, Text: "did x\n[exit 0]\n"})
	p := script.New(script.Say("done"))
	o := options(p)
	o.Log = log
	play(t, o, []string{"two"}, nil)
	if d := cmp.Diff(p.Requests()[0].Messages, []llm.Message{
		{Kind: llm.User, Text: "one"}, {Kind: llm.User, Text: ranX, Note: true}, {Kind: llm.User, Text: "two"},
	}); d != "" {
		t.Error(d)
	}
}
