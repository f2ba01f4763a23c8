package shell_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"agent/internal/tools/shell"
)

// lineVariable names a command: this test is a program that runs it then.
const lineVariable = "SHELL_TEST_LINE"

func TestMain(m *testing.M) {
	line := os.Getenv(lineVariable)
	if line == "" {
		os.Exit(m.Run())
	}
	r, err := shell.Run(context.Background(), shell.Command{Line: line, Dir: "/", Env: os.Environ()})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	if file := os.Getenv("SHELL_TEST_OUTPUT"); file != "" {
		_ = os.WriteFile(file, []byte(r.Output), 0o600)
	}
	os.Exit(0)
}

// program returns this test as a program of its own that runs a command.
func program(t *testing.T, line string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), lineVariable+"="+line)
	return cmd
}

func TestNothingSurvivesTheProgram(t *testing.T) { // P5
	for _, line := range []string{
		"exec 3>%[2]s; %[1]s & setsid %[1]s & (setsid nohup %[1]s &); trap '' TERM; echo ready >&3; %[1]s",
		"exec 3>%[2]s; set -m; %[1]s & echo ready >&3; wait",
	} {
		sleep := nap(t)
		fifo := filepath.Join(t.TempDir(), "fifo")
		if err := syscall.Mkfifo(fifo, 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := program(t, fmt.Sprintf(line, sleep, fifo))
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(fifo) // when the command opens it too
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := io.ReadFull(f, make([]byte, len("ready\n"))); err != nil {
			t.Fatal(err)
		}
		if living(t, sleep) == nil {
			t.Error("nothing runs")
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		// All of them hold the other end, so it is closed when they are dead.
		_ = f.SetReadDeadline(time.Now().Add(time.Minute))
		if rest, err := io.ReadAll(f); err != nil {
			t.Errorf("a minute later somebody is left: %q, %v, %v", rest, err, living(t, sleep))
		}
		gone(t, sleep)
	}
}

func TestTheTerminalOfTheProgramIsOutOfReach(t *testing.T) { // P7, P12
	output := filepath.Join(t.TempDir(), "output")
	cmd := program(t, "echo escape >/dev/tty; stty raw -echo </dev/tty; stty raw; echo done")
	cmd.Env = append(cmd.Env, "SHELL_TEST_OUTPUT="+output)
	terminal, err := pty.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	defer terminal.Close()
	before, err := state(terminal)
	if err != nil {
		t.Fatal(err)
	}
	shown, _ := io.ReadAll(terminal) // ends with an error when the program does
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	same(t, string(shown), "")
	after, err := state(terminal)
	if err != nil {
		t.Fatal(err)
	}
	same(t, after, before)
	text, err := os.ReadFile(output)
	if err != nil || strings.Count(string(text), "/dev/tty: No such device or address") != 2 || !strings.HasSuffix(string(text), "done\n") {
		t.Errorf("output %q, %v", text, err)
	}
}

func TestCommandThatKillsItsKeeper(t *testing.T) {
	for _, c := range []struct {
		line, ended string
		lost        bool
	}{
		{"%[1]s & set -m; %[1]s & kill -KILL $PPID; wait", "ended when the process that keeps it was killed", true},
		{"%[1]s & kill -TERM $PPID; wait", "ended when the process that keeps it was killed", true},
		{"%[1]s & kill -STOP $PPID; wait", "ended when the process that keeps it was killed", true},
		{"kill -HUP 0; %[1]s", "killed by SIGHUP", false},
	} {
		t.Run(c.line, func(t *testing.T) {
			t.Parallel()
			sleep := nap(t)
			got := run(t, shell.Command{Line: fmt.Sprintf(c.line, sleep), Max: 3 * time.Second})
			gone(t, sleep)
			same(t, []any{got.Ended, got.Lost}, []any{c.ended, c.lost})
		})
	}
	// The next one has another.
	same(t, run(t, shell.Command{Line: "echo fine"}).Output, "fine\n")
}

// state is how a terminal is set.
func state(f *os.File) (unix.Termios, error) {
	s, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	if err != nil {
		return unix.Termios{}, err
	}
	return *s, nil
}
