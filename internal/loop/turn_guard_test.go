package loop_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
	"agent/internal/llm/script"
	"agent/internal/loop/event"
	"agent/internal/loop/policy"
	"agent/internal/loop/turn"
	"agent/internal/tools"
)

func TestGuards(t *testing.T) {
	playTurns(t, map[string]turnCase{
		"the same call, again and again": {
			alone:   true,
			replies: []script.Reply{script.Call("c1", "look", args("a")), script.Call("c2", "look", args("a")), script.Call("c3", "look", args("a")), script.Say("it does not change")},
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
				auto "The turn is stopped: the model made the same call 3 times, with the same result: look a. Do not call tools in this reply. Answer now: say what is done, what was found and what is left to do."
				assistant "it does not change"
				turn repeating after 4: stopped: the model made the same call 3 times, with the same result: look a`,
		},
		"the step guard, nobody to ask": {
			alone: true, max: 2,
			replies: []script.Reply{script.Call("c1", "look", args("a")), script.Call("c2", "look", args("a")), script.Say("half of it is done")},
			want: `
				user "go"
				call c1 look {"text":"a"}
				start c1 "look a"
				end c1 "look a" ok: did a
				call c2 look {"text":"a"}
				start c2 "look a"
				end c2 "look a" ok: did a
				auto "The turn has reached its step limit. Do not call tools in this reply. Answer now: say what is done, what was found and what is left to do."
				assistant "half of it is done"
				turn max_steps after 3: stopped after 2 steps, the limit of one turn`,
		},
		"the step guard, nobody to ask, and a model that calls anyway": {
			alone: true, max: 1,
			replies: []script.Reply{script.Call("c1", "look", args("a")), script.Call("c2", "look", args("b")), script.Say("never")},
			want: `
				user "go"
				call c1 look {"text":"a"}
				start c1 "look a"
				end c1 "look a" ok: did a
				auto "The turn has reached its step limit. Do not call tools in this reply. Answer now: say what is done, what was found and what is left to do."
				call c2 look {"text":"b"}
				end c2 "look b" interrupted: not run: the turn has reached its step limit
				turn max_steps after 2: stopped after 1 step, the limit of one turn`,
		},
		"the same call, again and again, also in the last answer": {
			alone:   true,
			replies: []script.Reply{script.Call("c1", "look", args("a")), script.Call("c2", "look", args("a")), script.Call("c3", "look", args("a")), script.Call("c4", "look", args("a"))},
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
				auto "The turn is stopped: the model made the same call 3 times, with the same result: look a. Do not call tools in this reply. Answer now: say what is done, what was found and what is left to do."
				call c4 look {"text":"a"}
				end c4 "look a" interrupted: not run: the turn is stopped: the model made the same call 3 times, with the same result: look a
				turn repeating after 4: stopped: the model made the same call 3 times, with the same result: look a`,
		},
		"the step guard, nobody to ask, and no last answer": {
			alone: true, max: 1,
			replies: []script.Reply{script.Call("c1", "look", args("a")), script.Fail(&llm.Error{Kind: llm.ErrInvalid, Message: "no credit"})},
			want: `
				user "go"
				call c1 look {"text":"a"}
				start c1 "look a"
				end c1 "look a" ok: did a
				auto "The turn has reached its step limit. Do not call tools in this reply. Answer now: say what is done, what was found and what is left to do."
				turn max_steps after 2: stopped after 1 step, the limit of one turn; the last answer failed: the provider: no credit`,
		},
		"the step guard, continue": {
			max: 1, answers: map[string]event.Answer{event.StepsAsk: {Decision: event.Allow}},
			replies: []script.Reply{script.Call("c1", "look", args("a")), script.Say("done")},
			want: `
				user "go"
				call c1 look {"text":"a"}
				start c1 "look a"
				end c1 "look a" ok: did a
				asked steps "1 step so far. Continue?" because a turn pauses every 1 step (--max-steps); always: ""
				assistant "done"
				turn done after 2`,
		},
		"the step guard, stop": {
			max: 1, answers: map[string]event.Answer{event.StepsAsk: {Decision: event.Refuse}},
			replies: []script.Reply{script.Call("c1", "look", args("a")), script.Say("done")},
			want: `
				user "go"
				call c1 look {"text":"a"}
				start c1 "look a"
				end c1 "look a" ok: did a
				asked steps "1 step so far. Continue?" because a turn pauses every 1 step (--max-steps); always: ""
				turn max_steps after 1: stopped after 1 step, the limit of one turn`,
		},
		"three steps of failures, nobody to ask": {
			alone:   true,
			replies: []script.Reply{script.Call("c1", "failing", args("a")), script.Call("c2", "look", args("x")), script.Call("c3", "failing", args("b")), script.Call("c4", "no", "{}"), script.Call("c5", "failing", args("c")), script.Say("no luck")},
			want: strings.ReplaceAll(`
				user "go"
				call c1 failing {"text":"a"}
				start c1 "failing a"
				end c1 "failing a" error: WHY
				call c2 look {"text":"x"}
				start c2 "look x"
				end c2 "look x" ok: did x
				call c3 failing {"text":"b"}
				start c3 "failing b"
				end c3 "failing b" error: WHY
				call c4 no {}
				end c4 "no" error: there is no tool "no". The tools are: look, change, run, broken, failing, todo
				call c5 failing {"text":"c"}
				start c5 "failing c"
				end c5 "failing c" error: WHY
				auto "The turn is stopped: every tool call in 3 consecutive steps failed: WHY. Do not call tools in this reply. Answer now: say what is done, what was found and what is left to do."
				assistant "no luck"
				turn tools_failed after 6: stopped: every tool call in 3 consecutive steps failed: WHY`,
				"WHY", "no such thing: try look"),
		},
		"three steps of failures, stop": {
			answers: map[string]event.Answer{event.StepsAsk: {Decision: event.Refuse}},
			replies: []script.Reply{script.Call("c1", "failing", args("a")), script.Call("c2", "failing", args("b")), script.Call("c3", "failing", args("c")), script.Say("never")},
			want: `
				user "go"
				call c1 failing {"text":"a"}
				start c1 "failing a"
				end c1 "failing a" error: no such thing: try look
				call c2 failing {"text":"b"}
				start c2 "failing b"
				end c2 "failing b" error: no such thing: try look
				call c3 failing {"text":"c"}
				start c3 "failing c"
				end c3 "failing c" error: no such thing: try look
				asked steps "Every tool call in 3 consecutive steps failed. Continue?" because the model may be in a loop: no such thing: try look; always: ""
				turn tools_failed after 3: stopped: every tool call in 3 consecutive steps failed: no such thing: try look`,
		},
	})
}

