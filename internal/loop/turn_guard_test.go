package loop_test

import (
	"strings"
	"testing"

	"agent/internal/llm/script"
	"agent/internal/loop/event"
)

func TestGuards(t *testing.T) {
	playTurns(t, map[string]turnCase{
		"the same call, again and again": {
			alone:   true,
			replies: []script.Reply{script.Call("c1", "look", args("a")), script.Call("c2", "look", args("a")), script.Call("c3", "look", args("a"))},
			want: `
				user "go"
				call c1 look {"text":"a"}
				start c1 "look a"
				end c1 "look a" ok: did a
				call c2 look {"text":"a"}
				start c2 "look a"
				end c2 "look a" ok: did a
				call c3 look {"text":"a"}
				start c3 "look a"
				end c3 "look a" ok: did a
				turn repeating after 3: stopped: the model made the same call 3 times, with the same result`,
		},
		"the step guard, nobody to ask": {
			alone: true, max: 2,
			replies: []script.Reply{script.Call("c1", "look", args("a")), script.Call("c2", "look", args("a")), script.Call("c3", "look", args("a"))},
			want: `
				user "go"
				call c1 look {"text":"a"}
				start c1 "look a"
				end c1 "look a" ok: did a
				call c2 look {"text":"a"}
				start c2 "look a"
				end c2 "look a" ok: did a
				turn max_steps after 2: stopped after 2 steps, the limit of one turn`,
		},
		"the step guard, continue": {
			max: 1, answers: map[string]event.Answer{event.StepsAsk: {Decision: event.Allow}},
			replies: []script.Reply{script.Call("c1", "look", args("a")), script.Say("done")},
			want: `
				user "go"
				call c1 look {"text":"a"}
				start c1 "look a"
				end c1 "look a" ok: did a
				asked steps "1 steps so far. Continue?" because a turn pauses every 1 steps (--max-steps); always: ""
				assistant "done"
				turn done after 2`,
		},
		"the step guard, stop": {
			max: 1, answers: map[string]event.Answer{event.StepsAsk: {Decision: event.Refuse}},
			replies: []script.Reply{script.Call("c1", "look", args("a")), script.Say("done")},
			want: `
				user "go"
				call c1 look {"text":"a"}
				start c1 "look a"
				end c1 "look a" ok: did a
				asked steps "1 steps so far. Continue?" because a turn pauses every 1 steps (--max-steps); always: ""
				turn max_steps after 1: stopped after 1 steps, the limit of one turn`,
		},
		"more than three steps of failures": {
			replies: []script.Reply{script.Call("c1", "no", "{}"), script.Call("c2", "no", "{}"), script.Call("c3", "look", args("x")), script.Call("c4", "no", "{}"), script.Call("c5", "no", `{"a":1}`), script.Call("c6", "no", "{}"), script.Call("c7", "no", "{}"), script.Say("never")},
			want: strings.ReplaceAll(`
				user "go"
				call c1 no {}
				end c1 "no" error: NAMES
				call c2 no {}
				end c2 "no" error: NAMES
				call c3 look {"text":"x"}
				start c3 "look x"
				end c3 "look x" ok: did x
				call c4 no {}
				end c4 "no" error: NAMES
				call c5 no {"a":1}
				end c5 "no" error: NAMES
				call c6 no {}
				end c6 "no" error: NAMES
				call c7 no {}
				end c7 "no" error: NAMES
				turn tools_failed after 7: stopped: every tool call in 4 consecutive steps failed`,
				"NAMES", `there is no tool "no". The tools are: look, change, run, broken, failing, todo, ask`),
		},
	})
}
