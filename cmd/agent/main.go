// Agent is a coding assistant for the terminal.
//
// This package is the only place that wires the rooms together: flags, the
// choice of the model, the session, the screen or the headless printer, and
// exit codes.
package main

import (
	"context"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"agent/cmd/agent/command"
	"agent/cmd/agent/credentials"
	_ "agent/cmd/agent/dispatch" // runs helper processes before anything else
	"agent/cmd/agent/sessions"
	"agent/internal/tui/ink"
)

// version is stamped by the build.
var version = "dev"

// startUp is after how long the program has started for certain.
const startUp = time.Second

func main() {
	credentials.ProtectMemory()
	outlastFileLimit()
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(70) // the largest reply must fit into 150 MB
	}
	time.AfterFunc(startUp, debug.FreeOSMemory) // what only the start needed
	end := watchSignals()
	cmd := rootCommand(end)
	cmd.SetArgs(joinResume(os.Args[1:]))
	code, say := exitCode(cmd.ExecuteContext(context.Background()))
	end.yield()
	if say == nil {
		say = end.notice()
	}
	if say != nil {
		fmt.Fprintln(os.Stderr, "agent: "+ink.Sanitize(say.Error()))
		if code == exitUsage {
			fmt.Fprintln(os.Stderr, "agent --help shows how it is called.")
		}
	}
	os.Exit(code)
}

// rootCommand is `agent` with everything under it.
func rootCommand(end *shutdown) *cobra.Command {
	f := &command.Factory{IO: command.System(), Version: version, Settings: command.ReadSettings, Store: command.OpenStore, Cleanup: end.cleanup}
	o := &flags{end: end}
	cmd := &cobra.Command{
		Use:   "agent [PROMPT]",
		Short: "a coding assistant for the terminal",
		Long: `Agent works in the current directory: you type, a model answers, and it reads,
searches, edits and runs things through tools until the work is done. Ctrl+C
stops it at any instant. Without a model connected, a built-in guide answers.`,
		Example: `  agent                               open the terminal program here
  agent "why does the build fail?"    the same, with a first prompt
  agent --continue                    go on with the newest session of this directory
  git diff | agent run "review this"  one prompt without a screen`,
		Args:          cobra.ArbitraryArgs,
		Version:       stamped(),
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			return interactive(cmd.Context(), *o, args)
		},
	}
	cmd.SetVersionTemplate("agent {{.Version}}\n")
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return command.Usage("%w", err) })
	p := cmd.PersistentFlags()
	p.StringVarP(&o.model, "model", "m", "", "model as PROVIDER/NAME")
	p.StringVar(&o.baseURL, "base-url", "", "URL of an OpenAI-compatible server")
	p.StringVar(&o.mode, "mode", "", "what is asked about: ask (default: whatever changes something), edits (edits in the directory unasked), plan (edits refused), all (nothing asks but changes of protected paths)")
	p.IntVar(&o.maxSteps, "max-steps", 0, "steps after which a turn asks whether it may go on (default 50)")
	p.StringVar(&o.effort, "effort", "", "how hard the model thinks, where it can be told: low, medium, high")
	p.BoolVarP(&o.cont, "continue", "c", false, "go on with the newest session of this directory")
	p.StringVarP(&o.resume, "resume", "r", "", "go on with the session of this ID, or choose one")
	p.Lookup("resume").NoOptDefVal = choose
	p.BoolVar(&o.fork, "fork", false, "with --continue or --resume: go on in a fork, and leave that session as it is")
	p.BoolVar(&o.none, "no-session", false, "keep nothing of the session on disk")
	cmd.AddCommand(
		newCmdRun(f, o, nil), sessions.NewCmdSessions(f), newCmdDemo(f, o, nil), newCmdTool(f, end, nil), newCmdModels(f, o, nil), newCmdKeys(f, nil),
		credentials.NewCmdLogin(f, nil), credentials.NewCmdLogout(f, nil), newCmdConfig(f, o),
	)
	cmd.SetHelpCommand(newCmdHelp(f, nil))
	cmd.Flags().BoolVar(&o.plain, "plain", false, "show the session as lines that stay, with choices by number: for screen readers and logs")
	return cmd
}

// choose is the value of --resume without an ID.
const choose = "?"

// joinResume returns the arguments with "--resume ID" as "--resume=ID": a flag
// that may stand without a value does not take the next argument as one.
func joinResume(args []string) []string {
	var out []string
	for i := 0; i < len(args); i++ {
		if args[i] == "--" {
			return append(out, args[i:]...)
		}
		bare := args[i] == "--resume" || args[i] == "-r"
		if bare && i+1 < len(args) && args[i+1] != "" && args[i+1][0] != '-' {
			out = append(out, args[i]+"="+args[i+1])
			i++
			continue
		}
		out = append(out, args[i])
	}
	return out
}

// stamped is the version of this program, that of the module where the build
// stamped none.
func stamped() string {
	if version != "dev" {
		return version
	}
	if b, ok := debug.ReadBuildInfo(); ok && b.Main.Version != "" && b.Main.Version != "(devel)" {
		return strings.TrimPrefix(b.Main.Version, "v")
	}
	return version
}
