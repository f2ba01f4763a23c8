package loop_test

import (
	"context"
	"strings"
	"testing"

	"agent/internal/llm"
	"agent/internal/llm/script"
	"agent/internal/loop/event"
	"agent/internal/loop/turn"
)

// A request that is rejected without a reason, and that may be too long, is sent once
// more with a shorter context. If that fails, the conversation stays as it was.
func TestVagueRejection(t *testing.T) {
	vague := script.Fail(&llm.Error{Kind: llm.ErrInvalid, Vague: true, Provider: "p", Status: 400})
	other := script.Fail(&llm.Error{Kind: llm.ErrInvalid, Provider: "p", Status: 400})
	for name, c := range map[string]struct {
		window  int
		assumed bool
		reply   []script.Reply
		end     string
		cuts    bool
		sent    int
	}{
		"a shorter one works":             {0, false, []script.Reply{vague, script.Say("done"), script.Say("two")}, "", true, 6},
		"an assumed window":               {4000, true, []script.Reply{vague, script.Say("done"), script.Say("two")}, "", true, 6},
		"a shorter one fails":             {0, false, []script.Reply{vague, vague, script.Say("two")}, "p answered 400", false, 6},
		"a shorter one fails differently": {0, false, []script.Reply{vague, other, script.Say("two")}, "p answered 400", false, 6},
		"a large window":                  {1_000_000, false, []script.Reply{vague, script.Say("two")}, "p answered 400", false, 5},
		"a reason":                        {0, false, []script.Reply{other, script.Say("two")}, "p answered 400", false, 5},
	} {
		t.Run(name, func(t *testing.T) {
			p := script.New(append(lookups(3), c.reply...)...)
			o := options(p, verbose())
			if o.Models.Current.Context = c.window; c.assumed {
				o.Models.Current.Window = &turn.AssumedWindow{Measure: func(context.Context) int { return 0 }}
			}
			events := play(t, o, []string{"one", "more"}, nil)
			var first *event.TurnEnd
			for _, e := range events {
				if end, ok := e.(*event.TurnEnd); ok && first == nil {
					first = end
				}
			}
			if first.Error != c.end || c.end != "" && c.sent == 6 && !strings.Contains(first.Hint, "/compact") {
				t.Errorf("the turn ended with %q, hint %q", first.Error, first.Hint)
			}
			if got := len(compactions(events)) > 0; got != c.cuts {
				t.Errorf("compacted: %v", got)
			}
			requests := p.Requests()
			if len(requests) != c.sent {
				t.Fatalf("got %d requests, want %d", len(requests), c.sent)
			}
			whole := false
			for _, m := range requests[len(requests)-1].Messages {
				whole = whole || m.Kind == llm.ToolResult && m.Text == long("c1")
			}
			if whole == c.cuts {
				t.Errorf("the last request has the first result in full: %v", whole)
			}
		})
	}
}
