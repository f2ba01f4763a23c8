package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"agent/cmd/agent/command"
	"agent/cmd/agent/settings"
	"agent/internal/llm"
	"agent/internal/llm/phrase"
	"agent/internal/tools"
	"agent/internal/tools/workspace"
	"agent/internal/tui/ink"
)

// maxArguments is how many bytes of standard input a tool may be given.
const maxArguments = 64 << 20

// toolOptions are what `agent tool` needs.
type toolOptions struct {
	IO       command.IO
	Settings func() (settings.File, error)
	end      *shutdown

	Args   []string // a tool and its arguments as JSON; "-" is standard input
	Yes    bool     // do not ask
	Output string   // text or json
}

// newCmdTool returns `agent tool`.
func newCmdTool(f *command.Factory, end *shutdown, runF command.RunFunc[toolOptions]) *cobra.Command {
	opts := &toolOptions{IO: f.IO, Settings: f.Settings, end: end}
	cmd := &cobra.Command{
		Use:   "tool [NAME [JSON]]",
		Short: "run one tool here, without a model; or list them",
		Long: `Tool runs one of the tools that a model has, in the current directory: its
result goes to standard output. The arguments are a JSON object; - reads it from
standard input. With a name alone it shows what the model is told of that tool,
without one it lists them all.

What does more than read asks first, on a terminal; elsewhere it needs --yes.

It exits with 0 when the tool worked, 1 when it failed or was not allowed,
2 when it was called wrongly, 130 when it was interrupted.`,
		Example: `  agent tool
  agent tool search '{"pattern": "TODO", "glob": "*.go"}'
  agent tool --yes edit '{"path": "README.md", "old": "teh", "new": "the"}'
  jq -n '{command: "make test"}' | agent tool --yes shell -`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 2 {
				return command.Usage("a tool takes one JSON object: put it in quotes")
			}
			if opts.Output != "text" && opts.Output != "json" {
				return command.Usage("--output: there is no form %q: use text or json", opts.Output)
			}
			opts.Args = args
			return command.Or(runF, toolRun)(cmd.Context(), opts)
		},
	}
	cmd.Flags().BoolVarP(&opts.Yes, "yes", "y", false, "do not ask, whatever it does")
	cmd.Flags().StringVarP(&opts.Output, "output", "o", "text", "form of what is said of tools: text or json")
	return cmd
}

func toolRun(ctx context.Context, opts *toolOptions) error {
	file, err := opts.Settings()
	if err != nil {
		return err
	}
	dir, err := command.Absolute(".")
	if err != nil {
		return err
	}
	w, err := workspace.Open(dir)
	if err != nil {
		return err
	}
	defer w.Close()
	commands := tools.Commands{Workspace: w, Limits: shellLimits(file.Settings)}
	checks := newChecks(commands, file.Checks)
	ts := newTools(commands, nil, nil, checks)
	if len(opts.Args) == 0 {
		return listTools(opts.IO.Out, toolSpecs(ts), opts.Output)
	}
	name := opts.Args[0]
	i := slices.IndexFunc(ts, func(t tools.Tool) bool { return t.Spec().Name == name })
	if i < 0 {
		return unknownTool(name, toolSpecs(ts))
	}
	if len(opts.Args) == 1 {
		return showTool(opts.IO.Out, ts[i].Spec(), opts.Output)
	}
	input, err := readArguments(name, opts.Args[1], opts.IO.In)
	if err != nil {
		return err
	}
	c := &toolCall{IO: opts.IO, yes: opts.Yes, interceptors: tools.Intercept(checks), end: opts.end}
	return c.run(ctx, ts[i], input)
}

func toolSpecs(ts []tools.Tool) []llm.ToolSpec {
	var out []llm.ToolSpec
	for _, t := range ts {
		out = append(out, t.Spec())
	}
	return out
}

// unknownTool is the error of a name that no tool has.
func unknownTool(name string, all []llm.ToolSpec) error {
	var names []string
	for _, s := range all {
		names = append(names, s.Name)
	}
	if near := phrase.Nearest(name, names); near != "" {
		return command.Usage("there is no tool %q: did you mean %s?", name, near)
	}
	return command.Usage("there is no tool %q. The tools are: %s", name, strings.Join(names, ", "))
}

// readArguments returns the JSON that a tool is given; - stands for what comes on
// standard input.
func readArguments(name, given string, stdin io.Reader) (json.RawMessage, error) {
	b := []byte(given)
	if given == "-" {
		var err error
		if b, err = io.ReadAll(io.LimitReader(stdin, maxArguments+1)); err != nil {
			return nil, fmt.Errorf("read standard input: %w", err)
		}
		if len(b) > maxArguments {
			return nil, command.Usage("standard input is longer than %d MiB", maxArguments>>20)
		}
	}
	var value any
	if err := json.Unmarshal(b, &value); err != nil {
		if e, ok := errors.AsType[*json.SyntaxError](err); ok {
			err = fmt.Errorf("%w, at byte %d", err, e.Offset)
		}
		return nil, command.Usage("the arguments of %s are no JSON: %w. agent tool %s shows what it takes", name, err, name)
	}
	return b, nil
}

// toolJSON is a tool as --output json describes it.
type toolJSON struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"`
}

// listTools prints what tools there are: of each its name, what it does in a
// line, and its schema.
func listTools(out command.Console, all []llm.ToolSpec, output string) error {
	if output == "json" {
		list := []toolJSON{}
		for _, s := range all {
			list = append(list, toolJSON(s))
		}
		return out.JSON(list)
	}
	for _, s := range all {
		first, _, _ := strings.Cut(s.Description, "\n")
		fmt.Fprintf(out, "%-12s %s\n%-12s %s\n\n", s.Name, ink.SanitizeLine(first), "", s.Schema)
	}
	return nil
}

// showTool prints all that a model is told of a tool.
func showTool(out command.Console, s llm.ToolSpec, output string) error {
	if output == "json" {
		return out.JSON(toolJSON(s))
	}
	var schema bytes.Buffer
	if err := json.Indent(&schema, s.Schema, "", "  "); err != nil {
		return fmt.Errorf("write the schema of %s: %w", s.Name, err)
	}
	_, err := fmt.Fprintf(out, "%s\n\n%s\n", strings.TrimRight(s.Description, "\n"), schema.Bytes())
	return err
}
