package policy_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/loop/event"
	"agent/internal/loop/policy"
	"agent/internal/tools/snapshot"
)

// TestCommandsThatEdit judges commands that change files as a tool could, or temporary files:
// in the modes ask, auto and all, and in mode auto without a sandbox.
func TestCommandsThatEdit(t *testing.T) {
	dir, temp := project(t, "main.go", "a.txt", ".env", "sub/x", "node_modules/.bin/eslint", ".envrc", ".git/config"), project(t, "old.txt", "project/notes.md", "project/a.txt")
	outside := project(t, "x")
	if err := os.Symlink(outside, filepath.Join(temp, "link")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", temp)
	for _, c := range []struct{ rules, command, ask, edits, all, bare string }{
		{"", "echo x >> a.txt", "asks", "kept", "kept", "runs"},
		{"", "printf '%s\\n' x y >> sub/new; echo y >> a.txt && cat a.txt", "asks", "kept", "kept", "runs"},
		{"", "cat >> a.txt <<'EOF'\nIt's `x`\nEOF\n", "asks", "kept", "kept", "runs"},
		{"", "cat main.go > new.go 2>&1", "asks", "kept", "kept", "runs"},
		{"", "echo x > a.txt", "asks", "kept", "kept", "asks"},
		{"", "cd sub && echo x >> ../a.txt", "asks", "kept", "kept", "runs"},
		{"", "echo x >> .envrc", "asks", "asks", "asks", "asks"},
		{"", "echo x >> .git/hooks/pre-commit", "asks", "asks", "asks", "asks"},
		{"", "echo x >> " + outside + "/x", "asks", "asks", "asks", "asks"},
		{"", "cat .env >> a.txt", "asks", "asks", "asks", "asks"},
		{"", "cat " + outside + "/x >> a.txt", "asks", "kept", "kept", "asks"},
		{"", "grep -r x . >> a.txt", "asks", "kept", "kept", "asks"},
		{"", "make >> a.txt", "asks", "kept", "kept", "asks"},
		{"", "X=1 echo x >> a.txt", "asks", "kept", "kept", "asks"},
		{"allow edit: *.txt", "echo x >> a.txt", "kept", "kept", "kept", "runs"},
		{"allow edit: *.txt", "cat <<'EOF' >> a.txt\n$x\nEOF\n", "kept", "kept", "kept", "runs"},
		{"allow edit: *.txt", "echo x > a.txt", "kept", "kept", "kept", "asks"},
		{"allow edit: *.txt", "echo x >> main.go", "asks", "kept", "kept", "runs"},
		{"allow edit: *.txt", "cat .env >> a.txt", "asks", "asks", "asks", "asks"},
		{"allow edit: **", "echo x >> .envrc", "asks", "asks", "asks", "asks"},
		{"allow command: echo", "echo x >> main.go", "asks", "kept", "kept", "runs"},
		{"ask edit: *.txt", "echo x >> a.txt", "asks", "asks", "asks", "asks"},
		{"deny edit: *.txt", "echo x >> a.txt", "denied", "denied", "denied", "denied"},

		{"allow command: sed", "sed -i s/a/b/ main.go", "kept", "kept", "kept", "asks"},
		{"allow command: sed", "sed -n -i.bak -e s/a/b/ a.txt main.go && cat a.txt", "kept", "kept", "kept", "asks"},
		{"allow command: sed", "sed -i s/a/b/ .envrc", "asks", "asks", "asks", "asks"},
		{"allow command: sed", "sed -i s/a/b/ " + outside + "/x", "asks", "asks", "asks", "asks"},
		{"", "sed -i -e s/a/b/ -ne /x/d main.go", "asks", "kept", "kept", "asks"},
		{"", "sed -ie s/a/b/ main.go && sed -i.bak --expression /x/d -- main.go", "asks", "kept", "kept", "asks"},
		{"", "sed -i -e s/a/b/ " + outside + "/x", "asks", "asks", "asks", "asks"},
		{"", "sed -i -n -E /a/d " + outside + "/x", "asks", "asks", "asks", "asks"},
		{"", "sed -i -e /x/d -e s/a/b/ -- .envrc", "asks", "asks", "asks", "asks"},
		{"allow command: sed", "sed -i s/a/b/e main.go", "asks", "kept", "kept", "asks"},
		{"allow command: sed", "ls | xargs sed -i s/a/b/", "asks", "kept", "kept", "asks"},
		{"allow command: xargs", "ls | xargs sed -i s/a/b/", "asks", "kept", "kept", "asks"},
		{"allow command: xargs; allow command: sed", "grep -rl a src | xargs sed -i s/a/b/", "kept", "kept", "kept", "asks"},
		{"allow command: xargs sed", "ls | xargs -0 -n 1 sed -i s/a/b/", "asks", "kept", "kept", "asks"},
		{"allow command: xargs sed", "ls | xargs sed -i s/a/b/", "asks", "kept", "kept", "asks"},
		{"allow command: xargs sed", "ls | xargs sed -i s/a/b/ --", "kept", "kept", "kept", "asks"},
		{"allow command: xargs; allow command: sed", "printf '%s\\n' '-e1e touch x' | xargs -d '\\n' sed -i -e s/zz/b/", "asks", "kept", "kept", "asks"},
		{"allow command: xargs; allow command: sed", "ls | xargs rm", "asks", "kept", "kept", "asks"},
		{"allow command: xargs; allow command: sed", "ls | xargs sh -c 'sed -i s/a/b/ $0'", "asks", "kept", "kept", "asks"},
		{"allow command: xargs", "ls | xargs wc -l", "runs", "runs", "runs", "runs"},

		{"", "cp main.go $TMPDIR/new.go", "asks", "kept", "kept", "asks"},
		{"", "go build -o \"$TMPDIR/x\" . > ${TMPDIR:-/tmp}/log 2>&1", "asks", "kept", "kept", "asks"},
		{"", "make >> " + temp + "/new.log 2>&1; tail -5 " + temp + "/new.log", "asks", "kept", "kept", "asks"},
		{"", "echo x >> " + temp + "/old.txt", "asks", "asks", "asks", "asks"},
		{"", "echo x >> " + temp + "/project/notes.md", "asks", "asks", "asks", "asks"},
		{"", "make 2>> " + temp + "/project/notes.md", "asks", "asks", "asks", "asks"},
		{"", "touch " + temp + "/project/notes.md", "asks", "asks", "asks", "asks"},
		{"", "cp a.txt " + temp + "/project", "asks", "asks", "asks", "asks"},
		{"allow command: tee", "echo x | tee -a " + temp + "/old.txt", "asks", "asks", "asks", "asks"},
		{"allow edit: **", "echo x >> " + temp + "/old.txt", "asks", "asks", "asks", "asks"},
		{"", "make > " + temp + "/old.txt", "asks", "asks", "asks", "asks"},
		{"", "rm -rf " + temp + "/old.txt", "asks", "asks", "asks", "asks"},
		{"", "rm -rf " + temp, "asks", "asks", "asks", "asks"},
		{"", "cp main.go " + temp + "/link/y", "asks", "asks", "asks", "asks"},
		{"", "cp main.go " + temp + "/../y", "asks", "asks", "asks", "asks"},
		{"", "f=$(mktemp) && make > \"$f\"", "asks", "kept", "kept", "asks"},
		{"", "f=$(mktemp -p /etc); make > $f", "asks", "asks", "asks", "asks"},

		{"", "npx eslint .", "asks", "kept", "kept", "asks"},
		{"", "cd sub && npx --no-install eslint .", "asks", "kept", "kept", "asks"},
		{"", "npm exec -- eslint .", "asks", "kept", "kept", "asks"},
		{"allow command: npx eslint", "npx eslint --fix src", "runs", "runs", "runs", "runs"},
		{"", "npx cowsay x", "asks+network", "asks+network", "asks+network", "asks+network"},
		{"", "npx eslint@8 .", "asks+network", "asks+network", "asks+network", "asks+network"},
		{"", "npx -p cowsay eslint", "asks+network", "asks+network", "asks+network", "asks+network"},
		{"", "npx ../eslint", "asks+network", "asks+network", "asks+network", "asks+network"},

		{"", "git stash", "asks", "kept", "kept", "asks"},
		{"", "git stash pop", "asks", "kept", "kept", "asks"},
		{"allow command: git stash", "git stash pop", "runs", "runs", "runs", "runs"},
		{"allow command: git stash", "git stash drop", "asks", "kept", "kept", "asks"},
	} {
		for _, r := range []struct {
			mode    event.Mode
			sandbox policy.Sandbox
			want    string
		}{{event.ModeAsk, policy.SandboxFull, c.ask}, {event.ModeAuto, policy.SandboxFull, c.edits}, {event.ModeAll, policy.SandboxFull, c.all}, {event.ModeAuto, policy.SandboxOff, c.bare}} {
			at := policy.Paths{Workspace: dir, Home: filepath.Dir(dir) + "-home", Sandbox: r.sandbox, Room: room(1 << 20)}
			v := asks(&policy.Policy{Mode: r.mode, Rules: rules(t, c.rules)}, at, run(dir, c.command))
			if got := strictly(v); got != r.want {
				t.Errorf("%s with the rules %q in %s, sandbox %v: %s, want %s (%s; %s; %s)", c.command, c.rules, r.mode, r.sandbox, got, r.want, v.Decider, v.Why, v.Warning)
			}
		}
	}
}

// TestAppendsThatUndoCannotRestore judges commands that append to files which may have a name
// outside the workspace, which are too large for undo, or which block a command.
func TestAppendsThatUndoCannotRestore(t *testing.T) {
	dir, outside := project(t, "a.txt", "big.log"), project(t, "x")
	if err := os.Link(filepath.Join(outside, "x"), filepath.Join(dir, "hl.txt")); err != nil {
		t.Skip("the file system has no hard links")
	}
	if err := os.Truncate(filepath.Join(dir, "big.log"), snapshot.MaxFile+1); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("hl.txt", filepath.Join(dir, "link.txt")); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("mkfifo", filepath.Join(dir, "ff")).CombinedOutput(); err != nil {
		t.Skipf("mkfifo: %v %s", err, out)
	}
	for _, c := range []struct{ rules, command, ask, edits, all string }{
		{"allow edit: **", "echo x >> a.txt", "runs", "runs", "runs"},
		{"allow edit: **", "echo x >> new.txt", "runs", "runs", "runs"},
		{"allow edit: **", "echo x >> hl.txt", "asks", "asks", "asks"},
		{"allow edit: **", "echo x > hl.txt", "asks", "asks", "asks"},
		{"allow edit: **", "echo x >> link.txt", "asks", "asks", "asks"},
		{"allow edit: **", "echo x >> a.txt; cat a.txt 2>> hl.txt", "asks", "asks", "asks"},
		{"allow edit: **", "echo x >> ff", "asks", "asks", "asks"},
		{"allow edit: **", "echo x > ff", "asks", "asks", "asks"},
		{"", "make >> hl.txt", "asks", "asks", "asks"},
		{"allow command: tee", "echo x | tee -a hl.txt", "asks", "asks", "asks"},
		{"allow command: tee", "echo x | tee -a a.txt", "runs", "runs", "runs"},
	} {
		for _, s := range []policy.Sandbox{policy.SandboxFull, policy.SandboxPartial, policy.SandboxOff} {
			for mode, want := range map[event.Mode]string{event.ModeAsk: c.ask, event.ModeAuto: c.edits, event.ModeAll: c.all} {
				at := policy.Paths{Workspace: dir, Sandbox: s, Room: room(1 << 40)}
				v := asks(&policy.Policy{Mode: mode, Rules: rules(t, c.rules)}, at, run(dir, c.command))
				if got := outcome(v); got != want && !(mode != event.ModeAsk && strictly(v) == "kept") {
					t.Errorf("%s with the rules %q in %s, sandbox %v: %s, want %s (%s; %s)", c.command, c.rules, mode, s, got, want, v.Decider, v.Why)
				}
			}
		}
	}
	at := policy.Paths{Workspace: dir, Sandbox: policy.SandboxFull, Room: room(1 << 40)}
	for command, want := range map[string]string{"echo x >> big.log": "kept", "echo x >> hl.txt": "kept", "echo x | tee -a hl.txt": "kept", "echo x >> ff": "asks"} {
		if v := asks(&policy.Policy{Mode: event.ModeAll, Rules: rules(t, "allow command: tee; allow edit: **")}, at, run(dir, command)); strictly(v) != want {
			t.Errorf("%s: %s, want %s (%s)", command, strictly(v), want, v.Decider)
		}
	}
	const why = "it writes to `hl.txt`, which has several names or is a pipe or a device"
	if v := asks(&policy.Policy{Mode: event.ModeAsk}, at, run(dir, "echo x >> hl.txt")); v.Why != why {
		t.Errorf("the reason is %q, want %q", v.Why, why)
	}
}

// TestXargsOfOptions judges programs that could take the words which xargs reads as options
// that run other programs.
func TestXargsOfOptions(t *testing.T) {
	dir := project(t, "main.go", "a.txt", "src/x")
	at := policy.Paths{Workspace: dir, Sandbox: policy.SandboxFull, Room: room(1 << 20)}
	for command, want := range map[string]string{
		"ls | xargs wc -l":             "runs",
		"ls | xargs grep -l x --":      "runs",
		"ls | xargs grep -l x":         "runs",
		"ls | xargs gofmt -l":          "runs",
		"ls | xargs -r -n1 -P 4 wc":    "runs",
		"ls | xargs -I{} wc {}":        "runs",
		"ls | xargs -I{} cp {} {}.bak": "runs",
		"ls | xargs rm":                "asks",
		"printf '%s\\n' '-e1e id' a.txt | xargs -d '\\n' sed -n": "asks",
		"ls | xargs sed -n 1p":                            "asks",
		"ls | xargs -0n 1 sed -n 1p":                      "asks",
		"ls | xargs -0n 1 wc":                             "runs",
		"ls | xargs sed -n 1p --":                         "runs",
		"ls | xargs sed -n -- 1p":                         "runs",
		"ls | xargs sed -n --":                            "asks",
		"ls | xargs sed -n 1p -l --":                      "asks",
		"ls | xargs sed -n -e --":                         "asks",
		"ls | xargs timeout 5 sed -n 1p":                  "asks",
		"ls | timeout 5 xargs sed -n 1p":                  "asks",
		"ls | xargs xargs sed -n 1p":                      "asks",
		"ls | xargs env":                                  "asks",
		"ls | xargs --unknown wc":                         "asks",
		"ls | xargs -I{} {}":                              "asks",
		"ls | xargs -I{} {} --":                           "asks",
		"ls | xargs -I X X a":                             "asks",
		"ls | xargs -i {} a":                              "asks",
		"ls | xargs -I{} timeout 5 {}":                    "asks",
		"ls | xargs -I{} sed -n {} a.txt":                 "asks",
		"ls | xargs -I{} sed -n 1p {}":                    "asks",
		"ls | xargs -I{} sed -n 1p -- {}":                 "runs",
		"ls | xargs -I{} sed -n -- s/x/{}/ a.txt":         "asks",
		"ls | xargs sort":                                 "asks",
		"ls | xargs sort --":                              "runs",
		"ls | xargs rg x":                                 "asks",
		"ls | xargs rg x --":                              "runs",
		"ls | xargs rg --pre --":                          "asks",
		"ls | xargs tar -cf x.tar":                        "asks",
		"ls | xargs tar -cf x.tar --":                     "runs",
		"ls | xargs tar cf --":                            "asks",
		"ls | xargs awk '{print}'":                        "asks",
		"ls | xargs python3":                              "asks",
		"ls | xargs python3 --":                           "asks",
		"ls | xargs python3 x.py --":                      "runs",
		"ls | xargs git add":                              "asks",
		"ls | xargs git add --":                           "runs",
		"ls | xargs git bisect run --":                    "asks",
		"ls | xargs find":                                 "asks",
		"ls | xargs find --":                              "asks",
		"ls | xargs -I{} find {} -name x":                 "asks",
		"find . | xargs find":                             "asks",
		"grep -rl a . | xargs sed -n 1p":                  "runs",
		"grep -rl a src | xargs sed -n 1p":                "runs",
		"grep -rl --include='*.go' a . | xargs sed -n 1p": "runs",
		"find . -name '*.go' | xargs sed -n 1p":           "runs",
		"find src -type f -print0 | xargs -0 git add":     "runs",
		"grep -rl a . | xargs sed -n":                     "asks",
		"grep -rl a . | xargs python3":                    "asks",
		"grep -rl a | xargs sed -n 1p":                    "asks",
		"grep -r a . | xargs sed -n 1p":                   "asks",
		"grep -rh a . | xargs sed -n 1p":                  "asks",
		"grep -rl a . | xargs -d / sed -n 1p":             "asks",
		"grep -rl a . | xargs -a a.txt sed -n 1p":         "asks",
		"grep -rl a . | xargs -I{} sed -n {} a.txt":       "asks",
		"find . -printf '%f\\n' | xargs sed -n 1p":        "asks",
		"find . -ls | xargs sed -n 1p":                    "asks",
	} {
		rules := rules(t, "allow command: xargs; allow command: timeout")
		if v := asks(&policy.Policy{Mode: event.ModeAsk, Rules: rules}, at, run(dir, command)); outcome(v) != want {
			t.Errorf("%s: %s, want %s (%s; %s)", command, outcome(v), want, v.Decider, v.Why)
		}
	}
}

// TestXargsOfSplitNames judges lists of files of which one has a name that xargs splits into
// an option, or into a path of its own.
func TestXargsOfSplitNames(t *testing.T) {
	dir := project(t, "main.go", "a b.txt", "-e1e", "dash/x -e1e", "quote/x '\"-e1e", "line/x\n-e1e", "tree/x /etc/passwd", "it's/a.txt")
	at := policy.Paths{Workspace: dir, Sandbox: policy.SandboxFull, Room: room(1 << 20)}
	for command, want := range map[string]string{
		"grep -rl a . | xargs sed -i s/a/b/":                                   "asks",
		"grep -rl a dash | xargs sed -i s/a/b/":                                "asks",
		"grep -l a dash/* | xargs sed -i s/a/b/":                               "asks",
		"find quote | xargs sed -i s/a/b/":                                     "asks",
		"find tree -type f | xargs sed -i s/a/b/":                              "asks",
		"find line | xargs -d '\\n' sed -i s/a/b/":                             "asks",
		"cd dash && grep -rl a . | xargs -r sed -i s/a/b/":                     "asks",
		"grep -rl a / | xargs sed -i s/a/b/":                                   "asks",
		"grep -rl a main.go it\\'s | xargs sed -i s/a/b/":                      "kept",
		"find dash | xargs -d '\\n' sed -i s/a/b/":                             "kept",
		"grep -rlZ a . | xargs -0 sed -i s/a/b/":                               "kept",
		"grep -rlZ a . | xargs -0r sed -i s/a/b/":                              "kept",
		"find . -print0 | xargs -0 -n 5 sed -i s/a/b/":                         "kept",
		"grep -rl a . | xargs sed -i s/a/b/ --":                                "kept",
		"grep -rl a . | xargs -0 -d ' ' sed -i s/a/b/":                         "asks",
		"touch 'it'\\''s/x -e1e'; grep -rl a it\\'s | xargs sed -i s/a/b/":     "asks",
		"grep -rl a it\\'s | xargs sed -i s/a/b/ | tee 'it'\\''s/x -e1e'":      "asks",
		"grep -rl a it\\'s | xargs sed -i s/a/b/ && grep -rl a it\\'s | wc -l": "kept",
		"grep -rl a . | xargs grep -n a":                                       "runs",
		"grep -rl a . | xargs wc -l":                                           "runs",
		"grep -rl a . | xargs ls":                                              "runs",
	} {
		rules := rules(t, "allow command: xargs; allow command: sed; allow command: touch; allow command: tee")
		v := asks(&policy.Policy{Mode: event.ModeAsk, Rules: rules}, at, run(dir, command))
		if got := strictly(v); got != want {
			t.Errorf("%s: %s, want %s (%s; %s)", command, got, want, v.Decider, v.Why)
		}
	}
	v := asks(&policy.Policy{Mode: event.ModeAsk, Rules: rules(t, "allow command: xargs; allow command: sed")}, at, run(dir, "grep -rl a . | xargs sed -i s/a/b/"))
	if !strings.Contains(v.Why, "grep -rlZ X . | xargs -0") || v.Rule != v.Why {
		t.Errorf("the reason is %q, the rule %q", v.Why, v.Rule)
	}
}

// TestOutsideReadsInAuto judges commands that name files outside the workspace in mode auto. In the
// complete sandbox they run, unless the file is in the home directory, which the sandbox hides.
func TestOutsideReadsInAuto(t *testing.T) {
	dir := project(t, "a.txt")
	home := filepath.Join(filepath.Dir(dir), "home")
	if err := os.MkdirAll(home, 0o755); err != nil {
		t.Fatal(err)
	}
	outside, own := filepath.Join(filepath.Dir(dir), "out.txt"), filepath.Join(home, "notes.txt")
	for _, path := range []string{outside, own, filepath.Join(home, ".env")} {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ line, full, off string }{
		{"cat ../out.txt", "kept", "asks"},
		{"cat ~/../out.txt", "kept", "asks"},
		{"cat $HOME/../out.txt", "kept", "asks"},
		{`cat "${HOME}"/../out.txt`, "kept", "asks"},
		{"grep x " + outside, "kept", "asks"},
		{"cp " + outside + " .", "kept", "asks"},
		{"cd .. && make; cd project", "kept", "asks"},
		{"grep x " + own, "asks", "asks"},
		{"cat ~/notes.txt", "asks", "asks"},
		{"cp \"$HOME/notes.txt\" .", "asks", "asks"},
		{"cat ../home/notes.txt", "asks", "asks"},
		{"cd ../home && cat notes.txt", "asks", "asks"},
		{"cd ~ && tar c .", "asks", "asks"},
		{"cd ~; make", "kept", "asks"},
		{"cat ../home/.env", "asks", "asks"},
		{"for f in *.txt; do cat \"$f\"; done", "kept", "asks"},
	} {
		for sandbox, want := range map[policy.Sandbox]string{policy.SandboxFull: c.full, policy.SandboxOff: c.off} {
			at := policy.Paths{Workspace: dir, Home: home, Sandbox: sandbox, Room: room(1 << 20)}
			if got := strictly(asks(&policy.Policy{Mode: event.ModeAuto}, at, run(dir, c.line))); got != want {
				t.Errorf("%s with sandbox %v: %s, want %s", c.line, sandbox, got, want)
			}
		}
	}
}
