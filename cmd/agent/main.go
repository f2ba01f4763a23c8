// Agent is a coding assistant for the terminal.
//
// Package main wires the other packages together: it holds the flags, the choice
// of the model, and opening and switching sessions. It holds no loop, tool or screen
// code. Start reading at rootCommand.
//
// The wiring of a session: open reads the settings and opens the log (stored.Session.Open),
// then the rules and standing permissions (collectPermissions), then the rest
// (app.assemble): the model (chooseModel), the secrets, the connections to MCP servers, and
// the parts (addParts). app.parts is the list of what features add to an agent: part.List.For
// makes one part.Sum of it, which loop.Options.Add takes for the main agent, and
// delegates.Session.Pool for each delegate. The tools of MCP servers come later, as the
// servers connect. show then runs the front end with the agent, and app.close closes the
// parts in the opposite order.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	"agent/cmd/agent/access"
	"agent/cmd/agent/agents"
	"agent/cmd/agent/command"
	"agent/cmd/agent/credentials"
	_ "agent/cmd/agent/dispatch" // runs helper processes before anything else
	"agent/cmd/agent/doctor"
	"agent/cmd/agent/exit"
	"agent/cmd/agent/headless"
	"agent/cmd/agent/hooks"
	"agent/cmd/agent/inspect"
	"agent/cmd/agent/keys"
	"agent/cmd/agent/licenses"
	"agent/cmd/agent/models"
	"agent/cmd/agent/permit"
	"agent/cmd/agent/project"
	"agent/cmd/agent/sessions"
	"agent/cmd/agent/settings"
	"agent/cmd/agent/tool"
	"agent/cmd/agent/toolbox"
	"agent/cmd/agent/trust"
	"agent/cmd/agent/undo"
	"agent/internal/scratch"
	"agent/internal/tui/ink"
)

// version is the version of the program. --version adds the commit.
const version = "0.3.0"

// startTime is the time after which startup is over.
const startTime = time.Second

// memoryLimit makes the collector run more often as the memory grows, so that the program
// with the largest reply fits into 150 MB. It is no hard limit.
const memoryLimit = 96 << 20

func main() {
	credentials.ProtectMemory()
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(150) // a step leaves little behind
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit)
	}
	time.AfterFunc(startTime, debug.FreeOSMemory) // return memory that only startup needed
	scratch.Use(access.ScratchDir(os.Getenv))
	end := exit.Watch()
	cmd := rootCommand(end)
	cmd.SetArgs(joinResume(os.Args[1:]))
	name := startedAs(os.Args[0])
	named := rename(cmd, name)
	ran, err := cmd.ExecuteContextC(context.Background())
	code, message := exit.CodeOf(err)
	end.WaitForExit()
	if message == nil {
		message = end.Message()
	}
	if message != nil {
		fmt.Fprintln(os.Stderr, name+": "+ink.Sanitize(named(message.Error())))
		if code == exit.Usage {
			fmt.Fprintf(os.Stderr, "Run '%s --help' for usage.\n", ran.CommandPath())
		}
	}
	os.Exit(code)
}

