package mcp_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"agent/internal/tools"
	"agent/internal/tools/advice"
	"agent/internal/tools/mcp"
)

// An HTTP server that restarts during a call does not know the session afterwards. The
// model learns that the call may have taken effect, and the next call connects again.
func TestAStreamThatBreaks(t *testing.T) {
	w := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct{ Name string }
		}
		if r.Method == http.MethodGet && r.Header.Get("Last-Event-ID") != "" {
			http.Error(w, "no session", http.StatusBadRequest)
			return
		}
		if r.Method != http.MethodPost || json.NewDecoder(r.Body).Decode(&m) != nil {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		answer := `"error":{"code":-32601,"message":"Method not found"}`
		switch {
		case m.ID == nil:
			w.WriteHeader(http.StatusAccepted)
			return
		case m.Method == "initialize":
			w.Header().Set("Mcp-Session-Id", "1")
			answer = `"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"web","version":"1"}}`
		case m.Method == "tools/list":
			answer = `"result":{"tools":[{"name":"break","inputSchema":{"type":"object"}},{"name":"answer","inputSchema":{"type":"object"}}]}`
		case m.Params.Name == "answer":
			answer = `"result":{"content":[{"type":"text","text":"hello"}]}`
		case m.Params.Name == "break":
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, "id: 1\nretry: 1\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":\"info\",\"data\":\"x\"}}\n\n")
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,%s}`, m.ID, answer)
	}))
	t.Cleanup(w.Close)
	c := connect(t, mcp.Options{Servers: []mcp.Server{{Name: "web", URL: w.URL}}})
	_, err := c.Call(t.Context(), "web", "break", nil, tools.Approved{})
	if err == nil || advice.Cause(err) != "the MCP server web closed the connection during the call: Bad Request" || !strings.Contains(err.Error(), "may or may not have taken effect") {
		t.Errorf("the error is %v", err)
	}
	select {
	case text := <-c.Problems():
		if text != "The connection to the MCP server web was closed: Bad Request. The next call of one of its tools connects again." {
			t.Errorf("the user reads %q", text)
		}
	case <-time.After(20 * time.Second):
		t.Error("the user is not told")
	}
	if got := call(t, c, "web", "answer", `{}`); !strings.Contains(got, "hello") {
		t.Errorf("the next call returns %q", got)
	}
}
