// Package hooks finds the hooks of a session in the configuration and in the repository,
// and implements `agent hooks`. The command lists them and imports those of Claude Code.
// Package agent/internal/loop/hooks runs them. Start reading at Session.Open and NewCmd.
package hooks

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"agent/cmd/agent/command"
	"agent/cmd/agent/settings"
	"agent/cmd/agent/trust"
	"agent/internal/tui/ink"
)

// Options are what `agent hooks` and its commands need.
type Options struct {
	IO       command.IO
	Settings func() (settings.File, error)
	Review   func() (*trust.Review, error) // of the current directory

	Project bool   // import the file of the repository
	File    string // to import; empty for the default one
	Yes     bool   // import without a question
}

// NewCmd returns `agent hooks`. The function review returns the review of the current
// directory.
func NewCmd(f *command.Factory, review func() (*trust.Review, error), runF command.RunFunc[Options]) *cobra.Command {
	opts := &Options{IO: f.IO, Settings: f.Settings, Review: review}
	cmd := &cobra.Command{
		Use:   "hooks",
		Short: "list the commands that run at events of a session",
		Long: `Hooks lists the hooks that are configured for the current directory: those of your
configuration, and those of the repository in .agent/hooks.json, which run only after
you have confirmed them (agent trust). How to write one: agent help hooks`,
		Example: "  agent hooks\n  agent hooks import\n  agent hooks import --project --yes",
		Args:    command.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return command.Or(runF, listRun)(cmd.Context(), opts) },
	}
	sub := &cobra.Command{
		Use:   "import [FILE]",
		Short: "add the hooks of Claude Code to your configuration",
		Long: `Import reads the hooks in ~/.claude/settings.json, or with --project those in
.claude/settings.json of the current directory, shows what it would add to your
configuration and which hooks have no counterpart, and asks. The rest of the configuration
file stays as it is. The commands get the JSON that Claude Code gives them. Hooks
that you have imported run in all directories.`,
		Example: "  agent hooks import\n  agent hooks import --project\n  agent hooks import settings.json --yes",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				opts.File = args[0]
			}
			return command.Or(runF, importRun)(cmd.Context(), opts)
		},
	}
	sub.Flags().BoolVar(&opts.Project, "project", false, "import .claude/settings.json of the current directory")
	sub.Flags().BoolVarP(&opts.Yes, "yes", "y", false, "do not ask")
	cmd.AddCommand(sub)
	return cmd
}

func listRun(_ context.Context, opts *Options) error {
	file, err := opts.Settings()
	if err != nil {
		return err
	}
	review, err := opts.Review()
	if err != nil {
		return err
	}
	theirs, items, err := repository(review.Dir())
	if err != nil {
		return err
	}
	name := repositoryFile + " (confirmed)"
	if len(items) > 0 && !review.Confirmed(items[0]) {
		name = repositoryFile + " (not confirmed)"
	}
	rows := append(rowsOf(file.Hooks, command.Short(file.Path), review.Dir(), true), rowsOf(theirs, name, review.Dir(), false)...)
	if len(rows) == 0 {
		fmt.Fprintln(opts.IO.Out, "No hooks are configured. To write one: agent help hooks")
		return nil
	}
	w := tabwriter.NewWriter(opts.IO.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "EVENT\tTOOL\tPATH\tCOMMAND\tSANDBOX\tSOURCE")
	for _, r := range rows {
		fmt.Fprintln(w, r)
	}
	return w.Flush()
}

// rowsOf returns a row of the table for each of the hooks in a file, in a session in dir.
func rowsOf(all settings.Hooks, file, dir string, ofUser bool) (rows []string) {
	for _, event := range settings.HookEvents {
		for _, h := range all.At(event) {
			where := "yes"
			if outside(h, ofUser, dir) {
				where = "no"
			}
			rows = append(rows, strings.Join([]string{event, cell(h.Tool), cell(h.Path), ink.Truncate(cell(h.Command), 60), where, cell(file)}, "\t"))
		}
	}
	return rows
}

// cell returns untrusted text for a cell of a table.
func cell(text string) string { return ink.SanitizeLine(cmp.Or(text, "-")) }
