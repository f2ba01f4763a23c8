package loop_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/llm/script"
	"agent/internal/loop/event"
	"agent/internal/loop/session"
	"agent/internal/tools"
)

// The plan that the user approved is in every later request of a long session exactly
// once, whatever is compacted; a rejected one and an old todo list are not kept.
func TestApprovedPlanStaysInASmallWindow(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector finds nothing here, and slows it down")
	}
	for name, c := range map[string]struct {
		edited string // the plan as the user edits it; empty if unchanged
		want   string // in every request after the approval
		small  bool   // without room for summaries
	}{
		"unchanged":         {"", "1. move the handlers\n2. run the tests", false},
		"edited":            {editedText, strings.TrimSpace(editedText), false},
		"edited, 16K":       {editedText, strings.TrimSpace(editedText), true},
		"unchanged, 16K":    {"", "1. move the handlers\n2. run the tests", true},
		"long, edited, 16K": {editedText + long("why"), strings.TrimSpace(editedText + long("why")), true},
	} {
		t.Run(name, func(t *testing.T) {
			p, steps := &counter{window: 32_000}, 120
			if c.small {
				p.window, steps = 16_000, 60
			}
			p.reply = func(n int, req llm.Request) script.Reply {
				switch {
				case len(req.Tools) == 0: // a summary
					return script.Say("## Goal\nlook at files")
				case n == 0:
					return script.Call("t0", "todo", `{"items":[{"text":"an old list","state":"active"}]}`)
				case n == 1:
					return script.Call("p0", "present_plan", strings.Replace(splitPlan, "run the tests", "break the tests", 1))
				case n == 2:
					return script.Call("p1", "present_plan", splitPlan)
				case n <= steps:
					return script.Call(fmt.Sprint("c", n), "look", args(fmt.Sprintf("dir/file%d.go", n)))
				}
				return script.Say("done")
			}
			o := planning(p, tool("look", tools.Read, func(_ context.Context, name string) (string, error) {
				return name + "\n" + strings.Repeat("func f(a int) error { return nil } // of it\n", 43), nil
			}))
			o.Models.Current.Context, o.TurnBudget = p.window, event.Budget{event.LimitSteps: float64(2 * steps)}
			o.Log = history.Open(t.TempDir()).Create(history.Header{Dir: "/w"})
			defer o.Log.Close()
			events := play(t, o, []string{"GOAL: split it"}, answering(event.Answer{Decision: event.Refuse},
				event.Answer{Decision: event.Allow, Mode: event.ModeAll, Text: c.edited}))
			if end := events[len(events)-1].(*event.TurnEnd); end.Reason != event.Done {
				t.Fatalf("the turn ended with %s after %d steps: %s", end.Reason, end.Steps, end.Error)
			}
			compacted := map[event.CompactStep]int{}
			for _, e := range compactions(events) {
				compacted[e.Step]++
			}
			t.Logf("%d requests, compactions %v", len(p.requests), compacted)
			checkPlanIn(t, p.requests, c.want, c.edited == "")
			last := conversation(p.requests[len(p.requests)-1])
			for _, gone := range []string{"break the tests", "an old list"} {
				if strings.Contains(last, gone) {
					t.Errorf("the last request has %q:\n%.3000s", gone, last)
				}
			}
			state, err := session.ReplayRecords(recorded(o.Log))
			if err != nil {
				t.Fatal(err)
			}
			msgs := p.requests[len(p.requests)-1].Messages
			if d := cmp.Diff(msgs, state.Messages[:len(msgs)], cmpopts.EquateEmpty()); d != "" {
				t.Errorf("a resumed session has other messages: %s", d)
			}
		})
	}
}

// checkPlanIn checks that each request after the approval has the plan once: as a note
// with the text want, or in the original call p1.
func checkPlanIn(t *testing.T, requests []llm.Request, want string, unchanged bool) {
	t.Helper()
	notes := 0
	for i, r := range requests {
		if i < 3 || len(r.Tools) == 0 {
			continue
		}
		note, original := 0, 0
		for _, m := range r.Messages {
			switch {
			case m.Kind == llm.User && strings.Contains(m.Text, want):
				note++
			case m.Kind == llm.ToolCall && m.ID == "p1" && unchanged, m.Kind == llm.ToolResult && m.ID == "p1" && strings.Contains(m.Text, want):
				original++
			}
		}
		if notes += note; note+original != 1 {
			t.Fatalf("request %d has the plan %d times, as a note %d times:\n%.3000s", i, note+original, note, conversation(r))
		}
	}
	if notes == 0 {
		t.Error("the plan was never replaced by a note")
	}
}

