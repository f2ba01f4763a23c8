package main

import (
	"os"

	"agent/cmd/agent/command"
	"agent/cmd/agent/languages"
	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
	"agent/internal/tools"
	"agent/internal/tools/lsp"
	"agent/internal/tools/shell"
	"agent/internal/tui/screen"
)

// programs returns the language servers and formatters of the session.
func (a *app) programs() languages.Programs {
	return languages.Programs{Dir: a.work.Dir(), Set: a.set, Trust: a.trust, Env: func() []string { return shell.Scrub(os.Environ(), a.limits) }}
}

// formatter returns the formatters of the agent that runs these commands; nil for none.
func (a *app) formatter(commands tools.Commands) tools.Formatter {
	return a.programs().Formatters(commands.Workspace.Dir(), commands.Area)
}

// openServers prepares the language servers that the session may use. It starts none.
func (a *app) openServers(commands tools.Commands) {
	if a.trust == nil { // the demo
		return
	}
	p := a.programs()
	all := p.Servers()
	if len(all) == 0 {
		return
	}
	a.servers = lsp.NewPool(lsp.Options{Workspace: a.work, Servers: func() []lsp.Server { return all }, Start: p.Start(commands.Area)})
}

// listenToChanges tells the language servers which files commands change, and errors when a
// turn ends. It returns errors.
func (a *app) listenToChanges(errors *lsp.Errors) *lsp.Errors {
	listen, servers := a.options.Listen, a.servers
	a.options.Listen = func(e event.Event) {
		if listen != nil {
			listen(e)
		}
		switch e := e.(type) {
		case *event.FilesChanged:
			servers.Changed(e.Paths)
		case *event.TurnEnd:
			errors.EndTurn()
		}
	}
	return errors
}

// screenServers returns what the screen needs for /lsp.
func (a *app) screenServers() screen.Servers {
	if a.servers == nil {
		return screen.Servers{}
	}
	return screen.Servers{Restart: a.servers.Restart, List: func() (all []screen.Server) {
		for _, s := range a.servers.States() {
			all = append(all, screen.Server{Name: s.Name, State: describeServer(s)})
		}
		return all
	}}
}

// describeServer describes the state of a language server for the user.
func describeServer(s lsp.State) string {
	switch {
	case s.Off != "":
		return "off: " + s.Off + ". To start it again: /lsp restart " + s.Name
	case s.Dir == "":
		return "not started; it starts at its first use"
	}
	text := "ready in "
	if !s.Ready {
		text = "starting in "
	}
	if text += command.Short(s.Dir); s.Memory > 0 {
		text += ", " + phrase.Bytes(s.Memory)
	}
	return text
}
