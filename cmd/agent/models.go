package main

import (
	"cmp"
	"context"
	"time"

	"github.com/spf13/cobra"

	"agent/cmd/agent/command"
	"agent/cmd/agent/connect"
	"agent/cmd/agent/models"
	"agent/cmd/agent/settings"
	"agent/internal/loop/event"
	"agent/internal/tui/screen"
)

// modelsOptions are what `agent models` needs.
type modelsOptions struct {
	IO       command.IO
	Settings func() (settings.File, error)
	flags    *flags
	cleanup  func(func()) (forget func())

	Provider string // empty for all providers
	JSON     bool
}

// newCmdModels returns `agent models`.
func newCmdModels(f *command.Factory, o *flags, runF command.RunFunc[modelsOptions]) *cobra.Command {
	opts := &modelsOptions{IO: f.IO, Settings: f.Settings, flags: o, cleanup: f.Cleanup}
	cmd := &cobra.Command{
		Use:   "models [PROVIDER]",
		Short: "list the available models, and what other providers need",
		Long: `Models lists the available models, including those of servers on this machine:
context window in tokens, price of input and output in US dollars per million
tokens, and why the model is available. Unknown values are empty. The other
providers follow, with what each one needs to be configured.

With PROVIDER, query that provider for all its models.`,
		Example: "  agent models\n  agent models groq\n  agent models --output json | jq '.models[].model'",
		RunE: func(cmd *cobra.Command, args []string) error {
			switch len(args) {
			case 0:
			case 1:
				opts.Provider = args[0]
			default:
				return command.Usage("too many arguments: agent models takes at most one provider")
			}
			return command.Or(runF, modelsRun)(cmd.Context(), opts)
		},
	}
	command.OutputFlag(cmd.Flags(), &opts.JSON)
	return withFlags(cmd, "base-url")
}

func modelsRun(ctx context.Context, opts *modelsOptions) error {
	file, err := opts.Settings()
	if err != nil {
		return err
	}
	l, err := models.New(opts.flags.Flags, file.Settings, "", false, opts.cleanup).List(ctx, opts.Provider, true)
	if err != nil {
		return err
	}
	if opts.JSON {
		return opts.IO.Out.JSON(l)
	}
	return l.Text(opts.IO.Out)
}

// modelChoice is how the model of a session was chosen, and how the user can choose
// another one.
type modelChoice struct {
	pick *models.Picker // nil if the model is not chosen, as in the demo
	// guideHeld is set if the offline guide replaces the model of the resumed
	// session, which cannot be used: servers are not searched for.
	guideHeld bool
	// findLocal searches for a model on this machine. It is nil if a model is
	// connected or the search is disabled.
	findLocal func(context.Context) event.Found
	// several is set if the server at the base URL offers several models.
	several bool
	// advice is shown if findLocal finds no model; may be empty.
	advice string
}

// offlineTime is the time limit for listing models without a query.
const offlineTime = 100 * time.Millisecond

// list returns the available models. If all is set, it queries the servers on
// this machine and adds what the other providers need.
func (c *modelChoice) list(ctx context.Context, all bool) ([]screen.Model, error) {
	if !all {
		var stop func()
		ctx, stop = context.WithTimeout(ctx, offlineTime)
		defer stop()
	}
	only := ""
	if c.pick.Flags.BaseURL != "" { // it belongs to the selected provider
		only = cmp.Or(c.pick.Bound(), c.pick.BaseFor)
	}
	l, err := c.pick.List(ctx, only, all)
	if err != nil {
		return nil, err
	}
	var out []screen.Model
	for _, d := range l.Models {
		out = append(out, connect.Model(d))
	}
	if all {
		for _, d := range l.Missing {
			out = append(out, screen.Model{Name: d.Provider, Needs: d.Needs})
		}
	}
	return out, nil
}