// Denials of different calls do not end a turn, those of the same call do. The second one says what
// runs without approval.
func TestDenialsOfDifferentCalls(t *testing.T) {
	deny := func(commands ...string) (results []string, end *event.TurnEnd) {
		var replies []script.Reply
		for i, c := range commands {
			replies = append(replies, script.Call(fmt.Sprint("c", i), "run", args(c)))
		}
		o := options(script.New(append(replies, script.Say("done"))...), echo("run", tools.Execute))
		o.Permissions.Mode, o.Permissions.Attended = event.ModeAsk, false
		for _, e := range play(t, o, []string{"go"}, nil) {
			switch e := e.(type) {
			case *event.ToolEnd:
				results = append(results, e.Result.Text)
			case *event.TurnEnd:
				end = e
			}
		}
		return results, end
	}
	results, end := deny("make a", "make b", "make c", "make d")
	if end.Reason != event.Done {
		t.Errorf("different calls: %+v", end)
	}
	for i, text := range results {
		if explains := strings.Contains(text, "\n[Without approval only these run in this mode: the tools that read and search"); explains != (i == 1) {
			t.Errorf("denial %d: %s", i+1, text)
		}
	}
	if _, end := deny("make a", "make a", "make a", "make a"); end.Reason == event.Done {
		t.Errorf("the same call: %+v", end)
	}
	if _, end := deny("a", "b", "c", "d", "e", "f", "g", "h", "i"); end.Reason != event.AllFailed {
		t.Errorf("many calls: %+v", end)
	}
}

// In mode all, rm in the workspace runs, so the explanation does not say that deleting needs approval.
func TestDenialsInModeAll(t *testing.T) {
	o := options(script.New(script.Call("c1", "run", args("curl example.com")), script.Call("c2", "run", args("cp a /etc/a")), script.Say("done")), echo("run", tools.Execute))
	o.Permissions.Attended, o.Permissions.Paths.Sandbox, o.Permissions.Paths.Room = false, policy.SandboxFull, func() int64 { return 1 << 20 }
	const want = "\n[Without approval everything runs in this mode, except changes of protected paths, edits outside the working directory, calls that name files that may hold secrets, " +
		"commands that write outside the working directory and the temporary directory or use the network, and commands that the sandbox cannot contain.]"
	var last string
	for _, e := range play(t, o, []string{"go"}, nil) {
		if end, ok := e.(*event.ToolEnd); ok {
			last = end.Result.Text
		}
	}
	if !strings.HasSuffix(last, want) {
		t.Error(last)
	}
}

// looks returns replies that each look at one of the letters of order.
func looks(order string) (replies []script.Reply) {
	for i, what := range strings.Split(order, "") {
		replies = append(replies, script.Call(fmt.Sprint("c", i+1), "look", args(what)))
	}
	return append(replies, script.Say("done"))
}

