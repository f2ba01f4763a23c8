package loop_test

import (
	"slices"
	"testing"

	"agent/internal/llm"
	"agent/internal/llm/catalog"
	"agent/internal/llm/script"
	"agent/internal/loop/event"
	"agent/internal/loop/turn"
	"agent/internal/tools"
)

// toolNames returns the names of the tools that a request offers.
func toolNames(r llm.Request) (names []string) {
	for _, t := range r.Tools {
		names = append(names, t.Name)
	}
	return names
}

// callNames returns the names of the calls in a request.
func callNames(r llm.Request) (names []string) {
	for _, m := range r.Messages {
		if m.Kind == llm.ToolCall {
			names = append(names, m.Name)
		}
	}
	return names
}

// A model that knows a tool by another name sees that name in its calls; the session has
// the tool's own name, also after a switch to a model of another family.
func TestAModelKnowsAToolByAnotherName(t *testing.T) {
	p := script.New(script.Call("c1", "apply_patch", args("a")), script.Say("one"), script.Call("c2", "edit", args("b")), script.Say("two"))
	o := options(p, echo("read", tools.Read), echo("edit", tools.Write), echo("patch", tools.Write))
	o.Models.Offer = catalog.Offer
	o.Models.Current.ID, o.Models.Current.Context = "gpt-4.1", 0
	o.Models.Find = func(name, _ string) (turn.Model, error) {
		return turn.Model{Name: name, ID: "claude-sonnet-4-5", Provider: p}, nil
	}
	events := command(t, o, []event.Command{event.Prompt{Text: "a"}, event.SetModel{Model: "script/other"}, event.Prompt{Text: "b"}}, func(e event.Event) bool {
		switch e := e.(type) {
		case *event.TurnEnd:
			return true
		case *event.ModelSet:
			return e.Model == "script/other"
		}
		return false
	})
	for _, e := range events {
		switch e := e.(type) {
		case *event.MessageDone:
			if m := e.Message; m.ID == "c1" && m.Name != "patch" {
				t.Errorf("the session has the call as %s, want patch", m.Name)
			}
		case *event.ToolEnd:
			if e.Outcome != event.OK {
				t.Errorf("%s: got %s", e.Result.ID, e.Result.Text)
			}
		}
	}
	requests := p.Requests()
	if len(requests) != 4 {
		t.Fatalf("got %d requests, want 4", len(requests))
	}
	for i, want := range []struct{ tools, calls []string }{
		{[]string{"read", "apply_patch", "todo", "ask", "present_plan"}, nil},
		{[]string{"read", "apply_patch", "todo", "ask", "present_plan"}, []string{"apply_patch"}},
		{[]string{"read", "edit", "todo", "ask", "present_plan"}, []string{"patch"}},
		{[]string{"read", "edit", "todo", "ask", "present_plan"}, []string{"patch", "edit"}},
	} {
		if got := toolNames(requests[i]); !slices.Equal(got, want.tools) {
			t.Errorf("request %d: got the tools %v, want %v", i, got, want.tools)
		}
		if got := callNames(requests[i]); !slices.Equal(got, want.calls) {
			t.Errorf("request %d: got the calls %v, want %v", i, got, want.calls)
		}
	}
}

// A mode change keeps the tools; a window that becomes known replaces them.
func TestToolsAreFixedUntilTheWindowIsKnown(t *testing.T) {
	p := script.New(script.Say("one"), script.Say("two"), script.Say("three"))
	o := options(p, echo("read", tools.Read), echo("edit", tools.Write), echo("list", tools.Read))
	o.Models.Offer = catalog.Offer
	o.Models.Current.Context = 0
	o.Models.Find = func(name, _ string) (turn.Model, error) {
		return turn.Model{Name: "script/test", ID: "test", Provider: p, Context: 8192}, nil
	}
	command(t, o, []event.Command{
		event.Prompt{Text: "a"}, event.SetMode{Mode: event.ModePlan}, event.Prompt{Text: "b"}, event.SetModel{Model: "script/test"}, event.Prompt{Text: "c"},
	}, func(e event.Event) bool {
		switch e := e.(type) {
		case *event.TurnEnd, *event.ModeSet:
			return true
		case *event.ModelSet:
			return e.Context == 8192
		}
		return false
	})
	all := []string{"read", "edit", "list", "todo", "ask", "present_plan"}
	for i, want := range [][]string{all, all, {"read", "edit"}} {
		if got := toolNames(p.Requests()[i]); !slices.Equal(got, want) {
			t.Errorf("request %d: got the tools %v, want %v", i, got, want)
		}
	}
}
