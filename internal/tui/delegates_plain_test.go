package tui

import (
	"context"
	"strings"
	"testing"
	"time"

	"agent/internal/llm"
	"agent/internal/loop/event"
	"agent/internal/tui/screen"
)

// delegatingAgent starts the delegates that the user starts, asks in the name of
// the delegate, and ends it after an answer.
func delegatingAgent(got *[]event.Command) func(context.Context, chan<- event.Event, <-chan event.Command) {
	return func(ctx context.Context, events chan<- event.Event, commands <-chan event.Command) {
		send := func(evs ...event.Event) {
			for _, ev := range evs {
				select {
				case events <- ev:
				case <-ctx.Done():
				}
			}
		}
		d := event.Delegate{ID: 2, Name: "explore", Task: "find X", State: event.DelegateWorking, Began: time.Now(), Background: true}
		for {
			select {
			case c := <-commands:
				switch c := c.(type) {
				case event.StartDelegate:
					*got = append(*got, c)
					send(&event.DelegateStart{ID: 2, Name: c.Agent, Prompt: c.Prompt}, answering(c, event.DelegatesNow{Delegates: []event.Delegate{d}}), askOf(2, c.Agent, "1", "rm x"))
				case event.Answer:
					*got = append(*got, c)
					d.Ended, d.State = d.Began, event.DelegateDone
					send(event.AskDone{ID: c.ID, Decision: c.Decision}, event.DelegatesNow{Delegates: []event.Delegate{d}}, &event.DelegateEnd{ID: 2, Name: "explore", Reason: event.Done, Background: true,
						Answer: "X is in a.go.\nNowhere else.", Steps: 4, Usage: llm.Usage{Input: 12_000, Output: 300}, Duration: 8 * time.Second})
					send(&event.UserSaid{Text: "[explore 2 has ended]", Auto: true, Steered: true}, done(llm.Assistant, "r", "It found X."), turnEnd(event.Done, 0))
				}
			case <-ctx.Done():
				return
			}
		}
	}
}

// Plain mode prints the start and the end of a delegate and its questions. The end of
// the input waits for the answer.
func TestPlainDelegates(t *testing.T) {
	var got []event.Command
	o := screen.Options{Agents: someAgents}
	out := runPlainWith(t, delegatingAgent(&got), o, "@agent:nobody do it", "@agent:explore", "/agents", "/agents stop 7", "@agent:explore find X")
	for _, want := range []string{
		"note: There is no agent “nobody”. The agents are: explore, general, review, schema.\n",
		"note: Describe the task after the name: @agent:explore",
		"@agent:explore: searches the code and answers questions about it\n",
		"@agent:schema: knows the database␛[2J schema (.agents/agents/schema.md)\n",
		"note: There is no delegate 7. /agents lists them.\n",
		"agent explore 2 started: find X\n",
		"ask: explore 2: Run this command",
		"  rm x\n",
		"agent explore 2 done, 4 steps, 12.3k tokens, 8 s\n  X is in a.go.\n  Nowhere else.\n",
		"agent: It found X.\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing:\n%s", want, out)
		}
	}
	if strings.Contains(out, "not sent") {
		t.Errorf("a prompt that failed is printed as unsent:\n%s", out)
	}
	if len(got) != 2 || sameCommands(got[:1], []event.Command{event.StartDelegate{Agent: "explore", Prompt: "find X"}}) != "" {
		t.Errorf("got %v", got)
	}
}
