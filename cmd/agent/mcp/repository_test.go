package mcp_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agent/cmd/agent/mcp"
)

// The content to confirm names each variable whose value a server gets, however it is
// written.
func TestVariablesAreNamed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const text = `{"mcpServers":{"x":{"type":"http","url":"https://example.org","headers":{"A":"${PLAIN_KEY}","B":"\u0024{HIDDEN_KEY}"}}}}`
	if err := os.WriteFile(filepath.Join(dir, ".mcp.json"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	items, err := mcp.Items(dir)
	if err != nil || len(items) != 1 {
		t.Fatalf("got %v, %v", items, err)
	}
	if want := "sent to the server: PLAIN_KEY, HIDDEN_KEY"; !strings.Contains(items[0].Content, want) {
		t.Errorf("the content has no %q:\n%s", want, items[0].Content)
	}
}
