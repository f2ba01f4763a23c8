package shell_test

import (
	"context"
	"encoding/json"
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
	"agent/internal/tools/shell/sandbox"
	"agent/internal/tools/shell/supervisor"
	"agent/internal/tools/snapshot/snapshottest"
)

// Environment variables that make the test binary act as another program.
const (
	lineVariable   = "SHELL_TEST_LINE"   // command that it runs
	resultVariable = "SHELL_TEST_RESULT" // file that it writes the result to
	rootVariable   = "SHELL_TEST_ROOT"   // seconds that it sleeps as root

	probeVariable   = "SHELL_TEST_PROBE"   // system calls or connections that it tries
	sandboxVariable = "SHELL_TEST_SANDBOX" // directory that its command may write to
)

func TestMain(m *testing.M) {
	supervisor.Run(snapshottest.Open)
	sandbox.Run()
	if seconds := os.Getenv(rootVariable); seconds != "" {
		fmt.Println(syscall.Setresuid(0, 0, 0), "is nil")
		fmt.Println(syscall.Exec("/bin/sleep", []string{"sleep", seconds}, nil))
	}
	if what := os.Getenv(probeVariable); what != "" {
		probe(what)
		os.Exit(0)
	}
	line := os.Getenv(lineVariable)
	if line == "" {
		os.Exit(m.Run())
	}
	c := shell.Command{Line: line, Dir: "/", Env: os.Environ()}
	if dir := os.Getenv(sandboxVariable); dir != "" {
		_ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) // as in the program
		c.Dir = dir
		c.Limits.Sandbox = &sandbox.Profile{Write: []string{dir}, Session: sandbox.NewSession(sandbox.Complete)}
	}
	r, err := shell.Run(context.Background(), c)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	if text, err := json.Marshal(r); err == nil {
		_ = os.WriteFile(os.Getenv(resultVariable), text, 0o600)
	}
	os.Exit(0)
}

// runner is the test binary as a separate program.
type runner struct {
	*exec.Cmd
	t    *testing.T
	file string
}

// program starts a program that runs line.
func program(t *testing.T, line string) runner {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r := runner{exec.Command(self), t, filepath.Join(t.TempDir(), "result")}
	r.Env = append(os.Environ(), lineVariable+"="+line, resultVariable+"="+r.file)
	return r
}

// result waits for the program and returns the result of its command.
func (r runner) result() (out shell.Result) {
	r.t.Helper()
	text, err := os.ReadFile(r.file)
	if err == nil {
		err = json.Unmarshal(text, &out)
	}
	if err != nil {
		r.t.Fatal(err)
	}
	return out
}

func TestNothingSurvivesTheProgram(t *testing.T) { // P5
	for _, line := range []string{
		"exec 3>%[2]s; %[1]s & setsid %[1]s & (setsid nohup %[1]s &); trap '' TERM; echo ready >&3; %[1]s",
		"exec 3>%[2]s; set -m; %[1]s & echo ready >&3; wait",
		"exec 3>%[2]s; %[1]s & kill -STOP $PPID; echo ready >&3; wait",
	} {
		sleep := longSleep(t)
		fifo := filepath.Join(t.TempDir(), "fifo")
		if err := syscall.Mkfifo(fifo, 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := program(t, fmt.Sprintf(line, sleep, fifo))
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(fifo) // blocks until the command opens it
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := io.ReadFull(f, make([]byte, len("ready\n"))); err != nil {
			t.Fatal(err)
		}
		if processesWith(t, sleep) == nil {
			t.Error("nothing runs")
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		// All processes hold the other end, so it is closed when they are dead.
		_ = f.SetReadDeadline(time.Now().Add(time.Minute))
		if rest, err := io.ReadAll(f); err != nil {
			t.Errorf("processes are left after a minute: %q, %v, %v", rest, err, processesWith(t, sleep))
		}
		wantGone(t, sleep)
	}
}

func TestCommandCannotReachTheTerminal(t *testing.T) { // P7, P12
	cmd := program(t, "echo escape >/dev/tty; stty raw -echo </dev/tty; stty raw; echo done")
	terminal, err := pty.Start(cmd.Cmd)
	if err != nil {
		t.Fatal(err)
	}
	defer terminal.Close()
	before, err := state(terminal)
	if err != nil {
		t.Fatal(err)
	}
	shown, _ := io.ReadAll(terminal) // returns an error when the program exits
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	same(t, string(shown), "")
	after, err := state(terminal)
	if err != nil {
		t.Fatal(err)
	}
	same(t, after, before)
	text := cmd.result().Output
	if strings.Count(text, "/dev/tty: No such device or address") != 2 || !strings.HasSuffix(text, "done\n") {
		t.Errorf("output %q", text)
	}
}

func TestCommandThatKillsItsSupervisor(t *testing.T) {
	for _, c := range []struct {
		line, ended string
		lost        bool
	}{
		{"%[1]s & set -m; %[1]s & kill -KILL $PPID; wait", "ended because its supervisor was killed", true},
		{"%[1]s & kill -TERM $PPID; wait", "ended because its supervisor was killed", true},
		{"%[1]s & kill -STOP $PPID; wait", "killed by SIGTERM", false},
		{"kill -USR1 0; %[1]s", "killed by SIGUSR1", false},
	} {
		t.Run(c.line, func(t *testing.T) {
			t.Parallel()
			sleep := longSleep(t)
			got := run(t, shell.Command{Line: fmt.Sprintf(c.line, sleep), Max: 3 * time.Second})
			wantGone(t, sleep)
			same(t, []any{got.Ended, got.Lost}, []any{c.ended, c.lost})
		})
	}
	// The next command gets a new supervisor.
	same(t, run(t, shell.Command{Line: "echo fine"}).Output, "fine\n")
}

// state returns the settings of a terminal.
func state(f *os.File) (unix.Termios, error) {
	s, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	if err != nil {
		return unix.Termios{}, err
	}
	return *s, nil
}

func TestUnkillableProcessesAreNotWaitedFor(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root to become another user")
	}
	const nobody = 65534
	dir, err := os.MkdirTemp("/var/tmp", "shell") // readable by user nobody
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	self, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	plain, sudo := filepath.Join(dir, "plain"), filepath.Join(dir, "sudo")
	for _, err := range []error{
		os.WriteFile(plain, self, 0o700), os.Chmod(plain, 0o755), os.Chown(dir, nobody, nobody),
		os.WriteFile(sudo, self, 0o700), os.Chmod(sudo, 0o755|os.ModeSetuid),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	own, roots := longSleep(t), longSleep(t)
	line := fmt.Sprintf("%s=%s exec %s >%s/said & %s & until grep nil %[4]s/said; do sleep 0.01; done",
		rootVariable, strings.TrimPrefix(roots, "sleep "), sudo, dir, own)
	cmd := program(t, line)
	cmd.Path, cmd.file = plain, filepath.Join(dir, "result")
	cmd.Env = append(cmd.Env, resultVariable+"="+cmd.file)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s, %v", out, err)
	}
	got := cmd.result()
	if !strings.HasPrefix(got.Output, "<nil>") {
		t.Skip("cannot become root: ", got.Output)
	}
	same(t, []any{got.Ended, got.Lost}, []any{"exit 0", true})
	wantGone(t, own)
	left := processesWith(t, roots)
	if len(left) != 1 {
		t.Fatalf("a process of root's is expected to be left: %v; result %+v", left, got)
	}
	var pid int
	if _, err := fmt.Sscanf(left[0], "/proc/%d/", &pid); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Error(err)
	}
}
