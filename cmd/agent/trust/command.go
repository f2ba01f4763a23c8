package trust

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"agent/cmd/agent/command"
	"agent/internal/tui/ink"
)

// Options are what `agent trust` needs.
type Options struct {
	IO   command.IO
	Open func() (*Review, error) // of the current directory

	Kind, Name string // of an item; empty for all
	Sum        string // the hash of the content to confirm; empty to ask
}

// NewCmd returns `agent trust`. The function open returns the review of the current
// directory.
func NewCmd(f *command.Factory, open func() (*Review, error), runF command.RunFunc[Options]) *cobra.Command {
	opts := &Options{IO: f.IO, Open: open}
	cmd := &cobra.Command{
		Use:   "trust",
		Short: "confirm what a repository configures: MCP servers, hooks, language servers, formatters, agents",
		Long: `Trust lists what the repository of the current directory configures, and whether you
have confirmed it. Nothing is used before you confirm its exact content in this
workspace; if the content changes, you have to confirm it again. The confirmations are
in your state directory, not in the repository. Details: agent help hooks`,
		Example: `  agent trust
  agent trust show hooks
  agent trust confirm mcp github
  agent trust confirm hooks --sha256 4f0c…   # without a question; trust show prints the hash
  agent trust revoke hooks`,
		Args: command.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return command.Or(runF, listRun)(cmd.Context(), opts) },
	}
	for _, c := range []struct {
		use, short string
		least      int
		run        command.RunFunc[Options]
	}{
		{"list", "list what the repository configures", -1, listRun},
		{"show [KIND [NAME]]", "print the exact content of what the repository configures", 0, showRun},
		{"confirm KIND [NAME]", "show the exact content and confirm it for this workspace", 1, confirmRun},
		{"revoke KIND [NAME]", "revoke a confirmation for this workspace", 1, revokeRun},
	} {
		sub := &cobra.Command{Use: c.use, Short: c.short, Args: itemArgs(c.least), RunE: func(cmd *cobra.Command, args []string) error {
			args = append(args, "", "")
			opts.Kind, opts.Name = args[0], args[1]
			return command.Or(runF, c.run)(cmd.Context(), opts)
		}, ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if c.least < 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return completions(open, args), cobra.ShellCompDirectiveNoFileComp
		}}
		if strings.HasPrefix(c.use, "confirm") {
			sub.Flags().StringVar(&opts.Sum, "sha256", "", "confirm without a question if the content has this `HASH`, which trust show prints")
		}
		cmd.AddCommand(sub)
	}
	return cmd
}

// itemArgs accepts at least least arguments, and at most a kind and a name; none if least
// is negative.
func itemArgs(least int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case least < 0:
			return command.NoArgs(cmd, args)
		case len(args) < least || len(args) > 2:
			return command.Usage("expected a kind and a name, such as mcp github. To list them: agent trust")
		}
		return nil
	}
}

// completions returns the kinds of the items, or the names of those of a kind.
func completions(open func() (*Review, error), args []string) (out []string) {
	r, err := open()
	if err != nil {
		return nil
	}
	all, _ := r.Items()
	for _, i := range all {
		switch {
		case len(args) == 0 && !slices.Contains(out, string(i.Kind)):
			out = append(out, string(i.Kind))
		case len(args) == 1 && args[0] == string(i.Kind):
			out = append(out, ink.SanitizeLine(i.Name))
		}
	}
	return out
}

func listRun(_ context.Context, opts *Options) error {
	r, all, err := opts.items()
	if err != nil {
		return err
	}
	if len(all) == 0 {
		fmt.Fprintln(opts.IO.Out, "This repository configures nothing that needs a confirmation.")
		return nil
	}
	w := tabwriter.NewWriter(opts.IO.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "KIND\tNAME\tFILE\tSTATE")
	next := "" // the arguments of the first item that waits
	for _, i := range all {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", i.Kind, ink.SanitizeLine(i.Name), ink.SanitizeLine(i.File), r.state(i))
		if next == "" && !r.Confirmed(i) {
			next = i.arguments()
		}
	}
	if err := w.Flush(); err != nil || next == "" {
		return err
	}
	fmt.Fprintf(opts.IO.Err, "To read the content: agent trust show %s. To confirm it: agent trust confirm %s\n", next, next)
	return nil
}

// plain is a name that needs no quotes in a shell.
var plain = regexp.MustCompile(`^[A-Za-z0-9_./-]+$`)

