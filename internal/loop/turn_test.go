package loop_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
	"agent/internal/llm/script"
	"agent/internal/loop/event"
	"agent/internal/tools"
)

// turnCase is a turn with its expected events.
type turnCase struct {
	replies []script.Reply
	mode    event.Mode
	alone   bool // there is no user
	answers map[string]event.Answer
	max     int
	want    string
	last    string // the conversation of the last request
}

// playTurns plays turns on the prompt "go".
func playTurns(t *testing.T, turns map[string]turnCase) {
	t.Helper()
	look, change, run := echo("look", tools.Read), echo("change", tools.Write), echo("run", tools.Execute)
	broken := tools.New("broken", "panics", func(context.Context, textArgs) (tools.Call, error) { panic("oh") })
	failing := tool("failing", tools.Read, func(context.Context, string) (string, error) { return "", errors.New("no such thing: try look") })
	for name, c := range turns {
		t.Run(name, func(t *testing.T) {
			p := script.New(c.replies...)
			o := options(p, look, change, run, broken, failing)
			o.Permissions.Attended = !c.alone
			if c.max > 0 {
				o.TurnBudget = event.Budget{event.LimitSteps: float64(c.max)}
			}
			if c.mode != "" {
				o.Permissions.Mode = c.mode
			}
			events := play(t, o, []string{"go"}, func(e event.Event) []event.Command {
				if a, ok := e.(event.Asked); ok {
					answer := c.answers[a.Ask.ID]
					answer.ID = a.Ask.ID
					return []event.Command{answer}
				}
				return nil
			})
			if d := cmp.Diff(trace(events), dedent(c.want)); d != "" {
				t.Error(d)
			}
			if c.last != "" {
				rs := p.Requests()
				if d := cmp.Diff(conversation(rs[len(rs)-1]), dedent(c.last)); d != "" {
					t.Error(d)
				}
			}
		})
	}
}

// dedent returns the lines of s without leading tabs.
func dedent(s string) string {
	var b strings.Builder
	for l := range strings.Lines(strings.TrimPrefix(s, "\n")) {
		b.WriteString(strings.TrimLeft(l, "\t"))
	}
	return b.String() + "\n"
}

func TestTurns(t *testing.T) {
	playTurns(t, map[string]turnCase{
		"an answer": {
			replies: []script.Reply{script.Reply{}.Think("hm").Text("hello there").Stop()},
			want: `
				user "go"
				thinking "hm"
				assistant "hello there"
				turn done after 1`,
		},
		"a call and its result": {
			replies: []script.Reply{script.Reply{}.Text("looking").Call("c1", "look", args("a")).Calls(), script.Say("done")},
			want: `
				user "go"
				assistant "looking"
				call c1 look {"text":"a"}
				start c1 "look a"
				end c1 "look a" ok: did a
				assistant "done"
				turn done after 2`,
			last: `
				user "go"
				assistant "looking"
				call c1 look {"text":"a"}
				result c1 "did a"`,
		},
		"calls that are approved, rejected and always allowed": {
			mode: event.ModeAsk,
			replies: []script.Reply{
				script.Reply{}.Call("c1", "change", args("d/a")).Call("c2", "run", args("make")).Call("c3", "change", args("d/b")).Call("c4", "change", args("d/sub/c")).Call("c5", "change", args(".envrc")).Calls(),
				script.Say("done"),
			},
			answers: map[string]event.Answer{"c1": {Decision: event.Allow}, "c2": {Decision: event.Refuse, Note: "use go build"}, "c3": {Decision: event.Always}, "c5": {Decision: event.Refuse}},
			want: `
				user "go"
				call c1 change {"text":"d/a"}
				call c2 run {"text":"make"}
				call c3 change {"text":"d/b"}
				call c4 change {"text":"d/sub/c"}
				call c5 change {"text":".envrc"}
				asked c1 "change d/a" because changes files (permission mode: ask); always: "all edits"
				decision c1 allow "" ""
				start c1 "change d/a"
				end c1 "change d/a" ok: did d/a
				asked c2 "run make" because ` + "`make`" + ` may run code unless it only prints its version; always: ""
				decision c2 refuse "" "use go build"
				end c2 "run make" refused: rejected by the user: use go build
				asked c3 "change d/b" because changes files (permission mode: ask); always: "all edits"
				decision c3 always "all edits" ""
				start c3 "change d/b"
				end c3 "change d/b" ok: did d/b
				start c4 "change d/sub/c"
				end c4 "change d/sub/c" ok: did d/sub/c
				asked c5 "change .envrc" because changes to protected paths need approval every time, in every permission mode; always: ""
				decision c5 refuse "" ""
				end c5 "change .envrc" refused: rejected by the user. It was not run. Do not try it again: continue without it, or ask the user for an alternative
				assistant "done"
				turn done after 2`,
		},
		"mode auto asks only about commands": {
			mode:    event.ModeAuto,
			replies: []script.Reply{script.Reply{}.Call("c1", "change", args("a")).Call("c2", "run", args("make")).Calls(), script.Say("done")},
			answers: map[string]event.Answer{"c2": {Decision: event.Allow}},
			want: `
				user "go"
				call c1 change {"text":"a"}
				call c2 run {"text":"make"}
				start c1 "change a"
				end c1 "change a" ok: did a
				asked c2 "run make" because ` + "`make`" + ` may run code unless it only prints its version; always: ""
				decision c2 allow "" ""
				start c2 "run make"
				end c2 "run make" ok: did make
				assistant "done"
				turn done after 2`,
		},
		"no user": {
			mode: event.ModeAsk, alone: true,
			replies: []script.Reply{script.Call("c1", "run", args("make")), script.Say("a pity")},
			want: `
				user "go"
				call c1 run {"text":"make"}
				end c1 "run make" refused: denied: it needs the user's approval (commands need approval unless they are known to be read-only), and nobody can approve it in this run. Continue without it, or tell the user that --allow 'command: make' or --mode all allows it
				assistant "a pity"
				turn done after 2`,
		},
		"a refusal": {
			replies: []script.Reply{script.Reply{}.Text("no").Finish(llm.Filtered)},
			want: `
				user "go"
				assistant "no"
				turn content_filter after 1: the provider or the model refused to answer`,
		},
		"an unknown end after whole calls": {
			replies: []script.Reply{script.Reply{}.Call("c1", "look", args("a")).Finish("odd"), script.Say("done")},
			want: `
				user "go"
				call c1 look {"text":"a"}
				start c1 "look a"
				end c1 "look a" ok: did a
				assistant "done"
				turn done after 2`,
		},
		"an unknown end in the arguments": {
			replies: []script.Reply{script.Reply{}.Call("c1", "look", args("a")).Call("c2", "run", `{"text":"ma`).Finish("odd")},
			want: `
				user "go"
				call c1 look {"text":"a"}
				call c2 run {}
				end c1 "look a" interrupted: not run: the reply may be incomplete
				end c2 "run" interrupted: not run: the reply may be incomplete
				turn error after 1: the answer ended for an unknown reason ("odd"), so its tool calls were not run`,
		},
	})
}
