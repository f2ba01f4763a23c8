package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"agent/cmd/agent/command"
	"agent/cmd/agent/desktop"
	"agent/cmd/agent/exit"
	"agent/cmd/agent/headless"
	"agent/cmd/agent/sessions"
	"agent/internal/llm"
	"agent/internal/loop"
	"agent/internal/loop/event"
	"agent/internal/loop/turn"
	"agent/internal/tui/ink"
)

// runOptions are what `agent run` needs.
type runOptions struct {
	IO    command.IO
	flags *flags
	end   *exit.Signals

	Prompt []string
	Input  string   // text or stream-json
	Output string   // text, json or stream-json
	Parts  bool     // stream-json with all previews
	Schema string   // file of a JSON schema
	Images []string // files
	Stdin  bool     // wait for standard input until it ends
	Strict bool     // any denied call sets the exit code
	// after replaces time.After in tests.
	after func(time.Duration) <-chan time.Time
}

// newCmdRun returns `agent run`.
func newCmdRun(f *command.Factory, o *flags, end *exit.Signals, runF command.RunFunc[runOptions]) *cobra.Command {
	opts := &runOptions{IO: f.IO, flags: o, end: end}
	cmd := &cobra.Command{
		Use:   "run [PROMPT...]",
		Short: "run a single prompt non-interactively",
		Long: `Run sends a single prompt and prints the answer to standard output as it streams.
Tool calls and notices go to standard error. Standard input and the images given
with --image are added to the prompt. If the arguments have a prompt, a pipe that
gives nothing within 3 s is not waited for, unless --stdin is set or - is the first or
last argument.

There is no permission dialog: tool calls that need approval are denied, and the
model gets the denial as the result. Use --allow RULE to allow some calls, --mode
auto to allow edits and sandboxed commands, or --mode all to allow everything except
protected paths, edits and writes outside the working directory, and the network.
With --input stream-json another program sends the prompts and approves the
calls: see agent help protocol.

` + exit.CodesOf("run"),
		Example: `  agent run "what does this project do?"
  git diff | agent run "review this"
  agent run --mode auto --output json "fix the typo in README.md"
  agent run --allow 'command: go test' "fix the failing test"
  agent run --continue "and the tests?"
  agent run --resume 1ng2j0n --image before.png --image after.png "compare them"
  agent run --input stream-json --output stream-json < commands.jsonl
  agent run --schema todo.schema.json "list the TODOs of this project"`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.resume == pickResume {
				return command.Usage("--resume needs the ID of a session: agent run --resume ID PROMPT. To list sessions: agent sessions")
			}
			opts.Prompt = args
			opts.takeDash()
			if err := opts.check(); err != nil {
				return err
			}
			return command.Or(runF, runRun)(cmd.Context(), opts)
		},
	}
	cmd.Flags().StringVar(&opts.Schema, "schema", "", "`file` with a JSON schema for the answer; only the answer is printed")
	cmd.Flags().StringArrayVar(&opts.Images, "image", nil, "add an image `file` to the prompt (PNG, JPEG, GIF, WebP or BMP); can be repeated")
	cmd.Flags().BoolVar(&opts.Stdin, "stdin", false, "wait for standard input until it ends, like the argument -")
	cmd.Flags().BoolVar(&opts.Strict, "strict-denied", false, "exit with 3 if any call was denied, even if a later one replaced it")
	cmd.Flags().StringVarP(&opts.Output, "output", "o", "text", "output `format`: text, json (one object at the end) or stream-json (one event per line)")
	cmd.Flags().StringVar(&opts.Input, "input", "text", "input `format`: text, or stream-json (one command per line, needs --output stream-json)")
	cmd.Flags().BoolVar(&opts.Parts, "include-partial", false, "with --output stream-json: also print text as it streams, and other events that are not stored")
	return withFlags(cmd, allFlags)
}

// streamJSON is the format with one event or command per line.
const streamJSON = "stream-json"

// takeDash takes the argument - away, which stands for --stdin.
func (o *runOptions) takeDash() {
	if n := len(o.Prompt); n > 0 && o.Prompt[n-1] == "-" {
		o.Stdin, o.Prompt = true, o.Prompt[:n-1]
	} else if n > 0 && o.Prompt[0] == "-" {
		o.Stdin, o.Prompt = true, o.Prompt[1:]
	}
}

