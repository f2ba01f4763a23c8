package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// With --no-sandbox, mode all runs commands that reach outside the workspace. Changes to protected
// paths and pushes are still denied.
func TestNoSandbox(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{"a.txt": "a\n"})
	outside := filepath.Join(h.dir, "outside")
	for _, c := range []struct {
		command string
		code    int
		want    string
	}{
		{"echo x >" + outside, 0, "exited with code 0"},
		{"rm a.txt", 0, "exited with code 0"},
		{"echo x >.envrc", 3, ".envrc is protected"},
		{"git push", 3, "push to another repository need approval"},
		{"true && git -C sub push origin", 3, "push to another repository need approval"},
	} {
		out, code := h.agent(t, "run", "--mode", "all", "--no-sandbox", "run "+c.command)
		if code != c.code || !strings.Contains(out, c.want) || !strings.Contains(out, "commands run without a sandbox, as your user") {
			t.Errorf("%s: exit code %d: %s", c.command, code, out)
		}
	}
	if text, err := os.ReadFile(outside); err != nil || string(text) != "x\n" {
		t.Errorf("got %q, %v", text, err)
	}
	if out, code := h.agent(t, "run", "--no-sandbox", "run rm b"); code != 3 {
		t.Errorf("mode ask: exit code %d: %s", code, out)
	}
}

// Without a user, mode all ends at the start where it would deny almost all commands, unless a rule
// allows some.
func TestModeAllNeedsContainment(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		config string
		args   []string
		code   int
		want   string
	}{
		{`{"sandbox": false}`, nil, 2, "turns the sandbox of commands off"},
		{`{"sandbox": false}`, []string{"--no-sandbox"}, 0, "exited with code 0"},
		{`{"sandbox": false}`, []string{"--allow", "command: true"}, 0, "exited with code 0"},
		{`{}`, []string{"--no-session"}, 2, "Remove --no-session"},
	} {
		h := repository(t)
		h.configure(t, c.config)
		out, code := h.agent(t, slices.Concat([]string{"run", "--mode", "all"}, c.args, []string{"run true"})...)
		if code != c.code || !strings.Contains(out, c.want) || c.code == 2 && !strings.Contains(out, "--no-sandbox") {
			t.Errorf("%s %v: exit code %d: %s", c.config, c.args, code, out)
		}
	}
}

// The result in JSON lists denied calls. With --strict-denied they set the exit code even if a later
// call replaced them.
func TestResultListsDeniedCalls(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args []string
		code int
	}{{nil, 0}, {[]string{"--strict-denied"}, 3}} {
		h := newHome(t, map[string]string{"a.txt": "a\n"})
		s := serve(t, call("shell", shellCall("curl https://example.org")), call("shell", shellCall("touch b")), say("done"))
		cmd := h.command(append([]string{"run", "--model", "openai/m", "--base-url", s.URL + "/v1", "--allow", "command: touch", "--output", "json", "go"}, c.args...)...)
		out, _ := cmd.Output()
		var got struct {
			Denied []struct{ ID, Title, Why string }
		}
		if err := json.Unmarshal(out, &got); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		if code := cmd.ProcessState.ExitCode(); code != c.code || len(got.Denied) != 1 || got.Denied[0].Title != "shell curl https://example.org" || !strings.HasPrefix(got.Denied[0].Why, "denied: ") {
			t.Errorf("%q: exit code %d: %s", c.args, code, out)
		}
	}
}
