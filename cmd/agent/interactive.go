package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"

	"agent/internal/llm/offline"
	"agent/internal/llm/wire"
	"agent/internal/loop"
	"agent/internal/loop/event"
	"agent/internal/tui"
	"agent/internal/tui/ink"
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
	if plainly(f) {
		f.typing = typed()
	}
	if f.resume == choose {
		id, err := pickSession(ctx, f.typing, f.end)
		if err != nil || id == "" {
			return err
		}
		f.resume = id
	}
	return sessionsOnScreen(ctx, f, prompt)
}

// firstPrompt takes from args the prompt to begin with. One word alone is more
// likely a mistyped command than a prompt.
func firstPrompt(args []string) ([]tui.Prompt, error) {
	if len(args) == 0 {
		return nil, nil
	}
	if len(args) == 1 && !strings.ContainsAny(args[0], " \n") {
		return nil, usage("there is no command %q. A prompt of one word goes through: agent run %s", args[0], args[0])
	}
	return []tui.Prompt{{Text: strings.Join(args, " ")}}, nil
}

// show runs a's session on the screen until the person leaves or a signal ends
// the program.
func show(ctx context.Context, a *app, in *typing, prompts []tui.Prompt) (tui.Exit, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var interrupts chan struct{}
	if in != nil {
		interrupts = make(chan struct{}, 1)
	}
	shown := a.end.begin(a.heed(stop, interrupts), false)
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
	screen := a.screen(among(events, a.said, outlives.Done()), commands, prompts, in != nil)
	var beside sync.WaitGroup
	beside.Go(func() { a.find(ctx, commands) })
	screen.Page = agent.Page
	screen.Forced = a.force(stop)
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
	if code := a.end.ended(); code != 0 {
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

// heed returns what takes signals while a session is shown. An interrupt goes to
// interrupts, which has room for one, or where that is nil to the screen, which
// learns of it itself. If the interrupt before is not even taken, the front end
// hangs, and the program ends.
func (a *app) heed(stop func(), interrupts chan struct{}) func(os.Signal) {
	other := stopUnlessInterrupt(stop)
	return func(s os.Signal) {
		other(s)
		if s != os.Interrupt || interrupts == nil {
			return
		}
		select {
		case interrupts <- struct{}{}:
		default:
			a.end.unless(func() bool { return len(interrupts) == 0 })
		}
	}
}

// force returns what the front end tells that the user has interrupted twice
// what runs, and that this has ended after all.
func (a *app) force(stop func()) func(bool) {
	callOff := func() {}
	return func(forced bool) {
		callOff()
		callOff = func() {}
		if forced {
			callOff = a.end.forced(stop)
		}
	}
}

// find searches for a model on this machine and tells the agent how that ended.
// If there is none, the user is shown how to connect one.
func (a *app) find(ctx context.Context, commands chan<- event.Command) {
	if a.look == nil {
		return
	}
	found := a.look(ctx)
	if found.Model == "" && a.advice != "" {
		found.Notices = append([]string{a.advice}, found.Notices...)
	}
	select {
	case commands <- found:
	case <-ctx.Done():
	}
}

// screen is what the terminal program needs to know of a. plain says that the
// session is shown as lines.
func (a *app) screen(events <-chan event.Event, commands chan<- event.Command, prompts []tui.Prompt, plain bool) tui.Options {
	o := tui.Options{
		Events: events, Commands: commands, Prompts: prompts,
		Version: stamped(), Short: short, Dir: short(a.dir), Branch: a.branch,
		Model: a.options.Model.Name, ModelWhy: a.options.Model.Why, Context: a.options.Model.Context, Effort: a.options.Model.Effort,
		Host: a.options.Model.Host, BaseURL: a.options.Model.BaseURL,
		Mode: string(a.options.Mode), Notices: a.notices,
		SessionID: a.id(), Title: a.ending.Title, Draft: a.options.Draft,
	}
	drawAs(&o, a.set)
	a.typeIn(&o)
	a.takeCommands(&o)
	o.Fault, _ = faultFile() // without a place for it, none is kept
	o.Files = suggestions(a.index)
	a.around(&o)
	shown := &pictures{dir: a.dir}
	o.Image, o.ClipboardImage = shown.file, shown.pasted
	if a.store != nil {
		o.Sessions, o.Preview = rows(a.store, a.id()), preview(a.store)
	}
	if a.log != nil {
		o.Export, o.SessionPath = a.export, short(a.log.Path())
	}
	switch {
	case a.pick.held:
		o.Notices = append(o.Notices, guide)
	case a.options.Model.Name == offline.Name && len(a.ending.Events) == 0:
		a.advise(&o, prompts, plain)
	}
	for _, e := range a.ending.Events {
		o.History = append(o.History, e)
	}
	return o
}

// advise puts into o how to connect a model. While servers are searched for, it
// is shown only once none was found, unless prompts are sent before.
func (a *app) advise(o *tui.Options, prompts []tui.Prompt, plain bool) {
	o.Searching = a.look != nil
	if !plain {
		o.Welcome = a.welcome(prompts)
	}
	switch {
	case o.Welcome != "":
	case o.Searching && !plain && len(prompts) == 0:
		a.advice = unconnected
	default:
		o.Notices = append([]string{unconnected}, o.Notices...)
	}
}

// guide and unconnected are what somebody without a model sees first.
const (
	guide = `No model is connected, so the built-in offline guide answers. It is no language model: it follows simple requests such as  read FILE · find WORD in *.go · replace A with B in FILE · run COMMAND.`

	unconnected = guide + "\n" + `To connect one:  agent login openai | anthropic | openrouter …,  or set its key in the environment,  or start Ollama: it is found by itself.  /model  lists what can be used.`
)

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

// pickSession lets the person choose among the sessions; "" if they chose none.
func pickSession(ctx context.Context, in *typing, end *shutdown) (string, error) {
	store, err := openStore()
	if err != nil {
		return "", err
	}
	list := rows(store, "")
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
	set, err := loadSettings()
	if err != nil {
		return "", err
	}
	o := tui.Options{Sessions: list, Preview: preview(store)}
	if dir, err := os.Getwd(); err == nil {
		o.Dir = short(dir)
	}
	drawAs(&o, set)
	o.Keys = set.Keys
	o.Fault, _ = faultFile()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	picking := end.begin(stopUnlessInterrupt(stop), false)
	defer picking.end()
	id, err := tui.Pick(ctx, o)
	if code := end.ended(); code != 0 {
		return "", &exitError{code: code, err: err}
	}
	return id, err
}
