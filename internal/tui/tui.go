package tui

import (
	"context"
	"time"

	"agent/internal/loop/event"
	"agent/internal/tui/screen"
	"agent/internal/tui/terminal"
	"agent/internal/tui/transcript"
)

// Exit is what is left of the screen for the one that called it.
type Exit struct {
	LastAnswer string // of the model in this session, as markdown; empty if there was none
	Turns      int    // of the session, the resumed ones included
	Jobs       int    // that ran in the background when it was left
	Lent       bool   // the user's editor still has the terminal

	BaseURL string // of the model that the session had at the end, without secrets
	Host    string // where its requests went, if that is not the provider's own address

	// What the person wants next; at most one of them. All zero is to leave.
	Open string // the session of that ID
	Fork *int   // a fork of this session that keeps so many of its events, as event.Rewound does
	New  bool   // a new session

	// Draft is what the editor of the fork begins with.
	Draft string
}

// Run shows the screen until the person leaves, the agent is gone or ctx ends,
// none of which is an error. However it ends, the terminal is as it was found.
// Signals are the caller's to turn into the end of ctx.
func Run(ctx context.Context, o screen.Options) (Exit, error) {
	all, stop := context.WithCancel(context.WithoutCancel(ctx)) // what was typed is handed over even so
	defer stop()
	commands, passed := make(chan event.Command), make(chan struct{})
	go func() {
		defer close(passed)
		relay(all, commands, o.Commands)
	}()
	m := newModel(o, time.Now, func(c event.Command) {
		select {
		case commands <- c:
		case <-all.Done():
		}
	})
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	drawn, err := terminal.Show(ctx, cancel, m, terminal.Options{In: o.Input, Out: o.Output, Fault: o.Fault}, func(send func(any)) {
		pump(ctx, o.Events, send)
	})
	if !drawn {
		return Exit{}, err
	}
	m.drafts.save()
	close(commands)
	go drain(all, o.Events)
	if !m.orphan {
		select {
		case <-passed:
		case <-time.After(terminal.Grace):
		}
	}
	m.table.saveRecent()
	exit := m.next
	exit.LastAnswer, exit.Turns, exit.Jobs = m.Feed.Answer, m.Feed.Turns, transcript.Running(m.Feed.Jobs)
	exit.BaseURL, exit.Host, exit.Lent = m.Feed.BaseURL, m.Feed.Host, m.prompt.external.editing
	return exit, err
}
