package loop_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
	"agent/internal/llm/script"
	"agent/internal/loop/event"
	"agent/internal/loop/session"
	"agent/internal/loop/turn"
	"agent/internal/loop/window"
	"agent/internal/tools"
)

// An assumed window is announced once, with the way to raise it, and replaced by the
// real one after the first answer that tells it.
func TestAssumedWindow(t *testing.T) {
	p := script.New(script.Call("c1", "look", args("a")), script.Say("done"), script.Say("again"))
	o := options(p, echo("look", tools.Read))
	answers := []int{0, 32768, 1}
	o.Models.Current.Context = 4096
	o.Models.Current.Window = &turn.AssumedWindow{Advice: "set OLLAMA_CONTEXT_LENGTH for the server", Measure: func(context.Context) int {
		n := answers[0]
		answers = answers[1:]
		return n
	}}
	events := play(t, o, []string{"1", "2"}, nil)
	want := dedent(`
		user "1"
		notice script/test: the context window is assumed to be 4096 tokens until the server has loaded the model. To raise it, set OLLAMA_CONTEXT_LENGTH for the server.
		call c1 look {"text":"a"}
		start c1 "look a"
		end c1 "look a" ok: did a
		notice script/test: the context window is 32768 tokens.
		assistant "done"
		turn done after 2
		user "2"
		assistant "again"
		turn done after 1`)
	if d := cmp.Diff(trace(events), want); d != "" {
		t.Error(d)
	}
	var windows []int
	for _, e := range events {
		if m, ok := e.(*event.ModelSet); ok {
			windows = append(windows, m.Context)
		}
	}
	if d := cmp.Diff(windows, []int{4096, 32768}); d != "" {
		t.Errorf("windows of the model events: %s", d)
	}
	if len(answers) != 1 {
		t.Errorf("the server was asked %d times, want 2", 3-len(answers))
	}
}

// A server that truncates the prompt counts only the rest. The meter takes the larger
// number, live and when the session is read.
func TestMeterTakesTheLargerCount(t *testing.T) {
	long := llm.Message{Kind: llm.User, Text: strings.Repeat("word ", 8000)}
	short := llm.Message{Kind: llm.Assistant, Reply: "r1", Text: "ok"}
	msgs := []llm.Message{long, short}
	for _, c := range []struct{ counted, want int }{{4000, window.Tokens(msgs)}, {20000, 20002}} {
		m := window.Meter{}.Counted(llm.Usage{Input: c.counted, Output: 2}, 1, 2)
		if got := m.Of(0, msgs); got != c.want {
			t.Errorf("%d counted: got %d, want %d", c.counted, got, c.want)
		}
		more := append(msgs[:2:2], long)
		if got := m.Of(0, more); got != c.want+window.Tokens(more[2:]) {
			t.Errorf("%d counted, and another message: got %d", c.counted, got)
		}
		f := session.NewReplay()
		for _, e := range []event.Durable{
			&event.UserSaid{Text: long.Text}, &event.MessageDone{Message: short},
			&event.StepEnd{Reply: "r1", Usage: llm.Usage{Input: c.counted, Output: 2}},
		} {
			f.Add(e)
		}
		if got := f.Meter.Of(0, f.Messages); got != c.want {
			t.Errorf("%d counted in a log: got %d, want %d", c.counted, got, c.want)
		}
	}
}

// All requests of a session have one cache key.
func TestCacheKey(t *testing.T) {
	p := script.New(script.Call("c1", "look", args("a")), script.Say("done"), script.Say("again"))
	play(t, options(p, echo("look", tools.Read)), []string{"1", "2"}, nil)
	keys := map[string]bool{}
	for _, r := range p.Requests() {
		keys[r.CacheKey] = true
	}
	if len(keys) != 1 || keys[""] {
		t.Errorf("got keys %v, want one", keys)
	}
}

// A server that cannot be reached is named, and nothing is said or done about its assumed
// window, however small that is.
func TestAssumedWindowOfAServerThatIsDown(t *testing.T) {
	p := script.New(script.Fail(&llm.Error{Kind: llm.ErrNetwork, Provider: "p", Message: "nothing is listening on 127.0.0.1:1"}))
	o := options(p, verbose())
	o.Models.Current.Context = 100
	o.Models.Current.Window = &turn.AssumedWindow{Advice: "raise it", Measure: func(context.Context) int { return 0 }}
	events := play(t, o, []string{"1"}, nil)
	want := dedent(`
		user "1"
		turn error after 1: p: nothing is listening on 127.0.0.1:1`)
	if d := cmp.Diff(trace(events), want); d != "" {
		t.Error(d)
	}
}
