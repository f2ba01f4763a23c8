package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	_ "image/gif" // the images that results hold
	_ "image/jpeg"
	_ "image/png"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"
	"github.com/charmbracelet/x/term"
	_ "golang.org/x/image/webp"

	"agent/internal/llm"
	"agent/internal/tools"
	"agent/internal/tui/ink"
)

// oneCall runs one call of a tool for a person at a shell.
type oneCall struct {
	in       io.Reader
	out, err console
	yes      bool // whatever it does is allowed
	attended bool // somebody can be asked
	around   tools.Interceptors
	end      *shutdown
}

// console is an output. Only what is no terminal gets untrusted text as it is.
type console struct {
	io.Writer
	terminal bool
}

func newConsole(f *os.File) console { return console{f, term.IsTerminal(f.Fd())} }

// say writes text that came from anywhere.
func (c console) say(text string) {
	if c.terminal {
		text = ink.Sanitize(text)
		if text != "" && !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
	}
	_, _ = io.WriteString(c, text)
}

func newOneCall(yes bool, around tools.Interceptors, end *shutdown) *oneCall {
	return &oneCall{
		in: os.Stdin, out: newConsole(os.Stdout), err: newConsole(os.Stderr), yes: yes, around: around, end: end,
		attended: term.IsTerminal(os.Stdin.Fd()) && term.IsTerminal(os.Stderr.Fd()),
	}
}

// run prepares the call, asks about it where that is needed, and does it.
func (o *oneCall) run(ctx context.Context, t tools.Tool, input json.RawMessage) error {
	in := tools.Info{Tool: t.Spec().Name, Args: input}
	call, err := o.around.Prepare(ctx, in, t)
	if err != nil {
		return o.fail(err.Error())
	}
	if call.Effect != tools.Read && !o.yes {
		if !o.attended {
			return fmt.Errorf("not done: %s does more than read (%s), and nobody can be asked here. Allow it with --yes", ink.SanitizeLine(call.Title), call.Effect)
		}
		if !o.allowed(call) {
			return errors.New("not done: you said no")
		}
	}
	return interruptible(ctx, o.end, func(ctx context.Context, force <-chan struct{}) error {
		return o.do(ctx, in, call, force)
	})
}

// do runs the call and tells what it came to.
func (o *oneCall) do(ctx context.Context, in tools.Info, call tools.Call, force <-chan struct{}) error {
	ok := tools.Approved{Changes: call.Changes, Force: force}
	live := false // its output was shown as it came
	if o.err.terminal {
		ok.Progress = func(text string) {
			live = true
			_, _ = io.WriteString(o.err, ink.Sanitize(text))
		}
	}
	r, err := o.around.Run(ctx, in, call, ok)
	switch {
	case err != nil:
		if r.Text != "" {
			o.err.say(r.Text)
		}
		if ctx.Err() != nil {
			return &exitError{code: exitInterrupted}
		}
		return o.fail(err.Error())
	case r.IsError:
		return o.fail(r.Text)
	}
	if live && o.out.terminal {
		fmt.Fprintln(o.err, "--- what a model reads of it:")
	}
	o.out.say(r.Text)
	if len(r.Images) > 0 {
		fmt.Fprintln(o.err, notShown(r.Images))
	}
	return nil
}

// fail says what a tool has to say of its failure.
func (o *oneCall) fail(text string) error {
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	o.err.say(text)
	return &exitError{code: exitFailed}
}

// allowed shows what a call would do and asks whether it may.
func (o *oneCall) allowed(call tools.Call) bool {
	o.err.say(call.Title + "\n")
	for _, t := range call.Targets {
		if t.Kind == tools.Command && !strings.HasSuffix(call.Title, " "+t.Value) {
			o.err.say(t.Value + "\n")
		}
	}
	for _, c := range call.Changes {
		o.err.say(diffOf(c))
	}
	for _, w := range call.Warnings {
		o.err.say("warning: " + w + "\n")
	}
	fmt.Fprint(o.err, "Do it? [y/N] ")
	answer, _ := bufio.NewReader(o.in).ReadString('\n')
	answer = strings.ToLower(strings.TrimSpace(answer))
	return answer == "y" || answer == "yes"
}

// diffOf is a change as people read it.
func diffOf(c tools.Change) string {
	for _, b := range [][]byte{c.Before, c.After} {
		if !utf8.Valid(b) || bytes.IndexByte(b, 0) >= 0 {
			return fmt.Sprintf("%s: binary content, %d bytes before and %d after\n", c.Path, len(c.Before), len(c.After))
		}
	}
	before, after := "a/"+c.Path, "b/"+c.Path
	if c.Before == nil {
		before = "/dev/null"
	}
	if c.After == nil {
		after = "/dev/null"
	}
	return udiff.Unified(before, after, string(c.Before), string(c.After))
}

// notShown says what images there are.
func notShown(images []llm.Image) string {
	var each []string
	for _, i := range images {
		size := i.MediaType
		if c, _, err := image.DecodeConfig(bytes.NewReader(i.Data)); err == nil {
			size = fmt.Sprintf("%dx%d", c.Width, c.Height)
		}
		each = append(each, ink.SanitizeLine(size))
	}
	if len(each) == 1 {
		return "(1 image, " + each[0] + ", not shown)"
	}
	return fmt.Sprintf("(%d images, %s, not shown)", len(each), strings.Join(each, ", "))
}

// interruptible runs do under a context that a signal ends. A second signal
// closes force. The error of an interrupted do is the exit code of the signal.
func interruptible(ctx context.Context, end *shutdown, do func(ctx context.Context, force <-chan struct{}) error) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	signals := make(chan os.Signal, 4)
	call := end.begin(forward(signals), true)
	defer call.end()

	force, done := make(chan struct{}), make(chan error, 1)
	go func() { done <- do(ctx, force) }()
	code := 0
	for seen := 0; ; {
		select {
		case s := <-signals:
			switch seen++; seen {
			case 1:
				code = signalCode(s)
				stop()
			case 2:
				close(force)
			}
		case err := <-done:
			if code != 0 && err != nil {
				return &exitError{code: code}
			}
			return err
		}
	}
}
