//go:build unix

package main

import (
	"os"
	"strings"
	"testing"

	"agent/cmd/agent/exit"
)

// TestRunWithClosedOutput closes the output of a run: the turn is interrupted and
// the session can be resumed.
func TestRunWithClosedOutput(t *testing.T) {
	t.Parallel()
	for _, form := range []string{"text", "stream-json"} {
		more := make(chan struct{})
		s := serve(t, answer{text: "An answer ", then: more, more: "that continues.", hold: true})
		h := newHome(t, nil, at(s)...)
		cmd := h.command("run", "--output", form, "talk")
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := out.Read(make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
		if err := out.Close(); err != nil {
			t.Fatal(err)
		}
		close(more)
		_ = cmd.Wait()
		if got := cmd.ProcessState.ExitCode(); got != exit.OutputClosed {
			t.Errorf("%s: got exit code %d, want %d", form, got, exit.OutputClosed)
		}
		if out, code := h.agent(t, "run", "--continue", "continue"); code != exit.Done {
			t.Errorf("%s: the session cannot be resumed: got exit code %d and %s", form, code, out)
		}
	}
}

// TestRunOnAFullDisk reports an answer that could not be written, and
// the session that holds it.
func TestRunOnAFullDisk(t *testing.T) {
	t.Parallel()
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	for _, form := range []string{"text", "json", "stream-json"} {
		s := serve(t, say("Hello."))
		h := newHome(t, nil, at(s)...)
		cmd := h.command("run", "--output", form, "hi")
		var said strings.Builder
		cmd.Stdout, cmd.Stderr = full, &said
		_ = cmd.Run()
		want := "no space left on device. The session holds all of it: agent sessions show " + h.ids(t)[0]
		if code := cmd.ProcessState.ExitCode(); code != exit.Failed || !strings.Contains(said.String(), want) {
			t.Errorf("%s: got exit code %d and %q, want %d and %q", form, code, &said, exit.Failed, want)
		}
	}
}
