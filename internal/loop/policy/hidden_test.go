package policy_test

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"agent/internal/loop/event"
	"agent/internal/loop/policy"
)

// The question about a command names the files with secrets that it reads, and its
// approval shows exactly these to the command. Links are not enough: their targets are not
// in the text.
func TestCommandsThatReadHiddenFiles(t *testing.T) {
	home := project(t, ".ssh/id_rsa", ".ssh/config", "notes", "work/x")
	at := policy.Paths{Workspace: filepath.Join(home, "work"), Home: home, Sandbox: policy.SandboxFull}
	if err := os.Symlink("../.ssh/config", filepath.Join(at.Workspace, "link")); err != nil {
		t.Fatal(err)
	}
	key, config := filepath.Join(home, ".ssh", "id_rsa"), filepath.Join(home, ".ssh", "config")
	for _, c := range []struct {
		line    string
		warning string
		shows   []string
	}{
		{"cat ~/.ssh/id_rsa", key + " may hold secrets", []string{key}},
		{"cat ~/.ssh/id_rsa " + config, key + " may hold secrets; " + config + " may hold secrets", []string{key, config}},
		{"cd ~/.ssh && cat config", config + " may hold secrets", []string{config}},
		{"cat ~/notes", "", nil},
		{"sort link | make", "link may hold secrets", nil},
		{"ls ~/.ssh", "", nil},
		{"cat x && make", "", nil},
	} {
		p := policy.Policy{Mode: event.ModeAsk}
		v := asks(&p, at, run(at.Workspace, c.line))
		slices.Sort(v.Access.Show)
		slices.Sort(c.shows)
		if !v.Ask || v.Warning != c.warning || !slices.Equal(v.Access.Show, c.shows) {
			t.Errorf("%s: ask %v, warning %q, shows %q; want %q, %q", c.line, v.Ask, v.Warning, v.Access.Show, c.warning, c.shows)
		}
	}
}

// A command that reads more directories than can be searched for secrets needs approval,
// because not all of the secrets can be hidden.
func TestTooManyDirectoriesForSecrets(t *testing.T) {
	dir := project(t, "a/b/.env", "a/x")
	at := policy.Paths{Workspace: dir, Sandbox: policy.SandboxFull, Room: room(1 << 20)}
	lines := []string{"grep -r needle .", "rg --hidden -u needle", "find . -type f -print0 | xargs -0 grep needle"}
	for _, line := range lines {
		if v := asks(&policy.Policy{Mode: event.ModeAsk}, at, run(dir, line)); v.Ask || len(v.Access.Hide) != 1 {
			t.Errorf("%s: %+v", line, v)
		}
	}
	many := filepath.Join(dir, "a", "node_modules")
	for i := range 10_000 {
		if err := os.MkdirAll(filepath.Join(many, strconv.Itoa(i)), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if v := asks(&policy.Policy{Mode: event.ModeAsk}, at, run(dir, lines[0])); v.Ask || len(v.Access.Hide) != 1 {
		t.Errorf("installed packages: %+v", v)
	}
	if err := os.Rename(many, filepath.Join(dir, "a", "own")); err != nil {
		t.Fatal(err)
	}
	for i, mode := range []event.Mode{event.ModeAsk, event.ModeAuto, event.ModeAll} {
		if v := asks(&policy.Policy{Mode: mode}, at, run(dir, lines[i])); !v.Ask || !strings.Contains(v.Why+v.Rule, "secrets") {
			t.Errorf("%s in %s: %+v", lines[i], mode, v)
		}
	}
	if v := asks(&policy.Policy{Mode: event.ModePlan}, at, run(dir, lines[0])); !v.Refuse || !strings.Contains(v.Why, "name the directories that you need") {
		t.Errorf("in plan: %+v", v)
	}
	if v := asks(&policy.Policy{Mode: event.ModeAsk, Rules: rules(t, "allow command: grep")}, at, run(dir, lines[0])); v.Ask {
		t.Errorf("with a rule: %+v", v)
	}
	if v := asks(&policy.Policy{Mode: event.ModeAsk}, at, run(dir, "grep needle a/x")); v.Ask {
		t.Errorf("one file: %+v", v)
	}
}

// A command that reads more than 1000 files that may hold secrets needs approval, wherever
// they are, because the sandbox hides each of them.
func TestTooManySecrets(t *testing.T) {
	dir := project(t, "x", "a/x", "b/x")
	at := policy.Paths{Workspace: dir, Sandbox: policy.SandboxFull, Room: room(1 << 20)}
	check := func(secrets int, asked bool) {
		t.Helper()
		v := asks(&policy.Policy{Mode: event.ModeAsk}, at, run(dir, "grep -r needle ."))
		if v.Ask != asked || !asked && len(v.Access.Hide) != secrets || asked && !strings.Contains(v.Why+v.Rule, "secrets") {
			t.Errorf("%d secrets: ask %v because %q, %d hidden; want ask %v", secrets, v.Ask, v.Why, len(v.Access.Hide), asked)
		}
	}
	for i := range 1000 {
		write(t, filepath.Join(dir, "a", strconv.Itoa(i)+".pem"), "")
	}
	check(1000, false)
	for _, name := range []string{"first.pem", "a/more.pem", "b/last.pem"} {
		write(t, filepath.Join(dir, name), "")
		check(1001, true)
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
}
