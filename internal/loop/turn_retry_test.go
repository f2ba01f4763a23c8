package loop_test

import (
	"strings"
	"testing"
	"time"

	"agent/internal/llm"
	"agent/internal/llm/script"
	"agent/internal/loop/event"
)

func TestRetries(t *testing.T) {
	playTurns(t, map[string]turnCase{
		"a stream cut in a call is asked for once more": {
			replies: []script.Reply{cutCall("c1"), cutCall("c2")},
			want: `
				user "go"
				assistant "so" (cut)
				call c1 run {} (cut)
				notice the provider: gone. No tool call of this reply was run. Asking the model to repeat it.
				end c1 "run" interrupted: not run: the reply was cut off
				auto "` + callAgain + `"
				assistant "so" (cut)
				call c2 run {} (cut)
				end c2 "run" interrupted: not run: the reply was cut off
				turn error after 2: the provider: gone`,
		},
		"a reply that the model paused": {
			replies: []script.Reply{{Deltas: []llm.Delta{llm.TextDelta{Text: "so"}, llm.Finish{Reason: llm.Paused}}}, script.Say("done")},
			want: `
				user "go"
				assistant "so"
				auto "[Continue.]"
				assistant "done"
				turn done after 2`,
		},
		"a stream that just stops": {
			replies: []script.Reply{{Deltas: []llm.Delta{llm.TextDelta{Text: "so"}}}, {Deltas: []llm.Delta{llm.TextDelta{Text: " far"}}}},
			want: `
				user "go"
				assistant "so" (cut)
				notice script: the answer was cut off. Continuing where it was cut off.
				auto "Go on exactly where your answer was cut."
				assistant " far" (cut)
				turn error after 2 (cut): script: the answer was cut off`,
			last: `
				user "go"
				assistant "so\n\n[this answer was cut off here]" (cut)
				user "Go on exactly where your answer was cut."`,
		},
		"a stream that stops in thought is asked again": {
			replies: []script.Reply{{Deltas: []llm.Delta{llm.ThinkingDelta{Text: "hm"}}}, script.Say("done")},
			want: `
				user "go"
				retrying 2 of 6 in 1s: script: the answer was cut off
				assistant "done"
				turn done after 1`,
		},
		"an empty answer is tried once more": {
			replies: []script.Reply{script.Reply{}.Stop(), script.Reply{}.Stop()},
			want: `
				user "go"
				retrying 2 of 2 in 0s: the model gave an empty answer
				turn error after 1: the model gave an empty answer twice`,
		},
		"an answer of only reasoning is empty": {
			replies: []script.Reply{script.Reply{}.Think("hm").Stop(), script.Reply{}.Think("hm").Text(" \n").Finish("odd")},
			want: `
				user "go"
				retrying 2 of 2 in 0s: the model gave an empty answer
				thinking "hm"
				assistant " \n"
				turn error after 1: the model gave an empty answer twice`,
		},
		"reasoning, then an answer": {
			replies: []script.Reply{script.Reply{}.Think("hm").Calls(), script.Reply{}.Think("hm").Text("done").Stop()},
			want: `
				user "go"
				retrying 2 of 2 in 0s: the model gave an empty answer
				thinking "hm"
				assistant "done"
				turn done after 1`,
		},
		"a busy provider": {
			replies: []script.Reply{
				script.Fail(&llm.Error{Kind: llm.ErrOverloaded, Provider: "p", Status: 529, Retry: true}),
				script.Fail(&llm.Error{Kind: llm.ErrRate, Provider: "p", Status: 429, Retry: true, RetryAfter: 2 * time.Second}),
				script.Say("done"),
			},
			want: `
				user "go"
				retrying 2 in 1s: p answered 529
				retrying 3 in 2s: p answered 429
				assistant "done"
				turn done after 1`,
		},
		"a wait longer than the retries": {
			replies: []script.Reply{script.Fail(&llm.Error{Kind: llm.ErrRate, Provider: "p", Status: 429, Retry: true, RetryAfter: 561635 * time.Second})},
			want: `
				user "go"
				turn error after 1: p answered 429`,
		},
		"a rejected key": {
			replies: []script.Reply{script.Fail(&llm.Error{Kind: llm.ErrKey, Provider: "p", Status: 401, Message: "bad key"})},
			want: `
				user "go"
				turn error after 1: p answered 401: bad key`,
		},
	})
}

// cutCall is a reply that is cut off inside the call id.
func cutCall(id string) script.Reply {
	return script.Reply{
		Deltas: []llm.Delta{llm.TextDelta{Text: "so"}, llm.CallDelta{Index: 1, ID: id, Name: "run", Args: `{"te`}},
		Err:    &llm.Error{Kind: llm.ErrCut, Retry: true, Message: "gone"},
	}
}

// Busy providers and lost connections are retried for ten minutes, other failures
// a few times, client errors never.
func TestRetryTime(t *testing.T) {
	busy := &llm.Error{Kind: llm.ErrOverloaded, Provider: "p", Status: 500, Retry: true}
	lost := &llm.Error{Kind: llm.ErrNetwork, Provider: "p", Message: "no route", Retry: true}
	garbled := &llm.Error{Kind: llm.ErrProtocol, Provider: "p", Message: "what?", Retry: true}
	paced := &llm.Error{Kind: llm.ErrRate, Provider: "p", Status: 429, Retry: true, RetryAfter: 4 * time.Minute}
	for name, c := range map[string]struct {
		err   *llm.Error
		waits string
		hint  string
		tick  time.Duration // by which the clock advances whenever it is read
	}{
		"overloaded":      {busy, "1s 2s 4s 8s 16s 32s 1m0s 1m0s 1m0s 1m0s 1m0s 1m0s 1m0s 1m0s 57s", "Press Enter to retry.", 0},
		"network":         {lost, "1s 2s 4s 8s 16s 32s 1m0s 1m0s 1m0s 1m0s 1m0s 1m0s 1m0s 1m0s 57s", "Press Enter to retry.", 0},
		"protocol":        {garbled, "1s 2s 4s 8s 16s", "Press Enter to retry.", 0},
		"Retry-After":     {paced, "4m0s 4m0s", "The provider asks to wait until 12:12 (4 min). Retry then, or choose another model with /model.", 0},
		"key":             {&llm.Error{Kind: llm.ErrKey, Provider: "p", Status: 401}, "", "", 0},
		"a silent server": {lost, "1s", "Press Enter to retry.", 4 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			var replies []script.Reply
			for range 30 {
				replies = append(replies, script.Fail(c.err))
			}
			o := options(script.New(replies...))
			o.Clock.Now, o.Clock.Sleep = fakeClock(c.tick)
			var waits []string
			var end *event.TurnEnd
			for _, e := range play(t, o, []string{"go"}, nil) {
				switch e := e.(type) {
				case event.Retrying:
					waits = append(waits, e.In.String())
				case *event.TurnEnd:
					end = e
				}
			}
			if got := strings.Join(waits, " "); got != c.waits || end.Hint != c.hint || end.Error != c.err.Error() {
				t.Errorf("waits %s, end %q, hint %q", got, end.Error, end.Hint)
			}
		})
	}
}
