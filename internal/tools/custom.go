package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"agent/internal/llm"
	"agent/internal/llm/phrase"
	"agent/internal/tools/advice"
	"agent/internal/tools/intake"
	"agent/internal/tools/process"
	"agent/internal/tools/schema"
	"agent/internal/tools/shell"
)

// Custom is a tool of the user: a command that gets the arguments as a JSON object on
// standard input, and whose standard output is the result.
type Custom struct {
	Name, Description string
	Schema            map[string]any // JSON schema of the arguments; nil for none
	Command           string         // for the shell, run in the workspace
	// Effect is Read, Execute or Network. A Read cannot change the workspace if there is a
	// sandbox.
	Effect Effect
	Limit  time.Duration // 0 means shell.DefaultLimit
}

const (
	// maxCustomInput limits the arguments of a call, in bytes.
	maxCustomInput = 1 << 20
	// maxCustomError limits the standard error in a result, in bytes.
	maxCustomError = 8 << 10
)

// Custom returns a tool that runs like a command of the model. An error says that the
// schema is invalid.
func (c Commands) Custom(tool Custom) (Tool, error) {
	if err := schema.CheckTypes(tool.Schema); err != nil {
		return nil, err
	}
	given, err := json.Marshal(tool.Schema)
	if err != nil {
		return nil, err
	}
	var decoded any
	if err := json.Unmarshal(given, &decoded); err != nil {
		return nil, err
	}
	object, invalid, err := schema.Portable(decoded)
	if err != nil {
		return nil, err
	}
	portable, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	if tool.Schema == nil {
		given = portable
	}
	accepted, err := schema.Parse(given)
	if err != nil && len(invalid) == 0 { // perhaps a form of an older version of JSON Schema
		accepted, err = schema.Parse(portable)
	}
	switch {
	case err != nil:
		return nil, err
	case len(invalid) > 0:
		return nil, fmt.Errorf("JSON Schema does not permit this value of %s", invalid[0])
	}
	return customTool{Custom: tool, commands: &shellTool{Commands: c, dir: "."}, schema: portable, accepted: accepted}, nil
}

type customTool struct {
	Custom
	commands *shellTool
	schema   json.RawMessage
	accepted *jsonschema.Resolved
}

func (t customTool) Spec() llm.ToolSpec {
	return llm.ToolSpec{Name: t.Name, Description: t.Description, Schema: t.schema}
}

// Accepts describes only the names, the simple types and the values of the arguments, which
// are what the intake repairs. Prepare checks them against the whole schema.
func (t customTool) Accepts() intake.Tool {
	return intake.Tool{Name: t.Name, Schema: func() *jsonschema.Schema {
		full := t.accepted.Schema()
		out := &jsonschema.Schema{Type: "object", Required: full.Required, Properties: map[string]*jsonschema.Schema{}}
		if a := full.AdditionalProperties; a != nil && a.Not != nil {
			out.AdditionalProperties = a
		}
		for name, p := range full.Properties {
			out.Properties[name] = &jsonschema.Schema{}
			if p != nil {
				out.Properties[name].Type = p.Type
				if p.Type == "string" {
					out.Properties[name].Enum = p.Enum
				}
			}
		}
		return out
	}}
}

// readable returns the text of a validator's error without the name of the root schema, and
// with numbers as in JSON: the validator prints 7 as 7/1 or 7.000000.
func readable(err error) string {
	text := strings.ReplaceAll(err.Error(), "validating root: ", "")
	return regexp.MustCompile(`\b(\d+)(/1|\.0+)\b`).ReplaceAllString(text, "$1")
}

// Prepare implements Tool. The target is the command with the arguments in a comment, so
// that the user sees them before approving and the policy judges the command alone.
func (t customTool) Prepare(_ context.Context, args json.RawMessage) (Call, error) {
	understood, err := t.Accepts().Read(args)
	if err != nil {
		return Call{}, err
	}
	var value any
	if err := json.Unmarshal(understood.Arguments, &value); err != nil {
		return Call{}, err
	}
	if err := t.accepted.Validate(value); err != nil {
		return Call{}, fmt.Errorf("the arguments of %s do not match its schema: %s", t.Name, readable(err))
	}
	var input bytes.Buffer
	if err := json.Compact(&input, understood.Arguments); err != nil {
		return Call{}, err
	}
	if input.Len() > maxCustomInput {
		return Call{}, advice.Add(fmt.Errorf("the arguments of %s have %s", t.Name, phrase.Bytes(int64(input.Len()))), "Send at most %s", phrase.Bytes(maxCustomInput))
	}
	at := t.commands.nextDir()
	c := Call{Title: t.Name + " " + oneLine(input.String()), Effect: t.Effect, Run: func(ctx context.Context, ok Approved) (Result, error) {
		return t.run(ctx, input.Bytes(), at, ok)
	}}
	if t.Effect != Read {
		c.Targets = []Target{{Kind: Command, Value: t.Command + "\n# standard input: " + input.String(), Dir: at.dir, Piped: true}}
		c.Instead = insteadOfCommand
	}
	return c, nil
}

