// Package doctor tests the parts of the system that the program depends on: the
// sandbox, git, the shell, the terminal, the keyring, the configuration, the system
// policy, language servers and formatters, the models and the state directory. It changes nothing and never prints an API key. Start reading at
// NewCmd.
package doctor

import (
	"context"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"agent/cmd/agent/command"
	"agent/cmd/agent/settings"
	"agent/internal/llm/phrase"
	"agent/internal/tui/ink"
)

// Options are what `agent doctor` needs.
type Options struct {
	IO       command.IO
	Version  string // of the program
	Settings func() (settings.File, error)
	System   func() settings.SystemFile
	Check    func(settings.Settings) error // finds mistakes that Settings does not
	Cleanup  func(func()) (forget func())

	Offline bool // send nothing
	JSON    bool
}

// NewCmd returns `agent doctor`.
func NewCmd(f *command.Factory, system func() settings.SystemFile, check func(settings.Settings) error, runF command.RunFunc[Options]) *cobra.Command {
	opts := &Options{IO: f.IO, Version: f.Version, Settings: f.Settings, System: system, Check: check, Cleanup: f.Cleanup}
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "test the sandbox, git, the terminal, the configuration and the models",
		Long: `Doctor tests what the program depends on and prints one line for each part: ok,
warning or error, and then what to do. It changes nothing and never prints an API
key.

To test the models, it asks the servers of the providers that you configured and
those on this machine for their list of models. It sends nothing to other servers,
and nothing at all with --offline. Include the output in a bug report.`,
		Example: "  agent doctor\n  agent doctor --offline\n  agent doctor --output json | jq -r '.checks[] | select(.status != \"ok\") | .advice'",
		Args:    command.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return command.Or(runF, run)(cmd.Context(), opts) },
	}
	cmd.Flags().BoolVar(&opts.Offline, "offline", false, "send nothing to the servers of models")
	command.OutputFlag(cmd.Flags(), &opts.JSON)
	return cmd
}

// status is the result of a check.
type status string

const (
	ok      status = "ok"
	warning status = "warning" // the program works without it
	failed  status = "error"
)

// row is the result of one check.
type row struct {
	Name   string `json:"name"`
	Status status `json:"status"`
	Detail string `json:"detail"`
	Advice string `json:"advice,omitempty"` // what to do; empty if nothing
}

func run(ctx context.Context, opts *Options) error {
	file, config := checkConfiguration(opts.Settings, opts.Check)
	off := file.Settings.Sandbox != nil && !*file.Settings.Sandbox
	rows := []row{checkVersion(opts.Version), checkName(os.Args[0]), checkSandbox(off), checkGit(ctx), checkShell(ctx)}
	rows = append(rows, checkTerminal(opts.IO.Out)...)
	rows = append(rows, checkKeyring())
	rows = append(rows, config, checkPolicy(opts.System()))
	rows = append(rows, checkPrograms(file.Settings)...)
	rows = append(rows, checkOutside(file.Settings)...)
	if config.Status == failed {
		rows = append(rows, row{Name: "models", Status: warning, Detail: "not tested, because the configuration is invalid"})
	} else {
		rows = append(rows, checkModels(ctx, opts, file.Settings)...)
	}
	rows = append(rows, checkState(ctx)...)
	rows = append(rows, checkCaches(ctx, off)...)
	if err := show(opts, rows); err != nil {
		return err
	}
	errors := 0
	for _, r := range rows {
		if r.Status == failed {
			errors++
		}
	}
	if errors > 0 {
		return fmt.Errorf("%s failed", phrase.Count(errors, "check"))
	}
	return nil
}

// show prints the rows.
func show(opts *Options, rows []row) error {
	if opts.JSON {
		return opts.IO.Out.JSON(map[string][]row{"checks": rows})
	}
	w := tabwriter.NewWriter(opts.IO.Out, 0, 0, 2, ' ', 0)
	for _, r := range rows {
		text := r.Detail
		if r.Advice != "" {
			text = strings.TrimSuffix(text, ".") + ". " + r.Advice
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", r.Status, r.Name, ink.SanitizeLine(text))
	}
	return w.Flush()
}
