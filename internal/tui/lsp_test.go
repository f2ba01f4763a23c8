package tui

import (
	"testing"

	"agent/internal/tui/screen"
)

// /lsp shows the servers without control characters, and restarts those that the user names.
func TestLanguageServers(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{})
	d.run("/lsp")
	d.shows("No language server is in use. To use one that is installed, confirm it with")
	var restarted []string
	d = newDriver(t, 80, 24, screen.Options{Servers: screen.Servers{
		List:    func() []screen.Server { return []screen.Server{{Name: "gopls", State: "off: it\x1b[2J crashed"}} },
		Restart: func(name string) { restarted = append(restarted, name) },
	}})
	d.run("/lsp")
	d.shows("gopls  off: it")
	d.run("/lsp restart gopls")
	d.shows("Restarted gopls.")
	d.run("/lsp restart")
	d.shows("Restarted all language servers.")
	d.run("/lsp restart other")
	d.shows("There is no language server other. The servers are: gopls")
	if len(restarted) != 2 || restarted[0] != "gopls" || restarted[1] != "" {
		t.Errorf("restarted %q", restarted)
	}
	d.run("/lsp stop")
	d.shows("usage: /lsp [restart [NAME]]")
}
