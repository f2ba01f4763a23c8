package slash

import (
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"agent/internal/loop/event"
	"agent/internal/tui/ink"
)

// promptPrefix begins the names of the prompts of MCP servers.
const promptPrefix = "mcp__"

// mcpPrompted is the answer of an MCP server to a prompt.
type mcpPrompted struct {
	typed  string // the command
	prompt event.Prompt
	err    error
}

// prompts returns the prompts of MCP servers as commands.
func (m *mcp) prompts() (all []Command) {
	if m.Options.MCP.Prompts == nil {
		return nil
	}
	for _, p := range m.Options.MCP.Prompts() {
		what := ink.SanitizeLine(p.Description)
		if what == "" {
			what = "send a prompt"
		}
		c := Command{Name: p.Name, Args: ink.SanitizeLine(p.Usage), What: what + " (from the MCP server " + p.Server + ")"}
		c.Run = func(_ *Session, arg string) (tea.Cmd, error) { return m.runPrompt(p.Name, arg), nil }
		if len(p.Arguments) > 0 {
			c.Complete = func(*Session) (names []string) {
				if !strings.HasSuffix(m.editor.Raw(), " ") || strings.TrimSpace(m.editor.Raw()) != "/"+p.Name {
					return nil // what follows are values
				}
				for _, a := range p.Arguments {
					if !strings.ContainsFunc(a, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }) {
						names = append(names, a+"=")
					}
				}
				return names
			}
		}
		all = append(all, c)
	}
	return all
}

// runPrompt gets a prompt from its server, in the background.
func (m *mcp) runPrompt(name, arg string) tea.Cmd {
	m.waiting = true
	get := m.Options.MCP.Prompt
	return func() tea.Msg {
		p, err := get(name, ArgWords(arg))
		return mcpPrompted{strings.TrimSpace("/" + name + " " + arg), p, err}
	}
}

// sendPrompt sends a prompt that a server answered, after the command that the user
// typed. If there is none, it says why, and the command goes back into the editor.
func (m *mcp) sendPrompt(got mcpPrompted) {
	m.waiting = false
	switch {
	case got.err != nil:
		name, _, _ := strings.Cut(got.typed, " ")
		m.Say(name + ": " + ink.Sanitize(got.err.Error()))
	case got.prompt.IsEmpty():
		m.Say("Nothing sent: the MCP server answered with an empty prompt.")
	default:
		got.prompt.Mentions = event.Resources(got.typed)
		got.prompt.Text = strings.TrimSpace(got.typed + "\n\n" + got.prompt.Text)
		m.agent.SendPrompt(got.prompt)
		return
	}
	if m.editor.Empty() {
		m.editor.Set(got.typed)
	}
}
