package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/spf13/cobra"

	"agent/cmd/agent/command"
	"agent/cmd/agent/connections"
	"agent/cmd/agent/credentials"
	"agent/cmd/agent/desktop"
	"agent/cmd/agent/exit"
	"agent/cmd/agent/lines"
	servers "agent/cmd/agent/mcp"
	"agent/cmd/agent/models"
	"agent/cmd/agent/permit"
	"agent/cmd/agent/tool"
	"agent/cmd/agent/trust"
	"agent/internal/elicit"
	"agent/internal/history"
	"agent/internal/tools"
	"agent/internal/tui/plain"
)

// newCmdMCP returns `agent mcp`.
func newCmdMCP(f *command.Factory, o *flags, end *exit.Signals, runF command.RunFunc[servers.Options]) *cobra.Command {
	opts := servers.Options{IO: f.IO, Version: f.Version, Cleanup: f.Cleanup, Logins: mcpLogins()}
	input := sync.OnceValue(lines.Open)
	opts.ReadLine = func(ctx context.Context) (string, bool) { return input().Until(ctx) }
	opts.Open = func() (servers.Setup, error) { return openServers(f, o) }
	opts.Run = func(ctx context.Context, t tools.Tool, args string) error {
		return runConnected(ctx, f.IO, end, t, args)
	}
	return servers.NewCmd(opts, runF)
}

// openServers returns the MCP servers of the current directory.
func openServers(f *command.Factory, o *flags) (servers.Setup, error) {
	dir, err := command.Absolute(".")
	if err != nil {
		return servers.Setup{}, err
	}
	file, err := f.Settings()
	if err != nil {
		return servers.Setup{}, err
	}
	p, err := permit.Collect(dir, permit.Flags{}, file, systemFile)
	if err != nil {
		return servers.Setup{}, err
	}
	pick := models.New(o.Flags, file.Settings, "", true, f.Cleanup)
	all, problem := servers.All(file.MCP, command.Short(file.Path), servers.Source{
		Dir: dir, Getenv: pick.Environment, Rules: p.Rules, Access: pick.Access, Logins: mcpLogins(),
		Trust: trust.NewReview(dir, p.File, p.Project.Confirmed, servers.Items(file.MCP)),
	})
	return servers.Setup{File: file, Servers: all, Problem: problem}, nil
}

// runConnected calls the tool of an MCP server for `agent mcp call`.
func runConnected(ctx context.Context, streams command.IO, end *exit.Signals, t tools.Tool, args string) error {
	if args == "" {
		args = "{}"
	}
	input, err := tool.ReadArguments(args, streams.In)
	if err != nil {
		return err
	}
	admin, err := systemFile.Read()
	if err != nil {
		return err
	}
	dir, err := command.Absolute(".")
	if err != nil {
		return err
	}
	file, err := command.ReadSettings()
	if err != nil {
		return err
	}
	call := &tool.Call{IO: streams, Yes: true, Rules: admin.Rules, Paths: judgingPaths(dir, file.Settings), End: end, Ask: answering(streams)}
	return call.Run(ctx, t, []byte(input))
}

// answering returns a function that asks the user the questions of an MCP server on the
// terminal. Without one, it declines them.
func answering(streams command.IO) func(context.Context, elicit.Question) (elicit.Answer, error) {
	if !streams.Interactive() {
		return func(_ context.Context, q elicit.Question) (elicit.Answer, error) {
			streams.Warn("A question of the MCP server %s was declined: there is no terminal to ask on", q.Server)
			return elicit.Answer{Action: elicit.Decline, Why: "there is no terminal to ask the user"}, nil
		}
	}
	in := lines.Open()
	return func(ctx context.Context, q elicit.Question) (elicit.Answer, error) {
		answer, openPage := plain.Answer(streams.Err, q, func() (string, bool) { return in.Until(ctx) })
		if openPage {
			if err := desktop.Browse(q.URL); err != nil {
				streams.Warn("Cannot open a browser: %v. Open this page yourself: %s", err, q.URL)
			}
		}
		return answer, ctx.Err()
	}
}

// mcpLogins returns the logins to MCP servers, whose tokens are in the keyring or in a file.
func mcpLogins() *servers.Logins {
	tokens := credentials.Tokens{Keyring: credentials.System{}}
	l := &servers.Logins{Store: tokens, Browse: desktop.Browse, Choose: func(streams command.IO, file bool, server string) (servers.TokenStore, error) {
		return tokens.Choose(credentials.Choice{IO: streams, File: file, What: "tokens", Command: "agent mcp login " + server})
	}}
	if dir, err := history.Dir(os.Getenv); err == nil {
		l.Dir = filepath.Join(dir, "locks")
	}
	return l
}

// openConnections prepares the connections to the configured MCP servers. It starts none.
func (a *app) openConnections(f opening, attended bool) {
	pick := a.choice.pick
	if pick == nil { // the demo
		return
	}
	o := connections.Options{
		Settings: a.set, Version: version, Attended: attended, Kept: f.kept,
		Source: servers.Source{Dir: a.work.Dir(), Trust: a.trust, Getenv: pick.Environment, Rules: a.options.Permissions.Rules, Access: pick.Access, Logins: mcpLogins()},
	}
	if a.stored.Log != nil {
		o.Save = a.saveResult
	}
	var notices []string
	a.connections, notices = connections.Open(o)
	a.notices = append(a.notices, notices...)
	if a.connections != nil {
		a.options.Connected, a.options.Prompt.Attach = a.connections.Toolbox(), a.connections.Attach
	}
}

// saveResult saves a long result with the session, without secrets, and returns the path of
// the file.
func (a *app) saveResult(text string) (string, error) {
	if a.secrets != nil {
		text = a.secrets.Text(text)
	}
	name := fmt.Sprintf("mcp-%.13x.txt", sha256.Sum256([]byte(text))) // the same result has the same path
	if err := a.stored.Log.SaveOutput(name, text); err != nil {
		return "", err
	}
	return filepath.Join(a.stored.Log.Outputs(), name), nil
}
