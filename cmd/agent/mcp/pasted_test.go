package mcp_test

import (
	"context"
	"net/url"
	"strings"
	"testing"

	"agent/cmd/agent/settings"
)

// The user pastes the address that the browser on another computer could not open. An
// address of another login, or with an error, does not end the login.
func TestPastedAddress(t *testing.T) {
	t.Parallel()
	out := pasteAddress(t, func(at, to, state, issuer string) []string {
		return []string{"", "hello", at, to + "?code=code-1&state=guessed", to + "?error=access_denied&error_description=not+you&state=" + state,
			" '" + to + "?" + url.Values{"code": {"code-1"}, "state": {state}, "iss": {issuer}}.Encode() + "#_=_'\r"}
	})
	if strings.Count(out, "like http://127.0.0.1:") != 2 || strings.Count(out, "belongs to another login") != 1 || !strings.Contains(out, "The authorization server answers: not you.") {
		t.Errorf("got\n%s", out)
	}
}

// A pasted address can lack its scheme, have the marks of a paste, or be wrapped.
func TestPastedAddressInOtherForms(t *testing.T) {
	t.Parallel()
	for name, lines := range map[string]func(address string) []string{
		"no scheme": func(address string) []string { return []string{strings.TrimPrefix(address, "http://")} },
		"marks":     func(address string) []string { return []string{"\x1b[200~" + address + "\x1b[201~"} },
		"wrapped": func(address string) []string {
			return []string{"hello", address[:20], "  " + address[20:40], address[40:]}
		},
		"wrapped, no scheme, marks": func(address string) []string {
			return []string{"\x1b[200~" + address[7:30], address[30:] + "\x1b[201~"}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pasteAddress(t, func(_, to, state, issuer string) []string {
				return lines(to + "?" + url.Values{"code": {"code-1"}, "state": {state}, "iss": {issuer}}.Encode())
			})
		})
	}
}

// pasteAddress logs in with the lines that answer returns for the opened page, the address of
// the page that follows, the state and the issuer. It returns what the program printed.
func pasteAddress(t *testing.T, answer func(at, to, state, issuer string) []string) string {
	t.Helper()
	d, s := newDesk(t), store(t.TempDir())
	b := &browser{away: make(chan string, 1)}
	var lines []string
	out, err := d.runWith(t, s, b, func(ctx context.Context) (string, bool) {
		if lines == nil {
			at := <-b.away
			q, err := url.Parse(at)
			if err != nil {
				t.Error(err)
			}
			d.mu.Lock()
			d.challenge = q.Query().Get("code_challenge")
			d.mu.Unlock()
			lines = answer(at, q.Query().Get("redirect_uri"), q.Query().Get("state"), d.issuer)
		}
		if len(lines) == 0 {
			<-ctx.Done()
			return "", false
		}
		line := lines[0]
		lines = lines[1:]
		return line, true
	}, settings.MCPAuth{}, "login", "desk")
	if err != nil || !s.has() || len(lines) > 0 {
		t.Fatalf("%v, %d lines are left\n%s", err, len(lines), out)
	}
	return out
}
