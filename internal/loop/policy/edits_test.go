package policy_test

import (
	"os"
	"path/filepath"
	"testing"

	"agent/internal/loop/event"
	"agent/internal/loop/policy"
)

// TestCommandsThatEdit judges commands that change files as a tool could, or temporary files:
// in the modes ask, edits and all, and in mode edits without a sandbox.
func TestCommandsThatEdit(t *testing.T) {
	dir, temp := project(t, "main.go", "a.txt", ".env", "sub/x", "node_modules/.bin/eslint", ".envrc", ".git/config"), project(t, "old.txt")
	outside := project(t, "x")
	if err := os.Symlink(outside, filepath.Join(temp, "link")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", temp)
	t.Setenv("TEMP", outside)
	for _, c := range []struct{ rules, command, ask, edits, all, bare string }{
		{"", "echo x >> a.txt", "asks", "runs", "runs", "runs"},
		{"", "printf '%s\\n' x y >> sub/new; echo y >> a.txt && cat a.txt", "asks", "runs", "runs", "runs"},
		{"", "cat >> a.txt <<'EOF'\nIt's `x`\nEOF\n", "asks", "runs", "runs", "runs"},
		{"", "cat main.go > new.go 2>&1", "asks", "runs", "runs", "runs"},
		{"", "echo x > a.txt", "asks", "kept", "kept", "asks"},
		{"", "cd sub && echo x >> ../a.txt", "asks", "runs", "runs", "runs"},
		{"", "echo x >> .envrc", "asks", "asks", "asks", "asks"},
		{"", "echo x >> .git/hooks/pre-commit", "asks", "asks", "asks", "asks"},
		{"", "echo x >> " + outside + "/x", "asks", "asks", "asks", "asks"},
		{"", "cat .env >> a.txt", "asks", "asks", "asks", "asks"},
		{"", "cat " + outside + "/x >> a.txt", "asks", "asks", "runs", "asks"},
		{"", "grep -r x . >> a.txt", "asks", "kept", "runs", "asks"},
		{"", "make >> a.txt", "asks", "kept", "runs", "asks"},
		{"", "X=1 echo x >> a.txt", "asks", "kept", "runs", "asks"},
		{"allow edit: *.txt", "echo x >> a.txt", "runs", "runs", "runs", "runs"},
		{"allow edit: *.txt", "cat <<'EOF' >> a.txt\n$x\nEOF\n", "runs", "runs", "runs", "runs"},
		{"allow edit: *.txt", "echo x > a.txt", "kept", "kept", "kept", "asks"},
		{"allow edit: *.txt", "echo x >> main.go", "asks", "runs", "runs", "runs"},
		{"allow edit: *.txt", "cat .env >> a.txt", "asks", "asks", "asks", "asks"},
		{"allow edit: **", "echo x >> .envrc", "asks", "asks", "asks", "asks"},
		{"allow command: echo", "echo x >> main.go", "asks", "runs", "runs", "runs"},
		{"ask edit: *.txt", "echo x >> a.txt", "asks", "asks", "asks", "asks"},
		{"deny edit: *.txt", "echo x >> a.txt", "denied", "denied", "denied", "denied"},

		{"allow command: sed", "sed -i s/a/b/ main.go", "kept", "kept", "kept", "asks"},
		{"allow command: sed", "sed -n -i.bak -e s/a/b/ a.txt main.go && cat a.txt", "kept", "kept", "kept", "asks"},
		{"allow command: sed", "sed -i s/a/b/ .envrc", "asks", "asks", "asks", "asks"},
		{"allow command: sed", "sed -i s/a/b/ " + outside + "/x", "asks", "asks", "asks", "asks"},
		{"allow command: sed", "sed -i s/a/b/e main.go", "asks", "asks", "asks", "asks"},
		{"allow command: sed", "ls | xargs sed -i s/a/b/", "asks", "asks", "asks", "asks"},
		{"allow command: xargs", "ls | xargs sed -i s/a/b/", "asks", "asks", "asks", "asks"},
		{"allow command: xargs; allow command: sed", "grep -rl a src | xargs sed -i s/a/b/", "kept", "kept", "kept", "asks"},
		{"allow command: xargs sed", "ls | xargs -0 -n 1 sed -i s/a/b/", "asks", "asks", "asks", "asks"},
		{"allow command: xargs sed", "ls | xargs sed -i s/a/b/", "kept", "kept", "kept", "asks"},
		{"allow command: xargs; allow command: sed", "ls | xargs rm", "asks", "asks", "asks", "asks"},
		{"allow command: xargs; allow command: sed", "ls | xargs sh -c 'sed -i s/a/b/ $0'", "asks", "asks", "asks", "asks"},
		{"allow command: xargs", "ls | xargs wc -l", "runs", "runs", "runs", "runs"},

		{"", "cp main.go $TMPDIR/new.go", "asks", "kept", "runs", "asks"},
		{"", "go build -o \"$TMPDIR/x\" . > ${TMPDIR:-/tmp}/log 2>&1", "asks", "kept", "runs", "asks"},
		{"", "make >> " + temp + "/new.log 2>&1; tail -5 " + temp + "/new.log", "asks", "kept", "runs", "asks"},
		{"", "make > $TMPDIR/old.txt", "asks", "asks", "asks", "asks"},
		{"", "rm -rf $TMPDIR/old.txt", "asks", "asks", "asks", "asks"},
		{"", "rm -rf $TMPDIR", "asks", "asks", "asks", "asks"},
		{"", "cp main.go $TMPDIR/link/y", "asks", "asks", "asks", "asks"},
		{"", "cp main.go $TMPDIR/../y", "asks", "asks", "asks", "asks"},
		{"", "make > $TEMP/y", "asks", "asks", "asks", "asks"},
		{"", "make > $TMP/y", "asks", "asks", "asks", "asks"},
		{"", "TMPDIR=/etc; make > $TMPDIR/y", "asks", "asks", "asks", "asks"},
		{"", "read TMPDIR; make > $TMPDIR/y", "asks", "asks", "asks", "asks"},
		{"", "printf -v TMPDIR /etc; make > $TMPDIR/y", "asks", "asks", "asks", "asks"},
		{"", "TMPDIR=/etc bash -c 'make > $TMPDIR/y'", "asks", "asks", "asks", "asks"},
		{"", "f=$(mktemp) && make > \"$f\"", "asks", "kept", "runs", "asks"},
		{"", "d=\"$(mktemp -d)\"; make > $d/log", "asks", "kept", "runs", "asks"},
		{"", "f=$(mktemp -p /etc); make > $f", "asks", "asks", "asks", "asks"},
		{"", "f=$(mktemp); f=/etc/x; make > $f", "asks", "asks", "asks", "asks"},
		{"", "f=$(mktemp); make > $f/../../x", "asks", "asks", "asks", "asks"},
		{"", "f=$(mktemp; echo /etc/x); make > $f", "asks", "asks", "asks", "asks"},

		{"", "npx eslint .", "asks", "kept", "runs", "asks"},
		{"", "cd sub && npx --no-install eslint .", "asks", "kept", "runs", "asks"},
		{"", "npm exec -- eslint .", "asks", "kept", "runs", "asks"},
		{"allow command: npx eslint", "npx eslint --fix src", "runs", "runs", "runs", "runs"},
		{"", "npx cowsay x", "asks+network", "asks+network", "asks+network", "asks+network"},
		{"", "npx eslint@8 .", "asks+network", "asks+network", "asks+network", "asks+network"},
		{"", "npx -p cowsay eslint", "asks+network", "asks+network", "asks+network", "asks+network"},
		{"", "npx ../eslint", "asks+network", "asks+network", "asks+network", "asks+network"},

		{"", "git stash", "asks", "asks", "runs", "asks"},
		{"", "git stash pop", "asks", "asks", "runs", "asks"},
		{"allow command: git stash", "git stash pop", "runs", "runs", "runs", "runs"},
		{"allow command: git stash", "git stash drop", "asks", "asks", "asks", "asks"},
	} {
		for _, r := range []struct {
			mode    event.Mode
			sandbox policy.Sandbox
			want    string
		}{{event.ModeAsk, policy.SandboxFull, c.ask}, {event.ModeEdits, policy.SandboxFull, c.edits}, {event.ModeAll, policy.SandboxFull, c.all}, {event.ModeEdits, policy.SandboxOff, c.bare}} {
			at := policy.Paths{Workspace: dir, Home: filepath.Dir(dir) + "-home", Sandbox: r.sandbox, Room: room(1 << 20)}
			v := asks(&policy.Policy{Mode: r.mode, Rules: rules(t, c.rules)}, at, run(dir, c.command))
			if got := strictly(v); got != r.want {
				t.Errorf("%s with the rules %q in %s, sandbox %v: %s, want %s (%s; %s; %s)", c.command, c.rules, r.mode, r.sandbox, got, r.want, v.Decider, v.Why, v.Warning)
			}
		}
	}
	t.Setenv("TMPDIR", "") // commands get the usual one
	at := policy.Paths{Workspace: dir, Sandbox: policy.SandboxFull, Room: room(1 << 20)}
	if v := asks(&policy.Policy{Mode: event.ModeEdits}, at, run(dir, "make > $TMPDIR/agent-edits-test.log")); strictly(v) != "kept" {
		t.Errorf("without TMPDIR: %s (%s)", strictly(v), v.Why)
	}
}
