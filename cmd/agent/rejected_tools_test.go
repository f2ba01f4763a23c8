package main

import (
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
)

// A server that rejects the definitions of MCP tools does not get them in later sessions
// either, until they change. If leaving them out does not help, nothing is remembered.
func TestRejectedToolsAreRemembered(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the programs of the tests are scripts of Unix")
	}
	t.Parallel()
	const shop, two = `"shop": {"command": "agent-shop"}`, `"shop": {"command": "agent-shop"}, "second": {"command": "agent-shop"}`
	for name, c := range map[string]struct {
		always  bool     // the server rejects every request
		servers []string // of each run
		listed  []bool   // the requests that have definitions
	}{
		"rejected":      {false, []string{shop, shop, two, two}, []bool{true, false, false, true, false, false}},
		"not the cause": {true, []string{shop, shop}, []bool{true, false, true, false}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serveFunc(t, func(s *server, w http.ResponseWriter, r *http.Request) {
				var body strings.Builder
				if r.Body = teeBody(r.Body, &body); r.Method != http.MethodPost || !c.always && !strings.Contains(body.String(), `"name":"mcp__`) {
					s.play(w, r)
					return
				}
				s.note(body.String())
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(http.StatusBadRequest)
				_, _ = io.WriteString(w, `{"error":{"message":"Each tool's parameters must be of type object"}}`)
			})
			h := newHome(t, nil, at(s)...)
			for _, servers := range c.servers {
				h.configure(t, `{"mcp": {"servers": {`+servers+`}}, "permissions": {"allow": ["mcp: shop", "mcp: second"]}}`)
				if out, code := h.agent(t, "run", "--model", "openai/m", "go"); (code == 0) == c.always {
					t.Errorf("exit code %d: %s", code, out)
				}
			}
			var listed []bool
			for _, r := range s.seen() {
				listed = append(listed, strings.Contains(r.body, `"name":"mcp__`))
			}
			if len(listed) != len(c.listed) {
				t.Fatalf("the requests with definitions: %v, want %v", listed, c.listed)
			}
			for i, want := range c.listed {
				if listed[i] != want {
					t.Errorf("request %d has definitions: %v", i, listed[i])
				}
			}
		})
	}
}
