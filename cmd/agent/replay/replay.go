// Package replay holds `agent replay`, which plays a stored session on the screen as if
// it were live. It sends nothing to a model, runs no tool and changes no session. Start
// reading at player.
package replay

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"agent/cmd/agent/command"
	"agent/cmd/agent/exit"
	"agent/cmd/agent/sessions"
	"agent/internal/history"
	"agent/internal/loop/event"
	"agent/internal/tui"
	"agent/internal/tui/screen"
)

// Options are what `agent replay` needs.
type Options struct {
	IO     command.IO
	Store  func() (*history.Store, error)
	Screen func() (screen.Options, error) // without a session
	End    *exit.Signals

	ID    string
	Speed float64
	Plain bool
}

// NewCmd returns `agent replay`.
func NewCmd(f *command.Factory, show func() (screen.Options, error), end *exit.Signals, runF command.RunFunc[Options]) *cobra.Command {
	opts := &Options{IO: f.IO, Store: f.Store, Screen: show, End: end}
	cmd := &cobra.Command{
		Use:   "replay ID",
		Short: "play a stored session on the screen, read-only",
		Long: `Replay plays a stored session on the screen as if it were live. Pauses longer than
two seconds are shortened. Esc or Ctrl+C skips to the end of the turn that is playing,
and Ctrl+D quits. Nothing is sent to a model, no tool runs, and the session is not
changed. In plain mode the conversation is printed at once.`,
		Example: "  agent replay 1ng2j0n\n  agent replay 1ng2j0n --speed 4\n  agent replay 1ng2j0n --plain",
		Args:    command.OneArg("one session ID: agent replay ID"),
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.ID = args[0]
			if opts.Speed < minSpeed || opts.Speed > maxSpeed {
				return command.Usage("--speed must be between %g and %g, not %g", minSpeed, maxSpeed, opts.Speed)
			}
			return command.Or(runF, run)(cmd.Context(), opts)
		},
	}
	cmd.Flags().Float64Var(&opts.Speed, "speed", 1, "`factor` of the speed: 2 plays twice as fast")
	cmd.Flags().BoolVar(&opts.Plain, "plain", false, "print the conversation instead of opening the screen")
	return cmd
}

// The limits of the speed.
const (
	minSpeed = 0.1
	maxSpeed = 1000.0
)

func run(ctx context.Context, opts *Options) error {
	if opts.Plain || !opts.IO.Out.Terminal || os.Getenv("TERM") == "dumb" {
		return sessions.Show(ctx, &sessions.ShowOptions{IO: opts.IO, Store: opts.Store, ID: opts.ID})
	}
	o, all, err := read(opts)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	playing := opts.End.Begin(func(s os.Signal) {
		if s != os.Interrupt { // the screen reads it as a key
			stop()
		}
	}, false)
	defer playing.End()
	commands, events := make(chan event.Command), make(chan event.Event, 64)
	o.Events, o.Commands = events, commands
	p := player{events: all, speed: opts.Speed, out: events, in: commands, wait: wait}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		p.play(ctx)
	}()
	_, err = tui.Run(ctx, o)
	stop()
	<-ended
	if code := opts.End.Code(); code != 0 {
		return &exit.Error{Code: code, Err: err}
	}
	return err
}

// read returns the events of the session, and the options of the screen for it.
func read(opts *Options) (screen.Options, []event.Durable, error) {
	store, err := opts.Store()
	if err != nil {
		return screen.Options{}, nil, err
	}
	v, err := store.View(opts.ID)
	if err != nil {
		return screen.Options{}, nil, sessions.HintList(err)
	}
	defer v.Close()
	h := v.Header()
	damaged := 0
	state, err := sessions.StateOf(v.From(0), func(error) { damaged++ })
	if err != nil {
		return screen.Options{}, nil, fmt.Errorf("read session %s: %w", h.ID, err)
	}
	o, err := opts.Screen()
	if err != nil {
		return o, nil, err
	}
	o.Session.ID, o.Session.Title, o.Files.Dir, o.Models.Name = h.ID, state.Title, command.Short(h.Dir), state.Model
	o.Notices = append(o.Notices, fmt.Sprintf("Replay of session %s of %s, read-only. Esc skips to the end of a turn, Ctrl+D quits.", h.ID, h.Time.Local().Format("2006-01-02 15:04")))
	if damaged > 0 {
		o.Notices = append(o.Notices, fmt.Sprintf("%d damaged records of the session are left out.", damaged))
	}
	return o, state.Events, nil
}

// wait returns a channel that receives a value after d.
func wait(d time.Duration) <-chan time.Time { return time.After(d) }
