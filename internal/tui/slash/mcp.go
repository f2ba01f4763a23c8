package slash

import (
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"agent/internal/llm/phrase"
	"agent/internal/tui/editor"
	"agent/internal/tui/ink"
	"agent/internal/tui/list"
	"agent/internal/tui/screen"
)

// maxLogLines is how many lines of the log of a server are shown.
const maxLogLines = 100

// mcp is the state of /mcp and of the prompts of MCP servers.
type mcp struct {
	*screen.Window
	output
	front   *Front
	agent   *screen.Sender
	editor  *editor.Editor
	waiting bool // for the state of the servers, a connection or a prompt
}

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
	return s.mcp.read(name), nil
}

// read reads the state of the servers in the background.
func (m *mcp) read(name string) tea.Cmd {
	m.waiting = true
	read := m.Options.MCP.Servers
	return func() tea.Msg {
		all, deferred := read()
		return mcpRead{all: all, deferred: deferred, name: name}
	}
}

// mcpPause is the time between updates of the list while it changes.
const mcpPause = 300 * time.Millisecond

// follow updates the list u after a pause.
func (m *mcp) follow(u *list.Menu) tea.Cmd {
	read := m.Options.MCP.Servers
	return tea.Tick(mcpPause, func(time.Time) tea.Msg {
		all, deferred := read()
		return mcpRead{all: all, deferred: deferred, menu: u}
	})
}

// show shows the list of servers, or one of them.
func (m *mcp) show(r mcpRead) tea.Cmd {
	if r.menu == nil {
		m.waiting = false
	}
	if r.name != "" {
		i := slices.IndexFunc(r.all, func(s screen.MCPServer) bool { return s.Name == r.name })
		if i < 0 {
			m.Say("There is no MCP server " + ink.SanitizeLine(r.name) + ". To list them: /mcp")
			return nil
		}
		m.showServer(r.all[i])
		return nil
	}
	u, changing := r.menu, false
	tokens := 0
	for _, s := range r.all {
		tokens += s.Tokens()
	}
	head := "MCP servers: definitions of about " + phrase.Thousands(tokens) + " tokens"
	if r.deferred {
		head += ", found by search"
	}
	if u == nil {
		u = m.menu(head, "enter show tools, log, reconnect", func(o list.Option) tea.Cmd { return m.read(o.ID) })
	}
	u.Head = head
	var all []list.Option
	for _, s := range r.all {
		changing = changing || s.Changing
		what := s.Target
		if s.Why != "" {
			what = s.Why
		}
		all = append(all, list.Option{ID: s.Name, Name: s.Name, What: ink.SanitizeLine(what), Right: summaryOf(s)})
	}
	u.Fill(all)
	if r.menu == nil {
		m.front.Lists.Show(u) // without a command, because the options are complete
	}
	if !changing || m.front.Screen == nil { // plain mode has printed the list
		return nil
	}
	return m.follow(u)
}

// menu returns a menu of /mcp.
func (m *mcp) menu(head, enter string, chose func(list.Option) tea.Cmd) *list.Menu {
	if m.front.Screen == nil { // plain mode prints no heading
		m.Say(head + ".")
	}
	return &list.Menu{Chooser: list.Chooser{Keys: m.Keys, St: m.Styles}, Head: head, None: "No match.", Hint: "type to search · " + enter + " · esc close",
		Chose: func(o list.Option) tea.Cmd {
			m.front.Lists.Close()
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
func (m *mcp) showServer(s screen.MCPServer) {
	head := s.Name + ": " + summaryOf(s)
	if s.Protocol != "" {
		head += " · protocol " + ink.SanitizeLine(s.Protocol)
	}
	u := m.menu(head, "enter select", func(o list.Option) tea.Cmd { return m.chose(s, o.ID) })
	var all []list.Option
	if s.Why != "" {
		all = append(all, list.Option{ID: mcpWhy, Name: "Show why", What: ink.SanitizeLine(s.Why)})
	}
	all = append(all, list.Option{ID: mcpReconnect, Name: "Reconnect", What: ink.SanitizeLine(s.Target)})
	if s.Program {
		all = append(all, list.Option{ID: mcpLog, Name: "Show log", What: "standard error of the program"})
	}
	for i, t := range s.Tools {
		first, _, _ := strings.Cut(strings.TrimSpace(t.Description), "\n")
		all = append(all, list.Option{ID: strconv.Itoa(i), Name: ink.SanitizeLine(t.Name), What: ink.SanitizeLine(first), Right: phrase.Thousands(t.Tokens) + " tokens"})
	}
	for i, why := range s.Rejected {
		name, why, _ := strings.Cut(why, ": ")
		all = append(all, list.Option{ID: "not used " + strconv.Itoa(i), Name: ink.SanitizeLine(name), What: ink.SanitizeLine(why), Right: "not used", Dim: true})
	}
	u.Fill(all)
	m.front.Lists.Show(u)
}

// chose does what the user chose in the menu of a server.
func (m *mcp) chose(s screen.MCPServer, id string) tea.Cmd {
	switch id {
	case mcpWhy:
		m.Say("MCP server " + s.Name + ", " + s.State + ": " + ink.Sanitize(s.Why))
	case mcpLog:
		m.waiting = true
		return func() tea.Msg { return mcpText{logText(s.Name, m.Options.MCP.Log(s.Name))} }
	case mcpReconnect:
		m.waiting = true
		m.Say("Connecting to the MCP server " + s.Name + "…")
		return func() tea.Msg {
			if err := m.Options.MCP.Reconnect(s.Name); err != nil {
				return mcpText{"Cannot connect: " + ink.Sanitize(err.Error())}
			}
			return mcpText{"Connected to the MCP server " + s.Name + "."}
		}
	default:
		if i, err := strconv.Atoi(id); err == nil {
			m.Say(ink.Sanitize(s.Name + "/" + s.Tools[i].Name + ": " + strings.TrimSpace(s.Tools[i].Description)))
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

// say shows the result of a choice in the menu of a server.
func (m *mcp) say(t mcpText) {
	m.waiting = false
	m.Say(t.text)
}
