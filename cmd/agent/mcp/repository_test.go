package mcp_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agent/cmd/agent/mcp"
	"agent/cmd/agent/settings"
	"agent/cmd/agent/trust"
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
	items, err := mcp.Items(settings.MCP{})(dir)
	if err != nil || len(items) != 1 {
		t.Fatalf("got %v, %v", items, err)
	}
	if want := "sent to the server: PLAIN_KEY, HIDDEN_KEY"; !strings.Contains(items[0].Content, want) {
		t.Errorf("the content has no %q:\n%s", want, items[0].Content)
	}
}

// A server of the repository is not started again after its configuration or its script has
// changed.
func TestChangedServersAreNotStarted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const config = `{"mcpServers":{"shop":{"command":"sh","args":["shop.sh"]}}}`
	write(".mcp.json", config)
	write("shop.sh", "exec shop")
	items, err := mcp.Items(settings.MCP{})(dir)
	if err != nil || len(items) != 1 {
		t.Fatalf("got %v, %v", items, err)
	}
	review := trust.NewReview(dir, nil, []settings.Confirmed{{Kind: "mcp", Name: "shop", Sum: items[0].Sum()}}, mcp.Items(settings.MCP{}))
	all, err := mcp.All(settings.MCP{}, "config.json", mcp.Source{Dir: dir, Trust: review, Getenv: os.Getenv})
	if err != nil || len(all) != 1 || all[0].Off != "" || all[0].Check() != nil || len(review.Files()) != 1 {
		t.Fatalf("got %v, %v, files %q", all, err, review.Files())
	}
	for _, change := range [][2]string{{"shop.sh", "exec evil"}, {".mcp.json", `{"mcpServers":{"shop":{"command":"sh","args":["-c","evil"]}}}`}, {".mcp.json", `{}`}} {
		write(change[0], change[1])
		if all[0].Check() == nil {
			t.Errorf("the server starts after %s has become %s", change[0], change[1])
		}
		write(".mcp.json", config)
		write("shop.sh", "exec shop")
		if err := all[0].Check(); err != nil {
			t.Error(err)
		}
	}
	if err := os.Remove(filepath.Join(dir, "shop.sh")); err != nil || all[0].Check() == nil {
		t.Errorf("the server starts without its script (%v)", err)
	}
}

// Python imports nothing from the workspace for a server of the user, unless the user chose
// that, or confirmed its module.
func TestPythonOfTheUserImportsNothingFromTheWorkspace(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "json.py"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		server settings.MCPServer
		safe   bool
		waits  bool
	}{
		{server: settings.MCPServer{Command: "python3", Args: []string{"-m", "installed"}}, safe: true},
		{server: settings.MCPServer{Command: "uv", Args: []string{"run", "python", "-c", "import installed"}}, safe: true},
		{server: settings.MCPServer{Command: "python3", Args: []string{"-m", "installed"}, Env: map[string]string{"PYTHONSAFEPATH": ""}}},
		{server: settings.MCPServer{Command: "python3", Args: []string{"/opt/server.py"}}},
		{server: settings.MCPServer{Command: "python3", Args: []string{"-m", "json.tool"}}, waits: true},
	} {
		c.server.Cwd = "."
		set := settings.MCP{Servers: map[string]settings.MCPServer{"x": c.server}}
		all, err := mcp.All(set, "config.json", mcp.Source{Dir: dir, Trust: trust.NewReview(dir, nil, nil, mcp.Items(set)), Getenv: os.Getenv})
		if err != nil || len(all) != 1 {
			t.Fatal(all, err)
		}
		if safe := slices.Contains(all[0].Env, "PYTHONSAFEPATH=1"); safe != c.safe || all[0].Waits != c.waits || (all[0].Check() == nil) == c.waits {
			t.Errorf("%s %q: safe %t, waits %t", c.server.Command, c.server.Args, safe, all[0].Waits)
		}
	}
}

// A server that starts outside the workspace is told the workspace as its root, unless an argument
// gives it another directory. A server over HTTP does not learn the path.
func TestRootsOfServersThatStartElsewhere(t *testing.T) {
	dir, home := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	for _, c := range []struct {
		server      settings.MCPServer
		start, root string
	}{
		{settings.MCPServer{Command: "srv", Args: []string{"--flag"}}, home, dir},
		{settings.MCPServer{Command: "node", Args: []string{filepath.Join(home, "srv.js")}}, home, dir},
		{settings.MCPServer{Command: "srv", Args: []string{home}}, home, ""},
		{settings.MCPServer{Command: "srv", Args: []string{"--mount", "type=bind,src=" + home + ",dst=/x"}}, home, ""},
		{settings.MCPServer{Command: "srv", Args: []string{"."}}, dir, ""},
		{settings.MCPServer{Command: "srv", Cwd: "."}, dir, ""},
		{settings.MCPServer{Command: "srv", Literal: true}, dir, ""},
		{settings.MCPServer{URL: "https://example.org/mcp"}, dir, ""},
	} {
		all := mcp.Servers(settings.MCP{Servers: map[string]settings.MCPServer{"x": c.server}}, mcp.Source{Dir: dir, Getenv: os.Getenv})
		if len(all) != 1 || all[0].Dir != c.start || all[0].Root != c.root {
			t.Errorf("%+v starts in %s with the root %q, want %s and %q", c.server, all[0].Dir, all[0].Root, c.start, c.root)
		}
	}
}

// A server of a repository starts at its root, or in cwd, and its files are looked for there.
func TestServersOfARepositoryWithADirectory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{".mcp.json": `{"mcpServers":{"a":{"command":"sh","args":["x.sh"],"cwd":"tools"},"b":{"command":"sh","args":["x.sh"]}}}`, "tools/x.sh": "exec shop"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	all, err := mcp.All(settings.MCP{}, "config.json", mcp.Source{Dir: dir, Trust: trust.NewReview(dir, nil, nil), Getenv: os.Getenv})
	if err != nil || len(all) != 2 || all[0].Dir != filepath.Join(dir, "tools") || all[1].Dir != dir {
		t.Errorf("got %+v, %v", all, err)
	}
	items, err := mcp.Items(settings.MCP{})(dir)
	if err != nil || len(items) != 2 || !strings.Contains(items[0].Content, "--- tools/x.sh") || strings.Contains(items[1].Content, "---") {
		t.Errorf("got %+v, %v", items, err)
	}
}
