package languages

import (
	"agent/cmd/agent/command"
	"agent/internal/llm/phrase"
	"agent/internal/tools/lsp"
	"agent/internal/tui/screen"
)

// Screen returns what the screen needs for /lsp.
func (s *Session) Screen() screen.Servers {
	if s == nil {
		return screen.Servers{}
	}
	return screen.Servers{Restart: s.pool.Restart, List: func() (all []screen.Server) {
		for _, s := range s.pool.States() {
			all = append(all, screen.Server{Name: s.Name, State: describe(s)})
		}
		return all
	}}
}

// describe describes the state of a language server for the user.
func describe(s lsp.State) string {
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
