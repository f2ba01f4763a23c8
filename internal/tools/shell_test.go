//go:build unix

package tools_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/tools"
	"agent/internal/tools/shell"
	"agent/internal/tools/workspace"
)

// prepareShell prepares a call of the shell tool in dir.
func prepareShell(t *testing.T, dir string, args any) (tools.Call, error) {
	t.Helper()
	ws, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ws.Close() })
	return newCommands(t, ws, nil).prepare("shell", args)
}

// commands are the tools of an agent that run commands.
type commands struct {
	t     testing.TB
	tools []tools.Tool
}

func newCommands(t *testing.T, ws *workspace.Workspace, jobs *tools.Jobs) commands {
	if jobs != nil {
		t.Cleanup(jobs.Close)
	}
	return commands{t, tools.Commands{Workspace: ws}.Tools(jobs)}
}

func (c commands) prepare(name string, args any) (tools.Call, error) {
	c.t.Helper()
	b, err := json.Marshal(args)
	if err != nil {
		c.t.Fatal(err)
	}
	for _, tool := range c.tools {
		if tool.Spec().Name == name {
			return tool.Prepare(c.t.Context(), b)
		}
	}
	c.t.Fatalf("there is no tool %s", name)
	return tools.Call{}, nil
}

// run runs a tool and fails the test on an error.
func (c commands) run(name string, args any) tools.Result {
	c.t.Helper()
	call, err := c.prepare(name, args)
	if err != nil {
		c.t.Fatal(err)
	}
	r, err := call.Run(c.t.Context(), tools.Approved{})
	if err != nil {
		c.t.Fatalf("%s %v: %v", name, args, err)
	}
	return r
}

// wantError runs a call that must fail and returns its error.
func (c commands) wantError(name string, args any) string {
	c.t.Helper()
	call, err := c.prepare(name, args)
	if err == nil {
		_, err = call.Run(c.t.Context(), tools.Approved{})
	}
	if err == nil {
		c.t.Fatalf("%s %v was done", name, args)
	}
	return err.Error()
}

func same[T any](t *testing.T, got, want T) {
	t.Helper()
	if d := cmp.Diff(got, want); d != "" {
		t.Errorf("got (-), want (+):\n%s", d)
	}
}

// insteadOfCommand is what the model does instead of a command that the permission mode denies.
const insteadOfCommand = "Use a command that only reads, or the tools read and search. The user leaves the mode to allow other commands"

func TestShellDescribesItsCall(t *testing.T) {
	for command, title := range map[string]string{
		"go test ./...":          "shell go test ./...",
		"\n  make\n\nmake two\n": "shell make (+2 lines)",
		"echo a\nb":              "shell echo a (+1 line)",
		"echo '\x1b[31mé\u202e'": `shell echo '\x1b[31mé\u202e'`,
		strings.Repeat("é", 300): "shell " + strings.Repeat("é", 119) + "…",
	} {
		dir := t.TempDir()
		c, err := prepareShell(t, dir, obj{"command": command})
		if err != nil {
			t.Fatal(err)
		}
		got := []any{c.Title, c.Effect, c.Targets, c.Instead}
		want := []any{title, tools.Execute, []tools.Target{{Kind: tools.Command, Value: command, Dir: dir}}, insteadOfCommand}
		if d := cmp.Diff(got, want); d != "" {
			t.Errorf("%q: got (-), want (+):\n%s", command, d)
		}
	}
}

func TestShellRejectsArguments(t *testing.T) {
	for _, c := range []struct {
		args any
		want string
	}{
		{obj{"command": " \n"}, "the command is empty"},
		{obj{"command": "a\x00b"}, "NUL byte"},
		{obj{"command": strings.Repeat("x", 200<<10)}, "Write it to a file"},
		{obj{"command": "true", "timeout_seconds": -1}, "it must be at least 1"},
		{obj{"command": "true", "timeout_seconds": 0}, "it must be at least 1"},
		{obj{"command": "true", "at_limit": "wait"}, "background or end"},
		{obj{"command": "true", "dry_run": true}, `does not take "dry_run"`},
		{obj{"command": "true", "run_in_background": true}, "Call jobs"},
	} {
		if _, err := prepareShell(t, t.TempDir(), c.args); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.60v: %v", c.args, err)
		}
	}
}

