package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// A program that is killed during the call of an MCP tool or of a custom tool leaves one
// result for each call.
func TestKilledDuringACallOfAnotherProgram(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the programs of the tests are scripts of Unix")
	}
	const server = `while read -r line; do
	id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
	case $line in
	*'"initialize"'*) answer='"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}' ;;
	*'"tools/list"'*) answer='"result":{"tools":[{"name":"wait","inputSchema":{"type":"object"}}]}' ;;
	*'"tools/call"'*) : >"$1"; sleep 60 ;;
	*) answer='"error":{"code":-32601,"message":"Method not found"}' ;;
	esac
	[ -z "$id" ] || printf '{"jsonrpc":"2.0","id":%s,%s}\n' "$id" "$answer"
done
`
	for _, tool := range []string{"mcp__x__wait", "wait"} {
		t.Run(tool, func(t *testing.T) {
			t.Parallel()
			s := serve(t, call(tool, `{}`, "read", `{"path":"a.txt"}`), say("It was interrupted."))
			script := filepath.Join(t.TempDir(), "server.sh") // in the workspace it would have to be confirmed
			if err := os.WriteFile(script, []byte(server), 0o600); err != nil {
				t.Fatal(err)
			}
			h := newHome(t, map[string]string{"a.txt": "a\n"}, at(s)...)
			started := filepath.Join(h.work, "started")
			h.configure(t, `{"mcp": {"servers": {"x": {"command": "sh", "args": ["`+script+`", "`+started+`"]}}}, "tools": {"wait": {"description": "waits", "command": ": >started; sleep 60"}}}`)
			cmd := h.command("run", "--model", "openai/m", "--mode", "all", "go")
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			waitFor(t, "the call to start", func() bool {
				_, err := os.Stat(started)
				return err == nil
			})
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			if out, code := h.agent(t, "run", "--continue", "--model", "openai/m", "and now?"); code != 0 {
				t.Fatalf("exit code %d: %s", code, out)
			}
			requests := s.seen()
			results := requests[len(requests)-1].results(t) // fails if a call has two
			if len(requests) != 2 || len(results) != 2 || !strings.Contains(results["call_0"], "the program exited during this call") || !strings.Contains(results["call_1"], "not run") {
				t.Errorf("%d requests, results %q", len(requests), results)
			}
		})
	}
}
