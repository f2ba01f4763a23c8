//go:build unix

package main

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agent/cmd/agent/project"
)

// repositoryWithAgents returns a home whose working directory is a repository with the
// agents ship and test.
func repositoryWithAgents(t *testing.T, env ...string) home {
	return newHome(t, map[string]string{".git/HEAD": "ref: refs/heads/main\n", shipFile: shipText, ".agents/agents/test.md": "Test it.\n"}, env...)
}

const (
	shipFile = ".agents/agents/ship.md"
	shipText = "---\ndescription: ships\n---\nShip it.\n"
)

// listsShip checks that `agent agents` and `agent trust` show the same state of the agent
// ship, and that the agent test is not confirmed.
func (h home) listsShip(t *testing.T, agents, trust string) {
	t.Helper()
	for command, want := range map[string][]string{
		"agents": {" " + shipFile + " (" + agents + ")\n", " .agents/agents/test.md (not confirmed)\n"},
		"trust":  {"\nagent  ship  " + shipFile + "  " + trust + "\n", "\nagent  test  .agents/agents/test.md  not confirmed\n"},
	} {
		out, code := h.agent(t, command)
		for _, part := range want {
			if code != 0 || !strings.Contains(out, part) {
				t.Errorf("agent %s: exit code %d, no %q in:\n%s", command, code, part, out)
			}
		}
	}
}

// toShip is a call of the model that delegates to the agent ship.
var toShip = call("delegate", `{"agent":"ship","prompt":"TASK-SHIP"}`)

// An agent of a repository does not run before the user confirms its content: in the
// dialog of its first use, with /trust or with agent trust. Each knows what the others
// stored. If its file changes, it waits again.
func TestConfirmationOfAnAgent(t *testing.T) {
	t.Parallel()
	c := serveCrew(t, 0, map[string][]answer{
		coordinator: {toShip, say("One."), toShip, say("Two."), toShip, say("Three."), toShip, say("Four."), toShip, say("Five.")},
		"TASK-SHIP": {say("Shipped."), say("Shipped."), say("Shipped.")},
	})
	h := repositoryWithAgents(t, at(c.server)...)
	const question = "? ship %d: Use agent ship of this repository?"
	a := h.open(t, 120, 40)
	a.wait("This repository configures 2 agents in .agents/agents. They are not used until you confirm them: /trust or", "? help")
	a.send("first" + enter)
	a.asked(fmt.Sprintf(question, 1), "Ship it.", "1  Confirm this content in this workspace")
	a.send("3")
	a.wait("One.")
	if n := len(c.requestsOf("TASK-SHIP")); n != 0 {
		t.Errorf("the agent sent %d requests without a confirmation", n)
	}
	if got := resultFor(t, c.server, "ship"); got != "error: the user did not confirm the agent ship. Do the task without it" {
		t.Errorf("the model gets %q", got)
	}
	h.listsShip(t, "not confirmed", "not confirmed")
	a.send("second" + enter)
	a.asked(fmt.Sprintf(question, 2))
	a.send("1")
	a.wait("Two.")
	h.listsShip(t, "confirmed", "confirmed")
	a.send("third" + enter)
	a.wait("Three.") // without a question

	h.put(t, shipFile, strings.ReplaceAll(shipText, "Ship it.", "Ship all."))
	h.listsShip(t, "not confirmed", "changed, not confirmed")
	a.send("fourth" + enter)
	a.asked(fmt.Sprintf(question, 4), "Ship all.")
	a.send("3")
	a.wait("Four.")

	a.send("/trust" + enter)
	a.wait("Configured by this repository", "agent ship  .agents/agents/ship.md", "changed, not confirmed")
	a.send(enter)
	a.wait("? Use agent ship of this repository?", "enter · 1–2 · esc cancel", "The content has changed since you confirmed it.", "A delegate follows it as its instructions.", "Ship all.")
	a.send("1")
	a.wait("Confirmed: agent ship is used from now on.")
	h.listsShip(t, "confirmed", "confirmed")
	a.send("fifth" + enter)
	a.wait("Five.")
	if n := len(c.requestsOf("TASK-SHIP")); n != 3 {
		t.Errorf("the agent sent %d requests, want 3", n)
	}
	a.send(ctrlD)
	a.exit()
}

