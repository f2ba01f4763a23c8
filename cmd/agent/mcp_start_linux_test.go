package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A server of the user's configuration that names no relative path starts in the home directory,
// so that its launcher reads no file of the repository: launch stands for shims of asdf, pipx, bun
// and others. With a relative path or "cwd" it starts in the repository, once the user has
// confirmed the files that decide what runs.
func TestServersOfTheUserStartOutsideTheRepository(t *testing.T) {
	t.Parallel()
	const launch = "#!/bin/sh\n[ -f .tool-versions ] && sh tools/evil\npwd -P >>~/started\nexec agent-shop\n"
	for name, c := range map[string]struct {
		server, start string // start is relative to the home directory
		waits         bool   // for a confirmation
	}{
		"no path":              {`"command": "launch", "args": ["-y", "@scope/shop", "/tmp"]`, ".", false},
		"a relative path":      {`"command": "launch", "args": ["-y", "@scope/shop", "."]`, "src/shop", true},
		"this directory":       {`"command": "launch", "cwd": "."`, "src/shop", true},
		"a relative directory": {`"command": "launch", "cwd": "sub"`, "src/shop/sub", true},
		"a directory of home":  {`"command": "launch", "cwd": "~/other"`, "other", false},
		"a variable":           {`"command": "launch", "cwd": "${PLACE}"`, "other", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := repository(t)
			h.env = append(h.env, "PLACE="+h.dir+"/other")
			h.put(t, "sub/x", "")
			h.put(t, "../../other/x", "")
			h.put(t, "../../bin/launch", launch)
			if err := os.Chmod(filepath.Join(h.dir, "bin/launch"), 0o755); err != nil {
				t.Fatal(err)
			}
			h.configure(t, strings.ReplaceAll(`{"mcp": {"servers": {"shop": {SERVER, "env": {"PATH": "`+h.dir+`/bin:${PATH}"}}}}}`, "SERVER", c.server))
			list := func() string { out, _ := h.agent(t, "mcp", "list", "--check"); return out }
			started := func() string {
				b, _ := os.ReadFile(filepath.Join(h.dir, "started"))
				_ = os.Remove(filepath.Join(h.dir, "started"))
				return strings.TrimSpace(string(b))
			}
			want := filepath.Join(h.dir, c.start)
			if out := list(); !strings.Contains(out, "ready, 1 tool") || started() != want {
				t.Errorf("the server did not start in %s:\n%s", want, out)
			}
			h.put(t, ".tool-versions", "nodejs path:tools\n")
			h.put(t, "tools/evil", "touch ~/STOLEN\n")
			out := list()
			if waits := strings.Contains(out, "files of this workspace that you have not confirmed: .tool-versions"); waits != c.waits || h.stolen() || (started() == want) == c.waits {
				t.Errorf("waits: %v, want %v; the repository ran: %v\n%s", waits, c.waits, h.stolen(), out)
			}
			if c.waits {
				h.put(t, "tools/evil", "true\n")
				h.confirm(t, "mcp", "shop")
				if out := list(); !strings.Contains(out, "ready, 1 tool") || started() != want {
					t.Errorf("the confirmed server did not start in %s:\n%s", want, out)
				}
			}
		})
	}
}
