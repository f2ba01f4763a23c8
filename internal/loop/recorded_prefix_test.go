package loop_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
	"agent/internal/llm/script"
	"agent/internal/loop"
	"agent/internal/loop/event"
	"agent/internal/loop/turn"
	"agent/internal/tools"
)

// described is a tool of a version of the program with that description.
func described(name, text string) tools.Tool {
	return tools.New(name, text, func(context.Context, textArgs) (tools.Call, error) { return tools.Call{}, nil })
}

// durablesOf returns the durable events among events.
func durablesOf(events []event.Event) (all []event.Durable) {
	for _, e := range events {
		if d, ok := e.(event.Durable); ok {
			all = append(all, d)
		}
	}
	return all
}

// prefixesOf returns the prefixes among events.
func prefixesOf(events []event.Event) (all []*event.Prefix) {
	for _, e := range events {
		if p, ok := e.(*event.Prefix); ok {
			all = append(all, p)
		}
	}
	return all
}

// A resumed session sends the recorded prefix, although the program describes itself and
// its tools in new words, until the user or the instructions change it.
func TestAResumedSessionSendsTheRecordedPrefix(t *testing.T) {
	instructions := func(text, sum string) func(int) (string, []event.InstructionFile) {
		return func(int) (string, []event.InstructionFile) {
			return text, []event.InstructionFile{{Path: "AGENTS.md", Sum: sum}}
		}
	}
	first := script.New(script.Say("one"), script.Say("two"))
	o := options(first, described("look", "looks"))
	o.Prompt.System, o.Prompt.AppendSystem, o.Prompt.Instructions = "", "Be brief.", instructions("Use tabs.", "sha256:1")
	events := play(t, o, []string{"a", "b"}, nil)
	written := prefixesOf(events)
	if len(written) != 1 || written[0].Instructions[0].Sum != "sha256:1" {
		t.Fatalf("got %d prefixes, want 1", len(written))
	}
	sent := first.Requests()[0]
	for name, c := range map[string]struct {
		change  func(*loop.Options)
		written int
	}{
		"nothing but the words of the program": {func(*loop.Options) {}, 0},
		"another model with the same tools":    {func(o *loop.Options) { o.Models.Current.Name = "script/other" }, 0},
		"no addition of the user":              {func(o *loop.Options) { o.Prompt.AppendSystem = "" }, 0},
		"the user's system prompt":             {func(o *loop.Options) { o.Prompt.System = "You are a poet." }, 1},
		"the user's addition":                  {func(o *loop.Options) { o.Prompt.AppendSystem = "Be long." }, 1},
		"the instructions":                     {func(o *loop.Options) { o.Prompt.Instructions = instructions("Use blanks.", "sha256:2") }, 1},
		"the tools":                            {func(o *loop.Options) { o.Tools = append(o.Tools, described("change", "changes")) }, 1},
	} {
		t.Run(name, func(t *testing.T) {
			p := script.New(script.Say("again"), script.Say("and again"))
			o := options(p, described("look", "looks closely"))
			o.Prompt.System, o.Prompt.AppendSystem, o.Prompt.Instructions = "", "Be brief.", instructions("Use tabs.", "sha256:1")
			c.change(&o)
			o.Log = resumedLog(t, durablesOf(events)...)
			written := prefixesOf(play(t, o, []string{"c", "d"}, nil))
			if len(written) != c.written {
				t.Fatalf("got %d prefixes, want %d", len(written), c.written)
			}
			got := p.Requests()[0]
			same := cmp.Equal(got.System, sent.System) && cmp.Equal(got.Tools, sent.Tools)
			if same != (c.written == 0) {
				t.Errorf("the same bytes: %v; system prompt %q", same, got.System)
			}
			if d := cmp.Diff(got.Tools, p.Requests()[1].Tools); d != "" {
				t.Errorf("the tools changed during the session: %s", d)
			}
		})
	}
}

// A session of an older version gets its prefix with the first request after it is
// resumed.
func TestAnOldSessionGetsAPrefix(t *testing.T) {
	p := script.New(script.Say("again"))
	o := options(p, described("look", "looks"))
	o.Log = resumedLog(t, oldConversation()...)
	written := prefixesOf(play(t, o, []string{"go on"}, nil))
	if len(written) != 1 || written[0].System != p.Requests()[0].System || written[0].Hash == "" {
		t.Errorf("got %+v", written)
	}
}

// A model switch that changes the instructions' share of the window writes another prefix.
func TestAModelSwitchWritesAPrefixIfItChanges(t *testing.T) {
	p := script.New(script.Say("one"), script.Say("two"), script.Say("three"))
	o := options(p, described("look", "looks"))
	o.Prompt.Instructions = func(window int) (string, []event.InstructionFile) {
		if window < 100_000 {
			return "Short.", nil
		}
		return "Long and detailed.", nil
	}
	o.Models.Find = func(name, _ string) (turn.Model, error) {
		m := turn.Model{Name: name, ID: name, Provider: p, Context: 200_000}
		if name == "script/small" {
			m.Context = 50_000
		}
		return m, nil
	}
	events := command(t, o, []event.Command{
		event.Prompt{Text: "a"}, event.SetModel{Model: "script/large"}, event.Prompt{Text: "b"}, event.SetModel{Model: "script/small"}, event.Prompt{Text: "c"},
	}, func(e event.Event) bool {
		switch e := e.(type) {
		case *event.TurnEnd:
			return true
		case *event.ModelSet:
			return e.Model != "script/test"
		}
		return false
	})
	if got := prefixesOf(events); len(got) != 2 {
		t.Fatalf("got %d prefixes, want 2", len(got))
	}
	systems := func(r []llm.Request) (all []string) {
		for _, r := range r {
			all = append(all, r.System)
		}
		return all
	}
	want := []string{"system\nLong and detailed.", "system\nLong and detailed.", "system\nShort."}
	if d := cmp.Diff(systems(p.Requests()), want); d != "" {
		t.Errorf("got (-), want (+): %s", d)
	}
}
