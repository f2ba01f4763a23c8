package loop_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
	"agent/internal/llm/script"
	"agent/internal/loop"
	"agent/internal/loop/event"
	"agent/internal/tools"
)

const (
	splitPlan = `{"title":"Split server.go","steps":["move the handlers","run the tests"],"checks":["go test ./..."]}`
	splitText = `# Split server.go

## Steps

1. move the handlers
2. run the tests

## Checks

- go test ./...
`
	editedText = "# Split server.go\n\n## Steps\n\n- move only the parser\n- run the tests twice\n\nKeep the API.\n"
	approved   = "The user approved the plan. Carry it out now. Its steps are your todo list: update it as you go. The permission mode is now "
	stillPlan  = "\nThe permission mode is still plan: do not change files. "
)

// planning returns the options of an attended agent in mode plan.
func planning(p llm.Provider, ts ...tools.Tool) loop.Options {
	o := options(p, ts...)
	o.Permissions.Mode = event.ModePlan
	return o
}

// answering returns a reaction that gives the answers to the questions, in order.
func answering(answers ...event.Answer) func(event.Event) []event.Command {
	return func(e event.Event) []event.Command {
		a, ok := e.(event.Asked)
		if !ok || len(answers) == 0 {
			return nil
		}
		answer := answers[0]
		answers = answers[1:]
		answer.ID = a.Ask.ID
		return []event.Command{answer}
	}
}

// An approved plan sets the mode and the todo list, and the turn continues. A rejected
// plan leaves both unchanged. The record has what the user decided.
func TestPresentPlan(t *testing.T) {
	const asked = "asked c1 \"Approve this plan?\"\n" + splitText
	const todo = "todo c1 [{move the handlers pending} {run the tests pending}]\n"
	const end = `end c1 "plan Split server.go" ok: `
	for name, c := range map[string]struct {
		answers []event.Answer
		want    string // between the start and the end of the call
		mode    event.Mode
	}{
		"approved": {
			answers: []event.Answer{{Decision: event.Allow}},
			want:    asked + "plan c1 approved \"ask\" \"\"\n" + todo + end + approved + "ask: the user approves each change.\n",
			mode:    event.ModeAsk,
		},
		"approved with a mode and a comment": {
			answers: []event.Answer{{Decision: event.Allow, Mode: event.ModeAuto, Note: "be quick"}},
			want:    asked + "plan c1 approved \"edits\" \"be quick\"\n" + todo + end + approved + "auto: edits and commands in the sandbox need no approval.\nThe user's comment: be quick\n",
			mode:    event.ModeAuto,
		},
		"approved in mode plan": {
			answers: []event.Answer{{Decision: event.Allow, Mode: event.ModePlan}},
			want:    asked + "plan c1 approved \"ask\" \"\"\n" + todo + end + approved + "ask: the user approves each change.\n",
			mode:    event.ModeAsk,
		},
		"sent back unchanged": {
			answers: []event.Answer{{Decision: event.Allow, Mode: event.ModeAll, Text: strings.TrimSpace(splitText)}},
			want:    asked + "plan c1 approved \"all\" \"\"\n" + todo + end + approved + "all: nothing needs approval.\n",
			mode:    event.ModeAll,
		},
		"edited": {
			answers: []event.Answer{{Decision: event.Allow, Mode: event.ModeAuto, Text: editedText}},
			want: asked + "plan c1 approved \"edits\" \"\" edited\ntodo c1 [{move only the parser pending} {run the tests twice pending}]\n" + end +
				"The user changed the plan and approved it. Carry out the changed plan now, not the one that you presented. Its steps are your todo list: update it as you go. The permission mode is now auto: edits and commands in the sandbox need no approval.\n\nThe plan as the user changed it:\n\n" + editedText + "\n",
			mode: event.ModeAuto,
		},
		"edited without steps, then approved": {
			answers: []event.Answer{{Decision: event.Allow, Text: "# Nothing\n"}, {Decision: event.Allow, Text: splitText}},
			want: asked + "notice The plan has no steps. Write each step as a list item: 1. Add a test\n" +
				"asked c1 \"Approve this plan?\"\n# Nothing\nplan c1 approved \"ask\" \"\"\n" + todo + end + approved + "ask: the user approves each change.\n",
			mode: event.ModeAsk,
		},
		"too long, then rejected": {
			answers: []event.Answer{{Decision: event.Allow, Text: splitText + strings.Repeat("x", 20_000)}, {Decision: event.Refuse}},
			want: asked + "notice The plan is too long (20.1k characters). Shorten it to 20k.\n" +
				"asked c1 \"Approve this plan?\"\n" + splitText + strings.Repeat("x", 20_000) +
				"plan c1 rejected \"\" \"\"\n" + end + "The user rejected the plan without a comment." + stillPlan + "Ask the user what to change, then present the revised plan with present_plan.\n",
			mode: event.ModePlan,
		},
		"rejected": {
			answers: []event.Answer{{Decision: event.Refuse, Note: "leave the handlers"}},
			want:    asked + "plan c1 rejected \"\" \"leave the handlers\"\n" + end + "The user rejected the plan, with this comment: leave the handlers" + stillPlan + "Revise the plan as the comment says and present it again with present_plan. If the comment is a question, answer it first.\n",
			mode:    event.ModePlan,
		},
		"edited and rejected": {
			answers: []event.Answer{{Decision: event.Refuse, Text: editedText}},
			want: asked + "plan c1 rejected \"\" \"\" edited\n" + end + "The user rejected the plan without a comment." + stillPlan +
				"Start from the plan as the user changed it, and ask what else to change. Then present it again with present_plan.\n\nThe plan as the user changed it:\n\n" + editedText + "\n",
			mode: event.ModePlan,
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := script.New(script.Call("c1", "present_plan", splitPlan), script.Say("done"))
			events := play(t, planning(p), []string{"go"}, answering(c.answers...))
			got := trace(events)
			_, got, _ = strings.Cut(got, "start c1 \"plan Split server.go\"\n")
			want := c.want
			if d := cmp.Diff(got, want+"assistant \"done\"\nturn done after 2\n"); d != "" {
				t.Error(d)
			}
			if state := replayOf(t, durable(events)); c.mode != event.ModePlan && state.Mode != string(c.mode) || len(state.Todo) == 0 != (c.mode == event.ModePlan) {
				t.Errorf("resumed with mode %q, todo list %v", state.Mode, state.Todo)
			}
		})
	}
}

