// Package agents lists the agents that can work as delegates, and describes those of a
// repository that the user has to confirm. It starts none of them. Start reading at NewCmd.
package agents

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"agent/cmd/agent/command"
	"agent/cmd/agent/trust"
	"agent/internal/llm/phrase"
	"agent/internal/loop/delegate"
	"agent/internal/loop/event"
	"agent/internal/tui/ink"
)

// Collect returns the agents of a directory, with notices about those that cannot be
// used as they are.
type Collect func(dir string) (all []delegate.Agent, notices []string)

// Options are what `agent agents` needs.
type Options struct {
	IO      command.IO
	Collect Collect
	Review  func() (*trust.Review, error) // of the current directory

	Name string // empty to list all agents
	JSON bool
}

// NewCmd returns `agent agents`. The function review returns the review of the current
// directory.
func NewCmd(f *command.Factory, collect Collect, review func() (*trust.Review, error), runF command.RunFunc[Options]) *cobra.Command {
	opts := &Options{IO: f.IO, Collect: collect, Review: review}
	cmd := &cobra.Command{
		Use:   "agents [NAME]",
		Short: "list the agents that can work as delegates, or show one",
		Long: `Agents lists the agents to which the model and the user can delegate in the current
directory: built-in ones, yours, and those of the repository. You have to confirm an
agent of the repository before its first use; the list says whether you have confirmed
it. To confirm one: agent trust. With NAME, show one agent with its description and
instructions.

Files that define agents: agent help agents`,
		Example: "  agent agents\n  agent agents review\n  agent agents --output json | jq '.agents[].name'",
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			return completions(collect, args), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return command.Usage("too many arguments: agent agents takes at most one name")
			}
			opts.Name = strings.Join(args, "")
			return command.Or(runF, run)(cmd.Context(), opts)
		},
	}
	command.OutputFlag(cmd.Flags(), &opts.JSON)
	return cmd
}

func run(_ context.Context, opts *Options) error {
	dir, err := command.Absolute(".")
	if err != nil {
		return err
	}
	review, err := opts.Review()
	if err != nil {
		return err
	}
	all, notices := opts.Collect(dir)
	for _, n := range notices {
		opts.IO.Warn("%s", n)
	}
	rows := []row{}
	for _, a := range all {
		rows = append(rows, newRow(review, a))
	}
	if opts.Name != "" {
		i := slices.IndexFunc(rows, func(r row) bool { return r.Name == opts.Name })
		if i < 0 {
			return unknown(opts.Name, rows)
		}
		if !opts.JSON {
			rows[i].show(opts.IO.Out)
			return nil
		}
		rows = rows[i : i+1]
	}
	if opts.JSON {
		return opts.IO.Out.JSON(map[string][]row{"agents": rows})
	}
	w := tabwriter.NewWriter(opts.IO.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "NAME\tMODEL\tMODE\tTOOLS\tSOURCE")
	for _, r := range rows {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", r.Name, ink.SanitizeLine(cmp.Or(r.Model, "inherit")), cmp.Or(r.Mode.Name(), "inherit"), ink.Truncate(r.toolList(), 60), r.source())
	}
	return w.Flush()
}

// completions returns the names of the agents in the current directory, with
// their descriptions, as the first argument.
func completions(collect Collect, args []string) (out []string) {
	dir, err := command.Absolute(".")
	if err != nil || len(args) > 0 {
		return nil
	}
	all, _ := collect(dir)
	for _, a := range all {
		out = append(out, cobra.CompletionWithDesc(a.Name, ink.SanitizeLine(a.Description)))
	}
	return out
}

// unknown returns the error for a name that no agent has.
func unknown(name string, rows []row) error {
	var names []string
	for _, r := range rows {
		names = append(names, r.Name)
	}
	if near := phrase.Nearest(name, names); near != "" {
		return command.Usage("unknown agent %q: did you mean %q?", name, near)
	}
	return command.Usage("unknown agent %q. To list the agents: agent agents", name)
}

// row is an agent in the output of `agent agents`.
type row struct {
	Name        string     `json:"name"`
	Description string     `json:"description"`
	Source      string     `json:"source,omitempty"` // its file; empty if it is built in
	Repository  bool       `json:"repository,omitempty"`
	Confirmed   *bool      `json:"confirmed,omitempty"` // only of a repository's agent
	Model       string     `json:"model,omitempty"`     // empty for that of the session
	Effort      string     `json:"effort,omitempty"`
	Mode        event.Mode `json:"mode,omitempty"` // empty for that of the session
	Tools       []string   `json:"tools"`          // null for all
	MaxSteps    int        `json:"max_steps,omitempty"`
	MaxCost     float64    `json:"max_cost_usd,omitempty"`
	Worktree    bool       `json:"worktree,omitempty"`
	// Instructions are its part of the system prompt.
	Instructions string `json:"instructions"`
}

// newRow describes a. Review knows whether it is confirmed.
func newRow(review *trust.Review, a delegate.Agent) row {
	r := row{
		Name: a.Name, Description: a.Description, Source: a.Source, Repository: a.FromRepository, Model: a.Model, Effort: a.Effort, Mode: a.Mode,
		Tools: a.Tools, MaxSteps: a.MaxSteps, MaxCost: a.MaxCost, Worktree: a.Worktree, Instructions: a.Instructions,
	}
	if a.FromRepository {
		confirmed := review.Confirmed(Item(a))
		r.Confirmed = &confirmed
	}
	return r
}

// source describes where the agent comes from.
func (r row) source() string {
	switch {
	case r.Source == "":
		return "built in"
	case !r.Repository:
		return ink.SanitizeLine(r.Source)
	case *r.Confirmed:
		return ink.SanitizeLine(r.Source) + " (confirmed)"
	}
	return ink.SanitizeLine(r.Source) + " (not confirmed)"
}

// toolList describes the tools of the agent.
func (r row) toolList() string {
	switch {
	case r.Tools == nil:
		return "all"
	case len(r.Tools) == 0:
		return "none"
	}
	return strings.Join(r.Tools, ", ")
}

// show prints the agent with its instructions.
func (r row) show(out command.Console) {
	fields := [][2]string{
		{"name", r.Name}, {"description", r.Description}, {"source", r.source()},
		{"model", cmp.Or(r.Model, "inherit")}, {"effort", r.Effort}, {"mode", cmp.Or(r.Mode.Name(), "inherit")}, {"tools", r.toolList()},
	}
	if r.MaxSteps > 0 {
		fields = append(fields, [2]string{"max steps", fmt.Sprint(r.MaxSteps)})
	}
	if r.MaxCost > 0 {
		fields = append(fields, [2]string{"max cost", phrase.Dollars(r.MaxCost)})
	}
	if r.Worktree {
		fields = append(fields, [2]string{"isolation", "worktree"})
	}
	for _, f := range fields {
		if f[1] != "" {
			fmt.Fprintf(out, "%-12s %s\n", f[0], ink.SanitizeLine(f[1]))
		}
	}
	if r.Instructions != "" {
		out.Say("\n" + r.Instructions + "\n")
	}
}
