package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"agent/cmd/agent/headless"
)

// frontEnd is a program that controls `agent run` with stream-json.
type frontEnd struct {
	t      *testing.T
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Scanner
	dir    string // the workspace
	schema *jsonschema.Resolved
}

// startFrontEnd starts `agent run` with a model that plays answers.
func startFrontEnd(t *testing.T, answers ...answer) *frontEnd {
	t.Helper()
	return startFrontEndIn(t, t.TempDir(), homeEnv(t), "--base-url", serve(t, answers...).URL+"/v1")
}

// startFrontEndIn starts `agent run` in a workspace, with an environment and further flags.
func startFrontEndIn(t *testing.T, dir string, env []string, flags ...string) *frontEnd {
	t.Helper()
	f := &frontEnd{t: t, dir: dir, schema: outputSchema(t)}
	f.cmd = exec.Command("agent", append([]string{"run", "--input", "stream-json", "--output", "stream-json", "--include-partial", "--model", "openai/m"}, flags...)...)
	f.cmd.Dir, f.cmd.Env = f.dir, env
	f.cmd.Stderr = os.Stderr
	var err error
	if f.in, err = f.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := f.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	f.out = bufio.NewScanner(out)
	f.out.Buffer(nil, 16<<20)
	if err := f.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill := time.AfterFunc(time.Minute, func() { _ = f.cmd.Process.Kill() })
	t.Cleanup(func() {
		kill.Stop()
		if f.cmd.ProcessState == nil {
			_ = f.cmd.Process.Kill()
			_ = f.cmd.Wait()
		}
	})
	return f
}

// homeEnv returns an environment with a home directory of its own.
func homeEnv(t *testing.T) []string {
	t.Helper()
	home := t.TempDir()
	return []string{"HOME=" + home, "USERPROFILE=" + home, "LocalAppData=" + home, "PATH=" + os.Getenv("PATH"), "SystemRoot=" + os.Getenv("SystemRoot")}
}

