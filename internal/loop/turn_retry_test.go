package loop_test

import (
	"testing"
	"time"

	"agent/internal/llm"
	"agent/internal/llm/script"
)

func TestRetries(t *testing.T) {
	playTurns(t, map[string]turnCase{
		"a stream cut in a call": {
			replies: []script.Reply{{Deltas: []llm.Delta{llm.TextDelta{Text: "so"}, llm.CallDelta{Index: 1, ID: "c1", Name: "run", Args: `{"te`}}, Err: &llm.Error{Kind: llm.ErrCut, Retry: true, Message: "gone"}}},
			want: `
				user "go"
				assistant "so" (cut)
				call c1 run {} (cut)
				end c1 "run" interrupted: not run: the reply was cut before it ended
				turn error after 1: the provider: gone`,
		},
		"a stream that just stops": {
			replies: []script.Reply{{Deltas: []llm.Delta{llm.TextDelta{Text: "so"}}}, {Deltas: []llm.Delta{llm.TextDelta{Text: " far"}}}},
			want: `
				user "go"
				assistant "so" (cut)
				notice script: the answer was cut in the middle. What arrived is kept. Going on where the answer was cut.
				auto "Go on exactly where your answer was cut."
				assistant " far" (cut)
				turn error after 2 (cut): script: the answer was cut in the middle. What arrived is kept`,
			last: `
				user "go"
				assistant "so\n\n[this answer was cut here]" (cut)
				user "Go on exactly where your answer was cut."`,
		},
		"a stream that stops in thought is asked again": {
			replies: []script.Reply{{Deltas: []llm.Delta{llm.ThinkingDelta{Text: "hm"}}}, script.Say("done")},
			want: `
				user "go"
				retrying 2 of 6 in 250ms: script: the answer was cut in the middle. What arrived is kept
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
		"an error that trying again mends": {
			replies: []script.Reply{
				script.Fail(&llm.Error{Kind: llm.ErrOverloaded, Provider: "p", Status: 529, Retry: true}),
				script.Fail(&llm.Error{Kind: llm.ErrRate, Provider: "p", Status: 429, Retry: true, RetryAfter: 2 * time.Second}),
				script.Say("done"),
			},
			want: `
				user "go"
				retrying 2 of 6 in 250ms: p answered 529
				retrying 3 of 6 in 2.5s: p answered 429
				assistant "done"
				turn done after 1`,
		},
		"an error that stays": {
			replies: func() (rs []script.Reply) {
				for range 7 {
					rs = append(rs, script.Fail(&llm.Error{Kind: llm.ErrOverloaded, Provider: "p", Status: 500, Retry: true}))
				}
				return rs
			}(),
			want: `
				user "go"
				retrying 2 of 6 in 250ms: p answered 500
				retrying 3 of 6 in 500ms: p answered 500
				retrying 4 of 6 in 1s: p answered 500
				retrying 5 of 6 in 2s: p answered 500
				retrying 6 of 6 in 4s: p answered 500
				turn error after 1: p answered 500`,
		},
		"a wait that is too long, an error that trying again does not mend": {
			replies: []script.Reply{script.Fail(&llm.Error{Kind: llm.ErrRate, Provider: "p", Status: 429, Retry: true, RetryAfter: 561635 * time.Second})},
			want: `
				user "go"
				turn error after 1: p answered 429`,
		},
		"an error that trying again does not mend": {
			replies: []script.Reply{script.Fail(&llm.Error{Kind: llm.ErrKey, Provider: "p", Status: 401, Message: "bad key"})},
			want: `
				user "go"
				turn error after 1: p answered 401: bad key`,
		},
	})
}
