package main

import (
	"os"

	"agent/cmd/agent/languages"
	"agent/internal/loop/event"
	"agent/internal/tools"
	"agent/internal/tools/lsp"
	"agent/internal/tools/shell"
)

// programs returns the language servers and formatters of the session.
func (a *app) programs() languages.Programs {
	return languages.Programs{Dir: a.work.Dir(), Set: a.set, Trust: a.trust, Env: func() []string { return shell.Scrub(os.Environ(), shellLimits(a.set)) }}
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
	a.servers = lsp.NewPool(lsp.Options{Workspace: a.work, Servers: func() []lsp.Server { return all }, Start: p.Start(a.work.Dir(), commands.Area)})
}

// listenToChanges adds to listen: it tells the language servers which files commands change,
// and errors when a turn ends.
func listenToChanges(listen func(event.Event), servers *lsp.Pool, errors *lsp.Errors) func(event.Event) {
	return func(e event.Event) {
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
}
