package loop_test

import (
	"context"
	"iter"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/llm/script"
	"agent/internal/loop/event"
)

// breaking is a provider that panics at its second request.
type breaking struct {
	*script.Provider
	asked int
}

func (b *breaking) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	if b.asked++; b.asked == 2 {
		panic("oh")
	}
	return b.Provider.Stream(ctx, req)
}

// After a turn that ended with a panic, the model gets all messages of that turn.
func TestPanicInATurn(t *testing.T) {
	for name, logged := range map[string]bool{"with a log": true, "without": false} {
		t.Run(name, func(t *testing.T) {
			p := script.New(script.Call("c1", "look", args("a")), script.Say("done"))
			o := options(p, reader())
			o.Models.Current.Provider = &breaking{Provider: p}
			if logged {
				o.Log = history.Open(t.TempDir()).Create(history.Header{Dir: "/w"})
				defer o.Log.Close()
			}
			events := command(t, o, []event.Command{event.Prompt{Text: "one"}, event.Prompt{Text: "two"}}, carriedOut)
			want := dedent(`
				user "one"
				call c1 look {"text":"a"}
				result c1 "ok"
				user "two"`)
			requests := p.Requests()
			if d := cmp.Diff(conversation(requests[len(requests)-1]), want); d != "" {
				t.Errorf("%s\n%s", d, trace(events))
			}
		})
	}
}
