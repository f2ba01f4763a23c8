package loop_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
	"agent/internal/llm/script"
	"agent/internal/loop/event"
	"agent/internal/tools"
)

func TestCalls(t *testing.T) {
	playTurns(t, map[string]turnCase{
		"reads start together, results come in the calls' order": {
			replies: []script.Reply{script.Reply{}.Call("c1", "look", args("a")).Call("c2", "look", args("b")).Call("c3", "change", args("c")).Call("c4", "look", args("d")).Calls(), script.Say("done")},
			want: `
				user "go"
				call c1 look {"text":"a"}
				call c2 look {"text":"b"}
				call c3 change {"text":"c"}
				call c4 look {"text":"d"}
				start c1 "look a"
				start c2 "look b"
				end c1 "look a" ok: did a
				end c2 "look b" ok: did b
				start c3 "change c"
				end c3 "change c" ok: did c
				start c4 "look d"
				end c4 "look d" ok: did d
				assistant "done"
				turn done after 2`,
		},
		"an unknown tool, arguments of the wrong shape, no JSON, a panic, a failure": {
			replies: []script.Reply{
				script.Reply{}.Call("c1", "see", args("a")).Call("c2", "look", `{"test":1}`).Call("c3", "look", `{"text":`).Call("c4", "broken", args("a")).Call("c5", "failing", args("a")).Call("c6", "look", args("ok")).Calls(),
				script.Say("done"),
			},
			want: `
				user "go"
				call c1 see {"text":"a"}
				call c2 look {"test":1}
				call c3 look {}
				call c4 broken {"text":"a"}
				call c5 failing {"text":"a"}
				call c6 look {"text":"ok"}
				end c1 "see a" error: there is no tool "see". The tools are: look, change, run, broken, failing, todo, ask, present_plan
				end c2 "look" error: look needs "text" (you sent "test")
				end c3 "look" error: the arguments of look are incomplete JSON: they end in "text". Send the call again
				end c4 "broken a" error: the tool broken crashed (oh). Try a different approach
				start c5 "failing a"
				start c6 "look ok"
				end c5 "failing a" error: no such thing: try look
				end c6 "look ok" ok: did ok
				assistant "done"
				turn done after 2`,
		},
		"calls of a reply cut by the token limit are never run": {
			replies: []script.Reply{script.Reply{}.Text("so").Call("c1", "run", args("make")).Finish(llm.Length)},
			want: `
				user "go"
				assistant "so"
				call c1 run {"text":"make"}
				end c1 "run make" interrupted: not run: the reply was truncated at the model's token limit
				turn length after 1: the answer reached the model's token limit and was truncated`,
		},
	})
}

// Two calls that wait for each other end only if they run in parallel.
func TestReadsRunSideBySide(t *testing.T) {
	met := make(chan struct{})
	meet := tool("meet", tools.Read, func(ctx context.Context, text string) (string, error) {
		select {
		case met <- struct{}{}:
		case <-met:
		case <-ctx.Done():
		}
		return text, ctx.Err()
	})
	p := script.New(script.Reply{}.Call("c1", "meet", args("a")).Call("c2", "meet", args("b")).Calls(), script.Say("done"))
	play(t, options(p, meet), []string{"go"}, nil)
	want := dedent(`
		user "go"
		call c1 meet {"text":"a"}
		call c2 meet {"text":"b"}
		result c1 "a"
		result c2 "b"`)
	if d := cmp.Diff(conversation(p.Requests()[1]), want); d != "" {
		t.Error(d)
	}
}

// Calls that delegate run in parallel with reads, in every mode without approval, and
// do not take their slots: the reads wait for the delegates, and those for each other.
func TestDelegatesRunSideBySideWithReads(t *testing.T) {
	const reads, delegates = 8, 12
	var waiting sync.WaitGroup
	waiting.Add(delegates)
	met := make(chan struct{})
	go func() { waiting.Wait(); close(met) }()
	meet := func(ctx context.Context, text string) (string, error) {
		select {
		case <-met:
		case <-ctx.Done():
		}
		return text, ctx.Err()
	}
	work := tool("work", tools.Delegate, func(ctx context.Context, text string) (string, error) {
		waiting.Done()
		return meet(ctx, text)
	})
	var r script.Reply
	want := map[string]event.Outcome{}
	for i := range reads + delegates {
		id, name := fmt.Sprint("c", i), "work"
		if i < reads {
			name = "look"
		}
		r, want[id] = r.Call(id, name, args(id)), event.OK
	}
	for _, mode := range []event.Mode{event.ModeAsk, event.ModePlan} {
		if mode == event.ModePlan {
			waiting.Add(delegates) // met is closed already
		}
		o := options(script.New(r.Calls(), script.Say("done")), tool("look", tools.Read, meet), work)
		o.Permissions.Mode = mode
		got := map[string]event.Outcome{}
		for _, e := range play(t, o, []string{"go"}, nil) {
			switch e := e.(type) {
			case *event.ToolEnd:
				got[e.Result.ID] = e.Outcome
			case event.Asked:
				t.Errorf("mode %s: asked %s", mode, e.Ask.Title)
			}
		}
		if d := cmp.Diff(got, want); d != "" {
			t.Errorf("mode %s: %s", mode, d)
		}
	}
}

// Each call is prepared after the calls before it have run.
func TestWritesArePreparedAfterThoseBefore(t *testing.T) {
	content := "0"
	add := tools.New("add", "appends", func(_ context.Context, a textArgs) (tools.Call, error) {
		before := content
		return tools.Call{Title: "add", Effect: tools.Write, Run: func(context.Context, tools.Approved) (tools.Result, error) {
			content = before + a.Text
			return tools.Result{Text: content}, nil
		}}, nil
	})
	p := script.New(script.Reply{}.Call("c1", "add", args("1")).Call("c2", "add", args("2")).Call("c3", "add", args("3")).Calls(), script.Say("done"))
	play(t, options(p, add), []string{"go"}, nil)
	if content != "0123" {
		t.Errorf("got %q, want 0123", content)
	}
}

// Some servers count the IDs of their calls from 0 in every reply.
func TestIDsThatComeAgain(t *testing.T) {
	p := script.New(script.Call("call_0", "look", args("a")), script.Call("call_0", "look", args("b")), script.Say("done"))
	play(t, options(p, echo("look", tools.Read)), []string{"go"}, nil)
	msgs := p.Requests()[2].Messages
	if err := valid(msgs); err != nil {
		t.Error(err)
	}
	if got := msgs[len(msgs)-1].Text; got != "did b" {
		t.Errorf("got last result %q, want did b", got)
	}
}

func TestManyCallsOfOneReply(t *testing.T) {
	var r script.Reply
	for range 40 {
		r = r.Call("", "look", args("a"))
	}
	p := script.New(r.Calls(), script.Say("done"))
	events := play(t, options(p, echo("look", tools.Read)), []string{"go"}, nil)
	count := map[event.Outcome]int{}
	for _, e := range events {
		if e, ok := e.(*event.ToolEnd); ok {
			count[e.Outcome]++
		}
	}
	if d := cmp.Diff(count, map[event.Outcome]int{event.OK: 32, event.Interrupted: 8}); d != "" {
		t.Error(d)
	}
	if err := valid(p.Requests()[1].Messages); err != nil {
		t.Error(err)
	}
}
