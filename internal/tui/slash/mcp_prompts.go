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

// mcpPrompts returns the prompts of MCP servers as commands.
func (s *Session) mcpPrompts() (all []Command) {
	if s.Options.MCP.Prompts == nil {
		return nil
	}
	for _, p := range s.Options.MCP.Prompts() {
		what := ink.SanitizeLine(p.Description)
		if what == "" {
			what = "send a prompt"
		}
		c := Command{Name: p.Name, Args: ink.SanitizeLine(p.Usage), What: what + " (from the MCP server " + p.Server + ")"}
		c.Run = func(s *Session, arg string) (tea.Cmd, error) { return s.runMCPPrompt(p.Name, arg), nil }
		if len(p.Arguments) > 0 {
			c.Complete = func(s *Session) (names []string) {
				if !strings.HasSuffix(s.editor.Raw(), " ") || strings.TrimSpace(s.editor.Raw()) != "/"+p.Name {
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

// runMCPPrompt gets a prompt from its server, in the background.
func (s *Session) runMCPPrompt(name, arg string) tea.Cmd {
	s.connecting = true
	get := s.Options.MCP.Prompt
	return func() tea.Msg {
		p, err := get(name, ArgWords(arg))
		return mcpPrompted{strings.TrimSpace("/" + name + " " + arg), p, err}
	}
}

// sendMCPPrompt sends a prompt that a server answered, after the command that the user
// typed. If there is none, it says why, and the command goes back into the editor.
func (s *Session) sendMCPPrompt(m mcpPrompted) {
	s.connecting = false
	switch {
	case m.err != nil:
		name, _, _ := strings.Cut(m.typed, " ")
		s.Say(name + ": " + ink.Sanitize(m.err.Error()))
	case m.prompt.IsEmpty():
		s.Say("Nothing sent: the MCP server answered with an empty prompt.")
	default:
		m.prompt.Mentions = event.Resources(m.typed)
		m.prompt.Text = strings.TrimSpace(m.typed + "\n\n" + m.prompt.Text)
		s.Transcript.ShowEnd()
		s.SendPrompt(m.prompt)
		return
	}
	if s.editor.Empty() {
		s.editor.Set(m.typed)
	}
}