// check rejects flags that contradict each other.
func (o *runOptions) check() error {
	switch {
	case o.Input != "text" && o.Input != streamJSON:
		return command.Usage("--input: unknown format %q: use text or stream-json", o.Input)
	case o.Parts && o.Output != streamJSON:
		return command.Usage("--include-partial needs --output stream-json")
	case len(o.Prompt) == 1 && llm.IsAPIKey(o.Prompt[0]):
		return command.ErrAPIKey
	case o.Input == "text":
		return nil
	case o.Output != streamJSON:
		return command.Usage("--input stream-json needs --output stream-json")
	case len(o.Prompt) > 0 || len(o.Images) > 0 || o.Stdin:
		return command.Usage(`--input stream-json takes no prompt, no --image and no --stdin: send {"type":"prompt","text":"..."} on standard input`)
	}
	return nil
}

func runRun(_ context.Context, opts *runOptions) error {
	commands := opts.Input == streamJSON
	var prompt event.Prompt
	var late <-chan struct{}
	var err error
	if !commands {
		if prompt, late, err = opts.prompt(); err != nil {
			return err
		}
	}
	schema, err := readSchema(opts.Schema)
	if err != nil {
		return err
	}
	out := headless.NewOutput(opts.IO.Out)
	p, err := headless.NewPrinter(opts.Output, opts.IO, out, schema != nil, headless.Previews{Answerable: commands, Partial: opts.Parts})
	if err != nil {
		return err
	}
	a, err := open(opening{flags: *opts.flags, end: opts.end, program: commands}, commands)
	if err != nil {
		return err
	}
	defer a.close()
	if !commands {
		if err := a.checkUnattended(); err != nil {
			return err
		}
	}
	a.options.Schema = schema
	if opts.Output == streamJSON {
		headless.WriteStart(out, headless.Start{Session: a.stored.ID(), Version: version, Directory: a.dir, Model: a.options.Models.Current.Name, Mode: a.options.Permissions.Mode})
	}
	for _, n := range a.notices {
		if opts.Output == "text" || commands || opts.Parts {
			p.Event(event.Notice{Text: n})
		} else {
			fmt.Fprintln(opts.IO.Err, ink.Sanitize(headless.Advice(n)))
		}
	}
	if !commands {
		t := a.turn()
		t.Prompt, t.Late, t.StrictDenied = prompt, late, opts.Strict
		return t.Run(p, out)
	}
	images := desktop.Images{Dir: a.dir}
	t := a.turn()
	t.StrictDenied = opts.Strict
	return headless.Conversation{Turn: t, Input: headless.Input{From: opts.IO.In, Image: images.Content}}.Run(p, out)
}

// prompt returns the prompt of the arguments, standard input and --image, and when input
// came too late: see headless.Stdin.
func (o *runOptions) prompt() (prompt event.Prompt, late <-chan struct{}, err error) {
	text := strings.TrimSpace(strings.Join(o.Prompt, " "))
	in := headless.Stdin{File: o.IO.In, Notes: o.IO.Err, Forever: o.Stdin, Prompted: text != "", After: o.after}
	piped, late, err := in.Read()
	if err != nil {
		return event.Prompt{}, nil, err
	}
	if text, err = joinPrompt(text, piped); err != nil {
		return event.Prompt{}, nil, err
	}
	prompt = event.Prompt{Text: text, Mentions: event.Resources(strings.Join(o.Prompt, " "))}
	images := desktop.Images{Dir: "."}
	for _, file := range o.Images {
		img, _, err := images.File(file)
		if err != nil {
			return event.Prompt{}, nil, command.Usage("--image: %w", err)
		}
		prompt.Images = append(prompt.Images, img)
	}
	return prompt, late, nil
}

// runTurn runs one turn without a user and prints its events with p, which writes to
// out. Its error holds the exit code.
func (a *app) runTurn(prompt event.Prompt, p headless.Printer, out *headless.Output) error {
	t := a.turn()
	t.Prompt = prompt
	return t.Run(p, out)
}

// turn returns a turn of a's session without a prompt.
func (a *app) turn() headless.Turn {
	return headless.Turn{
		Agent: loop.NewAgent(a.options), Signals: a.end, Schema: a.options.Schema,
		Session: a.stored.ID(), Model: a.options.Models.Current.Name, Saved: a.stored.Saved,
		Expire: func(ctx context.Context) <-chan string {
			return sessions.Expire(ctx, a.stored.Store, a.set.Sessions.KeepDays, time.Now())
		},
	}
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

// joinPrompt joins the prompt of the arguments and that of standard input.
func joinPrompt(prompt, piped string) (string, error) {
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
