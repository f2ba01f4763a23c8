package loop_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
	"agent/internal/llm/script"
	"agent/internal/loop"
	"agent/internal/loop/policy"
	"agent/internal/tools"
)

func TestTurns(t *testing.T) {
	look, change, run := echo("look", tools.Read), echo("change", tools.Write), echo("run", tools.Execute)
	broken := tools.New("broken", "panics", func(context.Context, textArgs) (tools.Call, error) { panic("oh") })
	failing := tool("failing", tools.Read, func(context.Context, string) (string, error) { return "", errors.New("no such thing: try look") })
	for name, c := range map[string]struct {
		replies []script.Reply
		mode    policy.Mode
		alone   bool // nobody answers
		answers map[string]loop.Answer
		max     int
		want    string
		last    string // the conversation of the last request
	}{
		"an answer": {
			replies: []script.Reply{script.Reply{}.Think("hm").Text("hello there").Stop()},
			want: `
				user "go"
				thinking "hm"
				assistant "hello there"
				turn done after 1`,
		},
		"a call and its result": {
			replies: []script.Reply{script.Reply{}.Text("looking").Call("c1", "look", args("a")).Calls(), script.Say("done")},
			want: `
				user "go"
				assistant "looking"
				call c1 look {"text":"a"}
				start c1 "look a"
				end c1 "look a" ok: did a
				assistant "done"
				turn done after 2`,
			last: `
				user "go"
				assistant "looking"
				call c1 look {"text":"a"}
				result c1 "did a"`,
		},
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
		"what is asked and allowed, refused, always allowed": {
			mode: policy.Ask,
			replies: []script.Reply{
				script.Reply{}.Call("c1", "change", args("d/a")).Call("c2", "run", args("make")).Call("c3", "change", args("d/b")).Call("c4", "change", args("d/sub/c")).Call("c5", "change", args("e")).Calls(),
				script.Say("done"),
			},
			answers: map[string]loop.Answer{"c1": {Decision: loop.Allow}, "c2": {Decision: loop.Refuse, Note: "use go build"}, "c3": {Decision: loop.Always}, "c5": {Decision: loop.Refuse}},
			want: `
				user "go"
				call c1 change {"text":"d/a"}
				call c2 run {"text":"make"}
				call c3 change {"text":"d/b"}
				call c4 change {"text":"d/sub/c"}
				call c5 change {"text":"e"}
				asked c1 "change d/a" because it changes files (mode ask); always: "edits under d/"
				decision c1 allow "" ""
				start c1 "change d/a"
				end c1 "change d/a" ok: did d/a
				asked c2 "run make" because a command can do anything that you can do; always: "this very command: make"
				decision c2 refuse "" "use go build"
				end c2 "run make" refused: refused by the person, who says: use go build
				asked c3 "change d/b" because it changes files (mode ask); always: "edits under d/"
				decision c3 always "edits under d/" ""
				start c3 "change d/b"
				end c3 "change d/b" ok: did d/b
				start c4 "change d/sub/c"
				end c4 "change d/sub/c" ok: did d/sub/c
				asked c5 "change e" because it changes files (mode ask); always: "edits to e"
				decision c5 refuse "" ""
				end c5 "change e" refused: refused by the person. It was not run. Do not try the same again: do without it, or ask what they want instead
				assistant "done"
				turn done after 2`,
		},
		"mode edits asks about commands alone": {
			mode:    policy.Edits,
			replies: []script.Reply{script.Reply{}.Call("c1", "change", args("a")).Call("c2", "run", args("make")).Calls(), script.Say("done")},
			answers: map[string]loop.Answer{"c2": {Decision: loop.Allow}},
			want: `
				user "go"
				call c1 change {"text":"a"}
				call c2 run {"text":"make"}
				start c1 "change a"
				end c1 "change a" ok: did a
				asked c2 "run make" because a command can do anything that you can do; always: "this very command: make"
				decision c2 allow "" ""
				start c2 "run make"
				end c2 "run make" ok: did make
				assistant "done"
				turn done after 2`,
		},
		"nobody to ask": {
			mode: policy.Ask, alone: true,
			replies: []script.Reply{script.Call("c1", "run", args("make")), script.Say("a pity")},
			want: `
				user "go"
				call c1 run {"text":"make"}
				end c1 "run make" refused: refused: a command can do anything that you can do, and nobody can be asked here. Do without it, or tell the person to allow it with --mode edits or --mode all
				assistant "a pity"
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
				end c1 "see" error: there is no tool called "see". The tools are: look, change, run, broken, failing, todo, ask
				end c2 "look" error: the arguments do not fit the tool look: validating root: unexpected additional properties ["test"]. Its schema is {"type":"object","properties":{"text":{"type":"string"}},"required":["text"],"additionalProperties":false}
				end c3 "look" error: the arguments are not a JSON object (unexpected end of JSON input at byte 8 of 8). The schema of look is {"type":"object","properties":{"text":{"type":"string"}},"required":["text"],"additionalProperties":false}
				end c4 "broken" error: the tool broken broke down (oh). Try another way
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
				end c1 "run" interrupted: not run: the reply was cut at the model's token limit
				turn length after 1: the answer hit the model's token limit and is cut`,
		},
		"a refusal": {
			replies: []script.Reply{script.Reply{}.Text("no").Finish(llm.Filtered)},
			want: `
				user "go"
				assistant "no"
				turn content_filter after 1: the provider or the model refused to answer`,
		},
		"an unknown end": {
			replies: []script.Reply{script.Reply{}.Call("c1", "run", args("make")).Finish("odd")},
			want: `
				user "go"
				call c1 run {"text":"make"}
				end c1 "run" interrupted: not run: it is unknown whether the reply was whole
				turn error after 1: the answer ended for an unknown reason ("odd"), so its tool calls were not run`,
		},
		"a stream cut in a call": {
			replies: []script.Reply{{Deltas: []llm.Delta{llm.TextDelta{Text: "so"}, llm.CallDelta{Index: 1, ID: "c1", Name: "run", Args: `{"te`}}, Err: &llm.Error{Kind: llm.ErrCut, Retry: true, Message: "gone"}}},
			want: `
				user "go"
				assistant "so" (cut)
				call c1 run {} (cut)
				end c1 "run" interrupted: not run: the reply was cut before it ended
				turn error after 1: the provider: gone`,
		},
		"a stream that just stops": {
			replies: []script.Reply{{Deltas: []llm.Delta{llm.TextDelta{Text: "so"}}}, {Deltas: []llm.Delta{llm.TextDelta{Text: " far"}}}},
			want: `
				user "go"
				assistant "so" (cut)
				notice script: the answer was cut in the middle. What arrived is kept. Going on where the answer was cut.
				auto "Go on exactly where your answer was cut."
				assistant " far" (cut)
				turn error after 2 (cut): script: the answer was cut in the middle. What arrived is kept`,
			last: `
				user "go"
				assistant "so\n\n[this answer was cut here]" (cut)
				user "Go on exactly where your answer was cut."`,
		},
		"a stream that stops in thought is asked again": {
			replies: []script.Reply{{Deltas: []llm.Delta{llm.ThinkingDelta{Text: "hm"}}}, script.Say("done")},
			want: `
				user "go"
				retrying 2 of 6 in 250ms: script: the answer was cut in the middle. What arrived is kept
				assistant "done"
				turn done after 1`,
		},
		"the same call, again and again": {
			alone:   true,
			replies: []script.Reply{script.Call("c1", "look", args("a")), script.Call("c2", "look", args("a")), script.Call("c3", "look", args("a"))},
			want: `
				user "go"
				call c1 look {"text":"a"}
				start c1 "look a"
				end c1 "look a" ok: did a
				call c2 look {"text":"a"}
				start c2 "look a"
				end c2 "look a" ok: did a
				call c3 look {"text":"a"}
				start c3 "look a"
				end c3 "look a" ok: did a
				turn repeating after 3: stopped: the model made the same call 3 times, with the same result`,
		},
		"an empty answer is tried once more": {
			replies: []script.Reply{script.Reply{}.Stop(), script.Reply{}.Stop()},
			want: `
				user "go"
				retrying 2 of 2 in 0s: the model gave an empty answer
				turn error after 1: the model gave an empty answer twice`,
		},
		"the step guard, nobody to ask": {
			alone: true, max: 2,
			replies: []script.Reply{script.Call("c1", "look", args("a")), script.Call("c2", "look", args("a")), script.Call("c3", "look", args("a"))},
			want: `
				user "go"
				call c1 look {"text":"a"}
				start c1 "look a"
				end c1 "look a" ok: did a
				call c2 look {"text":"a"}
				start c2 "look a"
				end c2 "look a" ok: did a
				turn max_steps after 2: stopped after 2 steps, the limit of a turn`,
		},
		"the step guard, go on": {
			max: 1, answers: map[string]loop.Answer{loop.StepsAsk: {Decision: loop.Allow}},
			replies: []script.Reply{script.Call("c1", "look", args("a")), script.Say("done")},
			want: `
				user "go"
				call c1 look {"text":"a"}
				start c1 "look a"
				end c1 "look a" ok: did a
				asked steps "1 steps so far. Go on?" because a turn stops every 1 steps (--max-steps); always: ""
				assistant "done"
				turn done after 2`,
		},
		"the step guard, stop": {
			max: 1, answers: map[string]loop.Answer{loop.StepsAsk: {Decision: loop.Refuse}},
			replies: []script.Reply{script.Call("c1", "look", args("a")), script.Say("done")},
			want: `
				user "go"
				call c1 look {"text":"a"}
				start c1 "look a"
				end c1 "look a" ok: did a
				asked steps "1 steps so far. Go on?" because a turn stops every 1 steps (--max-steps); always: ""
				turn max_steps after 1: stopped after 1 steps, the limit of a turn`,
		},
		"more than three steps of failures": {
			replies: []script.Reply{script.Call("c1", "no", "{}"), script.Call("c2", "no", "{}"), script.Call("c3", "look", args("x")), script.Call("c4", "no", "{}"), script.Call("c5", "no", `{"a":1}`), script.Call("c6", "no", "{}"), script.Call("c7", "no", "{}"), script.Say("never")},
			want: strings.ReplaceAll(`
				user "go"
				call c1 no {}
				end c1 "no" error: NAMES
				call c2 no {}
				end c2 "no" error: NAMES
				call c3 look {"text":"x"}
				start c3 "look x"
				end c3 "look x" ok: did x
				call c4 no {}
				end c4 "no" error: NAMES
				call c5 no {"a":1}
				end c5 "no" error: NAMES
				call c6 no {}
				end c6 "no" error: NAMES
				call c7 no {}
				end c7 "no" error: NAMES
				turn tools_failed after 7: stopped: every tool call of 4 steps in a row failed`,
				"NAMES", `there is no tool called "no". The tools are: look, change, run, broken, failing, todo, ask`),
		},
		"an error that trying again mends": {
			replies: []script.Reply{
				script.Fail(&llm.Error{Kind: llm.ErrOverloaded, Provider: "p", Status: 529, Retry: true}),
				script.Fail(&llm.Error{Kind: llm.ErrRate, Provider: "p", Status: 429, Retry: true, RetryAfter: 2 * time.Second}),
				script.Say("done"),
			},
			want: `
				user "go"
				retrying 2 of 6 in 250ms: p answered 529
				retrying 3 of 6 in 2.5s: p answered 429
				assistant "done"
				turn done after 1`,
		},
		"an error that stays": {
			replies: func() (rs []script.Reply) {
				for range 7 {
					rs = append(rs, script.Fail(&llm.Error{Kind: llm.ErrOverloaded, Provider: "p", Status: 500, Retry: true}))
				}
				return rs
			}(),
			want: `
				user "go"
				retrying 2 of 6 in 250ms: p answered 500
				retrying 3 of 6 in 500ms: p answered 500
				retrying 4 of 6 in 1s: p answered 500
				retrying 5 of 6 in 2s: p answered 500
				retrying 6 of 6 in 4s: p answered 500
				turn error after 1: p answered 500`,
		},
		"a wait that is too long, an error that trying again does not mend": {
			replies: []script.Reply{script.Fail(&llm.Error{Kind: llm.ErrRate, Provider: "p", Status: 429, Retry: true, RetryAfter: 561635 * time.Second})},
			want: `
				user "go"
				turn error after 1: p answered 429`,
		},
		"an error that trying again does not mend": {
			replies: []script.Reply{script.Fail(&llm.Error{Kind: llm.ErrKey, Provider: "p", Status: 401, Message: "bad key"})},
			want: `
				user "go"
				turn error after 1: p answered 401: bad key`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := script.New(c.replies...)
			o := options(p, look, change, run, broken, failing)
			o.Attended, o.MaxSteps = !c.alone, c.max
			if c.mode != "" {
				o.Mode = c.mode
			}
			events := play(t, o, []string{"go"}, func(e loop.Event) []loop.Command {
				if a, ok := e.(loop.Asked); ok {
					answer := c.answers[a.Ask.ID]
					answer.ID = a.Ask.ID
					return []loop.Command{answer}
				}
				return nil
			})
			if d := cmp.Diff(trace(events), dedent(c.want)); d != "" {
				t.Error(d)
			}
			if c.last != "" {
				rs := p.Requests()
				if d := cmp.Diff(conversation(rs[len(rs)-1]), dedent(c.last)); d != "" {
					t.Error(d)
				}
			}
		})
	}
}

