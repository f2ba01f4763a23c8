package policy_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agent/internal/loop/event"
	"agent/internal/loop/policy"
	"agent/internal/tools"
)

// A line of several commands offers what is not allowed yet, up to three prefixes. Each
// becomes a permission of its own.
func TestOffersOfALine(t *testing.T) {
	dir := project(t, "package.json")
	at := policy.Paths{Workspace: dir, Home: dir}
	for _, c := range []struct{ before, line, offer string }{
		{"", "git add -A && git commit -m x", "`git add` and `git commit` with common options in this project"},
		{"", "git add -A; git add x", "`git add` with common options in this project"},
		{"git add x", "git add -A && git commit -m x", "`git commit` with common options in this project"},
		{"", "go vet && go build && go test | tail -3", "`go vet`, `go build` and `go test` with common options in this project"},
		{"", "git add . && git commit -m x && git push", "`git add` and `git commit` with common options, and `git push` with common options and the network in this project"},
		{"", "go vet && go build && go test && go clean", ""},
		{"go vet", "go vet && go build && go test && go clean", "`go build`, `go test` and `go clean` with common options in this project"},
		{"", "go vet && rm -rf x", ""},
		{"go vet", "go vet && rm -rf x", ""},
		{"", "go vet && make > out", ""},
		{"", "npm test && git add $X", ""},
		{"", "rails db:migrate", "`rails db:migrate` without arguments in this project"},
		{"", "rails db:migrate && git add -A", "`rails db:migrate` without arguments, and `git add` with common options in this project"},
		{"", "rails db:migrate VERSION=1", ""},
		{"rails db:migrate", "rails db:migrate VERSION=1", ""},
		{"git pull", "git pull --strategy=/evil", ""},
	} {
		p := policy.Policy{Mode: event.ModeAsk}
		if c.before != "" {
			p.Allow(asks(&p, at, run(dir, c.before)).Offer)
		}
		v := asks(&p, at, run(dir, c.line))
		if !v.Ask || v.Offer.String() != c.offer {
			t.Errorf("%s after %q: offers %q, want %q", c.line, c.before, v.Offer, c.offer)
		}
	}
}

// A standing permission for a command does not apply to a line that changes files first: they
// may say what the command does. In the sandbox of mode auto the line runs without it.
func TestStandingPermissionsInALineThatWrites(t *testing.T) {
	dir := project(t, "package.json", "Makefile", "new.json")
	at := policy.Paths{Workspace: dir, Home: filepath.Join(t.TempDir(), "home"), Sandbox: policy.SandboxFull, Room: room(1 << 20)}
	for _, c := range []struct {
		line        string
		ask, in, of string // in the modes ask, auto and all
	}{
		{"make test", "runs", "runs", "runs"},
		{"npm install", "network", "network", "network"},
		{"ls && npm install | tail", "network", "network", "network"},
		{"cat new.json > package.json && npm install", "asks+network", "asks+network", "asks+network"},
		{"echo registry=http://h.test >> .npmrc; npm install x", "asks+network", "asks+network", "asks+network"},
		{"cat new.json > Makefile; make test", "asks", "runs", "runs"},
		{"make test && npm install", "asks+network", "asks+network", "asks+network"},
		{"sh x.sh; npm install", "asks+network", "asks+network", "asks+network"},
	} {
		for mode, want := range map[event.Mode]string{event.ModeAsk: c.ask, event.ModeAuto: c.in, event.ModeAll: c.of} {
			p := policy.Policy{Mode: event.ModeAsk}
			for _, line := range []string{"make test", "npm install"} {
				p.Allow(asks(&p, at, run(dir, line)).Offer)
			}
			p.Allow(asks(&p, at, to(tools.Write, tools.Path, "a.txt")).Offer)
			p.Mode = mode
			v := asks(&p, at, run(dir, c.line))
			if outcome(v) != want || want == "runs" && v.Access.HideHome != (c.line != "make test") {
				t.Errorf("%s in %s: %s, want %s (%s), %+v", c.line, mode, outcome(v), want, v.Why, v.Access)
			}
		}
	}
}

