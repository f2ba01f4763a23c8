package loop_test

import (
	"slices"
	"testing"

	"agent/internal/llm/script"
	"agent/internal/loop/event"
	"agent/internal/tools"

	"github.com/google/go-cmp/cmp"
)

// A question says whether mode auto would allow its call. If the user sets the mode while the
// question waits, the call still needs the answer, and the next one does not.
func TestQuestionsThatAutoWouldAllow(t *testing.T) {
	type question struct {
		ID   string
		Auto bool
	}
	for name, c := range map[string]struct {
		modes []event.Mode // that the user may choose
		set   bool         // mode auto at the first question
		want  []question
	}{
		"all modes":    {want: []question{{"c1", true}, {"c2", true}, {"c3", false}, {"c4", false}}},
		"without auto": {modes: []event.Mode{event.ModeAsk, event.ModePlan}, want: []question{{"c1", false}, {"c2", false}, {"c3", false}, {"c4", false}}},
		"set to auto":  {set: true, want: []question{{"c1", true}, {"c3", false}, {"c4", false}}},
	} {
		t.Run(name, func(t *testing.T) {
			reply := script.Reply{}.Call("c1", "change", args("a")).Call("c2", "change", args("b")).Call("c3", "change", args(".envrc")).Call("c4", "run", args("make"))
			o := options(script.New(reply.Calls(), script.Say("done")), echo("change", tools.Write), echo("run", tools.Execute))
			o.Permissions.Mode, o.Permissions.Modes = event.ModeAsk, c.modes
			var got []question
			events := play(t, o, []string{"go"}, func(e event.Event) []event.Command {
				a, ok := e.(event.Asked)
				if !ok {
					return nil
				}
				got = append(got, question{a.Ask.ID, a.Ask.Auto})
				answer := []event.Command{event.Answer{ID: a.Ask.ID, Decision: event.Allow}}
				if c.set && a.Ask.ID == "c1" {
					return slices.Insert(answer, 0, event.Command(event.SetMode{Mode: event.ModeAuto}))
				}
				return answer
			})
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("the questions (-want +got):\n%s\n%s", d, trace(events))
			}
		})
	}
}
