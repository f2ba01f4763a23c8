package process_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"agent/internal/tools/process"
	"agent/internal/tools/shell/sandbox"
	"agent/internal/tools/shell/supervisor"
)

func TestMain(m *testing.M) {
	supervisor.Run(nil)
	sandbox.Run()
	if line, ok := os.LookupEnv("PROCESS_TEST_PARENT"); ok {
		parent(line)
	}
	if runtime.GOOS == "windows" {
		fmt.Println("skipped: the tests run programs of Unix")
		return
	}
	os.Exit(m.Run())
}

// parent starts a program, prints its first line, and waits to be killed.
func parent(line string) {
	p, err := process.Start(process.Program{Args: []string{"/bin/sh", "-c", line}, Dir: "/", Env: os.Environ()})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	text, _ := bufio.NewReader(p.Stdout()).ReadString('\n')
	fmt.Print(text)
	<-time.After(time.Hour) // without cgo, select {} would end the program as a deadlock
}

// start starts a line of the shell, and closes it at the end of the test.
func start(t *testing.T, p process.Program, line string) *process.Process {
	t.Helper()
	p.Args = []string{"sh", "-c", line}
	if p.Dir == "" {
		p.Dir = t.TempDir()
	}
	if p.Env == nil {
		p.Env = []string{"PATH=/usr/bin:/bin"}
	}
	s, err := process.Start(p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// wait waits for the end of a process and returns how it ended.
func wait(t *testing.T, p *process.Process) string {
	t.Helper()
	select {
	case <-p.Done():
	case <-time.After(30 * time.Second):
		t.Fatal("the program does not end")
	}
	_, words := p.ExitStatus()
	return words
}

func TestStreamsAreSeparate(t *testing.T) {
	dir := t.TempDir()
	p := start(t, process.Program{Dir: dir, Env: []string{"PATH=/usr/bin:/bin", "GREETING=hello"}}, `read word; echo "$GREETING $word $(pwd -P)"; echo problem >&2; cat; exit 3`)
	if _, err := io.WriteString(p.Stdin(), "you\nmore\n"); err != nil {
		t.Fatal(err)
	}
	p.Stdin().Close()
	out, err := io.ReadAll(p.Stdout())
	if err != nil {
		t.Fatal(err)
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	if want := "hello you " + real + "\nmore\n"; string(out) != want {
		t.Errorf("standard output is %q, want %q", out, want)
	}
	if got := wait(t, p); got != "exit 3" {
		t.Errorf("the program ended with %q", got)
	}
	if got := p.Log().String(); got != "problem\n" {
		t.Errorf("standard error is %q", got)
	}
}

func TestEnvironmentIsExact(t *testing.T) {
	t.Setenv("LEAKED", "secret")
	p := start(t, process.Program{Env: []string{"PATH=/usr/bin:/bin", "ONLY=this"}}, "env")
	out, err := io.ReadAll(p.Stdout())
	if err != nil {
		t.Fatal(err)
	}
	if text := string(out); strings.Contains(text, "LEAKED") || !strings.Contains(text, "ONLY=this") {
		t.Errorf("the environment is %q", text)
	}
}

func TestStandardErrorNeverBlocksTheProgram(t *testing.T) {
	p := start(t, process.Program{}, "head -c 1000000 /dev/zero | tr '\\0' x >&2; echo the end >&2; echo done")
	out, err := io.ReadAll(p.Stdout())
	if err != nil || string(out) != "done\n" {
		t.Fatalf("read %q, %v", out, err)
	}
	wait(t, p)
	if got := p.Log().String(); len(got) != process.LogSize || !strings.HasSuffix(got, "xthe end\n") {
		t.Errorf("the log has %d bytes and ends with %q", len(got), got[max(0, len(got)-20):])
	}
	if got := p.Log().Last(1); !strings.HasSuffix(got, "the end") {
		t.Errorf("the last line is %d bytes", len(got))
	}
}

func TestDescendantsEndWithTheProgram(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("other systems have no subreaper")
	}
	p := start(t, process.Program{}, "setsid sh -c 'trap \"\" TERM HUP; echo $$; exec sleep 600' & read never")
	child, err := bufio.NewReader(p.Stdout()).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	proc := "/proc/" + strings.TrimSpace(child)
	if _, err := os.Stat(proc); err != nil {
		t.Fatal(err)
	}
	if p.Memory() <= 0 {
		t.Error("the memory of the program is unknown")
	}
	p.Close()
	if _, err := os.Stat(proc); err == nil {
		t.Error("a daemon of the program has survived")
	}
}

func TestCloseEndsAProgramThatIgnoresIt(t *testing.T) {
	for _, c := range []struct {
		line, want string
		grace      time.Duration
	}{
		{"echo ready; read never", "exit 1", time.Hour},
		{"trap 'exit 7' TERM; echo ready; while :; do sleep 0.01; done", "exit 7", time.Second},
		{"trap '' TERM; echo ready; while :; do sleep 600; done", "killed by SIGKILL", 100 * time.Millisecond},
	} {
		p := start(t, process.Program{Grace: c.grace}, c.line)
		if _, err := bufio.NewReader(p.Stdout()).ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		p.Close()
		if got := wait(t, p); got != c.want {
			t.Errorf("%s: the program ended with %q, want %q", c.line, got, c.want)
		}
	}
}

func TestKillDoesNotWait(t *testing.T) {
	p := start(t, process.Program{Grace: time.Hour}, "echo ready; sleep 600")
	if _, err := bufio.NewReader(p.Stdout()).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	p.Kill()
	if got := wait(t, p); got != "killed by SIGKILL" {
		t.Errorf("the program ended with %q", got)
	}
}

func TestNothingSurvivesTheDeathOfThisProgram(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("other systems have no subreaper")
	}
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), "PROCESS_TEST_PARENT=setsid sh -c 'echo $$; exec sleep 600' & exec sleep 600")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	child, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // killed
	proc := "/proc/" + strings.TrimSpace(child)
	limit := time.After(30 * time.Second)
	for {
		stat, err := os.ReadFile(proc + "/stat")
		if err != nil || strings.Contains(string(stat), ") Z ") {
			return
		}
		select {
		case <-limit:
			t.Fatal("a process has survived")
		default:
			runtime.Gosched()
		}
	}
}

