package main

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"agent/cmd/agent/command"
	"agent/cmd/agent/eval"
	"agent/cmd/agent/exit"
	"agent/cmd/agent/headless"
	"agent/cmd/agent/redact"
	"agent/internal/loop"
	"agent/internal/loop/event"
	"agent/internal/loop/session"
	"agent/internal/tui/ink"
)

// newCmdEval returns `agent eval`.
func newCmdEval(f *command.Factory, o *flags, end *exit.Signals, runF command.RunFunc[eval.Options]) *cobra.Command {
	opts := &eval.Options{IO: f.IO, Cleanup: f.Cleanup}
	cmd := &cobra.Command{
		Use:   "eval DIR",
		Short: "measure how many tasks of a directory a model solves",
		Long: `Eval runs each task of a directory and prints whether it was solved, with its
steps, tokens, cost and rejected tool calls. A task is a directory with three
files:

  prompt.md         the prompt
  repository.txtar  the files of the repository
  check.sh          a shell script that exits with 0 if the task is solved; its
                    standard input is the answer of the model

Each task runs in a temporary directory and a new session. There is no permission
dialog: file edits are approved, commands are denied unless you add --mode all.
The scripts check.sh run without approval. Run only tasks that you trust.

The exit code is 1 if any task is not solved.`,
		Example: `  agent eval tasks --model openai/gpt-5-mini --mode all
  agent eval tasks/rename --output json`,
		Args: command.OneArg("the directory of the tasks: agent eval DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			err := command.TextOrJSON(opts.Output)
			switch {
			case err != nil:
				return err
			case o.cont || o.resume != "" || o.fork || o.here:
				return command.Usage("eval starts new sessions: remove --continue, --resume, --fork and --here")
			case opts.Timeout <= 0:
				return command.Usage("--timeout must be more than 0")
			}
			opts.Dir = args[0]
			file, err := f.Settings()
			if err != nil {
				return err
			}
			opts.Limits = redact.Limits(file.Settings)
			f := opening{flags: *o, end: end, temporary: true}
			f.permit.Mode = cmp.Or(f.permit.Mode, string(event.ModeAuto))
			opts.Turn = func(ctx context.Context, dir, prompt string) (eval.Outcome, error) {
				f.dir = dir
				return evalTurn(ctx, f, prompt, opts.IO)
			}
			return end.Interruptible(cmd.Context(), func(ctx context.Context, _ <-chan struct{}) error {
				return command.Or(runF, eval.Run)(ctx, opts)
			})
		},
	}
	cmd.Flags().DurationVar(&opts.Timeout, "timeout", 10*time.Minute, "time limit for each task, such as 90s or 10m")
	cmd.Flags().StringVarP(&opts.Output, "output", "o", "text", "output `format`: text or json")
	return withFlags(cmd, "model base-url mode max-steps token-budget max-cost max-time session-budget effort trace record replay no-session")
}

// evalTurn runs the turn of a task in a new session.
func evalTurn(ctx context.Context, f opening, prompt string, streams command.IO) (eval.Outcome, error) {
	a, err := open(f, false)
	if err != nil {
		return eval.Outcome{}, err
	}
	defer a.close()
	a.options.Permissions.Paths.Disposable = true
	for _, n := range a.notices {
		fmt.Fprintln(streams.Err, ink.Sanitize(headless.Advice(n)))
	}
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	commands, events := make(chan event.Command, 2), make(chan event.Event, 64)
	go loop.NewAgent(a.options).Run(running, commands, events)
	commands <- event.Prompt{Text: prompt}
	interrupt := context.AfterFunc(ctx, func() { commands <- event.Interrupt{} })
	defer interrupt()
	r, calls := headless.Result{}, session.Tally{}
	for e := range events {
		if d, ok := e.(event.Durable); ok {
			calls.Add(d)
		}
		if r.Add(e) {
			r.SetAnswer(nil)
			stop()
		}
	}
	calls.EndSession()
	var all session.CallCount
	for _, c := range calls.Calls() {
		all.Add(c)
	}
	return eval.Outcome{
		Model: a.options.Models.Current.Name, Session: a.stored.ID(), Reason: r.Reason, Error: r.Error, Steps: r.Steps, Usage: r.Usage, Cost: r.Cost,
		Calls: all.Calls, Rejected: all.Rejected, Denied: all.Denied, Answer: r.Answer,
	}, nil
}
