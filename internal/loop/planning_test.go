package loop_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm/script"
	"agent/internal/loop/event"
	"agent/internal/tools"
)

// In mode plan edits are denied and commands need approval. The model gets one note
// when it begins and one when it ends, also after a resume.
func TestModePlan(t *testing.T) {
	p := script.New(script.Call("c1", "edit", args("a")), script.Call("c2", "run", args("b")), script.Say("a plan"))
	o := options(p, echo("edit", tools.Write), echo("run", tools.Execute))
	o.Mode = event.ModePlan
	events := play(t, o, []string{"go"}, func(e event.Event) []event.Command {
		if a, ok := e.(event.Asked); ok {
			return []event.Command{event.Answer{ID: a.Ask.ID, Decision: event.Allow}}
		}
		return nil
	})
	const begins = "[The user has set permission mode plan: do not change files, edits are denied. Investigate, then say what you would change and why.]"
	announced := dedent(`
		user "` + begins + `"
		user "go"
		call c1 edit {"text":"a"}
		result c1 "denied: permission mode plan does not allow file changes. Describe the change and why you would make it, then end your answer. The user leaves the mode to allow edits"
		call c2 run {"text":"b"}
		result c2 "did b"`)
	if d := cmp.Diff(conversation(p.Requests()[2]), announced); d != "" {
		t.Error(d)
	}
	for _, e := range events {
		if end, ok := e.(*event.ToolEnd); ok && end.Outcome == event.Refused && end.Error != "denied: permission mode plan does not allow file changes" {
			t.Errorf("the user reads %q", end.Error)
		}
	}
	for mode, want := range map[event.Mode]string{
		event.ModePlan: "",
		event.ModeAsk:  "user \"[The user has left permission mode plan: you may change files again.]\"\n",
	} {
		p := script.New(script.Say("well"))
		o := options(p)
		o.Mode, o.Log = mode, resumedLog(t, durable(events)...)
		play(t, o, []string{"on"}, nil)
		if d := cmp.Diff(conversation(p.Requests()[0]), announced+"assistant \"a plan\"\n"+want+"user \"on\"\n"); d != "" {
			t.Errorf("%s: %s", mode, d)
		}
	}
}
