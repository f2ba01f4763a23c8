package shell_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"agent/internal/tools/shell"
)

// longSleep returns a sleep command of ten minutes that no other process runs.
func longSleep(t *testing.T) string {
	t.Helper()
	return fmt.Sprintf("sleep 600.%d%d", os.Getpid(), time.Now().UnixNano())
}

// processesWith returns the live processes with what in their command lines.
func processesWith(t *testing.T, what string) (found []string) {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, _ := os.ReadFile(file)
		if line := string(bytes.ReplaceAll(text, []byte{0}, []byte(" "))); strings.Contains(line, what) {
			found = append(found, file+": "+line)
		}
	}
	return found
}

// wantGone fails the test if a process with what in its command line is alive.
func wantGone(t *testing.T, what string) {
	t.Helper()
	if found := processesWith(t, what); found != nil {
		t.Errorf("still there: %v", found)
	}
}

func TestProcessesWithFindsProcesses(t *testing.T) {
	sleep := longSleep(t)
	cmd := exec.Command("sh", "-c", "echo; exec "+sleep)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	out.Read(make([]byte, 1))
	if processesWith(t, sleep) == nil {
		t.Error("a process that runs is not seen")
	}
	cmd.Process.Kill()
	cmd.Wait()
	wantGone(t, sleep)
}

func TestCancelKillsEveryProcess(t *testing.T) { // P1, P2, P3, P4
	for _, c := range []struct {
		name, line string // %s is a long sleep
	}{
		{"one", "echo ready; %s"},
		{"a pipe and children", "%[1]s | cat & ( %[1]s & %[1]s & wait ) & echo ready; wait"},
		{"deaf to TERM and INT", "trap '' TERM INT HUP; echo ready; while :; do %s; done"},
		{"a deaf child of a polite shell", "(trap '' TERM INT HUP; %s; %[1]s) & echo ready; wait"},
		{"its own session", "setsid %s & echo ready; wait"},
		{"a daemon", "(setsid nohup %s >/dev/null 2>&1 &); echo ready; sleep 30"},
		{"stopped", "%s & kill -STOP $!; echo ready; wait"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			sleep := longSleep(t)
			cancel(t, shell.Command{Line: fmt.Sprintf(c.line, sleep)})
			wantGone(t, sleep)
		})
	}
}

func TestProcessesThatIgnoreSignalsAreKilled(t *testing.T) { // P2
	t.Parallel()
	got := cancel(t, shell.Command{Line: "trap '' TERM INT; echo ready; while :; do sleep 1; done"})
	same(t, got.Ended, "killed by SIGKILL")
}

func TestForceDoesNotWait(t *testing.T) { // P2
	t.Parallel()
	force := make(chan struct{})
	ctx, stop := context.WithCancel(t.Context())
	got, err := shell.Run(ctx, shell.Command{
		Line: "trap '' TERM INT; echo ready; while :; do sleep 1; done", Dir: t.TempDir(), Env: os.Environ(),
		Grace: 10 * time.Minute, Force: force,
		Progress: func(string) { stop(); close(force) },
	})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	same(t, got.Ended, "killed by SIGKILL")
}

func TestManyProcessesAreKilled(t *testing.T) { // P11
	t.Parallel()
	sleep := longSleep(t)
	cancel(t, shell.Command{Line: "f() { [ $1 -eq 0 ] || { setsid " + sleep + " & f $(($1-1)) & f $(($1-1)) & }; " + sleep + "; }; f 5 & echo ready; wait"})
	wantGone(t, sleep)
}

