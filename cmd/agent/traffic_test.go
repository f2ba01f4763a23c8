package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A recorded run can be replayed elsewhere, without the server and without the key.
func TestRecordAndReplay(t *testing.T) {
	t.Parallel()
	server := serve(t, call("read", `{"path":"a.txt"}`), say("It says hello."))
	file := filepath.Join(t.TempDir(), "bug.jsonl")
	run := func(name string, env []string, args ...string) (out, errors string) {
		t.Helper()
		cmd := exec.Command("agent", append([]string{"run", "--output", "stream-json"}, args...)...)
		cmd.Dir, cmd.Env = t.TempDir(), append(homeEnv(t), env...)
		if err := os.WriteFile(filepath.Join(cmd.Dir, "a.txt"), []byte("hello\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		var stderr strings.Builder
		cmd.Stderr = &stderr
		b, err := cmd.Output()
		if err != nil {
			t.Logf("%s: %v", name, err)
		}
		return string(b), stderr.String()
	}
	const answer = `"answer":"It says hello."`
	if out, errors := run("record", []string{"OPENAI_API_KEY=" + testKey}, "--record", file, "--base-url", server.URL+"/v1", "--model", "openai/m", "read a.txt"); !strings.Contains(out, answer) {
		t.Fatalf("record: got %s%s", out, errors)
	}
	server.Close()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), testKey) || strings.Count(string(text), `"request":`) != 2 {
		t.Errorf("the recording has the key, or not two requests:\n%s", text)
	}

	out, errors := run("replay", nil, "--replay", file, "read a.txt")
	if !strings.Contains(out, answer) || !strings.Contains(out, `"title":"read a.txt"`) || errors != "" {
		t.Errorf("replay: got %s%s", out, errors)
	}
	out, errors = run("replay of another conversation", nil, "--include-partial", "--replay", file, "read b.txt")
	if !strings.Contains(out, answer) || !strings.Contains(out, `is now \"read b.txt\"`) {
		t.Errorf("another conversation: got %s%s", out, errors)
	}
	if out, errors := run("both", nil, "--replay", file, "--record", file, "x"); !strings.Contains(errors, "--record and --replay exclude each other") {
		t.Errorf("got %s%s", out, errors)
	}
}
