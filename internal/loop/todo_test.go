package loop_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm/script"
	"agent/internal/loop/event"
	"agent/internal/tools"
)

// durable returns the durable events.
func durable(events []event.Event) []event.Durable {
	var out []event.Durable
	for _, e := range events {
		if d, ok := e.(event.Durable); ok {
			out = append(out, d)
		}
	}
	return out
}

// The plan is that of the last call, needs no approval, and is restored on resume.
func TestTodo(t *testing.T) {
	p := script.New(
		script.Reply{}.Call("c1", "todo", `{"items":[{"text":"read","state":"active"},{"text":"write","state":"pending"}]}`).
			Call("c2", "look", args("a")).
			Call("c3", "todo", `{"items":[{"text":"read","state":"done"},{"text":"write","state":"active"}]}`).Calls(),
		script.Say("done"))
	events := play(t, options(p, echo("look", tools.Read)), []string{"go"}, nil)
	want := dedent(`
		user "go"
		call c1 todo {"items":[{"text":"read","state":"active"},{"text":"write","state":"pending"}]}
		call c2 look {"text":"a"}
		call c3 todo {"items":[{"text":"read","state":"done"},{"text":"write","state":"active"}]}
		start c1 "todo list of 2 items"
		todo c1 [{read active} {write pending}]
		end c1 "todo list of 2 items" ok: Todo list saved: 0 of 2 done, active: read.
		start c2 "look a"
		end c2 "look a" ok: did a
		start c3 "todo list of 2 items"
		todo c3 [{read done} {write active}]
		end c3 "todo list of 2 items" ok: Todo list saved: 1 of 2 done, active: write.
		assistant "done"
		turn done after 2`)
	if d := cmp.Diff(trace(events), want); d != "" {
		t.Error(d)
	}
	got := replayOf(t, durable(events)).Todo
	if d := cmp.Diff(got, []event.TodoItem{{Text: "read", State: event.TodoDone}, {Text: "write", State: event.TodoActive}}); d != "" {
		t.Errorf("resumed: %s", d)
	}
}

func TestTodoIsChecked(t *testing.T) {
	many := strings.Repeat(`{"text":"a","state":"done"},`, 51)
	for items, want := range map[string]string{
		`{"text":"a","state":"active"},{"text":"b","state":"active"}`: "2 items are active: set only the one that you work on now to active",
		`{"text":" ","state":"done"}`:                                 "item 1 has no text",
		`{"text":"a\nb","state":"done"}`:                              "item 1 has more than one line",
		`{"text":"a","state":"started"}`:                              `"items[0].state" must be pending, active or done (you sent "started")`,
		`{"text":"` + strings.Repeat("é", 201) + `","state":"done"}`:  "item 1 has 201 characters: shorten it to 200",
		strings.TrimSuffix(many, ","):                                 "the list has 51 items, at most 50 are allowed",
		`{"text":"a"}`:                                                `todo needs "state" in items[0]`,
		``:                                                            "The todo list is empty.",
	} {
		p := script.New(script.Call("c1", "todo", fmt.Sprintf(`{"items":[%s]}`, items)), script.Say("done"))
		play(t, options(p), []string{"go"}, nil)
		msgs := p.Requests()[1].Messages
		if got := msgs[len(msgs)-1].Text; !strings.Contains(got, want) {
			t.Errorf("%.60s: got %q, want %q", items, got, want)
		}
	}
}