func (t customTool) run(ctx context.Context, input []byte, at location, ok Approved) (Result, error) {
	if _, err := t.commands.checkDir(ctx, at); err != nil {
		return Result{}, err
	}
	c := t.commands.approved(t.Command, at, ok)
	c.Max, c.Progress, c.Force = t.limit(), ok.Progress, ok.Force
	switch t.Effect {
	case Read:
		ok.Access.Private = true
	case Network:
		ok.Access.Network = true
	}
	leave, err := t.commands.Gate.pass(ctx, ok.Access)
	if err != nil {
		return Result{}, err
	}
	defer leave()
	streams, err := openStreams(&c, input)
	if err != nil {
		return Result{}, err
	}
	started, err := t.commands.launch(ctx, c, ok)
	streams.started()
	if err != nil {
		streams.close()
		return Result{}, fmt.Errorf("%w; %s did not run", err, t.Name)
	}
	r := started.run
	why := r.Watch(ctx)
	if why != shell.Ended {
		r.Finish()
	}
	got := r.Result()
	stderr := streams.close()
	undone := started.end()
	out := Result{Text: phrase.EndLine(got.Output) + fullOutputNote(got), Summary: got.Ended + undoneSummary(undone)}
	if why == shell.Interrupted {
		return out, ctx.Err()
	}
	end := got.Ended
	if why == shell.TooLong {
		end = "stopped after " + seconds(t.limit()) + ", its time limit"
	}
	if out.IsError = why != shell.Ended || got.Code != 0; out.IsError {
		if t.Effect != Read { // a read is never approved, so it cannot be run again
			out.Blocked = started.blocked(stderr, got.Code)
		}
		out.Text += phrase.EndLine(stderr) + out.Blocked.note() + "[" + end + "]\n"
	}
	for _, n := range undone { // they name renamed files
		out.References = append(out.References, n.Text)
	}
	if out.Text += undoneNote(undone); out.Text == "" {
		out.Text = "[no output]\n"
	}
	return out, nil
}

func (t customTool) limit() time.Duration {
	if t.Limit > 0 {
		return t.Limit
	}
	return shell.DefaultLimit
}

// customStreams are the standard input and standard error of a custom tool.
type customStreams struct {
	theirs  [2]*os.File // their ends, which the program closes after the start
	in, err *os.File    // our ends
	log     process.Log
	done    chan struct{} // closed when standard error is read
}

// openStreams sets the input and the standard error of c.
func openStreams(c *shell.Command, input []byte) (*customStreams, error) {
	s := &customStreams{done: make(chan struct{})}
	var e1, e2 error
	s.theirs[0], s.in, e1 = os.Pipe()
	s.err, s.theirs[1], e2 = os.Pipe()
	if err := errors.Join(e1, e2); err != nil {
		for _, f := range []*os.File{s.theirs[0], s.theirs[1], s.in, s.err} {
			_ = f.Close() // only an error for nil
		}
		return nil, fmt.Errorf("create a pipe: %w", err)
	}
	c.Input, c.Errors = s.theirs[0], s.theirs[1]
	go func() {
		_, _ = s.in.Write(append(input, '\n')) // the command need not read it
		_ = s.in.Close()
	}()
	go func() {
		defer close(s.done)
		_, _ = io.Copy(&s.log, s.err)
	}()
	return s, nil
}

// started closes the ends of the command.
func (s *customStreams) started() {
	for _, f := range s.theirs {
		_ = f.Close()
	}
}

// close returns the end of standard error once the command has ended.
func (s *customStreams) close() string {
	const drain = time.Second // a process that has escaped can hold the pipe
	_ = s.err.SetReadDeadline(time.Now().Add(drain))
	<-s.done
	_ = s.err.Close()
	_ = s.in.Close()
	text := strings.TrimSpace(s.log.String())
	return strings.ToValidUTF8(text[max(0, len(text)-maxCustomError):], "")
}