// A revised plan is presented again. After its approval edits follow the chosen mode, in
// the same turn, and the plan cannot be presented again.
func TestPlanIsRevisedAndCarriedOut(t *testing.T) {
	second := strings.Replace(splitPlan, "move the handlers", "move the parser", 1)
	p := script.New(script.Call("c1", "present_plan", splitPlan), script.Call("c2", "present_plan", second),
		script.Reply{}.Call("c3", "present_plan", second).Call("c4", "edit", args("a.go")).Calls(), script.Say("done"))
	events := play(t, planning(p, echo("edit", tools.Write)), []string{"go"},
		answering(event.Answer{Decision: event.Refuse, Note: "only the parser"}, event.Answer{Decision: event.Allow, Mode: event.ModeAuto}))
	var ends []string
	for _, e := range events {
		switch e := e.(type) {
		case *event.ToolEnd:
			ends = append(ends, fmt.Sprintf("%s %s %.40s", e.Result.ID, e.Outcome, e.Result.Text))
		case *event.PlanSet:
			ends = append(ends, fmt.Sprintf("%s %s %s", e.ID, e.State, e.Plan.Steps[0]))
		}
	}
	want := []string{
		"c1 rejected move the handlers", "c1 ok The user rejected the plan, with this co",
		"c2 approved move the parser", "c2 ok The user approved the plan. Carry it out",
		"c3 error the permission mode is not plan, so ther", "c4 ok did a.go",
	}
	if d := cmp.Diff(ends, want); d != "" {
		t.Error(d)
	}
}

func TestPresentPlanIsChecked(t *testing.T) {
	steps := func(n int) string { return strings.TrimSuffix(strings.Repeat(`"a",`, n), ",") }
	for args, want := range map[string]string{
		`{"title":"a","steps":[]}`:                                                "the plan has no steps: send 1 to 30",
		`{"title":"a"}`:                                                           `present_plan needs "steps"`,
		`{"steps":["a"]}`:                                                         `present_plan needs "title"`,
		`{"title":" ","steps":["a"]}`:                                             "the title is empty",
		`{"title":"a\nb","steps":["c"]}`:                                          "the title has more than one line: write one line, and move the details to notes",
		`{"title":"a","steps":[` + steps(31) + `]}`:                               "the plan has 31 steps, at most 30 are allowed: merge some of them",
		`{"title":"a","steps":["b",""]}`:                                          "step 2 is empty",
		`{"title":"a","steps":["` + strings.Repeat("x", 501) + `"]}`:              "step 1 has 501 characters: shorten it to 500",
		`{"title":"a","steps":["b"],"files":[` + steps(101) + `]}`:                "the plan has 101 files, at most 100 are allowed: leave out the least important",
		`{"title":"a","steps":["b"],"notes":"` + strings.Repeat("x", 8001) + `"}`: "characters: shorten it to 8000",
		`{"plan":"I will do it."}`:                                                "plan has no steps: send title and steps, or Markdown with a numbered list",
	} {
		p := script.New(script.Call("c1", "present_plan", args), script.Say("done"))
		play(t, planning(p), []string{"go"}, nil)
		msgs := p.Requests()[1].Messages
		if got := msgs[len(msgs)-1].Text; !strings.Contains(got, want) {
			t.Errorf("%.60s: got %q, want %q", args, got, want)
		}
	}
}

