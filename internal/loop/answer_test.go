package loop_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
	"agent/internal/llm/script"
	"agent/internal/loop/event"
	"agent/internal/loop/turn"
	"agent/internal/tools"
)

// An answer with a schema is constrained if the provider supports that, always
// checked, requested as a call if it does not match, and repaired once.
func TestSchema(t *testing.T) {
	const object = `{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"],"additionalProperties":false}`
	refused := &llm.Error{Kind: llm.ErrInvalid, Provider: "p", Status: 400, Message: "no response_format here"}
	for name, c := range map[string]struct {
		schema  string
		replies []script.Reply
		want    string
		asked   []string // how each request asks for the answer
	}{
		"at once": {
			schema: object, replies: []script.Reply{script.Say(`{"n":1}`)},
			want: `
				user "go"
				assistant "{\"n\":1}"
				turn done after 1`,
			asked: []string{"schema"},
		},
		"after a tool, in a fence": {
			schema: object, replies: []script.Reply{script.Call("c1", "look", args("a")), script.Say("```json\n{\"n\":1}\n```")},
			want: `
				user "go"
				call c1 look {"text":"a"}
				start c1 "look a"
				end c1 "look a" ok: did a
				assistant "{\"n\":1}"
				turn done after 2`,
			asked: []string{"schema", "schema"},
		},
		"the provider takes no schema": {
			schema: object, replies: []script.Reply{script.Fail(refused), script.Say("It is one."), script.Call("c1", "answer", `{"n":1}`)},
			want: `
				user "go"
				notice p answered 400: no response_format here. The request is sent again without the schema; agent checks the answer itself.
				assistant "It is one."
				auto "Your answer does not match the schema: it is not JSON: invalid character 'I' looking for beginning of value. Submit it again by calling the tool answer."
				assistant "{\"n\":1}"
				turn done after 2`,
			asked: []string{"schema", "", "tool answer"},
		},
		"repaired": {
			schema:  `{"type":"array","items":{"type":"integer"}}`,
			replies: []script.Reply{script.Say(`["a"]`), script.Call("c1", "answer", `{"value":["b"]}`), script.Call("c2", "answer", `{"value":[1]}`)},
			want: `
				user "go"
				assistant "[\"a\"]"
				auto "Your answer does not match the schema: validating root: validating /items: type: a has type \"string\", want \"integer\". Submit it again by calling the tool answer."
				assistant "[\"b\"]"
				auto "Your answer does not match the schema: validating root: validating /items: type: b has type \"string\", want \"integer\". Submit it again by calling the tool answer."
				assistant "[1]"
				turn done after 3`,
			asked: []string{"schema", "tool answer", "tool answer"},
		},
		"never": {
			schema:  object,
			replies: []script.Reply{script.Say("no"), script.Say("no"), script.Say("no"), script.Say("too late")},
			want: `
				user "go"
				assistant "no"
				auto "Your answer does not match the schema: it is not JSON: invalid character 'o' in literal null (expecting 'u'). Submit it again by calling the tool answer."
				assistant "no"
				auto "Your answer does not match the schema: it is not JSON: invalid character 'o' in literal null (expecting 'u'). Submit it again by calling the tool answer."
				assistant "no"
				turn schema after 3: the answer does not match the schema: it is not JSON: invalid character 'o' in literal null (expecting 'u')`,
			asked: []string{"schema", "tool answer", "tool answer"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			schema, err := turn.ParseSchema([]byte(c.schema))
			if err != nil {
				t.Fatal(err)
			}
			p := script.New(c.replies...)
			o := options(p, echo("look", tools.Read))
			o.Schema = schema
			if d := cmp.Diff(trace(play(t, o, []string{"go"}, nil)), dedent(c.want)); d != "" {
				t.Error(d)
			}
			var asked []string
			for _, r := range p.Requests() {
				switch {
				case r.Schema != nil:
					asked = append(asked, "schema")
				default:
					asked = append(asked, string(r.ToolChoice.Mode)+mark(r.ToolChoice.Name != "", " "+r.ToolChoice.Name))
				}
			}
			if d := cmp.Diff(asked, c.asked); d != "" {
				t.Error(d)
			}
		})
	}
	if _, err := turn.ParseSchema([]byte(`{"type":["object"`)); err == nil {
		t.Error("a schema that means nothing was taken")
	}
}

// While a model is overloaded or its quota is exhausted, a fallback replaces it until
// its cooldown is over.
func TestFallbacks(t *testing.T) {
	quota := &llm.Error{Kind: llm.ErrQuota, Provider: "one", Status: 402, Message: "no credit"}
	busy := &llm.Error{Kind: llm.ErrOverloaded, Provider: "two", Status: 529, Retry: true}
	first := script.New(script.Fail(quota), script.Say("first again"))
	second := script.New(script.Fail(busy), script.Fail(busy))
	third := script.New(script.Say("third"), script.Say("third still"))
	o := options(first)
	o.Models.Current.Name = "one/a"
	o.Models.Current.Fallbacks = []turn.Model{{Name: "two/b", Provider: second}, {Name: "three/c", Provider: third}}
	now := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	o.Clock.Now = func() time.Time { return now }
	turns := 0
	events := play(t, o, []string{"1", "2", "3"}, func(e event.Event) []event.Command {
		if _, ok := e.(*event.TurnEnd); ok {
			if turns++; turns == 2 {
				now = now.Add(11 * time.Minute)
			}
		}
		return nil
	})
	want := dedent(`
		user "1"
		notice one answered 402: no credit. Using two/b instead of one/a for 10m0s.
		retrying 2 of 2 in 1s: two answered 529
		notice two answered 529. Using three/c instead of two/b for 1m0s.
		assistant "third"
		turn done after 1
		user "2"
		assistant "third still"
		turn done after 1
		user "3"
		assistant "first again"
		turn done after 1`)
	if d := cmp.Diff(trace(events), want); d != "" {
		t.Error(d)
	}
}

