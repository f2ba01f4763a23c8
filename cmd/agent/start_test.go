package main

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"agent/cmd/agent/exit"
	"agent/internal/sampling"
)

// TestResumePicker filters and picks a session.
func TestResumePicker(t *testing.T) {
	t.Parallel()
	s := serve(t, say("Apples it is."), say("Pears it is."), say("More of them."))
	h := newHome(t, nil, at(s)...)
	for _, prompt := range []string{"about apples", "about pears"} {
		cmd := h.command("run", prompt)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	a := h.open(t, 80, 24, "--resume")
	a.wait("Resume a session", "about apples", "about pears")
	a.send("appl")
	a.gone("about pears")
	a.send(enter)
	a.wait("Apples it is.", "? help")
	a.send("more" + enter)
	a.wait("More of them.")
	a.send(ctrlD)
	if code := a.exit(); code != 0 {
		t.Errorf("got exit code %d, want 0", code)
	}
	if err := a.restored(); err != nil {
		t.Error(err)
	}
	b := h.open(t, 80, 24, "--resume")
	b.wait("Resume a session in ", "tab: all directories")
	b.send(escape)
	if code := b.exit(); code != 0 {
		t.Errorf("got exit code %d after choosing nothing, want 0", code)
	}
}

// TestTerminalCloses closes the terminal: the program exits and leaves no command
// behind.
func TestTerminalCloses(t *testing.T) {
	t.Parallel()
	nap := "sleep 62." + strconv.Itoa(os.Getpid())
	s := serve(t, call("shell", `{"command":"`+nap+`"}`))
	h := newHome(t, nil, at(s)...)
	a := h.open(t, 80, 24, "--mode", "all")
	a.wait("? help")
	a.send("nap" + enter)
	waitFor(t, "the command to run", func() bool { return runs(nap) })
	if err := a.pty.Close(); err != nil {
		t.Fatal(err)
	}
	if code := a.exit(); code != exit.Hangup {
		t.Errorf("got exit code %d, want %d", code, exit.Hangup)
	}
	waitFor(t, "the command to be gone", func() bool { return !runs(nap) })
}

// TestDraftSurvivesASignal restores the draft after SIGTERM, also during a turn.
func TestDraftSurvivesASignal(t *testing.T) {
	t.Parallel()
	for _, busy := range []bool{false, true} {
		s := serve(t, say("Hello."), begin("An answer that never "))
		h := newHome(t, nil, at(s)...)
		a := h.open(t, 80, 24)
		a.wait("? help")
		a.send("hi" + enter)
		a.wait("Hello.")
		if busy {
			a.send("talk" + enter)
			a.wait("An answer that never")
		}
		a.send("half a thou")
		a.send("ght")
		a.wait("half a thought")
		if err := a.cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		if code := a.exit(); code != exit.Terminated {
			t.Errorf("got exit code %d, want %d", code, exit.Terminated)
		}
		b := h.open(t, 80, 24, "--continue")
		b.wait("› half a thought")
		b.close()
	}
}

// TestNoColor checks that NO_COLOR disables all colors.
func TestNoColor(t *testing.T) {
	t.Parallel()
	s := serve(t, call("edit", `{"path":"a.go","old":"","new":"package a\n"}`), say("**Done.**"))
	h := newHome(t, nil, append(at(s), "NO_COLOR=1")...)
	a := h.open(t, 80, 24)
	a.wait("? help")
	a.send("make a.go" + enter)
	a.asked("Create a.go?", "package a")
	a.send("1")
	a.wait("Done.", "1 file changed")
	a.send(ctrlD)
	a.exit()
	<-a.done
	if m := regexp.MustCompile(`\x1b\[[0-9;]*\b(3[0-7]|9[0-7]|4[0-7]|38|48)[;m]`).Find(a.raw); m != nil {
		t.Errorf("the program wrote %q", m)
	}
}

// TestHeadlessInterrupt sends signals to a running headless program.
func TestHeadlessInterrupt(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("no signal can be sent here")
	}
	for sig, want := range map[syscall.Signal]int{syscall.SIGINT: exit.Interrupted, syscall.SIGTERM: exit.Terminated} {
		s := serve(t, begin("An answer that never "), say("Back."))
		h := newHome(t, nil, at(s)...)
		cmd := h.command("run", "talk")
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := out.Read(make([]byte, 1)); err != nil { // it streams
			t.Fatal(err)
		}
		if err := cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		if got := cmd.ProcessState.ExitCode(); got != want {
			t.Errorf("%v: got exit code %d, want %d", sig, got, want)
		}
		again := h.command("run", "--continue", "continue")
		if out, err := again.CombinedOutput(); err != nil {
			t.Errorf("%v: the session cannot be resumed: %v\n%s", sig, err, out)
		}
	}
}

// TestRecordings plays recorded streams: every turn ends and the session can be
// resumed.
func TestRecordings(t *testing.T) {
	files, err := filepath.Glob("../../testdata/sse/*.sse")
	if err != nil || len(files) < 30 {
		t.Fatalf("got %d recordings, %v", len(files), err)
	}
	for _, file := range sampling.List(files) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			s := serve(t, answer{raw: string(b)})
			h := newHome(t, map[string]string{"main.go": goFile}, at(s)...)
			first := h.command("run", "one")
			out, _ := first.CombinedOutput() // the error is in the output
			if code := first.ProcessState.ExitCode(); code != exit.Done && code != exit.Failed || len(out) == 0 {
				t.Errorf("got exit code %d and %q", code, out)
			}
			again := h.command("run", "--continue", "two")
			out, err = again.CombinedOutput()
			if err != nil || !strings.Contains(string(out), "The script is over.") {
				t.Errorf("the session cannot be resumed: %v\n%s", err, out)
			}
		})
	}
}

// TestSchemaFlag prints only the answer, which fits the schema.
func TestSchemaFlag(t *testing.T) {
	t.Parallel()
	s := serve(t, call("read", `{"path":"main.go"}`), say("I think it is one."), call("answer", `{"n":1}`))
	h := newHome(t, map[string]string{
		"main.go":     goFile,
		"schema.json": `{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`,
		"broken.json": `{"type":`,
	}, at(s)...)
	cmd := h.command("run", "--schema", "schema.json", "how many?")
	out, err := cmd.Output()
	if err != nil || string(out) != "{\"n\":1}\n" {
		t.Errorf("got %q, %v, want only the answer", out, err)
	}
	cmd = h.command("run", "--schema", "broken.json", "how many?")
	if _ = cmd.Run(); cmd.ProcessState.ExitCode() != exit.Usage {
		t.Errorf("got exit code %d for a broken schema, want %d", cmd.ProcessState.ExitCode(), exit.Usage)
	}
}