func TestSandboxConfinesTheProgram(t *testing.T) {
	report := sandbox.Probe()
	if report.Form == sandbox.None {
		t.Skip("no sandbox on this system: " + report.Reason)
	}
	session := sandbox.NewSession(report.Form)
	t.Cleanup(session.Close)
	dir := t.TempDir()
	outside := t.TempDir()
	p, err := process.Start(process.Program{
		Args: []string{"sh", "-c", "echo fine; echo inside >file; echo outside >" + outside + "/file; echo problem >&2"}, Dir: dir,
		Env: []string{"PATH=/usr/bin:/bin"}, Sandbox: &sandbox.Profile{Session: session, Write: []string{dir}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	out, err := io.ReadAll(p.Stdout())
	if err != nil || string(out) != "fine\n" {
		t.Errorf("read %q, %v", out, err)
	}
	wait(t, p)
	if !strings.Contains(p.Log().String(), "problem\n") {
		t.Errorf("standard error is %q", p.Log().String())
	}
	if _, err := os.Stat(filepath.Join(dir, "file")); err != nil {
		t.Errorf("the program cannot write its directory: %v", err)
	}
	if _, err := os.Stat(filepath.Join(outside, "file")); err == nil {
		t.Error("the program has written outside of its sandbox")
	}
}

func TestProgramsThatDoNotStart(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "local"), []byte("#!/bin/sh\necho local\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, p := range map[string]process.Program{
		"no such program":        {Args: []string{"no-such-program"}, Dir: dir, Env: []string{"PATH=/usr/bin:/bin"}},
		"relative entry of PATH": {Args: []string{"local"}, Dir: dir, Env: []string{"PATH=.:/bin"}},
		"no directory":           {Args: []string{"sh"}, Dir: filepath.Join(dir, "none"), Env: []string{"PATH=/bin"}},
		"no arguments":           {Dir: dir},
	} {
		if s, err := process.Start(p); err == nil {
			s.Kill()
			t.Errorf("%s: the program has started", name)
		}
	}
	s, err := process.Start(process.Program{Args: []string{"./local"}, Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	if out, err := io.ReadAll(s.Stdout()); err != nil || string(out) != "local\n" {
		t.Errorf("read %q, %v", out, err)
	}
}
