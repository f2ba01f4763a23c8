package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/charmbracelet/x/term"

	"agent/cmd/agent/command"
	"agent/cmd/agent/connections"
	"agent/cmd/agent/models"
	"agent/cmd/agent/sessions"
	"agent/cmd/agent/stored"
	"agent/internal/history"
	"agent/internal/tui/ink"
	"agent/internal/tui/screen"
)

// runSessions runs the session that f names and those that the user switches to,
// until the user leaves. prompts are for the first one.
func runSessions(ctx context.Context, f opening, prompts []screen.Prompt) error {
	ctx, stop := context.WithCancel(ctx)
	f.kept, f.connected = &connections.Kept{}, models.NewConnected()
	defer f.kept.Close()
	var expired <-chan string
	defer func() {
		stop()
		if expired != nil {
			for range expired { // wait for the end of Expire
			}
		}
	}()
	var back *opening // reopen the previous session
	for {
		a, err := openOrAsk(ctx, f)
		switch {
		case back != nil && (err != nil || a == nil):
			if err != nil {
				back.notice = err.Error()
			}
			f, back = *back, nil
			continue
		case err != nil || a == nil:
			return err
		}
		if expired == nil { // after open, so that the opened session is kept
			expired = sessions.Expire(ctx, a.stored.Store, a.set.Sessions.KeepDays, time.Now())
		}
		a.options.Notices = append(a.options.Notices, expired)
		left, err := show(ctx, a, f.input, prompts)
		closing := f.end.Begin(nil, true)
		closing.Leave()
		next, here := a.nextOpening(f, left), a.reopening(f)
		if a.close(); err != nil || next == nil {
			f.kept.Close()
		}
		closing.End()
		if err != nil || next == nil {
			f.end.Begin(nil, true) // an extra interrupt must not cut off the output
			a.goodbye(left)
			return err
		}
		f, back, prompts = *next, here, nil
	}
}

// nextOpening returns the opening of the session that the user switches to; nil if the
// user quits.
func (a *app) nextOpening(f opening, left screen.Exit) *opening {
	f = a.carried(f)
	switch {
	case left.Open != "":
		f.fromScreen = true
		f.resume, f.noSession, f.Model = left.Open, false, ""
	case left.Fork != nil && a.stored.Saved():
		f.resume, f.fork, f.forkKeep, f.draft, f.Model = a.stored.ID(), true, left.Fork, left.Draft, ""
	case left.Fork != nil, left.New:
		f.dir, f.draft = a.dir, left.Draft
		f.previousEndpoint = &endpoint{left.BaseURL, left.Host}
		if a.stored.Saved() { // the new session uses the model used last
			f.Model = ""
		}
	default:
		return nil
	}
	return &f
}

// reopening returns how to open a's session again, or a new session if a's
// is not saved.
func (a *app) reopening(f opening) *opening {
	f = a.carried(f)
	f.dir = a.dir
	if a.stored.Saved() {
		f.resume, f.Model = a.stored.ID(), ""
	}
	return &f
}

// carried returns the options that also apply to the sessions after a's. A base
// URL stays with the provider that it was given for.
func (a *app) carried(f opening) opening {
	return opening{
		flags: flags{Flags: f.Flags, permit: f.permit, budget: f.budget, prompt: f.prompt, trace: f.trace, traffic: f.traffic, noSession: f.noSession},
		end:   f.end, input: f.input, kept: f.kept, connected: f.connected, baseFor: cmp.Or(f.baseFor, a.choice.pick.Bound()),
	}
}

// openOrAsk opens a session for the screen. If another process has locked it, or its
// directory cannot be opened, the user chooses what to do. It returns nil if there is
// nothing to open.
func openOrAsk(ctx context.Context, f opening) (*app, error) {
	ask := f.input.Ask
	if f.input == nil {
		ask = lineAsker(os.Stdin)
	}
	for {
		a, err := open(f, true)
		o, refused := obstacleOf(err)
		if !refused || !term.IsTerminal(os.Stdin.Fd()) {
			return a, err
		}
		switch o.ask(ask) {
		case "r":
			f.cont, f.resume, f.here = false, o.id, true
		case "f":
			f.cont, f.resume, f.fork, f.here = false, o.id, true, f.here || o.moved
		case "v":
			return nil, sessions.Show(ctx, &sessions.ShowOptions{IO: command.System(), Store: command.OpenStore, ID: o.id})
		default:
			return nil, nil
		}
	}
}

// obstacle is why a session cannot be opened as it is.
type obstacle struct {
	id, what string
	moved    bool // it can be opened in the current directory
}

// obstacleOf returns the obstacle that err reports.
func obstacleOf(err error) (obstacle, bool) {
	if e, ok := errors.AsType[*stored.MissingError](err); ok {
		return obstacle{e.ID, e.What(), true}, true
	}
	if e, ok := errors.AsType[*history.LockedError](err); ok {
		return obstacle{e.ID, e.Error(), false}, true
	}
	return obstacle{}, false
}

// ask returns the letter that the user chooses; "q" at the end of input.
func (o obstacle) ask(ask func(string) (string, bool)) string {
	choices, letters := "f  fork it · v  open it read-only · q  quit", "fvq"
	if o.moved {
		choices, letters = "r  resume it here · f  fork it here · v  open it read-only · q  quit", "rfvq"
	}
	fmt.Println(ink.Sanitize(capitalize(o.what)) + ".")
	for {
		answer, ok := ask(choices + "  [" + strings.Join(strings.Split(letters, ""), "/") + "] ")
		if answer = strings.ToLower(answer); len(answer) == 1 && strings.Contains(letters, answer) {
			return answer
		}
		if !ok {
			return "q"
		}
		fmt.Printf("Type one of the letters %s, and press Enter.\n", strings.Join(strings.Split(letters, ""), ", "))
	}
}

// lineAsker returns a function that prints a question and reads the answer from
// from; it returns false at the end of input.
func lineAsker(from io.Reader) func(string) (string, bool) {
	in := bufio.NewReader(from)
	return func(question string) (string, bool) {
		fmt.Print(question)
		answer, err := in.ReadString('\n')
		if err != nil {
			fmt.Println()
		}
		return strings.TrimSpace(answer), err == nil || answer != ""
	}
}

// capitalize returns text with its first letter in upper case. text must begin with
// an ASCII character.
func capitalize(text string) string {
	return strings.ToUpper(text[:1]) + text[1:]
}
