package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A confirmed hook that runs outside the sandbox does not run beside a job that nobody approved: the
// job could create a file that the hook runs, after its check. The end of the session stops the job.
func TestConfirmedHooksDoNotRunBesideJobs(t *testing.T) {
	t.Parallel()
	h := repository(t)
	h.put(t, "Makefile", "lint:\n\t@echo $@ >>../../ran\nend:\n\t@echo $@ >>../../ran\n")
	h.put(t, ".agent/hooks.json", `{"before_tool": [{"command": "make -s lint", "sandbox": false}], "session_end": [{"command": "make -s end", "sandbox": false}]}`)
	h.confirm(t, "hooks")
	read := call("read", `{"path":"Makefile"}`)
	s := serve(t, read, call("jobs", `{"action":"start","command":"sleep 1000"}`), read, call("jobs", `{"action":"stop","job":1}`), read,
		call("jobs", `{"action":"start","command":"sleep 1000"}`), say("done"))
	out, err := h.command("run", "--model", "openai/m", "--base-url", s.URL+"/v1", "--mode", "all", "go").CombinedOutput()
	got, _ := os.ReadFile(filepath.Join(h.dir, "ran"))
	// It runs before the first two calls, not before the next two, and again before the last two.
	if err != nil || string(got) != "lint\nlint\nlint\nlint\nend\n" {
		t.Errorf("%v, the hooks ran as %q\n%s", err, got, out)
	}
	if said := "The hook `make -s lint` at before_tool failed: it was not started, because a job is running that you did not approve"; strings.Count(string(out), said) != 2 {
		t.Errorf("the output does not say twice that the hook did not run:\n%s", out)
	}
}

// A command in the sandbox cannot change a script that a confirmed hook runs outside it, nor
// what leads to the script. If a tool changes the script, the hook is not used any more; commands
// still cannot change it, because the confirmed content may come back.
func TestCommandsCannotChangeConfirmedFiles(t *testing.T) {
	t.Parallel()
	h := repository(t)
	h.put(t, "tools/sh/check.sh", "echo good >>../../ran\n")
	h.put(t, ".agent/hooks.json", `{"before_tool": [{"command": "sh tools/scripts/check.sh", "sandbox": false}]}`)
	if err := os.Symlink("sh", filepath.Join(h.work, "tools", "scripts")); err != nil {
		t.Fatal(err)
	}
	h.confirm(t, "hooks")
	const evil = "echo 'echo evil >>../../ran' >"
	s := serve(t,
		call("shell", shellCall(evil+"tools/scripts/check.sh; "+evil+"new; mv new tools/sh/check.sh; rm -f tools/sh/check.sh; mv tools old; rm -f tools/scripts; ln -s .. tools/scripts; cat tools/sh/check.sh && ln tools/sh/check.sh other; "+evil+"other")),
		call("jobs", `{"action":"start","command":`+quote(evil+"tools/sh/check.sh")+`}`),
		call("edit", `{"path":"tools/sh/check.sh","old":"good","new":"evil"}`),
		call("shell", shellCall("echo worse >tools/sh/check.sh; echo last")),
		say("done"))
	out, err := h.command("run", "--model", "openai/m", "--base-url", s.URL+"/v1", "--mode", "all", "go").CombinedOutput()
	got, _ := os.ReadFile(filepath.Join(h.dir, "ran"))
	if string(got) != "good\ngood\ngood\n" {
		t.Errorf("the hook ran as %q, want three times good", got)
	}
	if said := "The hooks of this repository no longer run, because .agent/hooks.json or a file that they name has changed."; strings.Count(string(out), said) != 1 {
		t.Errorf("the output does not say once that the hooks do not run:\n%s", out)
	}
	results := s.seen()
	if len(results) != 5 {
		t.Fatalf("%d requests, %v\n%s", len(results), err, out)
	}
	for _, want := range []string{"mv: cannot move 'tools' to 'old'", "rm: cannot remove 'tools/scripts'", "create hard link", "cannot write to " + h.work + "/tools/sh/check.sh", `check.sh: Read-only file system\nlast\n[exit 0]`} {
		if got := results[4].body; !strings.Contains(got, want) {
			t.Errorf("%q is not in %s", want, got)
		}
	}
	if text := readText(t, filepath.Join(h.work, "tools", "sh", "check.sh")); text != "echo evil >>../../ran\n" {
		t.Errorf("the edit did not happen: %s", text)
	}
}