// dedent returns the lines of s without the tabs they begin with.
func dedent(s string) string {
	var b strings.Builder
	for l := range strings.Lines(strings.TrimPrefix(s, "\n")) {
		b.WriteString(strings.TrimLeft(l, "\t"))
	}
	return b.String() + "\n"
}

// Two calls that wait for each other end only if they run at once.
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

// What a call sees when it is prepared is what the calls before it left.
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

// Some servers count the ids of their calls from 0 in every reply.
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
	count := map[loop.Outcome]int{}
	for _, e := range events {
		if e, ok := e.(*loop.ToolEnd); ok {
			count[e.Outcome]++
		}
	}
	if d := cmp.Diff(count, map[loop.Outcome]int{loop.OK: 32, loop.Interrupted: 8}); d != "" {
		t.Error(d)
	}
	if err := valid(p.Requests()[1].Messages); err != nil {
		t.Error(err)
	}
}

// A model that says nothing for long is told of, and waited for.
func TestSilence(t *testing.T) {
	told := make(chan struct{})
	p := script.New(script.Reply{Deltas: script.Say("at last").Deltas, Hold: map[int]<-chan struct{}{0: told}})
	o := fill(options(p))
	var notices []string
	turn := loop.Turn{
		Model: func() loop.Model { return o.Model }, Silence: time.Millisecond, Now: o.Now, Sleep: o.Sleep, Rand: o.Rand,
		Emit: func(e loop.Event) error {
			if n, ok := e.(loop.Notice); ok && len(notices) == 0 {
				notices = append(notices, n.Text)
				close(told)
			}
			return nil
		},
	}
	_, end := turn.Run(t.Context(), []llm.Message{{Kind: llm.User, Text: "go"}})
	if end.Reason != loop.Done || len(notices) != 1 || notices[0] != "script/test has said nothing for 1ms, but the connection is alive." {
		t.Errorf("got %v, %q", end.Reason, notices)
	}
}