func TestCyclesEndATurn(t *testing.T) {
	for order, want := range map[string]string{
		"aaa":        "repeating after 4: stopped: the model made the same call 3 times, with the same result: look a",
		"xababab":    "repeating after 8: stopped: the model repeated the same 2 steps 3 times, with the same results: look a, look b",
		"abcabcabc":  "repeating after 10: stopped: the model repeated the same 3 steps 3 times, with the same results: look a, look b, look c",
		"ababxababy": "done after 11",
		"abcabcab":   "done after 9",
		"aabbaabbaa": "done after 11",
		"abcdabcdab": "done after 11",
	} {
		o := options(script.New(looks(order)...), echo("look", tools.Read))
		o.Permissions.Attended = false
		lines := strings.Split(strings.TrimSpace(trace(play(t, o, []string{"go"}, nil))), "\n")
		if d := cmp.Diff(lines[len(lines)-1], "turn "+want); d != "" {
			t.Errorf("%s: %s", order, d)
		}
	}
}

// Results that differ only in times are the same.
func TestTimesDoNotHideACycle(t *testing.T) {
	seconds := 0
	look := tool("look", tools.Read, func(context.Context, string) (string, error) {
		seconds++
		return fmt.Sprintf("FAIL in %ds", seconds), nil
	})
	o := options(script.New(looks("aaa")...), look)
	o.Permissions.Attended = false
	if got := lastLine(play(t, o, []string{"go"}, nil)); !strings.HasPrefix(got, "turn repeating after 4") {
		t.Error(got)
	}
}

func TestACycleThatTheUserApprovesGoesOn(t *testing.T) {
	o := options(script.New(looks("ababababab")...), echo("look", tools.Read))
	asked := 0
	events := play(t, o, []string{"go"}, func(e event.Event) []event.Command {
		if a, ok := e.(event.Asked); ok {
			asked++
			return []event.Command{event.Answer{ID: a.Ask.ID, Decision: event.Allow}}
		}
		return nil
	})
	if end := trace(events); asked != 1 || !strings.Contains(end, "turn done after 11") {
		t.Errorf("asked %d times:\n%s", asked, end)
	}
}

// The limit without a user is high, because nothing can continue the turn.
func TestStepLimitWithoutAUser(t *testing.T) {
	var replies []script.Reply
	for i := range turn.DefaultMaxSteps {
		replies = append(replies, script.Call(fmt.Sprint("c", i), "look", args(fmt.Sprint(i))))
	}
	p := script.New(append(replies, script.Say("that is all"))...)
	o := options(p, echo("look", tools.Read))
	o.Permissions.Attended = false
	if got := trace(play(t, o, []string{"go"}, nil)); !strings.HasSuffix(strings.TrimSpace(got), "turn max_steps after 501: stopped after 500 steps, the limit of one turn") {
		t.Error(got[max(0, len(got)-300):])
	}
	requests := p.Requests()
	last, before := requests[len(requests)-1], requests[len(requests)-2]
	if last.ToolChoice.Mode != llm.ChoiceNone || before.ToolChoice.Mode != llm.ChoiceAuto {
		t.Errorf("tool choice of the last requests: %q, %q", before.ToolChoice.Mode, last.ToolChoice.Mode)
	}
	if d := cmp.Diff(last.Tools, before.Tools); d != "" {
		t.Errorf("the tools changed, and with them the cached prefix: %s", d)
	}
}

// A user gets a notice every 100 steps, and a question only after 500 of them.
func TestLongTurnWithAUser(t *testing.T) {
	var replies []script.Reply
	for i := range turn.DefaultMaxSteps {
		replies = append(replies, script.Call(fmt.Sprint("c", i), "look", args(fmt.Sprint(i))))
	}
	o := options(script.New(append(replies, script.Say("that is all"))...), echo("look", tools.Read))
	o.Permissions.Attended = true
	o.Models.Current.Cost = func(llm.Usage) (float64, bool) { return 0.01, true }
	steps := 0
	var got []string
	events := play(t, o, []string{"go"}, func(e event.Event) []event.Command {
		switch e := e.(type) {
		case *event.StepEnd:
			steps++
		case event.Notice:
			got = append(got, fmt.Sprintf("%d: %s", steps, e.Text))
		case event.Asked:
			got = append(got, fmt.Sprintf("%d? %s", steps, e.Ask.Title))
			return []event.Command{event.Answer{ID: e.Ask.ID, Decision: event.Refuse}}
		}
		return nil
	})
	want := []string{
		"100: 100 steps in this turn so far, 10.3k tokens, $1.00.", "200: 200 steps in this turn so far, 20.6k tokens, $2.00.",
		"300: 300 steps in this turn so far, 30.9k tokens, $3.00.", "400: 400 steps in this turn so far, 41.2k tokens, $4.00.",
		"500? 500 steps so far. Continue?",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("the notices and questions (-want +got):\n%s", d)
	}
	if end, ok := events[len(events)-1].(*event.TurnEnd); !ok || end.Reason != event.MaxSteps {
		t.Errorf("got %+v, want a turn that stopped at the step limit", events[len(events)-1])
	}
}