// Without a user, an agent of a repository is used only if it is confirmed. The user reads
// how to confirm it.
func TestConfirmationOfAnAgentInRun(t *testing.T) {
	t.Parallel()
	c := serveCrew(t, 0, map[string][]answer{
		coordinator: {toShip, say("One."), toShip, say("Two."), toShip, say("Three.")},
		"TASK-SHIP": {say("Shipped.")},
	})
	h := repositoryWithAgents(t, at(c.server)...)
	refused := func(when string) {
		t.Helper()
		out, code := h.agent(t, "run", "go")
		if want := "the agent ship is defined by the repository (" + shipFile + ") and not confirmed. The user confirms it with: agent trust confirm agent ship"; code != 0 || !strings.Contains(out, want) ||
			!strings.Contains(resultFor(t, c.server, "is defined"), want+". Do the task without it, or use another agent") {
			t.Errorf("%s: exit code %d, no %q in:\n%s", when, code, want, out)
		}
	}
	refused("before the confirmation")
	h.confirm(t, "agent", "ship")
	h.listsShip(t, "confirmed", "confirmed")
	if out, code := h.agent(t, "run", "go"); code != 0 || !strings.Contains(out, "1 agent in .agents/agents. It is not used until you confirm it: `agent trust`") || len(c.requestsOf("TASK-SHIP")) != 1 {
		t.Errorf("exit code %d:\n%s", code, out)
	}
	if out, code := h.agent(t, "trust", "revoke", "agent", "ship"); code != 0 {
		t.Errorf("exit code %d:\n%s", code, out)
	}
	h.listsShip(t, "not confirmed", "not confirmed")
	refused("after it was revoked")
}

// Approvals of earlier versions are carried over once: they hold for the content and the
// workspace that they name, and their file is deleted.
func TestApprovalsOfEarlierVersions(t *testing.T) {
	t.Parallel()
	h := repositoryWithAgents(t)
	work, err := filepath.EvalSymlinks(h.work)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(h.dir, ".local", "state", "agent", "agents.json")
	sum := func(text string) string { return fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(text))) }
	store := func(content any) {
		t.Helper()
		b, err := json.Marshal(content)
		if err == nil {
			err = os.MkdirAll(filepath.Dir(file), 0o700)
		}
		if err == nil {
			err = os.WriteFile(file, b, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	gone := func() {
		t.Helper()
		if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("agents.json is still there: %v", err)
		}
	}
	store("damaged")
	h.listsShip(t, "not confirmed", "not confirmed")
	gone()
	store(map[string]any{"approved": map[string]any{
		work:                          map[string]string{"ship": sum(shipText), "test": sum("Test something else.\n")},
		filepath.Join(h.dir, "moved"): map[string]string{"test": sum("Test it.\n")},
	}})
	out, code := h.agent(t, "agents")
	if code != 0 || !strings.Contains(out, shipFile+" (confirmed)\n") || !strings.Contains(out, "test.md (not confirmed)\n") {
		t.Errorf("exit code %d:\n%s", code, out)
	}
	gone()
	if out, _ := h.agent(t, "trust"); !strings.Contains(out, shipFile+"  confirmed\n") || !strings.Contains(out, "test.md  changed, not confirmed\n") {
		t.Errorf("got:\n%s", out)
	}
	h.confirm(t, "agent", "test")
	store(map[string]any{"approved": map[string]any{work: map[string]string{"test": sum("Test something else.\n")}}})
	if out, _ := h.agent(t, "trust"); strings.Count(out, "  confirmed\n") != 2 {
		t.Errorf("an old approval replaces a confirmation:\n%s", out)
	}
	gone()
	if err := os.Mkdir(file, 0o700); err != nil {
		t.Fatal(err)
	}
	if out, code := h.agent(t, "trust"); code != 0 || !strings.Contains(out, "Cannot carry over the agents that you approved in an earlier version: ") || !strings.Contains(out, "delete "+file) {
		t.Errorf("exit code %d:\n%s", code, out)
	}
}

// A session without instruction files has the built-in agents.
func TestAgentsWithoutAProject(t *testing.T) {
	all, notices := project.Agents(nil)
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
