//go:build unix

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"agent/cmd/agent/exit"
)

// impatient returns the command of mainImpatient in h with a standard input.
func (h home) impatient(stdin *os.File, args ...string) (cmd *exec.Cmd, errors *bytes.Buffer) {
	cmd = exec.Command("agent-impatient", args...)
	cmd.Dir, cmd.Env, cmd.Stdin, errors = h.work, append(os.Environ(), h.env...), stdin, &bytes.Buffer{}
	cmd.Stderr = errors
	return cmd, errors
}

// silentInputs returns open standard inputs that give nothing, and the ends that write to
// them.
func silentInputs(t *testing.T) map[string][2]*os.File {
	t.Helper()
	r, w := openPipe(t)
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	unix.CloseOnExec(fds[0])
	unix.CloseOnExec(fds[1])
	near, far := os.NewFile(uintptr(fds[0]), "near"), os.NewFile(uintptr(fds[1]), "far")
	t.Cleanup(func() { near.Close(); far.Close() })
	return map[string][2]*os.File{"a pipe": {r, w}, "a socket": {near, far}}
}

// TestRunWithSilentInput answers the prompt of the arguments although standard input stays
// open and gives nothing.
func TestRunWithSilentInput(t *testing.T) {
	t.Parallel()
	for name, in := range silentInputs(t) {
		s := serve(t, say("Hello."))
		h := newHome(t, nil, at(s)...)
		cmd, errors := h.impatient(in[0], "hello")
		out, err := cmd.Output()
		if err != nil || string(out) != "Hello.\n" || !strings.Contains(errors.String(), "Nothing came on standard input within 3 s: the run goes on without it. To wait for input, use --stdin.") {
			t.Errorf("%s: %v, %q and %s", name, err, out, errors)
		}
	}
}

// TestRunEndsWhenInputComesLate sends input while the model works. The run ends with an error
// before the model can edit; the input of a run that has edited is only reported.
func TestRunEndsWhenInputComesLate(t *testing.T) {
	t.Parallel()
	edit := call("write", `{"path":"made.txt","content":"x\n"}`)
	for name, in := range silentInputs(t) {
		t.Run(name, func(t *testing.T) {
			s := serve(t)
			s.choose = func(ctx context.Context, _ wireRequest) answer {
				fmt.Fprintln(in[1], "late")
				<-ctx.Done() // the run gives up the request
				return edit
			}
			h := newHome(t, nil, at(s)...)
			cmd, errors := h.impatient(in[0], "hello")
			_, _ = cmd.Output()
			if code := cmd.ProcessState.ExitCode(); code != exit.Failed || !strings.Contains(errors.String(), "input came after 3 s; use --stdin") {
				t.Errorf("exit code %d and %s", code, errors)
			}
			if _, err := os.Stat(filepath.Join(h.work, "made.txt")); err == nil {
				t.Error("a file was edited")
			}
		})
	}
	in, w := openPipe(t)
	s := serve(t)
	reported := make(chan struct{})
	requests := 0
	s.choose = func(ctx context.Context, _ wireRequest) answer {
		if requests++; requests == 1 {
			return edit
		}
		fmt.Fprintln(w, "late")
		select {
		case <-reported:
		case <-ctx.Done():
		}
		return say("Done.")
	}
	h := newHome(t, nil, at(s)...)
	cmd, _ := h.impatient(in, "hello")
	var out bytes.Buffer
	notes := newNotes()
	cmd.Stdout, cmd.Stderr = &out, notes
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	notes.wait(t, "input came after 3 s; use --stdin. The input is not used, because files have been edited.")
	close(reported)
	if err := cmd.Wait(); err != nil || !strings.Contains(out.String(), "Done.") {
		t.Errorf("%v, %q", err, &out)
	}
}

// TestRunWaitsForInput reads a standard input to its end, however late it comes: with --stdin,
// with -, and without a prompt.
func TestRunWaitsForInput(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"run review this --stdin": `review this\n\n\u003cstdin\u003e\none\ntwo\n\u003c/stdin\u003e`,
		"review this -":           `review this\n\n\u003cstdin\u003e\none\ntwo\n\u003c/stdin\u003e`,
		"- review this":           `review this\n\n\u003cstdin\u003e\none\ntwo\n\u003c/stdin\u003e`,
		"-":                       `one\ntwo`,
		"":                        `one\ntwo`,
	} {
		in, w := openPipe(t)
		s := serve(t, say("Hello."))
		h := newHome(t, nil, at(s)...)
		cmd, errors := h.impatient(in, strings.Fields(args)...)
		if flags, ok := strings.CutPrefix(args, "run "); ok {
			cmd, errors = h.command(append([]string{"run"}, strings.Fields(flags)...)...), &bytes.Buffer{}
			cmd.Stdin, cmd.Stderr = in, errors
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(w, "one")
		fmt.Fprintln(w, "two")
		w.Close()
		err := cmd.Wait()
		if seen := s.seen(); err != nil || len(seen) != 1 || !strings.Contains(strings.NewReplacer("<", `\u003c`, ">", `\u003e`).Replace(seen[0].body), want) {
			t.Errorf("%q: %v, %s, %d requests", args, err, errors, len(seen))
		}
	}
}
