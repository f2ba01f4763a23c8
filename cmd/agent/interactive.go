package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"

	"agent/cmd/agent/command"
	"agent/cmd/agent/sessions"
	"agent/internal/llm/wire"
	"agent/internal/loop"
	"agent/internal/loop/event"
	"agent/internal/tui"
	"agent/internal/tui/ink"
	"agent/internal/tui/screen"
)

// interactive is `agent`: the terminal program.
func interactive(ctx context.Context, f flags, args []string) error {
	prompt, err := firstPrompt(args)
	if err != nil {
		return err
	}
	if err := f.check(); err != nil {
		return err
	}
	if isPlain(f) {
		f.input = readLineInput()
	}
	if f.resume == pickResume {
		id, err := pickSession(ctx, f.input, f.end)
		if err != nil || id == "" {
			return err
		}
		f.resume = id
	}
	return runSessions(ctx, f, prompt)
}

// firstPrompt takes from args the prompt to begin with. One word alone is more
// likely a mistyped command than a prompt.
func firstPrompt(args []string) ([]screen.Prompt, error) {
	if len(args) == 0 {
		return nil, nil
	}
	if len(args) == 1 && !strings.ContainsAny(args[0], " \n") {
		return nil, command.Usage("there is no command %q. A prompt of one word goes through: agent run %s", args[0], args[0])
	}
	return []screen.Prompt{{Text: strings.Join(args, " ")}}, nil
}

// show runs a's session on the screen until the person leaves or a signal ends
// the program.
func show(ctx context.Context, a *app, in *lineInput, prompts []screen.Prompt) (tui.Exit, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var interrupts chan struct{}
	if in != nil {
		interrupts = make(chan struct{}, 1)
	}
	shown := a.end.beginPhase(a.onSignal(stop, interrupts), false)
	defer shown.end()

	// The agent outlives the screen: what was typed last is handed to it when the
	// screen is gone.
	outlives, dismiss := context.WithCancel(context.WithoutCancel(ctx))
	defer dismiss()
	agent := loop.NewAgent(a.options)
	commands, events := make(chan event.Command), make(chan event.Event, 64)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		agent.Run(outlives, commands, events)
	}()
	screen := a.screen(withNotices(events, a.expired, outlives.Done()), commands, prompts, in != nil)
	var beside sync.WaitGroup
	beside.Go(func() { a.searchModel(ctx, commands) })
	screen.Session.Page = agent.Page
	screen.Forced = a.onForcedInterrupt(stop)
	var exit tui.Exit
	var err error
	if in != nil {
		exit, err = in.show(ctx, screen, interrupts)
	} else {
		exit, err = tui.Run(ctx, screen)
	}
	stop()
	dismiss()
	shown.leave()
	<-ended
	beside.Wait()
	if code := a.end.signalCode(); code != 0 {
		return exit, &exitError{code: code, err: err}
	}
	return exit, err
}

// stopUnlessInterrupt calls stop for every signal but an interrupt, of which a
// screen learns itself.
func stopUnlessInterrupt(stop func()) func(os.Signal) {
	return func(s os.Signal) {
		if s != os.Interrupt {
			stop()
		}
	}
}

// onSignal returns what takes signals while a session is shown. An interrupt goes to
// interrupts, which has room for one, or where that is nil to the screen, which
// learns of it itself. If the interrupt before is not even taken, the front end
// hangs, and the program ends.
func (a *app) onSignal(stop func(), interrupts chan struct{}) func(os.Signal) {
	other := stopUnlessInterrupt(stop)
	return func(s os.Signal) {
		other(s)
		if s != os.Interrupt || interrupts == nil {
			return
		}
		select {
		case interrupts <- struct{}{}:
		default:
			a.end.exitUnless(func() bool { return len(interrupts) == 0 })
		}
	}
}

// onForcedInterrupt returns what the front end tells that the user has interrupted twice
// what runs, and that this has ended after all.
func (a *app) onForcedInterrupt(stop func()) func(bool) {
	callOff := func() {}
	return func(forced bool) {
		callOff()
		callOff = func() {}
		if forced {
			callOff = a.end.exitAfterForced(stop)
		}
	}
}

// goodbye leaves the last answer, and how to come back, on the normal screen.
func (a *app) goodbye(exit tui.Exit) {
	if exit.Lent { // what is printed would appear in the user's editor
		return
	}
	if exit.LastAnswer != "" {
		fmt.Println(strings.TrimRight(ink.Sanitize(exit.LastAnswer), "\n"))
		fmt.Println()
	}
	if exit.Turns == 0 || a.log == nil {
		return
	}
	if _, err := os.Stat(a.log.Path()); err != nil {
		fmt.Println("This session could not be saved: nothing of it is kept.")
		return
	}
	url := ""
	if base := a.options.Model.BaseURL; wire.Withheld(base) && a.pick.flags.baseURL != "" {
		url = " --base-url " + ink.SanitizeLine(base) + "  (with the full URL: its secrets are not saved)"
	}
	fmt.Printf("To go on with this session:  agent --resume %s%s\n", a.log.Header().ID, url)
}

// pickSession lets the user select a session; "" if they select none.
func pickSession(ctx context.Context, in *lineInput, end *shutdown) (string, error) {
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
		return "", errors.New("there is no session yet. Start one with agent")
	}
	if in != nil {
		return in.pick(all), nil
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
	picking := end.beginPhase(stopUnlessInterrupt(stop), false)
	defer picking.end()
	id, err := tui.Pick(ctx, o)
	if code := end.signalCode(); code != 0 {
		return "", &exitError{code: code, err: err}
	}
	return id, err
}
