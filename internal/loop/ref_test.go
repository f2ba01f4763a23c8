package loop_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/history"
	"agent/internal/llm/script"
	"agent/internal/loop/event"
	"agent/internal/loop/turn"
	"agent/internal/tools"
)

// withID returns a command with an ID.
func withID(t *testing.T, c event.Command, id string) event.Command {
	t.Helper()
	line, err := event.EncodeCommand(c)
	if err != nil {
		t.Fatal(err)
	}
	c, err = event.DecodeCommand([]byte(strings.TrimSuffix(string(line), "}") + `,"command_id":"` + id + `"}`))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// answers returns the names of the events that answer a command: "notice", "jobs". A
// command after it ends the wait.
func (c *dialogue) answers(command event.Command) (names []string) {
	c.t.Helper()
	for _, e := range c.untilAnswer(command, event.ListJobs{Ref: event.Ref{CommandID: "last"}}) {
		if event.RefOf(e).CommandID == "mine" {
			names = append(names, nameOf(c.t, e))
		}
	}
	return names
}

// untilAnswer sends commands and returns the events up to the answer to the last one.
func (c *dialogue) untilAnswer(commands ...event.Command) (all []event.Event) {
	c.t.Helper()
	last := event.RefOf(commands[len(commands)-1])
	for {
		var next event.Command
		var send chan<- event.Command
		if len(commands) > 0 {
			next, send = commands[0], c.commands
		}
		select {
		case send <- next:
			commands = commands[1:]
		case e, ok := <-c.events:
			if !ok {
				c.t.Fatal("the agent ended or hung")
			}
			if all = append(all, e); event.RefOf(e) == last {
				return all
			}
		}
	}
}

// nameOf returns the type name of an event.
func nameOf(t *testing.T, e event.Event) string {
	t.Helper()
	encode := event.EncodePreview
	if d, durable := e.(event.Durable); durable {
		encode = func(event.Event) ([]byte, error) { return event.Encode(d) }
	}
	line, err := encode(e)
	if err != nil {
		t.Fatal(err)
	}
	var typ struct{ Type string }
	if err := json.Unmarshal(line, &typ); err != nil {
		t.Fatal(err)
	}
	return typ.Type
}

// answered are all commands that have answers, with the names of the answers of an agent
// whose session is not saved.
var answered = []struct {
	command event.Command
	want    string
}{
	{event.ListJobs{}, "jobs"},
	{event.ListPermissions{}, "permissions"},
	{event.ExplainPermission{Line: "ls"}, "explained"},
	{event.RemovePermission{ID: "none"}, "notice"},
	{event.ListContext{}, "context"},
	{event.EditContext{Step: event.CompactUndo}, "notice"},
	{event.EditContext{Step: event.CompactEdit, Text: "x"}, "notice"},
	{event.EditContext{Step: event.CompactPin, Item: "c1"}, "compact"},
	{event.Rename{Title: "a title"}, "rename"},
	{event.SetMode{Mode: event.ModePlan}, "mode"},
	{event.SetModel{Model: "p/other"}, "model"},
	{event.SetModel{Model: "none"}, "notice"},
	{event.SetWebSearch{}, "notice"},
	{event.SetBudget{}, "budget"},
	{event.ListDelegates{}, "delegates"},
	{event.StartDelegate{Agent: "none", Prompt: "x"}, "notice"},
	{event.PlanUndo{}, "notice"},
	{event.ApplyUndo{ID: "none"}, "notice"},
	{event.ListChanges{}, "notice"},
	{event.UndoChanges{ID: "none", Hunks: []event.HunkPick{}}, "notice"},
	{event.Rewind{Keep: 1000}, "notice"},
	{event.Rewind{}, "rewind"},
}

// A command with an ID is answered once, by an event with the same ID. It makes no
// difference to other events.
func TestEachCommandIsAnsweredWithItsID(t *testing.T) {
	o := options(script.New(script.Reply{}.Call("c1", "look", args("a")).Calls(), script.Say("seen")), echo("look", tools.Read))
	o.Log = history.Open(t.TempDir()).Create(history.Header{Dir: "/w"})
	o.Models.Find = func(name, _ string) (turn.Model, error) {
		if name == "none" {
			return turn.Model{}, errors.New("there is no such model")
		}
		return turn.Model{Name: name}, nil
	}
	c := openDialogue(t, o)
	defer c.end()
	reply[*event.TurnEnd](c, event.Prompt{Text: "look"})
	for _, a := range answered {
		if got := c.answers(withID(t, a.command, "mine")); !slices.Equal(got, []string{a.want}) {
			t.Errorf("%+v is answered with %q, want %s", a.command, got, a.want)
		}
		if got := c.answers(a.command); got != nil {
			t.Errorf("%+v without an ID is answered with %q", a.command, got)
		}
	}
}

// The table of the test above has all commands that can have an ID.
func TestAnsweredCommandsAreComplete(t *testing.T) {
	text, err := event.InputSchema()
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		OneOf []struct {
			Title      string
			Properties map[string]any
		}
	}
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	var want, got []string
	for _, s := range schema.OneOf {
		if _, ok := s.Properties["command_id"]; ok {
			want = append(want, s.Title)
		}
	}
	for _, a := range answered {
		line, err := event.EncodeCommand(a.command)
		if err != nil {
			t.Fatal(err)
		}
		var typ struct{ Type string }
		_ = json.Unmarshal(line, &typ)
		got = append(got, typ.Type)
	}
	slices.Sort(got)
	slices.Sort(want)
	if d := cmp.Diff(slices.Compact(got), want); d != "" {
		t.Errorf("got (-), want (+):\n%s", d)
	}
}

// A delegate that the user started is in the list that answers the command.
func TestTheAnswerListsTheStartedDelegate(t *testing.T) {
	m := team{t: t, scripts: map[string]*script.Provider{"look": script.New(script.Say("found it"))}}
	o := options(script.New(script.Say("thanks")))
	o.Delegates = m.pool()
	c := openDialogue(t, o)
	defer c.end()
	all := c.untilAnswer(withID(t, event.StartDelegate{Agent: "explore", Prompt: "look"}, "mine"))
	now, ok := all[len(all)-1].(event.DelegatesNow)
	if !ok || len(now.Delegates) != 1 || now.Delegates[0].Task != "look" {
		t.Errorf("got %+v", all[len(all)-1])
	}
}

// A command that is not possible during a turn is answered with a notice.
func TestCommandsDuringATurnAreRejectedWithTheirID(t *testing.T) {
	look := tool("look", tools.Write, func(context.Context, string) (string, error) { return "", nil })
	o := options(script.New(script.Reply{}.Call("c1", "look", args("a")).Calls(), script.Say("seen")), look)
	o.Permissions.Mode = event.ModeAsk
	c := openDialogue(t, o)
	defer c.end()
	ask := reply[event.Asked](c, event.Prompt{Text: "look"}).Ask
	for _, command := range []event.Command{
		event.Rewind{}, event.EditContext{Step: event.CompactUndo}, event.ListContext{}, event.PlanUndo{}, event.ApplyUndo{ID: "x"},
		event.ListChanges{}, event.UndoChanges{ID: "x", Hunks: []event.HunkPick{}},
	} {
		if got := c.answers(withID(t, command, "mine")); !slices.Equal(got, []string{"notice"}) {
			t.Errorf("%T is answered with %q", command, got)
		}
	}
	reply[*event.TurnEnd](c, event.Answer{ID: ask.ID, Decision: event.Allow})
}
