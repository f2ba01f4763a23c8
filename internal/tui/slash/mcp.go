package slash

import (
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"agent/internal/llm/phrase"
	"agent/internal/tui/ink"
	"agent/internal/tui/list"
	"agent/internal/tui/screen"
)

// maxLogLines is how many lines of the log of a server are shown.
const maxLogLines = 100

// mcpRead is the state of the MCP servers, for /mcp.
type mcpRead struct {
	all      []screen.MCPServer
	deferred bool
	name     string     // of the server to show; empty for the list
	menu     *list.Menu // the open list, to be updated; nil to show a list
}

// mcpText is a text for the transcript about a server.
type mcpText struct{ text string }

// mcpCommand lists the MCP servers, or shows one.
func mcpCommand(s *Session, name string) (tea.Cmd, error) {
	if s.Options.MCP.Servers == nil {
		s.Say("No MCP server is configured. To add one, run in a shell: agent mcp add NAME COMMAND|URL")
		return nil, nil
	}
	return s.readMCP(name), nil
}

// readMCP reads the state of the servers in the background.
func (s *Session) readMCP(name string) tea.Cmd {
	s.connecting = true
	read := s.Options.MCP.Servers
	return func() tea.Msg {
		all, deferred := read()
		return mcpRead{all: all, deferred: deferred, name: name}
	}
}

// mcpPause is the time between updates of the list while a server is starting.
const mcpPause = 300 * time.Millisecond

// follow updates the list u after a pause.
func (s *Session) follow(u *list.Menu) tea.Cmd {
	read := s.Options.MCP.Servers
	return tea.Tick(mcpPause, func(time.Time) tea.Msg {
		all, deferred := read()
		return mcpRead{all: all, deferred: deferred, menu: u}
	})
}

// showMCP shows the list of servers, or one of them.
func (s *Session) showMCP(r mcpRead) tea.Cmd {
	if r.menu == nil {
		s.connecting = false
	}
	if r.name != "" {
		i := slices.IndexFunc(r.all, func(m screen.MCPServer) bool { return m.Name == r.name })
		if i < 0 {
			s.Say("There is no MCP server " + ink.SanitizeLine(r.name) + ". To list them: /mcp")
			return nil
		}
		s.showServer(r.all[i])
		return nil
	}
	u, starting := r.menu, false
	tokens := 0
	for _, m := range r.all {
		tokens += m.Tokens()
	}
	head := "MCP servers: definitions of about " + phrase.Thousands(tokens) + " tokens"
	if r.deferred {
		head += ", found by search"
	}
	if u == nil {
		u = s.mcpMenu(head, "enter show tools, log, reconnect", func(o list.Option) tea.Cmd { return s.readMCP(o.ID) })
	}
	u.Head = head
	var all []list.Option
	for _, m := range r.all {
		starting = starting || m.Starting
		what := m.Target
		if m.Why != "" {
			what = m.Why
		}
		all = append(all, list.Option{ID: m.Name, Name: m.Name, What: ink.SanitizeLine(what), Right: summaryOf(m)})
	}
	u.Fill(all)
	if r.menu == nil {
		s.lists.Show(u) // without a command, because the options are complete
	}
	if !starting || s.Front.Screen == nil { // plain mode has printed the list
		return nil
	}
	return s.follow(u)
}

// mcpMenu returns a menu of /mcp.
func (s *Session) mcpMenu(head, enter string, chose func(list.Option) tea.Cmd) *list.Menu {
	if s.Front.Screen == nil { // plain mode prints no heading
		s.Say(head + ".")
	}
	return &list.Menu{Chooser: list.Chooser{Keys: s.Keys, St: s.Styles}, Head: head, None: "No match.", Hint: "type to search · " + enter + " · esc close",
		Chose: func(o list.Option) tea.Cmd {
			s.lists.Close()
			return chose(o)
		}}
}

