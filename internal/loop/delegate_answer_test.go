package loop_test

import (
	"strings"
	"testing"

	"agent/internal/llm/script"
	"agent/internal/loop/event"
	"agent/internal/tools"
)

// The IDs of calls come from the server of the model. A call of the parent whose ID
// looks like that of a question of a delegate does not get its answer.
func TestAnswerOfDelegateIsNotForAnotherCall(t *testing.T) {
	m := team{t: t, scripts: map[string]*script.Provider{
		"one": script.New(script.Call("w", "put", `{"path":"harmless"}`), script.Say("written")),
	}, tools: []tools.Tool{put()}}
	o := options(script.New(
		script.Call("a", "delegate", `{"agent":"general","prompt":"one","background":true}`),
		script.Call("1:w", "put", `{"path":"evil"}`), script.Say("done"), script.Say("done"),
	), put())
	o.Permissions.Mode, o.Delegates = event.ModeAsk, m.pool()
	var asked []event.Ask
	events := play(t, o, []string{"go"}, func(e event.Event) []event.Command {
		a, ok := e.(event.Asked)
		if !ok {
			return nil
		}
		if asked = append(asked, a.Ask); len(asked) < 2 {
			return nil
		}
		var answers []event.Command // only what the delegate wants is approved
		for _, ask := range asked {
			d := event.Refuse
			if ask.Agent != "" {
				d = event.Allow
			}
			answers = append(answers, event.Answer{ID: ask.ID, Decision: d})
		}
		return answers
	})
	for _, e := range events {
		if end, ok := e.(*event.ToolEnd); ok && strings.HasSuffix(end.Title, "evil") && end.Outcome != event.Refused {
			t.Errorf("the call of the parent ended with %s: %s", end.Outcome, end.Result.Text)
		}
	}
	if len(asked) != 2 || asked[0].ID == asked[1].ID {
		t.Errorf("questions: %+v", asked)
	}
}