// arguments returns the arguments of agent trust that select i.
func (i Item) arguments() string {
	switch {
	case i.Kind == Hooks: // a repository has one file
		return string(i.Kind)
	case plain.MatchString(i.Name):
		return string(i.Kind) + " " + i.Name
	}
	return string(i.Kind) + " NAME"
}

// state describes in a few words whether the user has confirmed i.
func (r *Review) state(i Item) string {
	switch {
	case r.Confirmed(i):
		return "confirmed"
	case r.Changed(i):
		return "changed, not confirmed"
	}
	return "not confirmed"
}

func showRun(_ context.Context, opts *Options) error {
	r, all, err := opts.chosen()
	if err != nil {
		return err
	}
	for n, i := range all {
		if n > 0 {
			fmt.Fprintln(opts.IO.Out)
		}
		opts.IO.Out.Say(r.describe(i))
	}
	return nil
}

// describe returns an item with its content and hash.
func (r *Review) describe(i Item) string {
	return fmt.Sprintf("%s %s in %s (%s)\nsha256 %s\n\n%s\n", i.Kind, ink.SanitizeLine(i.Name), ink.SanitizeLine(i.File), r.state(i), i.Sum(), ink.Exact(strings.TrimRight(i.Content, "\n")))
}

func confirmRun(_ context.Context, opts *Options) error {
	r, i, err := opts.one()
	if err != nil {
		return err
	}
	sum := i.Sum()
	switch {
	case opts.Sum != "" && opts.Sum != sum:
		return fmt.Errorf("the content of %s %s has the hash %s, not %s: read it again with agent trust show", i.Kind, ink.SanitizeLine(i.Name), sum, ink.SanitizeLine(opts.Sum))
	case opts.Sum != "":
	case !opts.IO.Interactive():
		return command.Usage("there is no terminal to ask on: read the content with agent trust show, then add --sha256 HASH")
	default:
		opts.IO.Out.Say(r.describe(i))
		if !opts.IO.Confirm("\n" + i.effect() + "\nUse this in this workspace? [y/N] ") {
			fmt.Fprintln(opts.IO.Err, "Not confirmed.")
			return nil
		}
	}
	if err := r.Confirm(i); err != nil {
		return err
	}
	fmt.Fprintf(opts.IO.Out, "Confirmed: %s %s, sha256 %s\n", i.Kind, ink.SanitizeLine(i.Name), sum)
	return nil
}

func revokeRun(_ context.Context, opts *Options) error {
	r, i, err := opts.one()
	if err != nil {
		return err
	}
	if !r.Confirmed(i) {
		fmt.Fprintf(opts.IO.Out, "%s %s is not confirmed: there is nothing to revoke.\n", i.Kind, ink.SanitizeLine(i.Name))
		return nil
	}
	if err := r.Revoke(i); err != nil {
		return err
	}
	fmt.Fprintf(opts.IO.Out, "Revoked: %s %s. It is not used in new sessions.\n", i.Kind, ink.SanitizeLine(i.Name))
	return nil
}

// items returns the review and all items, and prints problems.
func (o *Options) items() (*Review, []Item, error) {
	r, err := o.Open()
	if err != nil {
		return nil, nil, err
	}
	all, problems := r.Items()
	for _, err := range problems {
		o.IO.Warn("%v", err)
	}
	return r, all, nil
}

// chosen returns the items that the arguments select.
func (o *Options) chosen() (*Review, []Item, error) {
	r, all, err := o.items()
	if err != nil {
		return nil, nil, err
	}
	all = slices.DeleteFunc(all, func(i Item) bool {
		return o.Kind != "" && o.Kind != string(i.Kind) || o.Name != "" && o.Name != i.Name
	})
	if len(all) == 0 {
		return nil, nil, fmt.Errorf("this repository configures no %s. To list what it configures: agent trust", ink.SanitizeLine(strings.TrimSpace(o.Kind+" "+o.Name)))
	}
	return r, all, nil
}

// one returns the item that the arguments select. A kind with several items needs a name.
func (o *Options) one() (*Review, Item, error) {
	r, all, err := o.chosen()
	if err != nil {
		return nil, Item{}, err
	}
	if len(all) > 1 {
		return nil, Item{}, command.Usage("there are %d of the kind %s: add the name of one. To list them: agent trust", len(all), ink.SanitizeLine(o.Kind))
	}
	return r, all[0], nil
}