// A fallback replaces a model whose provider asks for a long wait at once, instead of
// after that wait.
func TestFallbackInsteadOfALongWait(t *testing.T) {
	for wait, want := range map[time.Duration]string{
		9 * time.Minute: `
			user "1"
			notice one answered 429. Using two/b instead of one/a for 9m0s.
			assistant "second"
			turn done after 1`,
		5 * time.Second: `
			user "1"
			retrying 2 of 2 in 5s: one answered 429
			assistant "first"
			turn done after 1`,
	} {
		limited := &llm.Error{Kind: llm.ErrRate, Provider: "one", Status: 429, Retry: true, RetryAfter: wait}
		o := options(script.New(script.Fail(limited), script.Say("first")))
		o.Models.Current.Name = "one/a"
		o.Models.Current.Fallbacks = []turn.Model{{Name: "two/b", Provider: script.New(script.Say("second"))}}
		if d := cmp.Diff(trace(play(t, o, []string{"1"}, nil)), dedent(want)); d != "" {
			t.Errorf("%s: %s", wait, d)
		}
	}
}

// The price of a turn is known if the prices of all its steps are.
func TestCost(t *testing.T) {
	price := func(u llm.Usage) (float64, bool) { return float64(u.Input) / 1000, u.Input > 0 }
	p := script.New(script.Call("c1", "look", args("a")), script.Say("done"), script.Reply{Deltas: []llm.Delta{llm.TextDelta{Text: "free"}, llm.Finish{Reason: llm.Stop}}})
	o := options(p, echo("look", tools.Read))
	o.Models.Current.Cost = price
	var costs []any
	for _, e := range play(t, o, []string{"1", "2"}, nil) {
		if end, ok := e.(*event.TurnEnd); ok {
			if end.Cost == nil {
				costs = append(costs, "unknown")
			} else {
				costs = append(costs, *end.Cost)
			}
		}
	}
	if d := cmp.Diff(costs, []any{0.2, "unknown"}); d != "" {
		t.Error(d)
	}
}

// A server without tool calling gets calls as text if the user approves or if there is
// no user, and for the rest of the session.
func TestNoToolCalling(t *testing.T) {
	none := &llm.Error{Kind: llm.ErrNoTools, Provider: "p", Status: 400, Message: "it does not support tools"}
	for name, c := range map[string]struct {
		answer event.Decision
		alone  bool
		want   string
	}{
		"yes": {answer: event.Allow, want: `
			user "1"
			asked text "script/test has no tool calling. Continue with tool calls written as text?" because p answered 400: it does not support tools; always: ""
			notice script/test now writes its tool calls as text.
			assistant "as text"
			turn done after 1
			user "2"
			assistant "still"
			turn done after 1`},
		"no": {answer: event.Refuse, want: `
			user "1"
			asked text "script/test has no tool calling. Continue with tool calls written as text?" because p answered 400: it does not support tools; always: ""
			turn error after 1: p answered 400: it does not support tools
			user "2"
			assistant "too late"
			turn done after 1`},
		"nobody there": {alone: true, want: `
			user "1"
			notice script/test now writes its tool calls as text.
			assistant "as text"
			turn done after 1
			user "2"
			assistant "still"
			turn done after 1`},
	} {
		t.Run(name, func(t *testing.T) {
			o := options(script.New(script.Fail(none), script.Say("too late")))
			o.Models.Current.AsText = script.New(script.Say("as text"), script.Say("still"))
			o.Permissions.Attended = !c.alone
			events := play(t, o, []string{"1", "2"}, func(e event.Event) []event.Command {
				if a, ok := e.(event.Asked); ok {
					return []event.Command{event.Answer{ID: a.Ask.ID, Decision: c.answer}}
				}
				return nil
			})
			if d := cmp.Diff(trace(events), dedent(c.want)); d != "" {
				t.Error(d)
			}
		})
	}
}

// A message that arrives with the last invalid answer continues the turn, whose end
// does not mention that answer.
func TestSteeringAfterUnfitAnswers(t *testing.T) {
	schema, err := turn.ParseSchema([]byte(`{"type":"object","required":["n"]}`))
	if err != nil {
		t.Fatal(err)
	}
	steered := make(chan struct{})
	last := script.Reply{Deltas: script.Say("no").Deltas, Hold: map[int]<-chan struct{}{1: steered}}
	o := options(script.New(script.Say("no"), script.Say("no"), last, script.Say(`{"n":1}`)))
	o.Schema = schema
	asked := 0
	events := play(t, o, []string{"go"}, func(e event.Event) []event.Command {
		switch e.(type) {
		case *event.UserSaid:
			asked++
		case event.Streamed:
			if asked == 3 { // the last invalid answer has begun
				asked++
				return []event.Command{event.Prompt{Text: "n is 1"}, event.ListJobs{}}
			}
		case event.JobsNow:
			close(steered)
		}
		return nil
	})
	end := events[len(events)-1].(*event.TurnEnd)
	if end.Reason != event.Done || end.Error != "" || end.Hint != "" || end.Steps != 4 {
		t.Errorf("got %+v, want a turn that is done after 4 steps", end)
	}
}
