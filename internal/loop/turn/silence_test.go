package turn_test

import (
	"testing"
	"time"

	"agent/internal/llm/script"
	"agent/internal/loop/budget"
	"agent/internal/loop/event"
	"agent/internal/loop/policy/standing"
	"agent/internal/loop/turn"
)

// quiet implements the interfaces of a turn: one model, no input, every call allowed.
type quiet struct {
	turn.Permissions
	model turn.Model
}

func (q quiet) Current() turn.Model              { return q.model }
func (quiet) Announce() error                    { return nil }
func (quiet) Update(func(turn.Model) turn.Model) {}
func (quiet) Mode() event.Mode                   { return event.ModeAll }
func (quiet) Describe(standing.Grant) string     { return "" }
func (quiet) Prompts() []event.Prompt            { return nil }
func (quiet) Commands() []turn.UserCommand       { return nil }
func (quiet) News() []string                     { return nil }

// A notice reports a model that sends nothing for a long time; the turn keeps waiting.
func TestSilence(t *testing.T) {
	noticed := make(chan struct{})
	p := script.New(script.Reply{Deltas: script.Say("at last").Deltas, Hold: map[int]<-chan struct{}{0: noticed}})
	q := quiet{model: turn.Model{Name: "script/test", ID: "test", Provider: p}}
	var notices []string
	one := turn.Turn{
		Models: q, Permissions: q, Inbox: q, Limits: turn.Limits{Silence: time.Millisecond}, Budget: budget.New(nil, nil, nil, time.Now, nil),
		Prefix: func(turn.Model, *event.Prefix) event.Prefix { return event.Prefix{} },
		Emit: func(e event.Event) error {
			if n, ok := e.(event.Notice); ok && len(notices) == 0 {
				notices = append(notices, n.Text)
				close(noticed)
			}
			return nil
		},
	}
	end := one.Run(t.Context(), turn.NewConversation(nil, nil, nil), event.Prompt{Text: "go"})
	if end.Reason != event.Done || len(notices) != 1 || notices[0] != "script/test has sent nothing for 1ms. The connection is still open." {
		t.Errorf("got %v, %q", end.Reason, notices)
	}
}
