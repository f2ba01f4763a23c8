//go:build unix

package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"agent/cmd/agent/exit"
)

// TestDirectoryOfAnyBytes resumes a session in a directory whose name is not valid
// UTF-8.
func TestDirectoryOfAnyBytes(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "darwin" {
		t.Skip("there are no such names here")
	}
	s := serve(t, say("Hello."), say("Again."))
	h := newHome(t, nil, at(s)...)
	h.work = filepath.Join(h.dir, "n\nl\xff")
	if err := os.Mkdir(h.work, 0o755); err != nil {
		t.Skip(err)
	}
	for _, args := range [][]string{{"run", "hi"}, {"run", "--continue", "more"}} {
		if out, code := h.agent(t, args...); code != exit.Done {
			t.Errorf("%q: got exit code %d and %s", args, code, out)
		}
	}
	if out, _ := h.agent(t, "sessions", "list"); !strings.Contains(out, h.ids(t)[0]) {
		t.Errorf("the list does not have it: %s", out)
	}
}

// TestDirectoryIsGone reports a deleted working directory.
func TestDirectoryIsGone(t *testing.T) {
	t.Parallel()
	h := newHome(t, nil)
	cmd := h.command()
	cmd.Path, cmd.Args = "/bin/sh", []string{"sh", "-c", `mkdir gone && cd gone && rmdir ../gone && agent run hi`}
	out, _ := cmd.CombinedOutput()
	if want := "find the working directory: "; cmd.ProcessState.ExitCode() != exit.Failed || !strings.Contains(string(out), want) {
		t.Errorf("got exit code %d and %s", cmd.ProcessState.ExitCode(), out)
	}
}
