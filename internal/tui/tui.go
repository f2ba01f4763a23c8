package tui

import (
	"context"
	"time"

	"agent/internal/tui/screen"
	"agent/internal/tui/terminal"
	"agent/internal/tui/transcript"
)

// Run shows the screen until the user quits, the agent closes its events or ctx ends.
// None of these is an error. It always restores the terminal. The caller must cancel
// ctx on signals.
func Run(ctx context.Context, o screen.Options) (screen.Exit, error) {
	all, stop := context.WithCancel(context.WithoutCancel(ctx)) // commands are still delivered after ctx ends
	defer stop()
	outbox := screen.NewOutbox(all, o.Commands)
	m := newModel(o, time.Now, outbox.Send)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	drawn, err := terminal.Show(ctx, cancel, m, terminal.Options{In: o.Input, Out: o.Output, Fault: o.Fault}, func(send func(any)) {
		pump(ctx, o.Events, send)
	})
	if !drawn {
		return screen.Exit{}, err
	}
	m.prompt.Drafts.Save()
	go screen.Drain(all, o.Events)
	patience := terminal.Grace
	if m.end.orphan { // nobody receives commands
		patience = 0
	}
	outbox.Close(patience)
	m.slash.Palette.SaveRecent()
	exit := m.end.next
	exit.LastAnswer, exit.Turns, exit.Jobs = m.session.Feed.State.Answer, m.session.Feed.State.Turns, transcript.Running(m.session.Feed.State.Jobs)
	exit.BaseURL, exit.Host, exit.Lent = m.session.Feed.State.BaseURL, m.session.Feed.State.Host, m.prompt.External.Editing
	return exit, err
}
