// Package inspect implements `agent inspect`: it rebuilds the exact request that a model
// got in a step of a stored session, and describes it. It sends nothing. Start reading at
// NewCmd.
package inspect

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"agent/cmd/agent/command"
	"agent/cmd/agent/sessions"
	"agent/cmd/agent/settings"
	"agent/internal/history"
	"agent/internal/llm/catalog"
	"agent/internal/loop/event"
	"agent/internal/loop/turn"
)

// Prefix returns the prefix that a new session in dir would send to m. dir may be gone.
type Prefix func(set settings.Settings, dir string, m turn.Model) (*event.Prefix, error)

// Options are what `agent inspect` needs.
type Options struct {
	IO       command.IO
	Settings func() (settings.File, error)
	Store    func() (*history.Store, error)
	Prefix   Prefix

	ID      string
	Step    int    // 0 for the last one
	Dialect string // empty for that of the model
	Output  string // text or json
}

// NewCmd returns `agent inspect`.
func NewCmd(f *command.Factory, prefix Prefix, runF command.RunFunc[Options]) *cobra.Command {
	opts := &Options{IO: f.IO, Settings: f.Settings, Store: f.Store, Prefix: prefix}
	cmd := &cobra.Command{
		Use:   "inspect SESSION",
		Short: "print the exact request that a model got in a step of a session",
		Long: `Inspect rebuilds the request of a step from the log of the session and prints it
as it was sent, without headers. It also prints the tokens of each part, the changes
since the previous step, and how much of the request the provider read from its
cache. It sends nothing.

The system prompt and the tools are those that the session recorded. If an older
version, which recorded none, wrote the session, the current ones are used. A schema
(agent run --schema) is not recorded, so it is missing.`,
		Example: `  agent inspect 1ng2j0n
  agent inspect 1ng2j0n --step 3 --dialect anthropic
  agent inspect 1ng2j0n --output json | jq .request`,
		Args: command.OneArg("one session ID: agent inspect SESSION"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := command.TextOrJSON(opts.Output); err != nil {
				return err
			}
			if cmd.Flags().Changed("step") && opts.Step < 1 {
				return command.Usage("--step: steps are counted from 1")
			}
			if err := checkDialect(opts.Dialect); err != nil {
				return command.Usage("--dialect: %w", err)
			}
			opts.ID = args[0]
			return command.Or(runF, run)(cmd.Context(), opts)
		},
	}
	cmd.Flags().IntVar(&opts.Step, "step", 0, "`number` of the step, from 1 (default: the last one)")
	cmd.Flags().StringVar(&opts.Dialect, "dialect", "", "encode the request for another `dialect`: openai, responses or anthropic")
	cmd.Flags().StringVarP(&opts.Output, "output", "o", "text", "output `format`: text or json")
	return cmd
}

// checkDialect returns an error if name is not a dialect.
func checkDialect(name string) error {
	switch d := catalog.Dialect(name); d {
	case "", catalog.OpenAI, catalog.Responses, catalog.Anthropic:
		return nil
	}
	return fmt.Errorf("unknown dialect %q: use openai, responses or anthropic", name)
}

func run(ctx context.Context, opts *Options) error {
	file, err := opts.Settings()
	if err != nil {
		return err
	}
	v, err := sessions.View(opts.Store, opts.ID)
	if err != nil {
		return err
	}
	defer v.Close()
	from := Source{Settings: file.Settings, View: v, Prefix: opts.Prefix, Damaged: opts.IO.Damaged}
	r, err := Rebuild(ctx, from, opts.Step, catalog.Dialect(opts.Dialect))
	if err != nil {
		return fmt.Errorf("inspect session %s: %w", v.Header().ID, err)
	}
	if opts.Output == "json" {
		return opts.IO.Out.JSON(r)
	}
	opts.IO.Out.Say(r.Summary() + "\n" + r.Body())
	return nil
}
