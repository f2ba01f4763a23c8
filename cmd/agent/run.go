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
	"agent/cmd/agent/sessions"
	"agent/internal/llm"
	"agent/internal/loop"
	"agent/internal/loop/event"
	"agent/internal/loop/turn"
	"agent/internal/tui/ink"
)

// maxPrompt is how many bytes of standard input become a prompt.
const maxPrompt = 4 << 20

// runOptions are what `agent run` needs.
type runOptions struct {
	IO    command.IO
	flags *flags

	Prompt []string
	Output string   // text, json or stream-json
	Schema string   // file of a JSON schema
	Images []string // files
}

// newCmdRun returns `agent run`: one prompt, without a screen.
func newCmdRun(f *command.Factory, o *flags, runF command.RunFunc[runOptions]) *cobra.Command {
	opts := &runOptions{IO: f.IO, flags: o}
	cmd := &cobra.Command{
		Use:   "run [PROMPT...]",
		Short: "do one prompt without a screen",
		Long: `Run does one prompt without a screen: the answer goes to standard output as it
streams, tools and notices go to standard error. What comes on standard input
is added to the prompt, and so is what the images of --image show.

Nobody can be asked here: what would be asked about is refused, and the model
is told. --mode edits or --mode all allow more.

` + exitCodes,
		Example: `  agent run "what does this project do?"
  git diff | agent run "review this"
  agent run --mode edits --output json "fix the typo in README.md"
  agent run --image before.png --image after.png "what has moved?"
  agent run --schema todo.schema.json "list the TODOs of this project"`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.resume == choose {
				return command.Usage("--resume needs the ID of a session here: agent run --resume ID PROMPT. agent sessions lists them")
			}
			opts.Prompt = args
			return command.Or(runF, runRun)(cmd.Context(), opts)
		},
	}
	cmd.Flags().StringVar(&opts.Schema, "schema", "", "file with a JSON schema that the answer must fit; only the answer is printed then")
	cmd.Flags().StringArrayVar(&opts.Images, "image", nil, "image file (PNG, JPEG, GIF, WebP or BMP) that the model is to see; may be given several times")
	cmd.Flags().StringVarP(&opts.Output, "output", "o", "text", "form of the output: text, json (one object at the end) or stream-json (a line an event)")
	return cmd
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
	a, err := open(*opts.flags, false)
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

// printerOf returns what prints in the form that --output names. A text that is
// only the answer is printed at the end.
func printerOf(opts *runOptions, out io.Writer, onlyAnswer bool) (printer, error) {
	switch opts.Output {
	case "text":
		return &textPrinter{out: out, err: opts.IO.Err, clean: opts.IO.Out.Terminal, whole: onlyAnswer}, nil
	case "json", "stream-json":
		return &jsonPrinter{out: out, lines: opts.Output == "stream-json"}, nil
	}
	return nil, command.Usage("--output: there is no form %q: use text, json or stream-json", opts.Output)
}

// readSchema returns the schema in a file; none without a name.
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

// headless runs one turn of a and tells p, which prints to out, of it. Its error
// is the exit code.
func headless(a *app, prompt event.Prompt, p printer, out *output) error {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	signals := make(chan os.Signal, 4)
	turn := a.end.begin(forward(signals), true)
	defer turn.end()

	commands, events := make(chan event.Command, 4), make(chan event.Event, 64)
	go loop.NewAgent(a.options).Run(ctx, commands, events)
	commands <- prompt

	tidying, leave := context.WithCancel(context.Background()) // no part of the turn
	defer leave()
	said := sessions.Expire(tidying, a.store, a.set.Sessions.KeepDays, time.Now())

	r := result{Type: "result", Session: a.id(), Model: a.options.Model.Name}
	code := exitFailed
	killed := 0 // the exit code of the signal that ended the program
	for events != nil {
		select {
		case s := <-signals:
			if killed != 0 {
				stop() // asked twice: what the turn still has to say is not waited for
				continue
			}
			killed = signalCode(s)
			leave()
			commands <- event.Interrupt{}
		case e, ok := <-events:
			if !ok {
				events = nil
				continue
			}
			p.event(e)
			if killed == 0 && out.unread() {
				killed = exitUnread
				leave()
				commands <- event.Interrupt{}
			}
			if end, ok := e.(*event.TurnEnd); ok {
				code = r.fill(end)
				stop() // nothing more is wanted of the agent
			} else {
				r.note(e)
			}
		}
	}
	for text := range said {
		p.event(event.Notice{Text: text})
	}
	if killed != 0 {
		code = killed
	}
	r.ExitCode = code
	p.end(r)
	return a.outcome(code, out)
}