func outputSchema(t *testing.T) *jsonschema.Resolved {
	t.Helper()
	text, err := headless.Schemas()["output"]()
	if err != nil {
		t.Fatal(err)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	schema, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// send writes a line.
func (f *frontEnd) send(line string) {
	f.t.Helper()
	if _, err := io.WriteString(f.in, line+"\n"); err != nil {
		f.t.Fatal(err)
	}
}

// until reads lines up to one of that type, and returns it. Each line must match the
// schema.
func (f *frontEnd) until(typ string) map[string]any {
	f.t.Helper()
	var last string
	for f.out.Scan() {
		var e map[string]any
		last = f.out.Text()
		if err := json.Unmarshal(f.out.Bytes(), &e); err != nil {
			f.t.Fatalf("%s: %v", last, err)
		}
		if err := f.schema.Validate(e); err != nil {
			f.t.Errorf("%.300s: %v", last, err)
		}
		if e["type"] == typ {
			return e
		}
	}
	f.t.Fatalf("the output ended without %s; its last line is %s: %v", typ, last, f.out.Err())
	return nil
}

// end closes the input and returns the exit code.
func (f *frontEnd) end() int {
	f.t.Helper()
	_ = f.in.Close()
	for f.out.Scan() {
	}
	err := f.cmd.Wait()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		f.t.Fatal(err)
	}
	return f.cmd.ProcessState.ExitCode()
}

// same compares some fields of an event.
func same(t *testing.T, e map[string]any, want map[string]any) {
	t.Helper()
	got := map[string]any{}
	for name := range want {
		got[name] = e[name]
	}
	if d := cmp.Diff(got, want); d != "" {
		t.Errorf("%s: got (-), want (+):\n%s", e["type"], d)
	}
}

// Another program can do everything that a user does: prompts, answers, steering,
// interrupts, modes, undo. Bad lines do not end the session.
func TestAnotherProgramControlsARun(t *testing.T) {
	t.Parallel()
	create := `{"path":"made.txt","content":"hello\n"}`
	f := startFrontEnd(t, call("write", create), say("Made."), begin("I think"), call("write", create), say("Never mind."))
	if start := f.until("session"); start["directory"] != realDir(t, f.dir) || start["mode"] != "ask" || start["model"] != "openai/m" {
		t.Errorf("got %v", start)
	}

	f.send("hello")
	same(t, f.until("error"), map[string]any{"line": 1.0, "error": "the line is not valid JSON: invalid character 'h' looking for beginning of value"})
	f.send("\n" + `{"type":"prompt","text":"` + strings.Repeat("x", 10<<20) + `"}`)
	same(t, f.until("error"), map[string]any{"line": 3.0, "error": "the line is longer than 10 MiB"})
	f.send(`{"type":"prompt","text":"` + strings.Repeat("x", 4<<20+1) + `"}`)
	same(t, f.until("error"), map[string]any{"line": 4.0, "error": `prompt: "text" is longer than 4 MiB: write it to a file and name the file`})
	f.send(`{"type":"prompt","text":"","images":[{"media_type":"image/png","data":"AAAA"}]}`)
	if e := f.until("error"); !strings.HasPrefix(e["error"].(string), "prompt: images[0]: ") {
		t.Errorf("got %v", e)
	}

	f.send(`{"type":"prompt","text":"make it"}`)
	ask := f.until("ask")["ask"].(map[string]any)
	if diffs := ask["diffs"].([]any); ask["effect"] != "write" || diffs[0].(map[string]any)["path"] != "made.txt" {
		t.Errorf("got %v", ask)
	}
	f.send(`{"type":"answer","id":"another","decision":"allow"}`)
	same(t, f.until("error"), map[string]any{"error": `answer: no question with the ID "another" is open`})
	f.send(`{"type":"answer","id":` + quote(ask["id"].(string)) + `,"decision":"allow"}`)
	same(t, f.until("result"), map[string]any{"answer": "Made.", "reason": "done", "exit_code": 0.0})
	made := filepath.Join(f.dir, "made.txt")
	if b, err := os.ReadFile(made); string(b) != "hello\n" {
		t.Errorf("got %q, %v", b, err)
	}

	f.send(`{"type":"list_changes"}`)
	if diffs := f.until("changes")["diffs"].([]any); len(diffs) != 1 {
		t.Errorf("got %v", diffs)
	}
	f.send(`{"type":"plan_undo"}`)
	f.send(`{"type":"apply_undo","id":` + quote(f.until("undo_plan")["id"].(string)) + `}`)
	same(t, f.until("undone"), map[string]any{"restored": []any{"made.txt"}})
	if _, err := os.Stat(made); err == nil {
		t.Error("the file was not restored")
	}

	f.send(`{"type":"prompt","text":"think"}`)
	same(t, f.until("delta"), map[string]any{"piece": "text", "text": "I think"})
	f.send(`{"type":"prompt","text":"and this"}`)
	f.send(`{"type":"interrupt"}`)
	same(t, f.until("turn_end"), map[string]any{"reason": "interrupted"})
	same(t, f.until("result"), map[string]any{"exit_code": 130.0})
	same(t, f.until("unsent"), map[string]any{"text": "and this"})

	f.send(`{"type":"set_mode","mode":"plan"}`)
	same(t, f.until("mode"), map[string]any{"mode": "plan"})
	f.send(`{"type":"set_mode","mode":"ask"}`)
	f.send(`{"type":"list_permissions"}`)
	same(t, f.until("permissions"), map[string]any{"mode": "ask"})

	f.send(`{"type":"prompt","text":"make it again"}`)
	f.until("ask")
	_ = f.in.Close() // nobody can answer any more
	same(t, f.until("ask_done"), map[string]any{"decision": "refuse"})
	same(t, f.until("result"), map[string]any{"answer": "Never mind.", "exit_code": 3.0})
	if code := f.end(); code != 3 {
		t.Errorf("exit code %d, want 3", code)
	}
}

// realDir returns dir as the program names it.
func realDir(t *testing.T, dir string) string {
	t.Helper()
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	return real
}

// The input may end at once: the turn, and a command of the user, are completed.
func TestTheInputMayEndBeforeTheTurn(t *testing.T) {
	t.Parallel()
	f := startFrontEnd(t, say("One."), say("Two."))
	f.send(`{"type":"run_shell","line":"echo typed"}`)
	f.send(`{"type":"prompt","text":"one"}`)
	_ = f.in.Close()
	shell, answered := false, false
	for !shell || !answered {
		if !f.out.Scan() {
			t.Fatalf("the output ended: the command ended: %t, the turn ended: %t", shell, answered)
		}
		shell = shell || strings.HasPrefix(f.out.Text(), `{"type":"shell_end"`) && strings.Contains(f.out.Text(), "typed")
		answered = answered || strings.HasPrefix(f.out.Text(), `{"type":"result"`) && strings.Contains(f.out.Text(), "One.")
	}
	if code := f.end(); code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
}

// The example client shows streaming text, approves a call, and interrupts a turn.
func TestExampleClient(t *testing.T) {
	t.Parallel()
	python, err := exec.LookPath("python3")
	if err != nil || runtime.GOOS == "windows" {
		t.Skip("the client needs python3 and SIGINT")
	}
	text, err := os.ReadFile("../../testdata/client/client.py")
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), "\n"); n > 150 {
		t.Errorf("the client has %d lines, want at most 150", n)
	}
	script, err := filepath.Abs("../../testdata/client/client.py")
	if err != nil {
		t.Fatal(err)
	}
	server := serve(t, call("write", `{"path":"made.txt","content":"hello\n"}`), call("write", `{"path":"b","content":"b"}`, "read", `{"path":"none.txt"}`), say("Made."), begin("I think"))
	cmd := exec.Command(python, script, "--base-url", server.URL+"/v1", "--model", "openai/m")
	cmd.Dir, cmd.Env = t.TempDir(), homeEnv(t)
	cmd.Stdin, cmd.Stderr = strings.NewReader("make it\ny\nnot that\nthink\n"), os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() }).Stop()
	var shown strings.Builder
	buf := make([]byte, 4096)
	for interrupted := false; ; {
		n, err := out.Read(buf)
		shown.Write(buf[:n])
		if !interrupted && strings.Contains(shown.String(), "I think") {
			interrupted = true
			if err := cmd.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
		}
		if err != nil {
			break
		}
	}
	_ = cmd.Wait()
	_, got, _ := strings.Cut(shown.String(), "\n")
	const want = `? write made.txt
  path: made.txt
@@ -0,0 +1 @@
+hello

  why: changes files (permission mode: ask)
◦ write made.txt
· write made.txt  1 line
  made.txt  +1 -0
? write b
  path: b
@@ -0,0 +1 @@
+b
\ No newline at end of file

  why: changes files (permission mode: ask)
✗ write b  refused: rejected by the user: not that
✗ read none.txt  none.txt does not exist
Made.
[done: 3 steps, 102 tokens of output]
I think
[interrupted: 1 steps, 0 tokens of output]
`
	if d := cmp.Diff(got, want); d != "" {
		t.Errorf("got (-), want (+):\n%s", d)
	}
	if code := cmd.ProcessState.ExitCode(); code != 130 {
		t.Errorf("exit code %d, want 130: that of the last turn", code)
	}
}
