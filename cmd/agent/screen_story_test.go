//go:build unix

package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestTerminalNotifications notifies through the terminal when a turn ends without focus,
// and copies through the terminal.
func TestTerminalNotifications(t *testing.T) {
	t.Parallel()
	const focusOut = "\x1b[O"
	s := serve(t, say("All done; \x1b]0;really.\n\n```sh\nmake it\n```\n"))
	h := newHome(t, nil, append(at(s), "TERM=xterm-kitty")...)
	h.configure(t, `{"notify_after_seconds": 0}`)
	a := h.open(t, 80, 24)
	a.wait("? help")
	a.send(focusOut)
	a.send("go" + enter)
	a.wrote("\x1b]99;i=agent:d=0:o=unfocused;agent · shop\x1b\\\x1b]99;i=agent:p=body;All done; ")
	a.wait("? help")
	a.send("/copy code" + enter)
	a.wrote("\x1b]52;c;bWFrZSBpdAo=\a")
	a.wait("the code block (1 line)")
	a.send(ctrlD)
	a.exit()
}

// TestFirstStart shows how to connect a model at a start without one.
func TestFirstStart(t *testing.T) {
	t.Parallel()
	h := newHome(t, nil)
	a := h.open(t, 100, 30)
	a.wait("press Enter or type /connect")
	a.send("read nothing.go" + enter)
	a.wait("nothing.go", "? help")
	a.send("/model" + enter)
	a.wait("Select a model", "offline/guide", "set OPENAI_API_KEY")
	a.send(escape)
	a.gone("Select a model")
	a.send(ctrlD)
	a.exit()
}

// TestConnectShell advises agent login only if there is a keyring.
func TestConnectShell(t *testing.T) {
	t.Parallel()
	for _, login := range []bool{false, true} {
		if got := strings.Contains(connectShell(login), "agent login"); got != login {
			t.Errorf("keyring %t: got agent login %t", login, got)
		}
	}
}

// TestModelsOfBaseURL lists only the models of the provider that --base-url applies
// to.
func TestModelsOfBaseURL(t *testing.T) {
	t.Parallel()
	served := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"object":"list","data":[{"id":"little","object":"model"},{"id":"large","object":"model"}]}`)
	}))
	t.Cleanup(served.Close)
	h := newHome(t, nil)
	a := h.open(t, 100, 30, "--model", "openai/little", "--base-url", served.URL+"/v1")
	a.wait("agent ")
	a.send("/model" + enter)
	a.wait("Select a model", "openai/large")
	a.gone("looking")
	if got := a.screen(); strings.Contains(got, "groq") || strings.Contains(got, "anthropic/") {
		t.Errorf("there are others:\n%s", got)
	}
	a.send(escape)
	a.gone("Select a model")
	a.send(ctrlD)
	a.exit()
}

// TestPaletteAndKeys remembers recent palette choices, uses configured keys and
// sequences, and reports conflicting and retired bindings.
func TestPaletteAndKeys(t *testing.T) {
	t.Parallel()
	s := serve(t)
	h := newHome(t, nil, at(s)...)
	h.configure(t, `{"keys": {"palette": ["ctrl+x p"], "open": ["ctrl+t"], "approve": ["y"], "say": []}, "status": ["mode", "model"]}`)
	a := h.open(t, 100, 30)
	a.wait("openai/gpt-5.1", "ctrl+t is bound to both open and open-all", "The key bindings approve, say in")
	a.until("the keys of dialogs are", func(screen string) bool { // wrapped after a long path
		return strings.Contains(strings.Join(strings.Fields(screen), " "), "the keys of dialogs are")
	})
	a.send("\x18p")
	a.wait("Command palette")
	a.send("status" + enter)
	a.wait("session", "version")
	a.send(ctrlD)
	a.exit()
	b := h.open(t, 100, 30)
	b.wait("? help")
	b.send("\x18p")
	b.until("Show status first", func(screen string) bool {
		lines := strings.Split(screen, "\n")
		return len(lines) > 3 && strings.HasPrefix(lines[3], "› Show status")
	})
	b.send(escape)
	b.gone("Command palette")
	b.send(ctrlD)
	b.exit()
}

// TestRedraw removes the output of another program with ctrl+l.
func TestRedraw(t *testing.T) {
	t.Parallel()
	h := newHome(t, nil)
	a := h.open(t, 100, 30)
	a.wait("? help", "type /connect")
	a.mu.Lock()
	_, _ = a.em.Write([]byte("\x1b7\x1b[4;4Hwall: the machine goes down\x1b8"))
	a.mu.Unlock()
	a.send("\x0c")
	a.gone("wall:")
	a.send(ctrlD)
	a.exit()
}
