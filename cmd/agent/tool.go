package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"agent/cmd/agent/command"
	"agent/cmd/agent/settings"
	"agent/internal/llm"
	"agent/internal/llm/phrase"
	"agent/internal/loop"
	"agent/internal/tools"
	"agent/internal/tools/workspace"
	"agent/internal/tui/ink"
)

// maxArguments is the size limit of tool arguments on standard input, in bytes.
const maxArguments = 64 << 20

// toolOptions are what `agent tool` needs.
type toolOptions struct {
	IO       command.IO
	Settings func() (settings.File, error)
	end      *shutdown

	Args   []string // a tool and its arguments as JSON; "-" is standard input
	Yes    bool     // run without asking for approval
	Output string   // text or json
}

// newCmdTool returns `agent tool`.
func newCmdTool(f *command.Factory, end *shutdown, runF command.RunFunc[toolOptions]) *cobra.Command {
	opts := &toolOptions{IO: f.IO, Settings: f.Settings, end: end}
	cmd := &cobra.Command{
		Use:   "tool [NAME [JSON]]",
		Short: "run a single tool in the current directory, or list the tools",
		Long: `Tool runs one of the model's tools in the current directory and prints its result
to standard output. The arguments are a JSON object; - reads it from standard
input. With only a name, it prints the tool's description and schema. Without a
name, it lists all tools.

A tool that does more than read asks for approval on a terminal; without a
terminal it requires --yes.

` + exitCodes,
		Example: `  agent tool
  agent tool search '{"pattern": "TODO", "glob": "*.go"}'
  agent tool --yes edit '{"path": "README.md", "old": "teh", "new": "the"}'
  jq -n '{command: "make test"}' | agent tool --yes shell -`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 2 {
				return command.Usage("a tool takes one JSON object: quote it for the shell")
			}
			if opts.Output != "text" && opts.Output != "json" {
				return command.Usage("--output: unknown format %q: use text or json", opts.Output)
			}
			opts.Args = args
			return command.Or(runF, toolRun)(cmd.Context(), opts)
		},
	}
	cmd.Flags().BoolVarP(&opts.Yes, "yes", "y", false, "run without asking for approval")
	cmd.Flags().StringVarP(&opts.Output, "output", "o", "text", "output format of tool descriptions: text or json")
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
	if p := openInstructions(dir, os.Getenv); len(p.Skills()) > 0 {
		ts = append(ts, p.SkillTool())
	}
	all := append(toolSpecs(ts), sessionTools(commands, toolSpecs(ts))...)
	if len(opts.Args) == 0 {
		return listTools(opts.IO.Out, all, len(ts), opts.Output)
	}
	name := opts.Args[0]
	i := slices.IndexFunc(all, func(s llm.ToolSpec) bool { return s.Name == name })
	switch {
	case i < 0:
		return unknownTool(name, all)
	case len(opts.Args) == 1:
		return showTool(opts.IO.Out, all[i], opts.Output)
	case i >= len(ts):
		return fmt.Errorf("cannot run %s: it works only in a session", name)
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

// sessionTools returns the tools of a session that are not among standalone.
func sessionTools(c tools.Commands, standalone []llm.ToolSpec) []llm.ToolSpec {
	jobs := tools.NewJobs()
	defer jobs.Close()
	all := append(toolSpecs(c.Tools(jobs)), loop.SessionTools()...)
	return slices.DeleteFunc(all, func(s llm.ToolSpec) bool {
		return slices.ContainsFunc(standalone, func(other llm.ToolSpec) bool { return other.Name == s.Name })
	})
}

// unknownTool returns the error for a name that no tool has.
func unknownTool(name string, all []llm.ToolSpec) error {
	var names []string
	for _, s := range all {
		names = append(names, s.Name)
	}
	if near := phrase.Nearest(name, names); near != "" {
		return command.Usage("unknown tool %q: did you mean %q?", name, near)
	}
	return command.Usage("unknown tool %q. Tools: %s", name, strings.Join(names, ", "))
}

// readArguments returns the JSON arguments given; "-" reads them from stdin.
func readArguments(name, given string, stdin io.Reader) (json.RawMessage, error) {
	b := []byte(given)
	if given == "-" {
		var err error
		if b, err = io.ReadAll(io.LimitReader(stdin, maxArguments+1)); err != nil {
			return nil, fmt.Errorf("read standard input: %w", err)
		}
		if len(b) > maxArguments {
			return nil, command.Usage("standard input is larger than %d MiB", maxArguments>>20)
		}
	}
	var value any
	if err := json.Unmarshal(b, &value); err != nil {
		if e, ok := errors.AsType[*json.SyntaxError](err); ok {
			err = fmt.Errorf("%w, at byte %d", err, e.Offset)
		}
		return nil, command.Usage("the arguments of %s are not valid JSON: %w. For its schema: agent tool %s", name, err, name)
	}
	return b, nil
}

// toolJSON is the description of a tool that --output json prints.
type toolJSON struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"`
}

// listTools prints each tool with the first line of its description and its
// schema. The tools after the first standalone ones work only in a session.
func listTools(out command.Console, all []llm.ToolSpec, standalone int, output string) error {
	if output == "json" {
		list := []toolJSON{}
		for _, s := range all {
			list = append(list, toolJSON{s.Name, s.Description, s.Schema})
		}
		return out.JSON(list)
	}
	for i, s := range all {
		first, _, _ := strings.Cut(s.Description, "\n")
		if i >= standalone {
			first += " (only in a session)"
		}
		fmt.Fprintf(out, "%-12s %s\n%-12s %s\n\n", s.Name, ink.SanitizeLine(first), "", s.Schema)
	}
	return nil
}

// showTool prints the description and the schema of a tool, as the model gets them.
func showTool(out command.Console, s llm.ToolSpec, output string) error {
	if output == "json" {
		return out.JSON(toolJSON{s.Name, s.Description, s.Schema})
	}
	var schema bytes.Buffer
	if err := json.Indent(&schema, s.Schema, "", "  "); err != nil {
		return fmt.Errorf("write the schema of %s: %w", s.Name, err)
	}
	_, err := fmt.Fprintf(out, "%s\n\n%s\n", strings.TrimRight(s.Description, "\n"), schema.Bytes())
	return err
}