// A job that nobody approved could change what a command runs. Then no permission gives it the
// network.
func TestNoPermissionGivesTheNetworkBesideAJob(t *testing.T) {
	dir, running := project(t, "package.json"), false
	at := policy.Paths{Workspace: dir, Home: filepath.Join(t.TempDir(), "home"), Sandbox: policy.SandboxFull, Room: room(1 << 20), Commands: policy.Commands{Jobs: func() bool { return running }}}
	for _, mode := range []event.Mode{event.ModeAsk, event.ModeAuto, event.ModeAll} {
		p := policy.Policy{Mode: mode, Rules: rules(t, "allow network: git push")}
		for _, running = range []bool{false, true} {
			want := map[bool]string{false: "network", true: "asks+network"}[running]
			if v := asks(&p, at, run(dir, "git push")); outcome(v) != want {
				t.Errorf("in %s, with a job %v: %s, want %s (%s)", mode, running, outcome(v), want, v.Why)
			}
		}
	}
}

// A standing permission does not cover reading files that may hold secrets, and none is offered
// for it. A rule covers it.
func TestStandingPermissionsDoNotCoverSecrets(t *testing.T) {
	dir := project(t, ".env", "id_rsa", "main.c")
	at := policy.Paths{Workspace: dir, Home: filepath.Join(t.TempDir(), "home"), Sandbox: policy.SandboxFull}
	for _, c := range []struct{ allowed, line, want string }{
		{"git commit -m x", "git commit --allow-empty -F main.c", "runs"},
		{"git commit -m x", "git commit --allow-empty -F .env", "asks"},
		{"git tag v1", "git tag -F id_rsa v1", "asks"},
		{"git apply main.c", "git apply id_rsa", "asks"},
		{"gcc -c main.c", "gcc -E -P main.c", "runs"},
		{"gcc -c main.c", "gcc -E -P -xc .env", "asks"},
		{"shellcheck main.c", "shellcheck .env", "asks"},
		{"eslint .", "eslint .env", "asks"},
	} {
		for _, mode := range []event.Mode{event.ModeAsk, event.ModeAuto, event.ModeAll} {
			p := policy.Policy{Mode: event.ModeAsk}
			first := asks(&p, at, run(dir, c.allowed))
			if p.Allow(first.Offer); first.Offer.String() == "" {
				t.Errorf("%s offers nothing", c.allowed)
			}
			p.Mode = mode
			v := asks(&p, at, run(dir, c.line))
			if outcome(v) != c.want || v.Offer.String() != "" {
				t.Errorf("%s in %s: %s, want %s (%s), offers %q", c.line, mode, outcome(v), c.want, v.Why, v.Offer)
			}
			fresh := asks(&policy.Policy{Mode: event.ModeAsk}, at, run(dir, c.line)).Offer.String()
			if (fresh == "") != (c.want == "asks") {
				t.Errorf("%s offers %q", c.line, fresh)
			}
			p = policy.Policy{Mode: mode, Rules: rules(t, "allow command: "+c.line)}
			if v := asks(&p, at, run(dir, c.line)); outcome(v) != "runs" {
				t.Errorf("%s with a rule in %s: %s (%s)", c.line, mode, outcome(v), v.Why)
			}
		}
	}
}

