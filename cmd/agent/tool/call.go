package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"agent/cmd/agent/command"
	"agent/cmd/agent/exit"
	"agent/internal/elicit"
	"agent/internal/loop/event"
	"agent/internal/loop/policy"
	"agent/internal/loop/policy/rule"
	"agent/internal/textdiff"
	"agent/internal/tools"
	"agent/internal/tools/advice"
	"agent/internal/tui/ink"
)

// Call runs one tool call for `agent tool`.
type Call struct {
	command.IO
	Yes          bool        // run without asking for approval
	Rules        []rule.Rule // of the system policy
	Paths        policy.Paths
	Interceptors tools.Interceptors
	End          *exit.Signals
	// Ask answers the questions of an MCP server: see tools.Approved. It may be nil.
	Ask func(ctx context.Context, q elicit.Question) (elicit.Answer, error)
}

// Run prepares the call, asks for approval if it needs one, and executes it.
func (o *Call) Run(ctx context.Context, t tools.Tool, input json.RawMessage) error {
	in := tools.Info{Tool: t.Spec().Name, Args: input}
	call, err := o.Interceptors.Prepare(ctx, in, t)
	if err != nil {
		return o.fail(advice.Cause(err))
	}
	call.Tool = in.Tool
	limits := policy.Policy{Mode: event.ModeAll, Rules: o.Rules}
	v := limits.Judge(call, o.Paths.Look(ctx, call))
	if v.ByRule && v.Refuse {
		return errors.New("not run: " + ink.SanitizeLine(v.Why))
	}
	if asks := v.ByRule && v.Ask; asks || call.Effect != tools.Read && !o.Yes {
		switch {
		case o.Interactive():
		case asks:
			return fmt.Errorf("not run: %s, and there is no terminal to ask", ink.SanitizeLine(v.Why))
		default:
			return fmt.Errorf("not run: %s needs approval (%s), and there is no terminal to ask. To approve it, add --yes", ink.SanitizeLine(call.Title), call.Effect)
		}
		if !o.allowed(call) {
			return errors.New("not run: you rejected it")
		}
	} else {
		o.warn(call)
	}
	return o.End.Interruptible(ctx, func(ctx context.Context, force <-chan struct{}) error {
		return o.do(ctx, in, call, force)
	})
}

// do runs the call and prints its result.
func (o *Call) do(ctx context.Context, in tools.Info, call tools.Call, force <-chan struct{}) error {
	ok := tools.Approved{Changes: call.Changes, Force: force, Ask: o.Ask}
	live := false // its output was printed while it ran
	if o.Err.Terminal {
		ok.Progress = func(text string) {
			live = true
			_, _ = io.WriteString(o.Err, ink.Sanitize(text))
		}
	}
	r, err := o.Interceptors.Run(ctx, in, call, ok)
	switch {
	case err != nil:
		if r.Text != "" {
			o.Err.Say(r.Text)
		}
		if ctx.Err() != nil {
			return &exit.Error{Code: exit.Interrupted}
		}
		return o.fail(advice.Cause(err))
	case r.IsError:
		return o.fail(r.Text)
	}
	if !o.Out.Terminal {
		_, _ = io.WriteString(o.Out, r.Text) // unchanged: it may be the content of a file
	} else {
		if live {
			fmt.Fprintln(o.Err, "--- result for the model:")
		}
		o.Out.Say(r.Text)
	}
	if len(r.Images) > 0 {
		fmt.Fprintln(o.Err, command.NotShown(r.Images))
	}
	return nil
}

// fail prints the error of a tool.
func (o *Call) fail(text string) error {
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	o.Err.Say(text)
	return &exit.Error{Code: exit.Failed}
}

// allowed prints what a call does and asks the user to approve it.
func (o *Call) allowed(call tools.Call) bool {
	o.Err.Say(call.Title + "\n")
	for _, t := range call.Targets {
		if t.Kind == tools.Command && !strings.HasSuffix(call.Title, " "+t.Value) {
			o.Err.Say(t.Value + "\n")
		}
	}
	for _, c := range call.Changes {
		o.Err.Say(diffOf(c))
	}
	o.warn(call)
	return o.Confirm("Run it? [y/N] ")
}

// warn prints the warnings of a call.
func (o *Call) warn(call tools.Call) {
	for _, w := range call.Warnings {
		o.Err.Say("warning: " + w + "\n")
	}
}

// diffOf returns a change as a unified diff, or the sizes of binary content.
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
	return textdiff.Unified(before, after, string(c.Before), string(c.After))
}
