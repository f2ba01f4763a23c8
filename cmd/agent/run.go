package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"agent/cmd/agent/command"
	"agent/cmd/agent/desktop"
	"agent/cmd/agent/exit"
	"agent/cmd/agent/sessions"
	"agent/internal/llm"
	"agent/internal/loop"
	"agent/internal/loop/event"
	"agent/internal/loop/turn"
	"agent/internal/tui/ink"
)

// maxPrompt is the size limit of a prompt on standard input, in bytes.
const maxPrompt = 4 << 20

// runOptions are what `agent run` needs.
type runOptions struct {
	IO    command.IO
	flags *flags
	end   *exit.Signals

	Prompt []string
	Output string   // text, json or stream-json
	Schema string   // file of a JSON schema
	Images []string // files
}

// newCmdRun returns `agent run`.
func newCmdRun(f *command.Factory, o *flags, end *exit.Signals, runF command.RunFunc[runOptions]) *cobra.Command {
	opts := &runOptions{IO: f.IO, flags: o, end: end}
	cmd := &cobra.Command{
		Use:   "run [PROMPT...]",
		Short: "run a single prompt non-interactively",
		Long: `Run sends a single prompt and prints the answer to standard output as it streams.
Tool calls and notices go to standard error. Standard input and the images given
with --image are added to the prompt.

There is no permission dialog: tool calls that need approval are denied, and the
model gets the denial as the result. Use --allow RULE to allow some calls, --mode
edits to allow file edits, or --mode all to allow everything except changes to
protected paths, edits outside of the working directory, and commands that delete
data, write outside or use the network.

` + exit.Codes,
		Example: `  agent run "what does this project do?"
  git diff | agent run "review this"
  agent run --mode edits --output json "fix the typo in README.md"
  agent run --allow 'command: go test' "fix the failing test"
  agent run --continue "and the tests?"
  agent run --resume 1ng2j0n --image before.png --image after.png "compare them"
  agent run --schema todo.schema.json "list the TODOs of this project"`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.resume == pickResume {
				return command.Usage("--resume needs the ID of a session: agent run --resume ID PROMPT. To list sessions: agent sessions")
			}
			opts.Prompt = args
			return command.Or(runF, runRun)(cmd.Context(), opts)
		},
	}
	cmd.Flags().StringVar(&opts.Schema, "schema", "", "`file` with a JSON schema for the answer; only the answer is printed")
	cmd.Flags().StringArrayVar(&opts.Images, "image", nil, "add an image `file` to the prompt (PNG, JPEG, GIF, WebP or BMP); can be repeated")
	cmd.Flags().StringVarP(&opts.Output, "output", "o", "text", "output `format`: text, json (one object at the end) or stream-json (one event per line)")
	return withFlags(cmd, allFlags)
}

func runRun(_ context.Context, opts *runOptions) error {
	text, err := promptOf(opts.Prompt, opts.IO.In, opts.IO.Err)
	if err != nil {
		return err
	}
	prompt := event.Prompt{Text: text}
	schema, err := readSchema(opts.Schema)
	if err != nil {
		return err
	}
	out := newOutput(opts.IO.Out)
	p, err := printerOf(opts, out, schema != nil)
	if err != nil {
		return err
	}
	images := desktop.Images{Dir: "."}
	for _, file := range opts.Images {
		img, _, err := images.File(file)
		if err != nil {
			return command.Usage("--image: %w", err)
		}
		prompt.Images = append(prompt.Images, img)
	}
	a, err := open(opening{flags: *opts.flags, end: opts.end}, false)
	if err != nil {
		return err
	}
	defer a.close()
	a.options.Schema = schema
	for _, n := range a.notices {
		if opts.Output == "text" {
			p.event(event.Notice{Text: n})
		} else {
			fmt.Fprintln(opts.IO.Err, ink.Sanitize(n))
		}
	}
	return headless(a, prompt, p, out)
}

// printerOf returns the printer for --output. With onlyAnswer, a text printer
// prints nothing but the answer, at the end.
func printerOf(opts *runOptions, out io.Writer, onlyAnswer bool) (printer, error) {
	switch opts.Output {
	case "text":
		return &textPrinter{out: out, err: opts.IO.Err, sanitize: opts.IO.Out.Terminal, shared: opts.IO.SharedOutput(), onlyAnswer: onlyAnswer}, nil
	case "json", "stream-json":
		return &jsonPrinter{out: out, lines: opts.Output == "stream-json"}, nil
	}
	return nil, command.Usage("--output: unknown format %q: use text, json or stream-json", opts.Output)
}

// readSchema returns the schema in file; nil if file is empty.
func readSchema(file string) (*turn.Schema, error) {
	if file == "" {
		return nil, nil
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, command.Usage("--schema: %w", err)
	}
	s, err := turn.ParseSchema(b)
	if err != nil {
		return nil, command.Usage("--schema: %s: %w", file, err)
	}
	return s, nil
}