// The plan tools of other programs are understood, which send one Markdown text.
func TestPlanOfOtherPrograms(t *testing.T) {
	for name, args := range map[string]string{
		"ExitPlanMode":      `{"plan":"# Split server.go\n\n1. move the handlers\n2. run the tests\n\n## Verification\n- go test ./..."}`,
		"exit_plan_mode":    `{"plan":"# Split server.go\n\n## Steps\n- move the handlers\n- run the tests\n\n## Testing\n- go test ./..."}`,
		"plan_mode_respond": `{"response":"# Split server.go\n\n1. move the handlers\n2. run the tests\n\n**Checks**\n- go test ./...","needs_more_exploration":false}`,
	} {
		p := script.New(script.Call("c1", name, args), script.Say("done"))
		events := play(t, planning(p), []string{"go"}, answering(event.Answer{Decision: event.Allow}))
		for _, e := range events {
			if set, ok := e.(*event.PlanSet); ok {
				if d := cmp.Diff(set.Text, splitText); d != "" {
					t.Errorf("%s: %s", name, d)
				}
			}
		}
		if !strings.Contains(trace(events), "call c1 present_plan "+splitPlan) {
			t.Errorf("%s: the recorded call is another one:\n%s", name, trace(events))
		}
	}
}

// A plan gets a result if the user interrupts the turn, or if the program exits before
// or right after the answer.
func TestPlanIsInterrupted(t *testing.T) {
	p := script.New(script.Call("c1", "present_plan", splitPlan))
	events := play(t, planning(p), []string{"go"}, func(e event.Event) []event.Command {
		if _, ok := e.(event.Asked); ok {
			return interrupt()
		}
		return nil
	})
	if got := trace(events); !strings.HasSuffix(got, "end c1 \"plan Split server.go\" interrupted: interrupted by the user\nturn interrupted after 1\n") {
		t.Error(got)
	}
	var open []event.Durable
	for _, e := range durable(events) {
		if _, ok := e.(*event.ToolEnd); ok {
			break
		}
		open = append(open, e)
	}
	for _, c := range []struct {
		more []event.Durable
		want string
		mode string
		todo int
	}{
		{nil, "interrupted: the program exited during this call", "", 0},
		{[]event.Durable{&event.PlanSet{ID: "c1", State: event.PlanApproved, Mode: "edits", Plan: event.Plan{Steps: []string{"a"}}}},
			approved + "auto: edits and commands in the sandbox need no approval.", "edits", 1},
		{[]event.Durable{&event.PlanSet{ID: "c1", State: event.PlanRejected, Note: "no"}}, "The user rejected the plan, with this comment: no", "", 0},
	} {
		all := append(open[:len(open):len(open)], c.more...)
		state := replayOf(t, all)
		if got := state.Messages[len(state.Messages)-1].Text; !strings.HasPrefix(got, c.want) || state.Mode != c.mode || len(state.Todo) != c.todo {
			t.Errorf("got the result %q, mode %q, todo list %v; want %q", got, state.Mode, state.Todo, c.want)
		}
		p := script.New(script.Say("on"))
		o := planning(p)
		o.Log = resumedLog(t, all...)
		play(t, o, []string{"continue"}, nil)
		if err := valid(p.Requests()[0].Messages); err != nil {
			t.Error(err)
		}
	}
}

// Without a user the turn ends with the plan. A later turn has it in its context.
func TestPlanWithoutUser(t *testing.T) {
	p := script.New(script.Reply{}.Call("c1", "present_plan", splitPlan).Call("c2", "look", args("a")).Calls())
	o := planning(p, echo("look", tools.Read))
	o.Permissions.Attended = false
	events := play(t, o, []string{"go"}, nil)
	got := trace(events)
	_, got, _ = strings.Cut(got, "start c1 \"plan Split server.go\"\n")
	want := dedent(`
		plan c1 presented "" ""
		end c1 "plan Split server.go" ok: The plan was presented. Nobody can approve it in this run. Carry it out when the user asks for it.
		start c2 "look a"
		end c2 "look a" ok: did a
		turn done after 1`)
	if d := cmp.Diff(got, want); d != "" {
		t.Error(d)
	}
	p = script.New(script.Say("done"))
	o = options(p, echo("look", tools.Read))
	o.Permissions.Mode, o.Log = event.ModeAuto, resumedLog(t, durable(events)...)
	play(t, o, []string{"carry out the plan"}, nil)
	if text := conversation(p.Requests()[0]); !strings.Contains(text, splitPlan) {
		t.Errorf("the plan is not in the context:\n%s", text)
	}
}