// The plan is kept when the user compacts the conversation, until another one is
// approved. The user can remove it.
func TestApprovedPlanIsReplacedOrRemoved(t *testing.T) {
	other := strings.NewReplacer("Split", "Join", "move the handlers", "join the files").Replace(splitPlan)
	allow := func(id string) event.Command { return event.Answer{ID: id, Decision: event.Allow} }
	summary := script.Say("## Goal\nsplit")
	for name, c := range map[string]struct {
		commands []event.Command
		replies  []script.Reply
		want     []string // plans in the last request
	}{
		"compacted twice": {
			[]event.Command{event.Prompt{Text: "go"}, allow("c1"), event.Compact{}, event.Prompt{Text: "on"}, event.Compact{}, event.Prompt{Text: "end"}},
			[]script.Reply{script.Call("c1", "present_plan", splitPlan), script.Say(long("done")), summary, script.Say(long("on")), summary, script.Say("end")},
			[]string{"user: Split"},
		},
		"replaced": {
			[]event.Command{event.Prompt{Text: "go"}, allow("c1"), event.Compact{}, event.SetMode{Mode: event.ModePlan}, event.Prompt{Text: "on"}, allow("c2"), event.Prompt{Text: "end"}, event.Compact{}, event.Prompt{Text: "end"}},
			[]script.Reply{script.Call("c1", "present_plan", splitPlan), script.Say(long("done")), summary, script.Call("c2", "present_plan", other), script.Say("on"), script.Say("end"), summary, script.Say("end")},
			[]string{"user: Join"},
		},
		"summary undone": {
			[]event.Command{event.Prompt{Text: "go"}, allow("c1"), event.Prompt{Text: "on"}, event.Compact{}, event.EditContext{Step: event.CompactUndo}, event.Prompt{Text: "end"}},
			[]script.Reply{script.Call("c1", "present_plan", splitPlan), script.Say(long("done")), script.Say("on"), summary, script.Say("end")},
			[]string{"call: Split"},
		},
		"removed": {
			[]event.Command{event.Prompt{Text: "go"}, allow("c1"), event.Prompt{Text: "on"}, event.EditContext{Step: event.CompactDrop, Item: "c1"}, event.Compact{}, event.Prompt{Text: "end"}},
			[]script.Reply{script.Call("c1", "present_plan", splitPlan), script.Say(long("done")), script.Say("on"), summary, script.Say("end")},
			nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := script.New(c.replies...)
			o := planning(p)
			o.Log = history.Open(t.TempDir()).Create(history.Header{Dir: "/w"})
			defer o.Log.Close()
			command(t, o, c.commands, func(e event.Event) bool {
				switch e := e.(type) {
				case event.Asked, *event.TurnEnd:
					return true
				case *event.ModeSet:
					return e.Mode == string(event.ModePlan)
				case *event.Compacted:
					return e.Step != event.CompactSummary
				}
				return false
			})
			msgs := sameAsReplayed(t, o.Log, p)
			var plans []string
			for _, m := range msgs {
				for _, title := range []string{"Split server.go", "Join server.go"} {
					if strings.Contains(m.Text, title) {
						plans = append(plans, "user: "+strings.Fields(title)[0])
					} else if strings.Contains(string(m.Input), title) {
						plans = append(plans, "call: "+strings.Fields(title)[0])
					}
				}
			}
			if d := cmp.Diff(plans, c.want); d != "" {
				t.Errorf("%s\n%s", d, conversation(llm.Request{Messages: msgs}))
			}
		})
	}
}

// A plan stays complete when even prompts must be shortened.
func TestApprovedPlanAmongLongPrompts(t *testing.T) {
	p := &counter{window: 16_000}
	p.reply = func(n int, req llm.Request) script.Reply {
		if n == 0 {
			return script.Call("p1", "present_plan", splitPlan)
		}
		return script.Say("done")
	}
	o := planning(p)
	o.Models.Current.Context = p.window
	prompts := []string{"go"}
	for range 12 {
		prompts = append(prompts, strings.Repeat("much to read ", 1500))
	}
	events := play(t, o, prompts, answering(event.Answer{Decision: event.Allow, Text: editedText}))
	compacted := map[event.CompactStep]int{}
	for _, e := range compactions(events) {
		compacted[e.Step]++
	}
	if compacted[event.CompactPrompts] == 0 || p.rejected > 1 {
		t.Errorf("compactions %v, %d requests rejected", compacted, p.rejected)
	}
	checkPlanIn(t, append(make([]llm.Request, 2), p.requests[1:]...), strings.TrimSpace(editedText), false)
}
