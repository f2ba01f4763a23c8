package languages

import (
	"agent/internal/loop/event"
	"agent/internal/loop/part"
	"agent/internal/tools/confine"
	"agent/internal/tools/lsp"
	"agent/internal/tools/workspace"
)

// Session is the language servers of a session. It is a part.Part; nil has none.
type Session struct {
	programs Programs
	pool     *lsp.Pool
}

// Open prepares the language servers that a session in w may use; nil if there are none. It
// starts none of them. They run in the sandbox of area; nil means no sandbox.
func Open(p Programs, w *workspace.Workspace, area *confine.Area) *Session {
	all := p.Servers()
	if len(all) == 0 {
		return nil
	}
	return &Session{p, lsp.NewPool(lsp.Options{Workspace: w, Servers: func() []lsp.Server { return all }, Start: p.Start(w.Dir(), area)})}
}

// For adds the tools of language servers, and their errors to the results of edits. In a
// worktree, a delegate has servers of its own.
func (s *Session) For(a part.Agent) (part.Added, error) {
	if s == nil {
		return part.Added{}, nil
	}
	pool, end := s.pool, func() {}
	if a.Isolated {
		pool = s.pool.In(a.Workspace, s.programs.Start(a.Workspace.Dir(), a.Commands.Area))
		end = pool.Close
	}
	found := pool.Errors()
	return part.Added{Tools: pool.Tools(a.Ledger), Around: found, Close: end, Listen: func(e event.Event) {
		switch e := e.(type) {
		case *event.FilesChanged:
			pool.Changed(e.Paths)
		case *event.TurnEnd:
			found.EndTurn()
		}
	}}, nil
}

// Close ends the servers.
func (s *Session) Close() []string {
	if s != nil {
		s.pool.Close()
	}
	return nil
}
