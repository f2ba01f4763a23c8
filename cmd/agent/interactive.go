package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"agent/cmd/agent/command"
	"agent/cmd/agent/exit"
	"agent/cmd/agent/lines"
	"agent/cmd/agent/sessions"
	"agent/internal/llm/wire"
	"agent/internal/loop"
	"agent/internal/loop/event"
	"agent/internal/tui"
	"agent/internal/tui/ink"
	"agent/internal/tui/plain"
	"agent/internal/tui/screen"
)

// interactive runs `agent`: sessions on the screen or in plain mode.
func interactive(cmd *cobra.Command, f opening, args []string) error {
	ctx := cmd.Context()
	if err := misspelled(cmd, args); err != nil && !f.cont && f.resume == "" {
		return err
	}
	if err := f.check(); err != nil {
		return err
	}
	if isPlain(f) {
		f.input = lines.Open()
	}
	if f.resume == pickResume {
		id, err := pickSession(ctx, f.input, f.end)
		if err != nil || id == "" {
			return err
		}
		f.resume = id
	}
	return runSessions(ctx, f, firstPrompt(args))
}

// firstPrompt returns the prompt on the command line; nil for none.
func firstPrompt(args []string) []screen.Prompt {
	if len(args) == 0 {
		return nil
	}
	return []screen.Prompt{{Text: strings.Join(args, " ")}}
}

// show runs a's session on the screen, or in plain mode if in is not nil, until
// the user quits or a signal ends the program.
func show(ctx context.Context, a *app, in *lines.Input, prompts []screen.Prompt) (screen.Exit, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var interrupts chan struct{}
	if in != nil {
		interrupts = make(chan struct{}, 1)
	}
	shown := a.end.Begin(onSignal(a.end, stop, interrupts), false)
	defer shown.End()

	// The agent outlives the screen, which sends it the unsent prompt when it closes.
	outlives, dismiss := context.WithCancel(context.WithoutCancel(ctx))
	defer dismiss()
	agent := loop.NewAgent(a.options)
	commands, events := make(chan event.Command), make(chan event.Event, 64)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		agent.Run(outlives, commands, events)
	}()
	o := a.screen(events, commands, prompts, in)
	var search sync.WaitGroup
	search.Go(func() { a.choice.search(ctx, commands) })
	o.Session.Page, o.MCP = agent.Page, a.connections.Screen(ctx)
	o.OnForcedInterrupt = onForcedInterrupt(a.end, stop)
	var left screen.Exit
	var err error
	o.Shown = func() {
		a.connections.Start()
		a.sandbox.Probe()
	}
	if in != nil {
		a.connections.Start()
	}
	if in != nil {
		left, err = showPlain(ctx, in, o, interrupts, a.end.Cleanup)
	} else {
		left, err = tui.Run(ctx, o)
	}
	stop()
	dismiss()
	shown.Leave()
	<-ended
	search.Wait()
	if code := a.end.Code(); code != 0 {
		return left, &exit.Error{Code: code, Err: err}
	}
	return left, err
}

// stopUnlessInterrupt returns a signal handler that calls stop for every signal
// except an interrupt, which the screen reads as a key.
func stopUnlessInterrupt(stop func()) func(os.Signal) {
	return func(s os.Signal) {
		if s != os.Interrupt {
			stop()
		}
	}
}

// onSignal returns the signal handler of a session on the screen or in plain mode.
// Plain mode reads interrupts from the channel interrupts, which holds one; it is
// nil on the screen, which reads them as keys. If the previous interrupt was never
// read, the front end hangs and the program exits.
func onSignal(end *exit.Signals, stop func(), interrupts chan struct{}) func(os.Signal) {
	other := stopUnlessInterrupt(stop)
	return func(s os.Signal) {
		other(s)
		if s != os.Interrupt || interrupts == nil {
			return
		}
		select {
		case interrupts <- struct{}{}:
		default:
			end.ExitUnless(func() bool { return len(interrupts) == 0 })
		}
	}
}

// onForcedInterrupt returns the callback of the front end for a second interrupt
// of the same turn. It gets false when that turn has ended after all.
func onForcedInterrupt(end *exit.Signals, stop func()) func(bool) {
	cancel := func() {}
	return func(forced bool) {
		cancel()
		cancel = func() {}
		if forced {
			cancel = end.ExitAfterForced(stop)
		}
	}
}

// goodbye prints the last answer and how to resume the session.
func (a *app) goodbye(left screen.Exit) {
	if left.Lent { // the user's editor has the terminal
		return
	}
	if left.LastAnswer != "" {
		fmt.Println(strings.TrimRight(ink.Sanitize(left.LastAnswer), "\n"))
		fmt.Println()
	}
	if left.Turns == 0 || a.stored.Log == nil {
		return
	}
	if _, err := os.Stat(a.stored.Log.Path()); err != nil {
		fmt.Println("This session could not be saved.")
		return
	}
	url := ""
	if base := a.options.Models.Current.BaseURL; wire.IsRedacted(base) && a.choice.pick != nil && a.choice.pick.Flags.BaseURL != "" {
		url = " --base-url " + ink.SanitizeLine(base) + "  (use the full URL: its secrets are not saved)"
	}
	if dir := a.sandbox.TempLeft(); dir != "" {
		fmt.Printf("Its /tmp is kept for 7 days:  %s\n", dir)
	}
	fmt.Printf("To resume this session:  agent --resume %s%s\n", a.stored.Log.Header().ID, url)
}

// pickSession lets the user select a session and returns its ID, or "" for none.
func pickSession(ctx context.Context, in *lines.Input, end *exit.Signals) (string, error) {
	store, err := command.OpenStore()
	if err != nil {
		return "", err
	}
	list := sessions.Picker(store, "")
	all, err := list(ctx, "")
	if err != nil {
		return "", err
	}
	if len(all) == 0 {
		return "", errors.New("there are no sessions yet. Run 'agent' to start one")
	}
	if in != nil {
		return plain.PickSession(os.Stdout, all, in.Ask), nil
	}
	file, err := command.ReadSettings()
	if err != nil {
		return "", err
	}
	o := screenOptions(file.Screen, os.Getenv)
	o.Session.List, o.Session.Preview = list, sessions.Preview(store)
	if dir, err := os.Getwd(); err == nil {
		o.Files.Dir = command.Short(dir)
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	picking := end.Begin(stopUnlessInterrupt(stop), false)
	defer picking.End()
	id, err := tui.Pick(ctx, o)
	if code := end.Code(); code != 0 {
		return "", &exit.Error{Code: code, Err: err}
	}
	return id, err
}
