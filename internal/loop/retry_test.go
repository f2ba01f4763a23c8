package loop_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
	"agent/internal/llm/script"
	"agent/internal/loop"
	"agent/internal/loop/event"
	"agent/internal/loop/session"
)

// A retry sends the conversation of a failed turn again, without another prompt.
func TestRetrySendsTheConversationAgain(t *testing.T) {
	refused := script.Fail(&llm.Error{Kind: llm.ErrKey, Provider: "p", Status: 401, Message: "no"})
	for name, c := range map[string]struct {
		replies []script.Reply
		prompt  string
		want    []llm.Message // of the last request
	}{
		"after a failed request": {
			[]script.Reply{refused, script.Say("done")}, "go",
			[]llm.Message{{Kind: llm.User, Text: "go"}},
		},
		"after an answer": {
			[]script.Reply{script.Say("done"), script.Say("more")}, "go",
			[]llm.Message{{Kind: llm.User, Text: "go"}, {Kind: llm.Assistant, Text: "done"}, {Kind: llm.User, Text: event.ContinuePrompt, Note: true}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, stop := context.WithTimeout(t.Context(), hang)
			defer stop()
			p := script.New(c.replies...)
			commands, events := make(chan event.Command, 2), make(chan event.Event)
			go loop.NewAgent(fill(options(p))).Run(ctx, commands, events)
			commands <- event.Prompt{Text: c.prompt}
			turns := 0
			f := session.NewReplay()
			for e := range events {
				if d, ok := e.(event.Durable); ok {
					f.Add(d)
				}
				if _, ok := e.(*event.TurnEnd); !ok {
					continue
				}
				if turns++; turns == 1 {
					commands <- event.Retry{}
				} else {
					close(commands)
				}
			}
			reqs := p.Requests()
			if len(reqs) != 2 {
				t.Fatalf("%d requests, want 2", len(reqs))
			}
			for i := range reqs[1].Messages {
				reqs[1].Messages[i].Reply = ""
			}
			if diff := cmp.Diff(reqs[1].Messages, c.want); diff != "" {
				t.Errorf("the retry (-got +want):\n%s", diff)
			}
			kinds := func(ms []llm.Message) (out []llm.Kind) {
				for _, m := range ms {
					out = append(out, m.Kind)
				}
				return out
			}
			if got, want := kinds(f.Messages), append(kinds(c.want), llm.Assistant); !slices.Equal(got, want) {
				t.Errorf("the log holds %v, want %v", got, want)
			}
		})
	}
}

// After an interrupt while a request waits to be retried, a retry sends the same
// conversation again.
func TestRetryAfterAnInterruptedWait(t *testing.T) {
	ctx, stop := context.WithTimeout(t.Context(), hang)
	defer stop()
	busy := script.Fail(&llm.Error{Kind: llm.ErrRate, Provider: "p", Status: 429, Message: "no", Retry: true})
	p := script.New(busy, script.Say("done"))
	o := fill(options(p))
	o.Clock.Sleep = func(ctx context.Context, _ time.Duration) error { <-ctx.Done(); return ctx.Err() }
	commands, events := make(chan event.Command, 2), make(chan event.Event)
	go loop.NewAgent(o).Run(ctx, commands, events)
	commands <- event.Prompt{Text: "go"}
	var ends []*event.TurnEnd
	for e := range events {
		switch e := e.(type) {
		case event.Retrying:
			commands <- event.Interrupt{}
		case *event.TurnEnd:
			if ends = append(ends, e); len(ends) == 1 {
				commands <- event.Retry{}
			} else {
				close(commands)
			}
		}
	}
	if len(ends) != 2 || ends[0].Reason != event.UserInterrupt || !ends[0].Unanswered || ends[1].Reason != event.Done || ends[1].Unanswered {
		t.Fatalf("got the ends %+v", ends)
	}
	reqs := p.Requests()
	if diff := cmp.Diff(reqs[1].Messages, reqs[0].Messages); len(reqs) != 2 || diff != "" {
		t.Errorf("%d requests; the retry (-got +want):\n%s", len(reqs), diff)
	}
}
