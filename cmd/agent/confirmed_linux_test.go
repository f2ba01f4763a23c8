package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A command in the sandbox cannot change a script that a confirmed server runs outside it, nor
// what leads to the script. If a tool changes the script, the server is not used any more; commands
// of the session still cannot change it, because the confirmed content may come back.
func TestCommandsCannotChangeConfirmedFiles(t *testing.T) {
	t.Parallel()
	h := repository(t)
	h.put(t, "tools/sh/check.sh", "echo good >>../../ran\n")
	h.put(t, ".mcp.json", `{"mcpServers": {"shop": {"command": "sh", "args": ["tools/scripts/check.sh"]}}}`)
	if err := os.Symlink("sh", filepath.Join(h.work, "tools", "scripts")); err != nil {
		t.Fatal(err)
	}
	h.confirm(t, "mcp", "shop")
	const evil = "echo 'echo evil >>../../ran' >"
	s := serve(t,
		call("shell", shellCall(evil+"tools/scripts/check.sh; "+evil+"new; mv new tools/sh/check.sh; rm -f tools/sh/check.sh; mv tools old; rm -f tools/scripts; ln -s .. tools/scripts; cat tools/sh/check.sh && ln tools/sh/check.sh other; "+evil+"other")),
		call("jobs", `{"action":"start","command":`+quote(evil+"tools/sh/check.sh")+`}`),
		call("edit", `{"path":"tools/sh/check.sh","old":"good","new":"evil"}`),
		call("shell", shellCall("echo worse >tools/sh/check.sh; echo last")),
		say("done"))
	run := func() string {
		out, _ := h.command("run", "--model", "openai/m", "--base-url", s.URL+"/v1", "--mode", "all", "go").CombinedOutput()
		return string(out)
	}
	out := run()
	results := s.seen()
	if len(results) != 5 {
		t.Fatalf("%d requests\n%s", len(results), out)
	}
	for _, want := range []string{"mv: cannot move 'tools' to 'old'", "rm: cannot remove 'tools/scripts'", "create hard link", "cannot write to " + h.work + "/tools/sh/check.sh", `check.sh: Read-only file system\nlast\n[exit 0]`} {
		if got := results[4].body; !strings.Contains(got, want) {
			t.Errorf("%q is not in %s", want, got)
		}
	}
	if text := readText(t, filepath.Join(h.work, "tools", "sh", "check.sh")); text != "echo evil >>../../ran\n" {
		t.Errorf("the edit did not happen: %s", text)
	}
	if out = run(); !strings.Contains(out, "This repository configures 1 MCP server in .mcp.json. It is not used until you confirm it") {
		t.Errorf("the changed server does not wait for a confirmation:\n%s", out)
	}
	if got, _ := os.ReadFile(filepath.Join(h.dir, "ran")); strings.ReplaceAll(string(got), "good\n", "") != "" || len(got) == 0 {
		t.Errorf("the server ran as %q, want good", got)
	}
}