// The request for access is read from what this and other assistants send.
func TestShellReadsRequests(t *testing.T) {
	dir, home := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	network := tools.AccessRequest{Network: true, Reason: "get: the list"}
	outside := tools.AccessRequest{Outside: true, Reason: "why not"}
	for _, c := range []struct {
		args obj
		want *tools.AccessRequest
	}{
		{obj{}, nil},
		{obj{"access": ""}, nil},
		{obj{"access": "network: get: the\nlist"}, &network},
		{obj{"access": "Network"}, &tools.AccessRequest{Network: true}},
		{obj{"access": "network, ~/a and b/c: why not"}, &tools.AccessRequest{Network: true, Write: []string{home + "/a", dir + "/b/c"}, Reason: "why not"}},
		{obj{"access": "'/etc/../srv/x', ../y: why not"}, &tools.AccessRequest{Write: []string{"/srv/x", filepath.Dir(dir) + "/y"}, Reason: "why not"}},
		{obj{"access": obj{"network": true, "paths": []string{"/srv"}, "reason": "why not"}}, &tools.AccessRequest{Network: true, Write: []string{"/srv"}, Reason: "why not"}},
		{obj{"with_escalated_permissions": true, "justification": "why not"}, &outside},
		{obj{"with_escalated_permissions": false, "justification": "why not"}, nil},
		{obj{"sandbox_permissions": "require_escalated", "justification": "why not"}, &outside},
		{obj{"sandbox_permissions": "use_default"}, nil},
		{obj{"justification": "why not"}, nil},
		{obj{"dangerouslyDisableSandbox": true}, &tools.AccessRequest{Outside: true}},
		{obj{"required_permissions": []string{"full_network"}}, &tools.AccessRequest{Network: true}},
		{obj{"required_permissions": []string{"all"}}, &tools.AccessRequest{Outside: true}},
	} {
		c.args["command"] = "make"
		call, err := prepareShell(t, dir, c.args)
		if err != nil {
			t.Errorf("%v: %v", c.args, err)
		} else if d := cmp.Diff(call.Request, c.want); d != "" {
			t.Errorf("%v: got (-), want (+):\n%s", c.args, d)
		}
	}
	for _, access := range []string{"everything", ": why", "read /etc: why"} {
		if _, err := prepareShell(t, dir, obj{"command": "make", "access": access}); err == nil || !strings.Contains(err.Error(), "access cannot be") {
			t.Errorf("%q: %v", access, err)
		}
	}
}

// Without a user, the access is not offered, because nobody can approve it. A call with it is still
// understood.
func TestAccessIsOfferedToAskAUser(t *testing.T) {
	ws, _ := newWorkspace(t, nil)
	for _, unattended := range []bool{false, true} {
		jobs := tools.NewJobs()
		t.Cleanup(jobs.Close)
		c := commands{t, tools.Commands{Workspace: ws, Unattended: unattended}.Tools(jobs)}
		for _, tool := range c.tools {
			spec := tool.Spec()
			for _, schema := range []string{string(spec.Schema), string(spec.Strict)} {
				if strings.Contains(schema, `"access"`) == unattended || !strings.Contains(schema, `"command"`) {
					t.Errorf("%s, unattended %v: %s", spec.Name, unattended, schema)
				}
			}
		}
		if call, err := c.prepare("shell", obj{"command": "make", "access": "network: why"}); err != nil || call.Request == nil {
			t.Errorf("unattended %v: %+v, %v", unattended, call.Request, err)
		}
	}
}

func TestShellPreparesWithoutRunning(t *testing.T) {
	dir := t.TempDir()
	if _, err := prepareShell(t, dir, obj{"command": "touch ran"}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "ran")); err == nil {
		t.Error("it ran")
	}
}

// code returns a pointer to an exit code.
func code(n int) *int { return &n }

func TestShellRuns(t *testing.T) {
	for _, c := range []struct {
		command string
		want    tools.Result
	}{
		{"echo a; echo b >&2", tools.Result{Text: "a\nb\n[exit 0]\n", Summary: "exit 0 · 2 lines", ExitCode: code(0)}},
		{"true", tools.Result{Text: "[exit 0]\n", Summary: "exit 0 · no output", ExitCode: code(0)}},
		{"false | cat", tools.Result{Text: "[exit 0; false: exit 1]\n", Summary: "exit 0, false: exit 1 · no output", ExitCode: code(0), Codes: []int{1, 0}}},
		{"true && yes | head -1", tools.Result{Text: "y\n[exit 0]\n", Summary: "exit 0 · 1 line", ExitCode: code(0), Codes: []int{141, 0}}},
		{"(exit 3) | sh -c 'exit 4'; true | exit 5", tools.Result{Text: "[exit 5]\n", Summary: "exit 5 · no output", IsError: true, ExitCode: code(5)}},
		{"cd . && grep x /dev/null", tools.Result{Text: "[exit 1: no match]\n", Summary: "exit 1: no match · no output", IsError: true, ExitCode: code(1)}},
		{"false | cat; true", tools.Result{Text: "[exit 0]\n", Summary: "exit 0 · no output", ExitCode: code(0)}},
		{"printf x; exit 2", tools.Result{Text: "x\n[exit 2]\n", Summary: "exit 2 · 1 line", IsError: true, ExitCode: code(2)}},
		{"kill -SEGV $$", tools.Result{Text: "[killed by SIGSEGV]\n", Summary: "killed by SIGSEGV · no output", IsError: true}},
	} {
		ws, _ := newWorkspace(t, nil)
		same(t, newCommands(t, ws, nil).run("shell", obj{"command": c.command}), c.want)
	}
}

