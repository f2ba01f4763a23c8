// Package tool implements `agent tool`: it lists the model's tools and runs a single one
// in the current directory. It holds no tool. Start reading at NewCmd.
package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"agent/cmd/agent/command"
	"agent/cmd/agent/exit"
	"agent/internal/llm"
	"agent/internal/llm/phrase"
	"agent/internal/loop/policy"
	"agent/internal/loop/policy/rule"
	"agent/internal/tools"
	"agent/internal/tools/advice"
	"agent/internal/tui/ink"
)

// maxArguments is the size limit of tool arguments on standard input, in bytes.
const maxArguments = 64 << 20

// Source provides the tools.
type Source struct {
	Open  func() (*Set, error)         // those of the current directory; the caller closes the set
	Known func() ([]tools.Tool, error) // all tools, to describe them and to check calls
}

// Set is the tools of a directory, and what limits their calls.
type Set struct {
	Tools        []tools.Tool // that work without a session
	Session      []tools.Tool // that work only in a session
	Interceptors tools.Interceptors
	Rules        func() ([]rule.Rule, error) // reads those of the system policy
	Paths        policy.Paths
	Close        func()
}

// Options are what `agent tool` needs.
type Options struct {
	IO     command.IO
	source Source
	end    *exit.Signals

	Args   []string // a tool and its arguments as JSON; "-" is standard input
	Check  bool     // print the call as understood instead of running it
	Yes    bool     // run without asking for approval
	Output string   // text or json
}

// NewCmd returns `agent tool`.
func NewCmd(f *command.Factory, from Source, end *exit.Signals, runF command.RunFunc[Options]) *cobra.Command {
	opts := &Options{IO: f.IO, source: from, end: end}
	cmd := &cobra.Command{
		Use:   "tool [NAME [JSON]]",
		Short: "run a single tool in the current directory, or list the tools",
		Long: `Tool runs one of the model's tools in the current directory and prints its result
to standard output. The arguments are a JSON object; - reads it from standard
input. With only a name, it prints the tool's description and schema. Without a
name, it lists all tools.

With --check it prints the call as the tool understands it, and runs nothing. Other
names of tools and arguments, and damaged JSON, are repaired as in the calls of a
model. A call that cannot be understood is an error.

A tool that does more than read asks for approval on a terminal; without a
terminal it requires --yes. The rules of the system policy apply even with --yes.

` + exit.CodesOf("tool"),
		Example: `  agent tool
  agent tool search '{"pattern": "TODO", "glob": "*.go"}'
  agent tool --yes edit '{"path": "README.md", "old": "teh", "new": "the"}'
  agent tool --check Read '{"file_path": "main.go"}'
  jq -n '{command: "make test"}' | agent tool --yes shell -`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 2 {
				return command.Usage("a tool takes one JSON object: quote it for the shell")
			}
			if err := command.TextOrJSON(opts.Output); err != nil {
				return err
			}
			if opts.Check && len(args) < 2 {
				return command.Usage("--check needs a tool and its arguments: agent tool --check NAME JSON")
			}
			opts.Args = args
			return command.Or(runF, run)(cmd.Context(), opts)
		},
	}
	cmd.Flags().BoolVar(&opts.Check, "check", false, "print the call as understood, without running it")
	cmd.Flags().BoolVarP(&opts.Yes, "yes", "y", false, "run without asking for approval")
	cmd.Flags().StringVarP(&opts.Output, "output", "o", "text", "output `format` of tool descriptions: text or json")
	return cmd
}

func run(ctx context.Context, opts *Options) error {
	if opts.Check {
		return check(opts)
	}
	set, err := opts.source.Open()
	if err != nil {
		return err
	}
	defer set.Close()
	ts := set.Tools
	everything := slices.Concat(ts, set.Session)
	all := specs(everything)
	if len(opts.Args) == 0 {
		return listTools(opts.IO.Out, all, len(ts), opts.Output)
	}
	input := "{}"
	if len(opts.Args) == 2 {
		if input, err = ReadArguments(opts.Args[1], opts.IO.In); err != nil {
			return err
		}
	}
	rules, err := set.Rules()
	if err != nil {
		return err
	}
	c := &Call{IO: opts.IO, Yes: opts.Yes, Rules: rules, Paths: set.Paths, Interceptors: set.Interceptors, End: opts.end}
	call, err := tools.Accepted(everything).Read(opts.Args[0], input)
	i := slices.IndexFunc(all, func(s llm.ToolSpec) bool { return s.Name == call.Tool })
	switch {
	case i < 0:
		return unknownTool(opts.Args[0], all)
	case len(opts.Args) == 1:
		return showTool(opts.IO.Out, all[i], opts.Output)
	case i >= len(ts):
		return fmt.Errorf("cannot run %s: it works only in a session", call.Tool)
	case err != nil:
		return c.fail(advice.Cause(err))
	case len(call.Ignored) > 0:
		opts.IO.Err.Say("ignored: " + strings.Join(call.Ignored, ", ") + "\n")
	}
	return c.Run(ctx, ts[i], call.Arguments)
}

// check prints the call as understood, or the error that the model would get. It
// reads no file and knows every tool, also those that need a session.
func check(opts *Options) error {
	input, err := ReadArguments(opts.Args[1], opts.IO.In)
	if err != nil {
		return err
	}
	known, err := opts.source.Known()
	if err != nil {
		return err
	}
	call, err := tools.Accepted(known).Read(opts.Args[0], input)
	if err != nil {
		return (&Call{IO: opts.IO}).fail(err.Error())
	}
	return command.WriteLine(opts.IO.Out, call)
}

func specs(ts []tools.Tool) []llm.ToolSpec {
	var out []llm.ToolSpec
	for _, t := range ts {
		out = append(out, t.Spec())
	}
	return out
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

// ReadArguments returns the arguments given; "-" reads them from stdin.
func ReadArguments(given string, stdin io.Reader) (string, error) {
	if given != "-" {
		return given, nil
	}
	b, err := io.ReadAll(io.LimitReader(stdin, maxArguments+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("read standard input: %w", err)
	case len(b) > maxArguments:
		return "", command.Usage("standard input is larger than %d MiB", maxArguments>>20)
	}
	return string(b), nil
}

// described is the description of a tool that --output json prints.
type described struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"`
}

func describe(s llm.ToolSpec) described { return described{s.Name, s.Description, s.Schema} }

// listTools prints each tool with the first line of its description and its
// schema. The tools after the first standalone ones work only in a session.
func listTools(out command.Console, all []llm.ToolSpec, standalone int, output string) error {
	if output == "json" {
		list := []described{}
		for _, s := range all {
			list = append(list, describe(s))
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
		return out.JSON(describe(s))
	}
	var schema bytes.Buffer
	if err := json.Indent(&schema, s.Schema, "", "  "); err != nil {
		return fmt.Errorf("write the schema of %s: %w", s.Name, err)
	}
	_, err := fmt.Fprintf(out, "%s\n\n%s\n", strings.TrimRight(s.Description, "\n"), schema.Bytes())
	return err
}