// headless runs one turn of a and prints its events with p, which writes to out.
// Its error holds the exit code.
func headless(a *app, prompt event.Prompt, p printer, out *output) error {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	signals := make(chan os.Signal, 4)
	turn := a.end.Begin(exit.Forward(signals), true)
	defer turn.End()

	commands, events := make(chan event.Command, 4), make(chan event.Event, 64)
	go loop.NewAgent(a.options).Run(ctx, commands, events)
	commands <- prompt

	expiring, cancel := context.WithCancel(context.Background()) // independent of the turn
	defer cancel()
	expired := sessions.Expire(expiring, a.store, a.set.Sessions.KeepDays, time.Now())

	r := result{Type: "result", Session: a.id(), Model: a.options.Model.Name}
	code := exit.Failed
	killed := 0 // exit code of the signal that ends the program; 0 for none
	for events != nil {
		select {
		case s := <-signals:
			if killed != 0 {
				stop() // the second signal: do not wait for the end of the turn
				continue
			}
			killed = exit.SignalCode(s)
			cancel()
			commands <- event.Interrupt{}
		case e, ok := <-events:
			if !ok {
				events = nil
				continue
			}
			p.event(e)
			if killed == 0 && out.closed() {
				killed = exit.OutputClosed
				cancel()
				commands <- event.Interrupt{}
			}
			if end, ok := e.(*event.TurnEnd); ok {
				code = r.addTurnEnd(end)
				stop()
			} else {
				r.addEvent(e)
			}
		}
	}
	for text := range expired {
		p.event(event.Notice{Text: text})
	}
	switch {
	case killed != 0:
		code = killed
	case r.denied && code != exit.Interrupted && (code != exit.Limit || r.Reason == string(event.AllFailed)):
		code = exit.Denied
	}
	r.setEnd(code, a.options.Schema)
	p.end(r)
	return a.outcome(code, out)
}

// outcome returns the error of a headless run with the exit code code.
func (a *app) outcome(code int, out *output) error {
	switch {
	case code != exit.Done && code != exit.Denied:
		return &exit.Error{Code: code}
	case out.closed():
		return &exit.Error{Code: exit.OutputClosed}
	case out.err != nil && a.log != nil && a.log.Begun():
		return fmt.Errorf("the output is incomplete: %w. The session holds all of it: agent sessions show %s", out.err, a.id())
	case out.err != nil:
		return fmt.Errorf("the output is incomplete: %w", out.err)
	case code != exit.Done:
		return &exit.Error{Code: code}
	}
	return nil
}

// addEvent updates the result with e.
func (r *result) addEvent(e event.Event) {
	switch e := e.(type) {
	case *event.MessageDone:
		r.final.Add(e.Message)
	case *event.UserSaid:
		r.final.Add(llm.Message{Kind: llm.User})
	case *event.PlanSet:
		r.Plan = &presentedPlan{Plan: e.Plan, Text: e.Text, call: e.ID}
	case *event.ToolEnd:
		if r.Plan == nil || e.Result.ID != r.Plan.call { // the text before the plan is the answer
			r.final.Add(llm.Message{Kind: llm.ToolResult})
		}
		r.denied = r.denied || e.Unattended
	case event.Delegated:
		if end, ok := e.Event.(*event.ToolEnd); ok {
			r.denied = r.denied || end.Unattended
		}
	}
}

// setEnd sets the exit code and the answer: the part of it that matches the schema if
// there is one.
func (r *result) setEnd(code int, schema *turn.Schema) {
	r.ExitCode = code
	if r.final.Ended() { // text before a tool call is not the answer
		return
	}
	r.Answer, r.Continued = r.final.Text(), r.final.Continued()
	if schema != nil {
		r.Answer, _ = schema.Answer(&r.final) // the turn has checked it
	}
}

// addTurnEnd updates the result with the end of the turn and returns the exit code.
func (r *result) addTurnEnd(end *event.TurnEnd) int {
	r.Reason, r.Error, r.Hint = string(end.Reason), end.Error, withoutKeys(end.Hint)
	r.Steps, r.Usage, r.Cost, r.Duration = end.Steps, end.Usage, end.Cost, end.Duration.Milliseconds()
	r.Evidence = end.Evidence
	switch end.Reason {
	case event.Done:
		return exit.Done
	case event.UserInterrupt:
		return exit.Interrupted
	case event.MaxSteps, event.OverBudget, event.AllFailed, event.Repeating:
		return exit.Limit
	case event.LogError: // no later prompt saves the conversation
		r.Hint = "Free up disk space or fix the error, or run without saving the session: --no-session"
	}
	return exit.Failed
}

// promptOf joins the arguments and standard input, which it reads unless it is a
// terminal.
func promptOf(args []string, stdin *os.File, notes io.Writer) (string, error) {
	prompt := strings.TrimSpace(strings.Join(args, " "))
	piped, err := readPiped(stdin, notes)
	if err != nil {
		return "", err
	}
	switch {
	case prompt == "" && piped == "":
		return "", command.Usage("no prompt: pass it as an argument (agent run \"explain this project\") or on standard input")
	case piped == "":
		return prompt, nil
	case prompt == "":
		return piped, nil
	}
	return prompt + "\n\n<stdin>\n" + piped + "\n</stdin>", nil
}

// readPiped returns the content of stdin; nothing if it is a terminal or another
// device. After a second of waiting it prints a note.
func readPiped(stdin *os.File, notes io.Writer) (string, error) {
	fi, err := stdin.Stat()
	if err != nil || fi.Mode()&os.ModeCharDevice != 0 {
		return "", nil
	}
	waiting := time.AfterFunc(time.Second, func() {
		fmt.Fprintln(notes, "Reading the prompt from standard input. If there is nothing to read, redirect it from /dev/null.")
	})
	defer waiting.Stop()
	b, err := io.ReadAll(io.LimitReader(stdin, maxPrompt+1))
	if err != nil {
		return "", fmt.Errorf("read standard input: %w", err)
	}
	if len(b) > maxPrompt {
		return "", command.Usage("standard input is larger than %d MiB: write it to a file and name the file in the prompt", maxPrompt>>20)
	}
	return strings.TrimSpace(strings.ToValidUTF8(string(b), "\uFFFD")), nil
}

// withoutKeys returns a hint without the sentence that names a key: a run has no
// keyboard.
func withoutKeys(hint string) string {
	for _, sentence := range []string{event.HintRetry, event.HintContinue} {
		hint = strings.TrimSpace(strings.TrimSuffix(hint, sentence))
	}
	return hint
}