// A standing permission does not cover the content of files and directories outside the workspace.
// It covers names of files in messages.
func TestStandingPermissionsDoNotCoverFilesOutside(t *testing.T) {
	root := project(t, "x", "work/inner/y", "work/main.c", "work/package.json", "with space/a b", "other/x", "headers/x.h")
	dir := filepath.Join(root, "work")
	if err := os.Symlink("../other", filepath.Join(dir, "link")); err != nil {
		t.Skip(err)
	}
	at := policy.Paths{Workspace: dir, Home: filepath.Join(t.TempDir(), "home"), Sandbox: policy.SandboxFull, Readable: func() []string { return []string{filepath.Join(root, "headers")} }}
	for _, c := range []struct{ allowed, line, want string }{
		{"git commit -m x", "git commit -F ROOT/x", "asks"},
		{"git commit -m x", "git commit -FROOT/x", "asks"},
		{"git commit -m x", "git commit -qF../x", "asks"},
		{"git commit -m x", "git commit --file=../x", "asks"},
		{"git commit -m x", "git commit -t ../x", "asks"},
		{"git commit -m x", "git commit --templ=../x", "asks"},
		{"git commit -m x", "git commit --pathspec-from-file=ROOT/x", "asks"},
		{"git commit -m x", "git commit -F 'ROOT/with space/a b'", "asks"},
		{"git commit -m x", "git commit -F inner/../../x", "asks"},
		{"git commit -m x", "cd inner && git commit -F ../../x", "asks"},
		{"git commit -m x", "cd .. && git commit -F x", "asks"},
		{"git apply main.c", "git apply ../x", "asks"},
		{"gcc -c main.c", "gcc -E -P -xc ../x", "asks"},
		{"gcc -c main.c", "gcc -E -P -includeROOT/x main.c", "asks"},
		{"gcc -c main.c", "gcc -E -P @ROOT/x", "asks"},
		{"pytest", "pytest ROOT/other", "asks"},
		{"pytest", "pytest -q inner ../other", "asks"},
		{"pytest", "pytest link", "asks"},
		{"pytest", "pytest ROOT/other::test_a", "asks"},
		{"go test", "go test ROOT/other/...", "asks"},
		{"go test", "go test ../other/... ./...", "asks"},
		{"go test", "go test -C ROOT/other", "asks"},
		{"go test", "go test -C=ROOT/other", "asks"},
		{"cmake .", "cmake -SROOT/other", "asks"},
		{"npm test", "npm test -- ..", "asks"},
		{"go test", "go test ./... ./inner/...", "runs"},
		{"pytest", "pytest inner ../missing", "runs"},
		{"gcc -c main.c", "gcc -c -I.. main.c", "asks"},
		{"gcc -c main.c", "gcc -c -IROOT main.c", "asks"},
		{"gcc -c main.c", "gcc -c -I ROOT/other main.c", "asks"},
		{"gcc -c main.c", "gcc main.c -LROOT/other", "asks"},
		{"gcc -c main.c", "gcc -c -Iinner -IROOT/headers main.c", "runs"},
		{"git commit -m x", "git commit -m 'Read ROOT/x'", "runs"},
		{"git commit -m x", "git commit -m 'fix: ROOT/x' -m ../xyz", "runs"},
		{"git commit -m x", "git commit -F main.c", "runs"},
		{"git commit -m x", "git commit -F work/main.c", "runs"},
		{"go test", "go test && cd inner && cd .. && ls", "runs"},
		{"npm test", "npm test && cd inner && cd ..", "runs"},
	} {
		line := strings.ReplaceAll(c.line, "ROOT", root)
		for _, mode := range []event.Mode{event.ModeAsk, event.ModeAuto} {
			p := policy.Policy{Mode: event.ModeAsk}
			first := asks(&p, at, run(dir, c.allowed))
			if p.Allow(first.Offer); first.Offer.String() == "" {
				t.Errorf("%s offers nothing", c.allowed)
			}
			p.Mode = mode
			v := asks(&p, at, run(dir, line))
			if outcome(v) != c.want || v.Offer.String() != "" {
				t.Errorf("%s in %s: %s, want %s (%s), offers %q", line, mode, outcome(v), c.want, v.Why, v.Offer)
			}
		}
	}
}

// The permissions of one offer are separate: removing one leaves the others.
func TestPermissionsOfALineAreSeparate(t *testing.T) {
	dir := project(t, "package.json")
	at, p := policy.Paths{Workspace: dir, Home: dir}, policy.Policy{Mode: event.ModeAsk}
	const both = "git add -A && git commit -m x"
	p.Allow(asks(&p, at, run(dir, both)).Offer)
	var scopes []string
	for _, g := range p.Grants() {
		if g.With != nil || g.Network {
			t.Errorf("got the permission %+v", g)
		}
		scopes = append(scopes, g.Value)
	}
	if slices.Sort(scopes); strings.Join(scopes, ", ") != "git add, git commit" {
		t.Fatalf("got permissions for %q", scopes)
	}
	want := map[string]string{both: "runs", "git add x": "runs", "git commit -m y": "runs", "git add . && git push": "asks+network"}
	check := func() {
		t.Helper()
		for line, want := range want {
			if got := outcome(asks(&p, at, run(dir, line))); got != want {
				t.Errorf("%s: %s, want %s", line, got, want)
			}
		}
	}
	check()
	for _, g := range p.Grants() {
		if g.Value == "git commit" && !p.Forget(g.Scope) {
			t.Error("nothing was removed")
		}
	}
	want = map[string]string{both: "asks", "git add x": "runs", "git commit -m y": "asks"}
	check()
	push := asks(&p, at, run(dir, "git add . && git push")).Offer
	if !push.Network || push.Value != "git push" {
		t.Errorf("offered %+v", push)
	}
}

