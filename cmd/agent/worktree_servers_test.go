//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agent/cmd/agent/exit"
)

// languageServer answers the first message, initialize, and the fourth, a request for the
// symbols of a file: it names its directory as a symbol.
const languageServer = `#!/bin/sh
echo $$ >"${0%/*}/pid"
reply() { printf 'Content-Length: %d\r\n\r\n%s' ${#1} "$1"; }
n=0
while IFS= read -r line; do
	case $line in
	?) n=$((n+1)) ;; # the empty line after a header
	*) continue ;;
	esac
	case $n in
	1) reply '{"jsonrpc":"2.0","id":1,"result":{"capabilities":{}}}' ;;
	4) reply '{"jsonrpc":"2.0","id":2,"result":[{"name":"'"$PWD"'","kind":3,"selectionRange":{"start":{"line":0,"character":0}}}]}' ;;
	esac
done
`

// A delegate in a git worktree has a language server of its own, which ends with it.
func TestLanguageServerInAWorktree(t *testing.T) {
	t.Parallel()
	bin := t.TempDir()
	s := serve(t,
		call("delegate", isolatedTask),
		call("symbols", `{"op":"outline","path":"main.go"}`),
		say("Looked."),
		call("shell", `{"command":"ps -p $(cat `+bin+`/pid) && echo it runs || echo it has ended"}`),
		say("All done."))
	h := isolatedHome(t, s)
	if err := os.WriteFile(filepath.Join(bin, "server"), []byte(languageServer), 0o755); err != nil {
		t.Fatal(err)
	}
	h.configure(t, `{"sandbox": false, "lsp": {"x": {"command": ["`+filepath.Join(bin, "server")+`"], "files": ["*.go"]}}}`)
	if out, code := h.agent(t, "run", "--mode", "all", "--no-sandbox", "look at it"); code != exit.Done {
		t.Errorf("got exit code %d: %s", code, out)
	}
	if got := resultFor(t, s, "1: namespace"); !strings.Contains(got, "/worktrees/general-1-") {
		t.Errorf("the server of the worktree: %q", got)
	}
	if resultFor(t, s, "it has ended") == "" {
		t.Errorf("the server has not ended with the delegate: %q", resultFor(t, s, "it runs"))
	}
}
