package policy_test

import (
	"os"
	"path/filepath"
	"testing"

	"agent/internal/loop/event"
	"agent/internal/loop/policy"
)

// A standing permission for git covers only the repository of the workspace: others can be part of the
// project as ordinary files, with settings and hooks that run programs.
func TestGrantsOfGitInOtherRepositories(t *testing.T) {
	dir := committed(t, "src/a.go")
	for _, name := range []string{"evil/HEAD", "remote/HEAD", "named.git/HEAD"} {
		write(t, filepath.Join(dir, name), "ref: refs/heads/main\n")
		for _, inner := range []string{"objects", "refs"} {
			if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name), inner), 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	write(t, filepath.Join(dir, "evil/src/b.go"), "")
	gitIn(t, dir, "init", "-q", "vendored")
	at := policy.Paths{Workspace: dir, Home: filepath.Dir(dir) + "-home", Sandbox: policy.SandboxFull}
	for granted, lines := range map[string]map[string]bool{
		"git fetch origin": {
			"git fetch origin": true, "cd src && git fetch origin main": true,
			"cd evil && git fetch origin": false, "cd evil/src && git fetch origin": false, "cd vendored && git fetch origin": false,
			"git fetch remote": false, "git fetch named main": false, "git fetch vendored": false, "cd $X; git fetch origin": false,
		},
		"git add main.go": {
			"git add src": true, "cd src && git add a.go": true, "cd evil && git add -A": false, "cd vendored && git add -A": false,
		},
		"git push origin main": {
			"git push -u origin topic": true, "git push remote main": false,
		},
	} {
		p := policy.Policy{Mode: event.ModeAsk}
		offer := asks(&p, at, run(dir, granted)).Offer
		if p.Allow(offer); offer.String() == "" {
			t.Errorf("%s: nothing is offered", granted)
		}
		for line, covered := range lines {
			if v := asks(&p, at, run(dir, line)); v.Ask == covered {
				t.Errorf("%s after %s: %s (%s)", line, granted, outcome(v), v.Decider)
			}
		}
		for _, sub := range []string{"evil", "vendored"} { // where the next command runs after cd
			if v := asks(&p, at, run(filepath.Join(dir, sub), granted)); !v.Ask {
				t.Errorf("%s in %s: %s", granted, sub, outcome(v))
			}
		}
	}
}