// outcome is the error of a headless run that ended with code.
func (a *app) outcome(code int, out *output) error {
	switch {
	case code != exitDone:
		return &exitError{code: code}
	case out.unread():
		return &exitError{code: exitUnread}
	case out.err != nil && a.log != nil && a.log.Begun():
		return fmt.Errorf("the output is not whole: %w. The session has it all: agent sessions show %s", out.err, a.id())
	case out.err != nil:
		return fmt.Errorf("the output is not whole: %w", out.err)
	}
	return nil
}

// note keeps what of e belongs into the result.
func (r *result) note(e event.Event) {
	switch e := e.(type) {
	case *event.MessageDone:
		if e.Message.Kind == llm.Assistant && r.cut {
			r.Answer += e.Message.Text // it goes on where it was cut
		} else if e.Message.Kind == llm.Assistant {
			r.Answer = e.Message.Text
		}
		r.cut = e.Message.Kind == llm.Assistant && e.Message.Cut
	case *event.ToolEnd:
		r.Answer = "" // what was said before a tool is no answer
	}
}

// fill takes the end of the turn into the result, and returns the exit code.
func (r *result) fill(end *event.TurnEnd) int {
	r.Reason, r.Error, r.Hint = string(end.Reason), end.Error, end.Hint
	r.Steps, r.Usage, r.Cost, r.Duration = end.Steps, end.Usage, end.Cost, end.Duration.Milliseconds()
	switch end.Reason {
	case event.Done:
		return exitDone
	case event.UserInterrupt:
		return exitInterrupted
	case event.LogError: // no further prompt follows here that could save it
		r.Hint = "make room or mend what is wrong there; --no-session keeps nothing of a session"
	}
	return exitFailed
}

// forward returns what passes signals on to a channel as long as it has room.
func forward(to chan<- os.Signal) func(os.Signal) {
	return func(s os.Signal) {
		select {
		case to <- s:
		default:
		}
	}
}

// promptOf joins the arguments and what comes on standard input, which is read
// when it is no terminal.
func promptOf(args []string, stdin *os.File, notes io.Writer) (string, error) {
	prompt := strings.TrimSpace(strings.Join(args, " "))
	piped, err := readPiped(stdin, notes)
	if err != nil {
		return "", err
	}
	switch {
	case prompt == "" && piped == "":
		return "", command.Usage("there is no prompt: agent run \"what to do\", or give it on standard input")
	case piped == "":
		return prompt, nil
	case prompt == "":
		return piped, nil
	}
	return prompt + "\n\n<stdin>\n" + piped + "\n</stdin>", nil
}

// readPiped returns what was piped or redirected into stdin; nothing where it
// is a terminal or a device. It says so when it has to wait.
func readPiped(stdin *os.File, notes io.Writer) (string, error) {
	fi, err := stdin.Stat()
	if err != nil || fi.Mode()&os.ModeCharDevice != 0 {
		return "", nil
	}
	waiting := time.AfterFunc(time.Second, func() {
		fmt.Fprintln(notes, "reading the prompt from standard input (redirect it from /dev/null if there is nothing to read) ...")
	})
	defer waiting.Stop()
	b, err := io.ReadAll(io.LimitReader(stdin, maxPrompt+1))
	if err != nil {
		return "", fmt.Errorf("read standard input: %w", err)
	}
	if len(b) > maxPrompt {
		return "", command.Usage("standard input is longer than %d MiB: write it to a file and name the file in the prompt", maxPrompt>>20)
	}
	return strings.TrimSpace(strings.ToValidUTF8(string(b), "\uFFFD")), nil
}
