package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestEditorTypeScript drives the program with the official TypeScript client. It is
// enabled by AGENT_ACP_NPM=1, because it installs @agentclientprotocol/sdk with npm.
func TestEditorTypeScript(t *testing.T) {
	if os.Getenv("AGENT_ACP_NPM") == "" {
		t.Skip("AGENT_ACP_NPM is not set")
	}
	s := serve(t,
		call("todo", `{"items":[{"text":"greet","state":"active"}]}`, "read", `{"path":"main.go"}`),
		call("edit", `{"path":"main.go","old":"hello","new":"goodbye"}`, "shell", `{"command":"touch b"}`),
		say("Done."),
		call("shell", `{"command":"touch b"}`),
		begin("A long answer"),
	)
	h := newHome(t, map[string]string{"main.go": goFile}, at(s)...)
	npm := exec.Command("npm", "install", "--no-audit", "--no-fund", "@agentclientprotocol/sdk@2.4.0")
	npm.Dir = t.TempDir()
	if out, err := npm.CombinedOutput(); err != nil {
		t.Skipf("npm install: %v\n%s", err, out)
	}
	script, err := os.ReadFile("acp/testdata/client.mjs")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(npm.Dir, "client.mjs")
	if err := os.WriteFile(file, script, 0o644); err != nil {
		t.Fatal(err)
	}
	agent := h.command("acp")
	cmd := exec.CommandContext(t.Context(), "node", slices.Concat([]string{file, agent.Path}, agent.Args[1:])...)
	cmd.Dir, cmd.Env = h.work, agent.Env
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "ok exit") {
		t.Errorf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}