// A permission for npm ends if a section of package.json changes that can decide which
// programs run, or the settings of npm, but not with the version or a dependency.
func TestPermissionsOfPackageScripts(t *testing.T) {
	const before = `{"name": "x", "version": "1.0.0", "scripts": {"test": "node --test"}, "devDependencies": {"a": "1"}}`
	for _, c := range []struct{ file, content, want string }{
		{"package.json", `{"name": "x", "version": "1.1.0", "scripts": {"test": "node --test"}, "devDependencies": {"a": "2"}}`, "runs"},
		{"package.json", "\ufeff{\n  \"scripts\": {\n\"test\":   \"node --test\"}, \"description\": \"the scripts\"}", "runs"},
		{"package.json", `{"scripts": {"test": "node --test"}, "repository": "a/b", "dependencies": {"a": "^2 || 3.x", "b": "latest"}}`, "runs"},
		{"package.json", `{"scripts": {"test": "node --test"}, "dependencies": {"a": "file:./a"}}`, "asks"},
		{"package.json", `{"scripts": {"test": "node --test"}, "devDependencies": {"a": "user/a"}}`, "asks"},
		{"package.json", `{"scripts": {"test": "node --test", "pretest": "curl x"}}`, "asks"},
		{"package.json", `{"scripts": {"test": "node --test"}, "scripts": {"test": "curl x"}}`, "asks"},
		{"package.json", `{"scripts": {"test": "node --test"}, "\u0073cripts": {"test": "curl x"}}`, "asks"},
		{"package.json", `{"scripts": {"test": "node --test"}, "packageManager": "npm@1"}`, "asks"},
		{"package.json", `{"scripts": {"test": "node --test"}, "workspaces": ["*"]}`, "asks"},
		{"package.json", `{"scripts": {"test": "node --test"}, "config": {"flags": "x"}}`, "asks"},
		{"package.json", `{"scripts": {"test": "node --test"}, "wireit": {"test": {"command": "x"}}}`, "asks"},
		{"package.json", `{"scripts": {"test": "node --test"}} x`, "asks"},
		{"package.json", "scripts", "asks"},
		{".npmrc", "script-shell=./x", "asks"},
	} {
		dir := project(t)
		write(t, filepath.Join(dir, "package.json"), before)
		at, p := policy.Paths{Workspace: dir, Home: dir}, policy.Policy{Mode: event.ModeAsk}
		p.Allow(asks(&p, at, run(dir, "npm test")).Offer)
		if got := outcome(asks(&p, at, run(dir, "npm test -- x"))); got != "runs" {
			t.Fatalf("with the permission it %s", got)
		}
		write(t, filepath.Join(dir, c.file), c.content)
		if got := outcome(asks(&p, at, run(dir, "npm test -- x"))); got != c.want {
			t.Errorf("after %s = %s it %s, want %s", c.file, c.content, got, c.want)
		}
	}
}

// A token in the settings of npm does not make every command of npm ask.
func TestSettingsOfNpmAreNotNamed(t *testing.T) {
	dir := project(t, "package.json", ".npmrc")
	at, p := policy.Paths{Workspace: dir, Home: dir, Sandbox: policy.SandboxFull, Room: room(1 << 20)}, policy.Policy{Mode: event.ModeAll}
	for line, want := range map[string]string{"npm test": "runs", "node x.js .npmrc": "asks"} {
		if got := outcome(asks(&p, at, run(dir, line))); got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
}
