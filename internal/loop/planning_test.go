package loop_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
	"agent/internal/llm/script"
	"agent/internal/loop/event"
	"agent/internal/tools"
)

// In mode plan edits are denied, and commands that are not known to read. The model gets one note
// when it begins and one when it ends, also after a resume.
func TestModePlan(t *testing.T) {
	p := script.New(script.Call("c1", "edit", args("a")), script.Call("c2", "run", args("b")), script.Say("a plan"))
	o := options(p, echo("edit", tools.Write), echo("run", tools.Execute))
	o.Permissions.Mode = event.ModePlan
	events := play(t, o, []string{"go"}, func(e event.Event) []event.Command {
		if a, ok := e.(event.Asked); ok {
			return []event.Command{event.Answer{ID: a.Ask.ID, Decision: event.Allow}}
		}
		return nil
	})
	const begins = "[The user has set permission mode plan: do not change files, not with commands either; edits are denied. Investigate, and ask what only the user can decide. Then call present_plan with your plan, instead of writing it as text. If the user asks a question, answer it without a plan.]"
	announced := dedent(`
		user "` + begins + `"
		user "go"
		call c1 edit {"text":"a"}
		result c1 "denied: plan mode does not allow file changes. Make it a step of the plan that you present with present_plan. The user approves the plan to allow edits"
		call c2 run {"text":"b"}
		result c2 "denied: plan mode runs only read-only commands: 'b' is not on the list of programs that only read. Use a command that only reads"`)
	announced = strings.ReplaceAll(announced, "'b'", "`b`")
	if d := cmp.Diff(conversation(p.Requests()[2]), announced); d != "" {
		t.Error(d)
	}
	for _, e := range events {
		if end, ok := e.(*event.ToolEnd); ok && end.Outcome == event.Refused && !strings.HasPrefix(end.Error, "denied: plan mode ") {
			t.Errorf("the user reads %q", end.Error)
		}
	}
	for mode, want := range map[event.Mode]string{
		event.ModePlan: "",
		event.ModeAsk:  "user \"[The user has left permission mode plan: you may change files again.]\"\n",
	} {
		p := script.New(script.Say("well"))
		o := options(p)
		o.Permissions.Mode, o.Log = mode, resumedLog(t, durable(events)...)
		play(t, o, []string{"on"}, nil)
		if d := cmp.Diff(conversation(p.Requests()[0]), announced+"assistant \"a plan\"\n"+want+"user \"on\"\n"); d != "" {
			t.Errorf("%s: %s", mode, d)
		}
	}
}

// A model that is not offered the tool describes its plan in its answer. The notes of
// older sessions count.
func TestModePlanWithoutTheTool(t *testing.T) {
	for said, want := range map[string]string{
		"": "[The user has set permission mode plan: do not change files, edits are denied. Investigate, then say what you would change and why.]",
		"[The user has set permission mode plan: do not change files, edits are denied. Investigate, then say what you would change and why.]":                                                                                                                                                       "",
		"[The person has set mode plan: files are not to be changed, and edits are refused. Find out what there is to know, then say what you would change and why.]":                                                                                                                                "",
		"[The user has set permission mode plan: do not change files, edits are denied. Investigate, and ask what only the user can decide. Then present your plan with present_plan.]":                                                                                                              "",
		"[The user has set permission mode plan: do not change files, not with commands either; edits are denied. Investigate, and ask what only the user can decide. Then call present_plan with your plan, instead of writing it as text. If the user asks a question, answer it without a plan.]": "",
	} {
		p := script.New(script.Call("c1", "edit", args("a")), script.Say("a plan"))
		o := options(p, echo("edit", tools.Write))
		o.Permissions.Mode = event.ModePlan
		o.Models.Offer = func(_ string, _ int, all []llm.ToolSpec) []llm.ToolSpec { return all[:1] }
		earlier := []event.Durable{&event.UserSaid{Text: "earlier"}}
		if said != "" {
			earlier = append(earlier, &event.UserSaid{Text: said, Auto: true, Steered: true})
		}
		o.Log = resumedLog(t, append(earlier, &event.TurnEnd{Reason: event.Done})...)
		play(t, o, []string{"go"}, nil)
		msgs := p.Requests()[1].Messages
		if note := msgs[len(msgs)-4].Text; want != "" && note != want || want == "" && note != said {
			t.Errorf("got the note %q, want %q", note, want)
		}
		if got := msgs[len(msgs)-1].Text; !strings.Contains(got, "Describe the change and why you would make it") {
			t.Errorf("the denial is %q", got)
		}
	}
}

// In mode plan the result of the todo list says how the user gets to approve a plan.
func TestTodoIsNoPlanToApprove(t *testing.T) {
	for mode, want := range map[event.Mode]string{
		event.ModePlan: "Todo list saved: 0 of 1 done. The user approves a plan only if you present it with present_plan.",
		event.ModeAsk:  "Todo list saved: 0 of 1 done.",
	} {
		p := script.New(script.Call("c1", "update_plan", `{"plan":[{"step":"a","status":"pending"}]}`), script.Say("done"))
		o := options(p)
		o.Permissions.Mode = mode
		play(t, o, []string{"go"}, nil)
		msgs := p.Requests()[1].Messages
		if got := msgs[len(msgs)-1].Text; got != want {
			t.Errorf("%s: got %q, want %q", mode, got, want)
		}
	}
}