func TestForkBombIsContained(t *testing.T) { // P11
	t.Parallel()
	fence := regexp.MustCompile(`/.*/agent-\d+\n|/agent-\d+\n`).FindString(run(t, shell.Command{Line: "cat /proc/self/cgroup"}).Output)
	if fence == "" {
		t.Skip("unproven: no control group can be made here")
	}
	for _, hierarchy := range []string{"", "/pids"} {
		if _, err := os.Stat("/sys/fs/cgroup" + hierarchy + strings.TrimSpace(fence)); err == nil {
			t.Errorf("the control group %s is left behind", fence)
		}
	}
	sleep := longSleep(t)
	ctx, stop := context.WithCancel(t.Context())
	said := ""
	_, err := shell.Run(ctx, shell.Command{
		Line: "for i in $(seq 100); do " + sleep + " & done; wait", Dir: t.TempDir(), Env: os.Environ(), Processes: 20,
		Progress: func(text string) {
			if said += text; strings.Contains(said, "Resource temporarily unavailable") {
				stop()
			}
		},
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, output %q", err, said)
	}
	wantGone(t, sleep)
}

func TestBackgroundProcessesEndWithTheCommand(t *testing.T) { // P4, P9
	for _, c := range []struct {
		name, line string
	}{
		{"in the background, holding the output", "%s & echo done"},
		{"in the background, quiet", "%s >/dev/null 2>&1 & echo done"},
		{"a daemon that holds the output", "(setsid nohup %s &) ; echo done"},
		{"a quiet daemon", "(setsid nohup %s >/dev/null 2>&1 &) ; echo done"},
		{"a group of its own", "set -m; %s >/dev/null 2>&1 & echo done"},
		{"without our environment", "env -i PATH=$PATH %s >/dev/null 2>&1 & echo done"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			sleep := longSleep(t)
			got := run(t, shell.Command{Line: fmt.Sprintf(c.line, sleep)})
			wantGone(t, sleep)
			if !strings.Contains(got.Output, "done\n") || got.Code != 0 || !got.Left {
				t.Errorf("result %+v", got)
			}
		})
	}
}

func TestLateOutputIsWaitedFor(t *testing.T) { // P9
	got := run(t, shell.Command{Line: "(while kill -0 $$ 2>/dev/null; do sleep 0.01; done; echo late) & echo early"})
	got.Took = 0
	same(t, got, shell.Result{Output: "early\nlate\n", Lines: 2, Ended: "exit 0"})
}

func TestClosedOutputIsNotTheEnd(t *testing.T) { // P9
	dir := t.TempDir()
	got := run(t, shell.Command{Line: "exec >&- 2>&-; sleep 0.3; touch finished; exit 4", Dir: dir})
	same(t, got.Code, 4)
	if _, err := os.Stat(filepath.Join(dir, "finished")); err != nil {
		t.Error(err)
	}
}

func TestOtherProcessesAreNotKilled(t *testing.T) {
	sleep := longSleep(t)
	ready, ended := make(chan struct{}), make(chan struct{})
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		defer close(ended)
		shell.Run(ctx, shell.Command{
			Line: "setsid " + sleep + " & echo ready; wait", Dir: t.TempDir(), Env: os.Environ(),
			Progress: func(string) { close(ready) },
		})
	}()
	<-ready
	run(t, shell.Command{Line: "sleep 30 >/dev/null 2>&1 & true"})
	if processesWith(t, sleep) == nil {
		t.Error("the end of a command took a process of another's")
	}
	stop()
	<-ended
	wantGone(t, sleep)
}

func TestChildrenSeeThreeDescriptors(t *testing.T) { // P27
	f, err := os.Open("/")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	got := run(t, shell.Command{Line: "ls /proc/self/fd"})
	same(t, got.Output, "0\n1\n2\n3\n") // ls itself has 3
}

func TestFiftyCancelledInARow(t *testing.T) { // P28
	sleep := longSleep(t)
	cancel(t, shell.Command{Line: "echo ready; " + sleep})
	fds, goroutines := descriptors(t), runtime.NumGoroutine()
	for range 50 {
		cancel(t, shell.Command{Line: "echo ready; " + sleep + " | cat"})
	}
	if n := descriptors(t); n > fds {
		t.Errorf("%d descriptors, before %d", n, fds)
	}
	if n := runtime.NumGoroutine(); n > goroutines+2 {
		t.Errorf("%d goroutines, before %d", n, goroutines)
	}
	if z := zombies(t); z != nil {
		t.Errorf("zombies: %v", z)
	}
	wantGone(t, sleep)
	t.Attr("promise", "commands that are stopped leave nothing: commands stopped in a row: 50")
}

func descriptors(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

// zombies returns the children that have exited and were not waited for.
func zombies(t *testing.T) (found []string) {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, _ := os.ReadFile(file)
		_, rest, _ := strings.Cut(string(text), ") ")
		if c := strings.Fields(rest); len(c) > 1 && c[0] == "Z" && c[1] == strconv.Itoa(os.Getpid()) {
			found = append(found, string(text))
		}
	}
	return found
}
