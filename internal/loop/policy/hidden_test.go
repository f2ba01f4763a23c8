package policy_test

import (
	"os"
	"path/filepath"
	"slices"
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
