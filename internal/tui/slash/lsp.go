package slash

import (
	"errors"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"agent/internal/tui/ink"
	"agent/internal/tui/screen"
)

// serversRead are the language servers of the session, for /lsp.
type serversRead struct {
	all       []screen.Server
	restarted string // the server that was restarted; empty if /lsp only lists them
	unknown   string // the name that the user gave, if there is no such server
}

// lspCommand lists the language servers, or restarts them.
func lspCommand(s *Session, arg string) (tea.Cmd, error) {
	o := s.Options.Servers
	verb, name, _ := strings.Cut(arg, " ")
	name = strings.TrimSpace(name)
	switch {
	case arg != "" && verb != "restart":
		return nil, errors.New("usage: /lsp [restart [NAME]]")
	case o.List == nil:
		s.Say("No language server is in use. To use one that is installed, confirm it with /trust, or configure it: agent help lsp")
		return nil, nil
	}
	return func() tea.Msg {
		all := o.List()
		if verb != "restart" {
			return serversRead{all: all}
		}
		if name != "" && !slices.ContainsFunc(all, func(x screen.Server) bool { return x.Name == name }) {
			return serversRead{all: all, unknown: name}
		}
		o.Restart(name)
		if name == "" {
			name = "all language servers"
		}
		return serversRead{restarted: name}
	}, nil
}

// showServers adds the answer of /lsp to the transcript.
func (s *Session) showServers(r serversRead) {
	switch {
	case r.restarted != "":
		s.Say("Restarted " + ink.SanitizeLine(r.restarted) + ". A language server starts at its next use.")
		return
	case r.unknown != "":
		var names []string
		for _, x := range r.all {
			if !slices.Contains(names, x.Name) {
				names = append(names, x.Name)
			}
		}
		s.Say("There is no language server " + ink.SanitizeLine(r.unknown) + ". The servers are: " + ink.SanitizeLine(strings.Join(names, ", ")))
		return
	}
	f := &Properties{}
	for _, x := range r.all {
		f.Rows = append(f.Rows, [2]string{ink.SanitizeLine(x.Name), ink.SanitizeLine(x.State)})
	}
	s.Show(f)
}

// serverWords completes the argument of /lsp.
func serverWords(s *Session) []string {
	if s.Options.Servers.List == nil {
		return nil
	}
	return []string{"restart"}
}
