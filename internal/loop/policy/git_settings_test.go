package policy_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"agent/internal/loop/event"
	"agent/internal/loop/policy"
)

// A command whose text changes settings of git that are not known to be harmless needs approval in
// every mode. The approval permits the change.
func TestSettingsOfGitInTheText(t *testing.T) {
	at := policy.Paths{Workspace: project(t), Sandbox: policy.SandboxFull}
	config := filepath.Join(at.Workspace, ".git", "config")
	for _, dir := range []string{".git", "sub/deep"} {
		if err := os.MkdirAll(filepath.Join(at.Workspace, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for line, want := range map[string]bool{
		"git config core.worktree /x": true, "git config --local core.bare true": true, "git config -z core.worktree /x": true, "git config --wo core.worktree x": true, "git config -f .git/config core.worktree /x": true, "git config set core.worktree /x": true, "git config --unset core.fsmonitor": true, "git config unset core.fsmonitor": true,
		"git config --type=path core.hooksPath x": true, "git config --type path core.hooksPath x": true, "git config --worktree core.worktree x": true, "git config -e": true, "git config --rename-section a b": true, "git config --replace-all http.cookieFile x": true,
		"git remote add r /x": true, "git remote add -t main r ../x": true, "git remote add -f r ../x": true, "git -C sub config -f ../.git/config core.worktree /x": true, "git remote add --mirror=push r https://example.org": true, "git remote set-url origin x": true, "git remote set-url --push origin file:///x": true,
		"git remote set-url origin /x https://example.org": true, "git config remote.origin.pushurl ../x": true, "git config url./x.insteadOf https://example.org": true, "git config branch.main.pushRemote /x": true, "git config remote.pushDefault ./x": true,
		"cd sub/deep && git config core.worktree /x": true, "git -C sub/deep config core.worktree /x": true, "git --git-dir=.git config core.worktree /x": true, "git add x; git config alias.x y": true,
		"git config user.name n": false, "git config -f .gitmodules submodule.x.path x": false, "git config core.worktree": false, "git config --get core.worktree": false, "git config get core.worktree": false, "git config --list": false, "git config pull.rebase true": false,
		"git remote add r https://example.org/x": false, "git remote set-url origin git@example.org:x": false, "git remote remove r": false, "git remote -v": false, "git config branch.main.remote r": false, "git branch -u r/main": false, "git push -u r main": false,
	} {
		for _, mode := range []event.Mode{event.ModeAsk, event.ModeAuto, event.ModeAll} {
			v := asks(&policy.Policy{Mode: mode}, at, run(at.Workspace, line))
			if v.Protected != want || want && (!v.Ask || !slices.Contains(v.Access.Protected, config)) {
				t.Errorf("mode %s, %s: protected: %t, %q", mode, line, v.Protected, v.Access.Protected)
			}
		}
	}
}
