package loop_test

import (
	"context"
	"strings"
	"testing"

	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/llm/script"
	"agent/internal/loop"
	"agent/internal/loop/event"
	"agent/internal/loop/session"
	"agent/internal/loop/turn"
)

// titled returns options of a new session with the small model p.
func titled(t *testing.T, p llm.Provider, replies ...script.Reply) loop.Options {
	t.Helper()
	o := options(script.New(replies...))
	o.Log = history.Open(t.TempDir()).Create(history.Header{Dir: "/w"})
	t.Cleanup(func() { o.Log.Close() })
	o.Models.Small = "small/s"
	o.Models.Find = func(name, _ string) (turn.Model, error) {
		return turn.Model{Name: name, ID: "s", Provider: p, Cost: func(u llm.Usage) (float64, bool) { return float64(u.Input) / 100, true }}, nil
	}
	return o
}

// converse runs an agent on a prompt. React answers each event with commands; it ends
// the session by returning nil instead of an empty list.
func converse(t *testing.T, o loop.Options, prompt string, react func(event.Event) []event.Command) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), hang)
	defer stop()
	commands, events := make(chan event.Command, 16), make(chan event.Event)
	go loop.NewAgent(fill(o)).Run(ctx, commands, events)
	commands <- event.Prompt{Text: prompt}
	open := true
	for e := range events {
		if !open {
			continue
		}
		next := react(e)
		for _, c := range next {
			commands <- c
		}
		if next == nil {
			open = false
			close(commands)
		}
	}
	if ctx.Err() != nil {
		t.Fatal("the agent hung")
	}
}

// wait continues a conversation without a command.
var wait = []event.Command{}

// titleIn returns the title and the cost in the session of log.
func titleIn(t *testing.T, log *history.Log) (string, float64) {
	t.Helper()
	v, err := log.View()
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	s, err := session.ReadIndex(t.Context(), v)
	if err != nil {
		t.Fatal(err)
	}
	opened := s.Opened(nil)
	return opened.Title, opened.Cost
}

// The small model titles a new session once, after the first turn, and its cost counts.
func TestSmallModelTitlesASession(t *testing.T) {
	small := script.New(using(script.Say("\"Fix the tide tables.\"\nand more"), 50))
	o := titled(t, small, script.Say("it is done"), script.Say("again"))
	turns := 0
	converse(t, o, "mend the tides", func(e event.Event) []event.Command {
		switch e := e.(type) {
		case *event.Renamed:
			if e.Model != "small/s" {
				t.Errorf("got %+v", e)
			}
			return []event.Command{event.Prompt{Text: "and again"}}
		case *event.TurnEnd:
			if turns++; turns == 2 {
				return nil
			}
		}
		return wait
	})
	if title, cost := titleIn(t, o.Log); title != "Fix the tide tables" || cost != 0.5 {
		t.Errorf("got %q for %v", title, cost)
	}
	requests := small.Requests()
	if len(requests) != 1 || !strings.Contains(requests[0].Messages[0].Text, "mend the tides") || !strings.Contains(requests[0].Messages[0].Text, "it is done") {
		t.Errorf("got %+v", requests)
	}
}

// A title that the user sets while the model writes one stays. The cost counts.
func TestTitleOfTheUserStays(t *testing.T) {
	release := make(chan struct{})
	reply := using(script.Say("Model title"), 50)
	reply.Hold = map[int]<-chan struct{}{0: release}
	o := titled(t, script.New(reply), script.Say("done"))
	converse(t, o, "go", func(e event.Event) []event.Command {
		switch e := e.(type) {
		case *event.TurnEnd:
			return []event.Command{event.Rename{Title: "mine"}}
		case *event.Renamed:
			if e.Model != "" {
				return nil
			}
			close(release)
		}
		return wait
	})
	if title, cost := titleIn(t, o.Log); title != "mine" || cost != 0.5 {
		t.Errorf("got %q for %v", title, cost)
	}
}

// A request for a title does not delay the next turn, and an interrupt or the end of
// the session stops it.
func TestTitleIsInterrupted(t *testing.T) {
	for name, end := range map[string][]event.Command{"interrupt": {event.Interrupt{}}, "quit": nil} {
		t.Run(name, func(t *testing.T) {
			stopped := make(chan struct{})
			small := script.New(script.Reply{Before: func(ctx context.Context, _ llm.Request) { <-ctx.Done(); close(stopped) }})
			turns := 0
			o := titled(t, small, script.Say("done"), script.Say("again"))
			converse(t, o, "go", func(e event.Event) []event.Command {
				switch e := e.(type) {
				case *event.TurnEnd:
					if turns++; turns == 1 {
						return []event.Command{event.Prompt{Text: "next"}}
					}
					return end
				case event.RequestDone:
					if e.Task == event.TitleTask {
						return nil
					}
				case event.Notice:
					t.Errorf("got the notice %q", e.Text)
				}
				return wait
			})
			<-stopped
			if title, _ := titleIn(t, o.Log); title != "" {
				t.Errorf("got %q", title)
			}
		})
	}
}

// Without a small model, a user or a saved new session, nothing is sent to the small
// model, and neither is it after a turn that failed.
func TestNoTitle(t *testing.T) {
	for name, change := range map[string]func(*loop.Options){
		"no small model": func(o *loop.Options) { o.Models.Small = "" },
		"headless":       func(o *loop.Options) { o.Permissions.Attended = false },
		"not saved":      func(o *loop.Options) { o.Log = nil },
		"failed turn":    func(o *loop.Options) { o.Models.Current.Provider = script.New() },
		"resumed": func(o *loop.Options) {
			o.Log = resumedLog(t, &event.UserSaid{Text: "before"}, &event.TurnEnd{Reason: event.Done})
		},
		"unconfirmed host": func(o *loop.Options) {
			o.Models.Find = func(name, _ string) (turn.Model, error) {
				return turn.Model{Name: name, Confirm: &turn.Confirm{Question: "?"}}, nil
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			small := script.New(script.Say("title"))
			o := titled(t, small, script.Say("done"))
			change(&o)
			events := play(t, o, []string{"go"}, nil)
			if len(small.Requests()) > 0 || strings.Contains(trace(events), "notice") {
				t.Errorf("%d requests were sent:\n%s", len(small.Requests()), trace(events))
			}
		})
	}
}

// A small model that fails is reported, and the title stays the first prompt.
func TestTitleFails(t *testing.T) {
	o := titled(t, script.New(script.Fail(&llm.Error{Kind: llm.ErrKey, Provider: "small", Message: "no key"})), script.Say("done"))
	converse(t, o, "go", func(e event.Event) []event.Command {
		if n, ok := e.(event.Notice); ok {
			if n.Text != "small_model cannot write a title for this session: small: no key" {
				t.Errorf("got %q", n.Text)
			}
			return nil
		}
		return wait
	})
	if title, _ := titleIn(t, o.Log); title != "" {
		t.Errorf("got %q", title)
	}
}
