package permit

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"agent/cmd/agent/command"
	"agent/cmd/agent/settings"
	"agent/internal/loop/policy"
	"agent/internal/tui/ink"
)

// maxInput is the size limit of a command on standard input, in bytes. Longer ones cannot
// be run.
const maxInput = 1 << 20

// Options are what `agent permit` needs.
type Options struct {
	IO       command.IO
	Settings func() (settings.File, error)
	System   func() settings.SystemFile
	Paths    func(dir string, set settings.Settings) (policy.Paths, error)
	flags    *Flags

	Command string // "-" for standard input
	Output  string // text or json
}

// NewCmd returns `agent permit`. The function paths returns the paths of a workspace.
func NewCmd(f *command.Factory, flags *Flags, system func() settings.SystemFile, paths func(dir string, set settings.Settings) (policy.Paths, error), runF command.RunFunc[Options]) *cobra.Command {
	opts := &Options{IO: f.IO, Settings: f.Settings, System: system, Paths: paths, flags: flags}
	cmd := &cobra.Command{
		Use:   "permit COMMAND",
		Short: "print whether a shell command would run, need approval or be denied, and why",
		Long: `Permit judges a shell command as a session in the current directory would, and
runs nothing. The first word of the output is auto (it runs without approval), ask
(it needs your approval; in agent run it is denied) or deny. Then come the simple
commands of the line, with what each does, and what decided: a rule, a standing
permission, or the permission mode. With - the command is read from standard input.

The exit code is 0 for every verdict. A program that is not installed is judged as
if it were. Modes: agent help permissions. Rules: agent help rules`,
		Example: `  agent permit 'git push --force'
  agent permit --mode all 'rm -rf build && make'
  agent permit --allow 'command: go test' 'go test ./... | head'
  agent permit - < script.sh`,
		Args: command.OneArg("one command: agent permit 'COMMAND'"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := command.TextOrJSON(opts.Output); err != nil {
				return err
			}
			opts.Command = args[0]
			return command.Or(runF, run)(cmd.Context(), opts)
		},
	}
	cmd.Flags().StringVarP(&opts.Output, "output", "o", "text", "output `format`: text or json")
	return cmd
}

func run(ctx context.Context, opts *Options) error {
	line := opts.Command
	if line == "-" {
		b, err := io.ReadAll(io.LimitReader(opts.IO.In, maxInput+1))
		if err != nil {
			return fmt.Errorf("read standard input: %w", err)
		}
		if len(b) > maxInput {
			return command.Usage("the command is larger than %d MiB", maxInput>>20)
		}
		line = strings.TrimSuffix(string(b), "\n")
	}
	if strings.TrimSpace(line) == "" {
		return command.Usage("the command is empty")
	}
	dir, err := command.Absolute(".")
	if err != nil {
		return err
	}
	file, err := opts.Settings()
	if err != nil {
		return err
	}
	p, err := Collect(dir, *opts.flags, file, opts.System())
	if err != nil {
		return err
	}
	for _, n := range p.Notices {
		opts.IO.Warn("%s", n)
	}
	paths, err := opts.Paths(dir, file.Settings)
	if err != nil {
		return err
	}
	e := p.Explain(ctx, paths, line, dir)
	if opts.Output == "json" {
		return opts.IO.Out.JSON(e)
	}
	for _, l := range e.Lines() {
		fmt.Fprintln(opts.IO.Out, ink.SanitizeLine(l))
	}
	return nil
}

// Explain judges the shell command line, which would run in dir.
func (p Permissions) Explain(ctx context.Context, paths policy.Paths, line, dir string) policy.Explanation {
	judge := policy.Policy{Mode: p.Mode, Rules: p.All()}
	for _, g := range p.Project.Grants {
		judge.Allow(g)
	}
	return judge.Explain(ctx, paths, line, dir)
}
