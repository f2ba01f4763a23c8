package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"agent/cmd/agent/agents"
	"agent/internal/loop/delegate"
)

// An agent of a repository is approved by its content and in one workspace. A change
// of the file, or another file with its name, needs a new approval.
func TestApprovalOfAnAgent(t *testing.T) {
	h := newHome(t, map[string]string{".git/HEAD": "ref: refs/heads/main\n", ".agents/agents/ship.md": "---\ndescription: ships\n---\nShip it.\n", ".agents/agents/test.md": "Test it.\n"})
	h.enter(t)
	work, err := filepath.EvalSymlinks(h.work)
	if err != nil {
		t.Fatal(err)
	}
	a := &app{dir: work, project: openInstructions(work, os.Getenv)}
	find := func(name string) delegate.Agent {
		all, notices := a.agents()
		i := slices.IndexFunc(all, func(a delegate.Agent) bool { return a.Name == name })
		if i < 0 || len(notices) > 0 {
			t.Fatalf("no agent %s in %v: %q", name, all, notices)
		}
		return all[i]
	}
	listed := func(want string) {
		t.Helper()
		out, code := h.agent(t, "agents")
		if code != 0 || !strings.Contains(out, " .agents/agents/ship.md ("+want+")\n") || !strings.Contains(out, " .agents/agents/test.md (not approved)\n") {
			t.Errorf("want %q, exit code %d:\n%s", want, code, out)
		}
	}
	listed("not approved")
	ship := find("ship")
	if err := agents.Approve(work, ship.Name, ship.Sum); err != nil {
		t.Fatal(err)
	}
	listed("approved")
	for _, other := range [][3]string{{work, "test", ship.Sum}, {h.dir, "ship", ship.Sum}, {work, "ship", find("test").Sum}, {work, "ship", ""}} {
		if agents.Approved(other[0], other[1], other[2]) {
			t.Errorf("%q is approved", other)
		}
	}
	if err := os.WriteFile(filepath.Join(work, ".agents", "agents", "ship.md"), []byte("---\ndescription: ships\n---\nShip it!\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	listed("not approved")
	if err := agents.Approve(work, "ship", find("ship").Sum); err != nil {
		t.Fatal(err)
	}
	listed("approved")
	if agents.Approved(work, "ship", ship.Sum) {
		t.Error("the old content is still approved")
	}
}

// The file of approvals is private and limited, and a damaged one approves nothing.
func TestApprovalFile(t *testing.T) {
	h := newHome(t, nil)
	h.enter(t)
	file := filepath.Join(h.dir, ".local", "state", "agent", "agents.json")
	if runtime.GOOS == "windows" {
		t.Setenv("LocalAppData", filepath.Join(h.dir, ".local", "state"))
	}
	const remembered = 200 // workspaces
	for i := range remembered + 5 {
		if err := agents.Approve(fmt.Sprint("/work/", i), "ship", "sha256:1"); err != nil {
			t.Fatal(err)
		}
	}
	info, err := os.Stat(file)
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v: %v", info, err)
	}
	var all struct{ Approved map[string]any }
	b, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(b, &all)
	}
	if err != nil || len(all.Approved) != remembered || !agents.Approved(fmt.Sprint("/work/", remembered+4), "ship", "sha256:1") {
		t.Errorf("approvals in %d workspaces: %v", len(all.Approved), err)
	}
	if err := os.WriteFile(file, []byte(`{"approved": {"/work/1": {"ship": "sha256:1"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if agents.Approved("/work/1", "ship", "sha256:1") {
		t.Error("a damaged file approves an agent")
	}
	if err := agents.Approve("/work/1", "ship", "sha256:1"); err != nil || !agents.Approved("/work/1", "ship", "sha256:1") {
		t.Errorf("cannot approve after damage: %v", err)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(file, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := agents.Approve("/work/1", "ship", "sha256:1"); err == nil || !strings.HasPrefix(err.Error(), "remember the approved agent: read ") {
		t.Errorf("a directory in place of the file: %v", err)
	}
}

// A session without instruction files has the built-in agents.
func TestAgentsWithoutAProject(t *testing.T) {
	all, notices := (&app{}).agents()
	if len(all) != 3 || len(notices) > 0 {
		t.Errorf("got %v, %q", all, notices)
	}
}

// Names of agents are completed.
func TestCompletionOffersAgents(t *testing.T) {
	h := newHome(t, map[string]string{".git/HEAD": "ref: refs/heads/main\n", ".claude/agents/ship.md": "---\ndescription: ships it\n---\n"})
	out, _ := h.agent(t, "__complete", "agents", "")
	if !strings.HasPrefix(out, "explore\t") || !strings.Contains(out, "\nship\tships it\n:4\n") {
		t.Errorf("got:\n%s", out)
	}
	if out, _ := h.agent(t, "__complete", "agents", "ship", ""); !strings.HasPrefix(out, ":4\n") {
		t.Errorf("a second name is offered:\n%s", out)
	}
}
