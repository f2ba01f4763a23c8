package slash

import (
	"fmt"

	tea "charm.land/bubbletea/v2"
)

// OpenPage opens a web page in the user's browser. If that fails, the user gets the URL.
func (s *Session) OpenPage(url string) tea.Cmd {
	browse := s.Options.MCP.Browse
	return func() tea.Msg {
		err := fmt.Errorf("none is known")
		if browse != nil {
			err = browse(url)
		}
		if err != nil {
			return mcpText{fmt.Sprintf("Cannot open a browser: %v. Open this page yourself: %s", err, url)}
		}
		return mcpText{"Opening this page in your browser: " + url}
	}
}

// ShowPage shows the URL of a web page that the user opens without the help of the program.
func (s *Session) ShowPage(url string) tea.Cmd {
	return func() tea.Msg { return mcpText{"Open this page in your browser: " + url} }
}