// summaryOf describes the state, the transport and what a server offers.
func summaryOf(m screen.MCPServer) string {
	transport := "http"
	if m.Program {
		transport = "stdio"
	}
	parts := []string{m.State}
	if m.Ready {
		parts = append(parts, phrase.Count(len(m.Tools), "tool"), phrase.Thousands(m.Tokens())+" tokens")
		if m.Resources > 0 {
			parts = append(parts, phrase.Count(m.Resources, "resource"))
		}
		if m.Prompts > 0 {
			parts = append(parts, phrase.Count(m.Prompts, "prompt"))
		}
	}
	return strings.Join(append(parts, transport), " · ")
}

// IDs of the options of the menu of a server that are not tools. Those of tools are numbers.
const (
	mcpReconnect = "reconnect"
	mcpLog       = "log"
	mcpWhy       = "why"
)

// showServer shows the tools of a server and what can be done with it.
func (s *Session) showServer(m screen.MCPServer) {
	head := m.Name + ": " + summaryOf(m)
	if m.Protocol != "" {
		head += " · protocol " + ink.SanitizeLine(m.Protocol)
	}
	u := s.mcpMenu(head, "enter select", func(o list.Option) tea.Cmd { return s.choseMCP(m, o.ID) })
	var all []list.Option
	if m.Why != "" {
		all = append(all, list.Option{ID: mcpWhy, Name: "Show why", What: ink.SanitizeLine(m.Why)})
	}
	all = append(all, list.Option{ID: mcpReconnect, Name: "Reconnect", What: ink.SanitizeLine(m.Target)})
	if m.Program {
		all = append(all, list.Option{ID: mcpLog, Name: "Show log", What: "standard error of the program"})
	}
	for i, t := range m.Tools {
		first, _, _ := strings.Cut(strings.TrimSpace(t.Description), "\n")
		all = append(all, list.Option{ID: strconv.Itoa(i), Name: ink.SanitizeLine(t.Name), What: ink.SanitizeLine(first), Right: phrase.Thousands(t.Tokens) + " tokens"})
	}
	for i, why := range m.Rejected {
		name, why, _ := strings.Cut(why, ": ")
		all = append(all, list.Option{ID: "not used " + strconv.Itoa(i), Name: ink.SanitizeLine(name), What: ink.SanitizeLine(why), Right: "not used", Dim: true})
	}
	u.Fill(all)
	s.lists.Show(u)
}

// choseMCP does what the user chose in the menu of a server.
func (s *Session) choseMCP(m screen.MCPServer, id string) tea.Cmd {
	switch id {
	case mcpWhy:
		s.Say("MCP server " + m.Name + ", " + m.State + ": " + ink.Sanitize(m.Why))
	case mcpLog:
		s.connecting = true
		return func() tea.Msg { return mcpText{logText(m.Name, s.Options.MCP.Log(m.Name))} }
	case mcpReconnect:
		s.connecting = true
		s.Say("Connecting to the MCP server " + m.Name + "…")
		return func() tea.Msg {
			if err := s.Options.MCP.Reconnect(m.Name); err != nil {
				return mcpText{"Cannot connect: " + ink.Sanitize(err.Error())}
			}
			return mcpText{"Connected to the MCP server " + m.Name + "."}
		}
	default:
		if i, err := strconv.Atoi(id); err == nil {
			s.Say(ink.Sanitize(m.Name + "/" + m.Tools[i].Name + ": " + strings.TrimSpace(m.Tools[i].Description)))
		}
	}
	return nil
}

// logText returns the end of the log of a server.
func logText(name, log string) string {
	log = strings.TrimRight(ink.Sanitize(log), "\n ")
	if log == "" {
		return "The MCP server " + name + " has written nothing to standard error."
	}
	lines := strings.Split(log, "\n")
	lines = lines[max(0, len(lines)-maxLogLines):]
	return "Standard error of the MCP server " + name + ":\n" + strings.Join(lines, "\n")
}

// sayMCP shows the result of a choice in the menu of a server.
func (s *Session) sayMCP(t mcpText) {
	s.connecting = false
	s.Say(t.text)
}