func TestShellEndsAtItsLimit(t *testing.T) { // P10
	long := "[still running after 1 s, the limit; stopped. If it needs longer, set timeout_seconds (up to 600); if it never ends, run it so that it does]\n"
	quiet := "[no output for 1 s, the limit; stopped. If that is expected, omit quiet_seconds; if it waits for input, give the input in the command]\n"
	for _, c := range []struct {
		jobs *tools.Jobs
		args obj
		text string
	}{
		{nil, obj{"timeout_seconds": 1}, long},
		{tools.NewJobs(), obj{"timeout_seconds": 1, "at_limit": "end"}, long},
		{nil, obj{"quiet_seconds": 1}, quiet},
		{tools.NewJobs(), obj{"quiet_seconds": 1, "at_limit": "end"}, quiet},
	} {
		ws, _ := newWorkspace(t, nil)
		c.args["command"] = "echo a; sleep 600"
		got := newCommands(t, ws, c.jobs).run("shell", c.args)
		same(t, strings.TrimPrefix(got.Text, "a\n"), c.text) // a busy machine may not reach the echo
		if !got.IsError || !strings.HasPrefix(got.Summary, "stopped after ") {
			t.Errorf("result %+v", got)
		}
	}
}

func TestShellInterruptedKeepsItsOutput(t *testing.T) {
	c, err := prepareShell(t, t.TempDir(), obj{"command": "echo ready; sleep 600"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	got, err := c.Run(ctx, tools.Approved{Progress: func(string) { stop() }})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	got.Text = regexp.MustCompile(`[0-9.]+ s`).ReplaceAllString(got.Text, "N s")
	want := tools.Result{Text: "ready\n[interrupted after N s]\n", Summary: "interrupted · 1 line", IsError: true}
	if d := cmp.Diff(got, want); d != "" {
		t.Errorf("got (-), want (+):\n%s", d)
	}
}

func TestShellWithoutItsDirectory(t *testing.T) { // P14
	dir := filepath.Join(t.TempDir(), "here")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	ws, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	c := newCommands(t, ws, nil)
	same(t, c.run("shell", obj{"command": `rm -r "$PWD"`}).Text, "[exit 0]\n")
	if got := c.wantError("shell", obj{"command": "true"}); !strings.Contains(got, "working directory does not exist") {
		t.Error(got)
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	same(t, c.run("shell", obj{"command": "true"}).Text, "[exit 0]\n")
}

func TestShellKeepsTheDirectory(t *testing.T) {
	ws, dir := newWorkspace(t, map[string]string{"a b/c/file": "", "d/file": ""})
	if err := os.Symlink("d", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	elsewhere, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("ELSEWHERE", elsewhere)
	t.Setenv("TMPDIR", t.TempDir())
	c := newCommands(t, ws, nil)
	for _, step := range []struct{ command, want string }{
		{"cd 'a b'/c && ls", "file\n[the next command runs in a b/c]\n[exit 0]\n"},
		{"pwd", "$WORK/a b/c\n[exit 0]\n"},
		{"cd ../../link; pwd; false", "$WORK/link\n[the next command runs in d]\n[exit 1]\n"},
		{"pushd .. >/dev/null; exit 3", "[the next command runs in the working directory]\n[exit 3]\n"},
		{"(cd d; ls)", "file\n[exit 0]\n"},
		{"set -e; cd d; false; echo never", "[the next command runs in d]\n[exit 1]\n"},
		{"set -euC; cd ..; echo $0 $#", "bash 0\n[the next command runs in the working directory]\n[exit 0]\n"},
		{"set -x; cd d", "+ cd d\n[the next command runs in d]\n[exit 0]\n"},
		{"cd .. && kill -TERM $$", "[the next command runs in the working directory]\n[killed by SIGTERM]\n"},
		{"cd d; bash -c 'trap -p; env | grep BASH_ENV'; cd ..", inheritedTrap() + "[exit 0]\n"},
		{"cd nowhere 2>/dev/null", "[exit 1]\n"},
		{"cd() { command cd \"$@\"; }; pwd() { echo x; }; cd d", "[the next command runs in d]\n[exit 0]\n"},
		{"cd ..; mkdir gone; cd gone", "[the next command runs in gone]\n[exit 0]\n"},
		{"rmdir ../gone; true", "[exit 0]\n"},
		{"pwd", "$WORK\n[the directory gone no longer exists; this ran in $WORK]\n[exit 0]\n"},
		{"pwd", "$WORK\n[exit 0]\n"},
		{"cd d; cd \"$ELSEWHERE\"", "[ended in $ELSEWHERE, outside the working directory; the next command runs in $WORK]\n[exit 0]\n"},
		{"pwd", "$WORK\n[exit 0]\n"},
		// The final directory of these is unknown.
		{"cd d; exec true", "[exit 0]\n"},
		{"cd d; trap 'exit 4' EXIT", "[exit 4]\n"},
	} {
		got := c.run("shell", obj{"command": step.command}).Text
		got = strings.ReplaceAll(strings.ReplaceAll(got, dir, "$WORK"), elsewhere, "$ELSEWHERE")
		got = strings.ReplaceAll(got, shell.Program(), "bash")
		if got != step.want {
			t.Errorf("%s: %q, want %q", step.command, got, step.want)
		}
	}
	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestCommandsStartWithDefaultSignalDispositions(t *testing.T) {
	// This is how a parent without job control starts its children.
	ignored := []os.Signal{syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTSTP, syscall.SIGTTIN, syscall.SIGTTOU}
	signal.Ignore(ignored...)
	defer signal.Reset(ignored...)
	ws, _ := newWorkspace(t, nil)
	c := newCommands(t, ws, nil)
	same(t, c.run("shell", obj{"command": "bash -c 'trap -p'"}).Text, inheritedTrap()+"[exit 0]\n")
}

// inheritedTrap returns what bash prints about the signal that stays ignored in commands:
// SIGHUP, if this test was started under nohup.
func inheritedTrap() string {
	if signal.Ignored(syscall.SIGHUP) {
		return "trap -- '' SIGHUP\n"
	}
	return ""
}

func TestShellKeepsTheDirectoryWithoutBash(t *testing.T) {
	ws, dir := newWorkspace(t, map[string]string{"d/file": ""})
	t.Setenv("PATH", dir)
	c := newCommands(t, ws, nil)
	same(t, c.run("shell", obj{"command": "cd d; exit 3"}).Text, "[the next command runs in d]\n[exit 3]\n")
	same(t, c.run("shell", obj{"command": "pwd"}).Text, filepath.Join(dir, "d")+"\n[exit 0]\n")
}

func TestShellSavesTheCompleteOutput(t *testing.T) {
	ws, _ := newWorkspace(t, nil)
	outputs := filepath.Join(t.TempDir(), "outputs")
	ws.Attach(outputs)
	c := newCommands(t, ws, nil)
	if got := c.run("shell", obj{"command": "seq 100"}).Text; strings.Contains(got, "[the complete") {
		t.Errorf("short output: %s", got)
	}
	if _, err := os.Stat(outputs); err == nil {
		t.Error("a directory was made for nothing")
	}
	got := c.run("shell", obj{"command": "seq 100000"}).Text
	note := regexp.MustCompile(`\n\[the complete output, 100000 lines, is in (.+); use read or search on it\]\n\[exit 0\]\n$`).FindStringSubmatch(got)
	if note == nil {
		t.Fatalf("output %s", got)
	}
	text, err := os.ReadFile(note[1])
	if err != nil || strings.Count(string(text), "\n") != 100000 || !strings.HasSuffix(string(text), "\n99999\n100000\n") {
		t.Errorf("the file has %d bytes, %v", len(text), err)
	}
	for path, want := range map[string]os.FileMode{outputs: os.ModeDir | 0o700, note[1]: 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode() != want {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
	read := tools.Files(ws, nil)[0]
	call, err := read.Prepare(t.Context(), json.RawMessage(fmt.Sprintf(`{"path": %q, "offset": 70000, "limit": 1}`, note[1])))
	if err != nil {
		t.Fatal(err)
	}
	if r, err := call.Run(t.Context(), tools.Approved{}); err != nil || !strings.Contains(r.Text, "70000") {
		t.Errorf("read: %v, %v", r.Text, err)
	}
}

func TestShellRunsWithoutTheOutputFile(t *testing.T) {
	ws, dir := newWorkspace(t, map[string]string{"file": ""})
	ws.Attach(filepath.Join(dir, "file", "outputs"))
	got := newCommands(t, ws, nil).run("shell", obj{"command": "seq 100000"})
	if !strings.Contains(got.Text, "\n100000\n[the complete output was not saved: ") || got.IsError {
		t.Errorf("result %+v", got)
	}
}