// rootCommand returns `agent` with all its commands.
func rootCommand(end *exit.Signals) *cobra.Command {
	f := &command.Factory{IO: command.System(), Version: version, Settings: command.ReadSettings, Store: command.OpenStore, Cleanup: end.Cleanup}
	o := &flags{traffic: &models.Recording{Version: version}}
	notices := false
	cmd := &cobra.Command{
		Use:   "agent [PROMPT]",
		Short: "an interactive coding assistant for the terminal",
		Long: `Agent opens an interactive coding assistant in the current directory. The model
reads, searches and edits files and runs commands through tools until the task is
done. Press Ctrl+C to interrupt the model at any time. Without a model, a built-in
offline guide answers simple requests.`,
		Example: `  agent                               start a session in the current directory
  agent "why does the build fail?"    start with a prompt
  agent --continue                    continue the most recent session in this directory
  git diff | agent run "review this"  run a single prompt non-interactively`,
		Args:          cobra.ArbitraryArgs,
		Version:       versionWithCommit(),
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if notices {
				_, err := io.WriteString(f.IO.Out, licenses.Notices())
				return err
			}
			return interactive(cmd, opening{flags: *o, end: end}, args)
		},
	}
	cmd.SetVersionTemplate("agent {{.Version}}\n")
	cmd.SetFlagErrorFunc(command.BadFlag)
	cmd.SetUsageFunc(usageWithoutUnusedFlags)
	p := cmd.PersistentFlags()
	p.StringVarP(&o.Model, "model", "m", "", "`PROVIDER/NAME` of the model")
	p.StringVar(&o.BaseURL, "base-url", "", "base `URL` of an OpenAI-compatible server")
	p.StringVar(&o.permit.Mode, "mode", "", "permission `mode`: ask (default), auto (edits and sandboxed commands run without asking), plan (read-only), all (most calls run without asking)")
	p.StringArrayVar(&o.permit.Allow, "allow", nil, "add a `RULE` that allows calls without approval, such as 'command: go test'; can be repeated")
	p.StringArrayVar(&o.permit.Deny, "deny", nil, "add a `RULE` that denies calls, such as 'edit: docs/**'; can be repeated")
	p.BoolVar(&o.permit.NoSandbox, "no-sandbox", false, "run commands without a sandbox, because the machine or container is itself the boundary")
	o.budget.Add(p)
	p.StringVar(&o.Effort, "effort", "", "reasoning effort `level`, if the model supports it: low, medium, high")
	p.StringVar(&o.prompt.System, "system", "", "replace the system prompt: `TEXT` or @FILE")
	p.StringVar(&o.prompt.AppendSystem, "append-system", "", "add to the system prompt: `TEXT` or @FILE")
	p.BoolVarP(&o.cont, "continue", "c", false, "continue the most recent session in this directory")
	p.StringVarP(&o.resume, "resume", "r", "", "resume the session with this `ID`, or pick one from a list")
	p.Lookup("resume").NoOptDefVal = pickResume
	p.BoolVar(&o.fork, "fork", false, "with --continue or --resume: fork the session instead of appending to it")
	p.BoolVar(&o.here, "here", false, "with --continue or --resume: run the session in the current directory, which becomes its directory")
	p.StringArrayVar(&o.addDirs, "add-dir", nil, "add `DIR` to the workspace; can be repeated")
	p.StringVar(&o.trace, "trace", "", "append an OpenTelemetry trace to `FILE`")
	p.StringVar(&o.traffic.Record, "record", "", "record the traffic with the provider in the new `FILE`; API keys are removed")
	p.StringVar(&o.traffic.Replay, "replay", "", "answer requests from the recording `FILE`, without a network and a key")
	p.BoolVar(&o.noSession, "no-session", false, "do not save the session")
	cmd.AddCommand(
		newCmdRun(f, o, end, nil), newCmdACP(f, o, end, nil), newCmdInit(f, o, end, nil), sessions.NewCmdSessions(f, headless.Schemas()), undo.NewCmdUndo(f, nil), undo.NewCmdDiff(f, nil), newCmdDemo(f, o, end, nil), tool.NewCmd(f, tool.Source{Open: singleTools, Known: toolbox.Known}, end, nil), newCmdModels(f, o, nil), newCmdEval(f, o, end, nil), inspect.NewCmd(f, currentPrefix(end), nil), keys.NewCmd(f, nil), agents.NewCmd(f, project.AgentsIn, openTrust, nil),
		withFlags(permit.NewCmd(f, &o.permit, func() settings.SystemFile { return systemFile }, permitPaths(&o.addDirs), nil), "mode allow deny add-dir"),
		hooks.NewCmd(f, openTrust, nil), newCmdMCP(f, o, end, nil), trust.NewCmd(f, openTrust, nil), credentials.NewCmdLogin(f, nil), credentials.NewCmdLogout(f, nil), newCmdConfig(f, o), doctor.NewCmd(f, func() settings.SystemFile { return systemFile }, toolbox.Validate, nil),
	)
	cmd.SetHelpCommand(newCmdHelp(f, nil))
	cmd.Flags().BoolVar(&o.plain, "plain", false, "plain output without cursor movement, with numbered choices, for screen readers and logs")
	cmd.Flags().BoolVar(&notices, "licenses", false, "print the licenses of the libraries in this program")
	return cmd
}

// pickResume is the value of --resume without an ID: the user picks a session.
const pickResume = "?"

// joinResume returns the arguments with "--resume ID" as "--resume=ID", because
// pflag does not read the next argument as the value of a flag whose value is
// optional.
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

// versionWithCommit returns the version and, if the build knows it, the commit.
func versionWithCommit() string {
	commit, modified := "", ""
	if b, ok := debug.ReadBuildInfo(); ok {
		for _, s := range b.Settings {
			switch {
			case s.Key == "vcs.revision":
				commit = s.Value[:min(len(s.Value), 12)]
			case s.Key == "vcs.modified" && s.Value == "true":
				modified = ", modified"
			}
		}
	}
	if commit == "" {
		return version
	}
	return version + " (" + commit + modified + ")"
}
