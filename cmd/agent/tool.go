package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"agent/internal/llm"
	"agent/internal/llm/phrase"
	"agent/internal/tools"
	"agent/internal/tools/workspace"
	"agent/internal/tui/ink"
)

// maxArguments is how many bytes of standard input a tool may be given.
const maxArguments = 64 << 20

// toolCommand is `agent tool`.
func toolCommand(end *shutdown) *cobra.Command {
	var yes bool
	var output string
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
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 2 {
				return usage("a tool takes one JSON object: put it in quotes")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if output != "text" && output != "json" {
				return usage("--output: there is no form %q: use text or json", output)
			}
			ts, around, w, err := toolsHere()
			if err != nil {
				return err
			}
			defer w.Close()
			if len(args) == 0 {
				return listTools(cmd.OutOrStdout(), specs(ts), output)
			}
			i := slices.IndexFunc(ts, func(t tools.Tool) bool { return t.Spec().Name == args[0] })
			if i < 0 {
				return unknownTool(args[0], ts)
			}
			if len(args) == 1 {
				return showTool(cmd.OutOrStdout(), ts[i].Spec(), output)
			}
			input, err := arguments(args[0], args[1], os.Stdin)
			if err != nil {
				return err
			}
			return newOneCall(yes, around, end).run(cmd.Context(), ts[i], input)
		},
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask, whatever it does")
	cmd.Flags().StringVarP(&output, "output", "o", "text", "form of what is said of tools: text or json")
	return cmd
}

// toolsHere returns the tools of the current directory and what acts around their
// calls, as in a session. The caller closes the workspace.
func toolsHere() ([]tools.Tool, tools.Interceptors, *workspace.Workspace, error) {
	set, err := loadSettings()
	if err != nil {
		return nil, tools.Interceptors{}, nil, err
	}
	dir, err := absolute(".")
	if err != nil {
		return nil, tools.Interceptors{}, nil, err
	}
	w, err := workspace.Open(dir)
	if err != nil {
		return nil, tools.Interceptors{}, nil, err
	}
	commands := tools.Commands{Workspace: w, Limits: limitsOf(set)}
	checks := checksOf(commands, set.Checks)
	return toolsOf(commands, nil, nil, checks), tools.Intercept(checks), w, nil
}

func specs(ts []tools.Tool) []llm.ToolSpec {
	var out []llm.ToolSpec
	for _, t := range ts {
		out = append(out, t.Spec())
	}
	return out
}

// unknownTool is the error of a name that no tool has.
func unknownTool(name string, ts []tools.Tool) error {
	var names []string
	for _, s := range specs(ts) {
		names = append(names, s.Name)
	}
	if near := phrase.Nearest(name, names); near != "" {
		return usage("there is no tool %q: did you mean %s?", name, near)
	}
	return usage("there is no tool %q. The tools are: %s", name, strings.Join(names, ", "))
}

// arguments returns the JSON that a tool is given; - stands for what comes on
// standard input.
func arguments(name, given string, stdin io.Reader) (json.RawMessage, error) {
	b := []byte(given)
	if given == "-" {
		var err error
		if b, err = io.ReadAll(io.LimitReader(stdin, maxArguments+1)); err != nil {
			return nil, fmt.Errorf("read standard input: %w", err)
		}
		if len(b) > maxArguments {
			return nil, usage("standard input is longer than %d MiB", maxArguments>>20)
		}
	}
	var value any
	if err := json.Unmarshal(b, &value); err != nil {
		if e, ok := errors.AsType[*json.SyntaxError](err); ok {
			err = fmt.Errorf("%w, at byte %d", err, e.Offset)
		}
		return nil, usage("the arguments of %s are no JSON: %w. agent tool %s shows what it takes", name, err, name)
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
func listTools(out io.Writer, all []llm.ToolSpec, output string) error {
	if output == "json" {
		list := []toolJSON{}
		for _, s := range all {
			list = append(list, toolJSON(s))
		}
		return printJSON(out, list)
	}
	for _, s := range all {
		first, _, _ := strings.Cut(s.Description, "\n")
		fmt.Fprintf(out, "%-12s %s\n%-12s %s\n\n", s.Name, ink.SanitizeLine(first), "", s.Schema)
	}
	return nil
}

// showTool prints all that a model is told of a tool.
func showTool(out io.Writer, s llm.ToolSpec, output string) error {
	if output == "json" {
		return printJSON(out, toolJSON(s))
	}
	var schema bytes.Buffer
	if err := json.Indent(&schema, s.Schema, "", "  "); err != nil {
		return fmt.Errorf("write the schema of %s: %w", s.Name, err)
	}
	_, err := fmt.Fprintf(out, "%s\n\n%s\n", strings.TrimRight(s.Description, "\n"), schema.Bytes())
	return err
}

func printJSON(out io.Writer, v any) error {
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
