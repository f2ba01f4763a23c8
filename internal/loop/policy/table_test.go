package policy_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/loop/event"
	"agent/internal/loop/policy"
	"agent/internal/loop/policy/rule"
	"agent/internal/loop/policy/standing"
	"agent/internal/tools"
)

// rules parses rules of the form "deny command: git push", separated by semicolons.
func rules(t *testing.T, text string) (out []rule.Rule) {
	t.Helper()
	for _, line := range strings.Split(text, ";") {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		action, text, _ := strings.Cut(line, " ")
		r, err := rule.Parse(rule.Action(action), text)
		if err == nil {
			r.Source = fmt.Sprint("config.json:", len(out)+1)
			err = r.Check()
		}
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, r)
	}
	return out
}

// outcome returns a verdict in one word: private, runs, network, asks (with +network if
// approval gives the network), or denied.
func outcome(v policy.Verdict) string {
	switch {
	case v.Refuse:
		return "denied"
	case v.Ask && v.Access.Network:
		return "asks+network"
	case v.Ask:
		return "asks"
	case v.Access.Private:
		return "private"
	case v.Access.Network:
		return "network"
	}
	return "runs"
}

// The table of modes for commands: one verdict in each of the modes plan, ask, auto and
// all.
func TestTableOfModes(t *testing.T) {
	dir := project(t, "main.go", "build/x", "src/y.go", "package.json", "Makefile", ".env", ".git/config", "secrets/key.txt", "docs/a.md")
	outside := project(t, "x")
	at := policy.Paths{Workspace: dir, Home: filepath.Dir(outside), Sandbox: policy.SandboxFull, Room: room(1 << 20)}
	rows := 0
	for _, c := range []struct{ rules, command, plan, ask, edits, all string }{
		{"", "ls -la", "private", "private", "private", "private"},
		{"", "cat main.go | head -3", "private", "private", "private", "private"},
		{"", "cat .env", "denied", "asks", "asks", "asks"},
		{"", "cat " + outside + "/x", "denied", "asks", "asks", "runs"},
		{"", "make test", "denied", "asks", "runs", "runs"},
		{"", "go test ./...", "denied", "asks", "runs", "runs"},
		{"", "python3 x.py", "denied", "asks", "runs", "runs"},
		{"", "touch new.txt", "denied", "asks", "runs", "runs"},
		{"", "echo x > new.txt", "denied", "asks", "runs", "runs"},
		{"", "rm -rf build", "denied", "asks", "runs", "runs"},
		{"", "git reset --hard", "denied", "asks", "runs", "runs"},
		{"", "git reset --hard && git clean -fdx && rm -rf build", "denied", "asks", "runs", "runs"},
		{"", "echo x > main.go", "denied", "asks", "runs", "runs"},
		{"", "find . -name x -delete", "denied", "asks", "runs", "runs"},
		{"", "sudo ls", "denied", "asks", "runs", "runs"},
		{"", "$X", "denied", "asks", "runs", "runs"},
		{"", "echo x > $X", "denied", "asks", "runs", "runs"},
		{"", "if", "denied", "asks", "runs", "runs"},
		{"", "echo x > " + outside + "/new", "denied", "asks", "asks", "asks"},
		{"", "cd .. && touch x", "denied", "asks", "asks", "asks"},
		{"", "tee ~/.bashrc", "denied", "asks", "asks", "asks"},
		{"", "cp main.go .git/hooks/pre-commit", "denied", "asks", "asks", "asks"},
		{"", "echo x >> .envrc", "denied", "asks", "asks", "asks"},
		{"", "npm ci", "denied", "asks+network", "asks+network", "asks+network"},
		{"", "git push", "denied", "asks+network", "asks+network", "asks+network"},
		{"", "curl example.org", "denied", "asks+network", "asks+network", "asks+network"},
		{"", "curl -sS -X POST http://localhost:3000/login -d x=1", "denied", "asks", "runs", "runs"},
		{"", "timeout 5 curl 127.0.0.1:3000 && nc -z localhost 3000", "denied", "asks", "runs", "runs"},
		{"", "wget -qO- http://[::1]:8080/; make test", "denied", "asks", "runs", "runs"},
		{"", "curl http://localhost:3000; curl example.org", "denied", "asks+network", "asks+network", "asks+network"},
		{"", "curl -x http://example.org http://localhost", "denied", "asks+network", "asks+network", "asks+network"},
		{"", "curl http://localhost.example.org", "denied", "asks+network", "asks+network", "asks+network"},
		{"", "curl http://localhost@example.org", "denied", "asks+network", "asks+network", "asks+network"},
		{"", "ssh localhost", "denied", "asks+network", "asks+network", "asks+network"},
		{"allow network: curl", "curl localhost:3000", "denied", "runs", "runs", "runs"},
		{"allow command: curl", "curl localhost:3000", "denied", "runs", "runs", "runs"},
		{"allow network: curl", "curl localhost:3000; curl example.org", "denied", "network", "network", "network"},
		{"", "ls; make test", "denied", "asks", "runs", "runs"},
		{"", "(ls; make test)", "denied", "asks", "runs", "runs"},
		{"", "echo $(rm -rf build)", "denied", "asks", "runs", "runs"},
		{"", "bash -c 'rm -rf build'", "denied", "asks", "runs", "runs"},

		{"deny command: ls", "ls -la", "denied", "denied", "denied", "denied"},
		{"deny command: ls", "echo x; ls", "denied", "denied", "denied", "denied"},
		{"deny command: git push", "git push -f", "denied", "denied", "denied", "denied"},
		{"deny command: git push; allow network: git push", "git push", "denied", "denied", "denied", "denied"},
		{"allow network: git push; deny command: git push", "git push", "denied", "denied", "denied", "denied"},
		{"deny edit: out/x", "gcc -o out/x main.c", "denied", "asks", "asks", "asks"},
		{"deny edit: out/x", "gcc -o out/y main.c", "denied", "asks", "runs", "runs"},
		{"deny command: git push", "git commit -m x", "denied", "asks", "asks", "runs"},
		{"deny command: git push", "make test", "denied", "asks", "runs", "runs"},
		{"deny command: git push", "$X push", "denied", "asks", "asks", "asks"},
		{"deny command: git push", "git $X", "denied", "asks", "asks", "asks"},
		{"deny command: git push", "git commit -m 'do not git push'", "denied", "asks", "asks", "runs"},
		{"deny command: git push", "grep -rn 'git push' .", "private", "private", "private", "private"},
		{"deny network: npm", "npm ci", "denied", "denied", "denied", "denied"},
		{"deny network: npm", "npm test", "denied", "asks", "runs", "runs"},
		{"deny tool: shell", "ls", "denied", "denied", "denied", "denied"},
		{"deny tool: sh*", "ls", "denied", "denied", "denied", "denied"},
		{"deny read: secrets/**", "cat secrets/key.txt", "denied", "denied", "denied", "denied"},
		{"deny read: secrets", "cat ./src/../secrets/key.txt", "denied", "denied", "denied", "denied"},
		{"deny read: secrets", "cat SECRETS/key.txt", "denied", "denied", "denied", "denied"},
		{"deny read: secrets", "wc -l secrets/key.txt > out", "denied", "denied", "denied", "denied"},
		{"deny read: secrets", "grep -rn x .", "denied", "asks", "asks", "asks"},
		{"deny read: secrets", "grep -rn x src", "private", "private", "private", "private"},
		{"deny read: secrets", "ls", "private", "private", "private", "private"},
		{"deny edit: docs/**", "touch docs/b.md", "denied", "denied", "denied", "denied"},
		{"deny edit: docs/**", "cat docs/a.md", "private", "private", "private", "private"},
		{"deny edit: docs/**", "make docs/a.md", "denied", "asks", "asks", "asks"},

		{"ask command: ls", "ls", "denied", "asks", "asks", "asks"},
		{"ask command: make; allow command: make", "make test", "denied", "asks", "asks", "asks"},
		{"ask command: make", "env make test", "denied", "asks", "asks", "asks"},

		{"allow command: go test", "go test ./...", "denied", "runs", "runs", "runs"},
		{"allow command: go test", "go test ./... | tail -3", "denied", "runs", "runs", "runs"},
		{"allow command: go test", "go test ./... && make test", "denied", "asks", "runs", "runs"},
		{"allow command: go test; allow command: make", "go test ./... && make test", "denied", "runs", "runs", "runs"},
		{"allow command: go test", "go test -exec rm ./...", "denied", "asks", "runs", "runs"},
		{"allow command: go test", "GOFLAGS=x go test", "denied", "asks", "runs", "runs"},
		{"allow command: go test", "go test > main.go", "denied", "asks", "runs", "runs"},
		{"allow command: go test", "go test $X", "denied", "asks", "runs", "runs"},
		{"allow command: go test", "$(go test)", "denied", "asks", "runs", "runs"},
		{"allow command: go test", "./go test", "denied", "asks", "runs", "runs"},
		{"allow command: go test", "go testx", "denied", "asks", "runs", "runs"},
		{"allow command: python3", "python3 x.py", "denied", "runs", "runs", "runs"},
		{"allow command: rm -rf build", "rm -rf build", "denied", "runs", "runs", "runs"},
		{"allow command: rm -rf build", "rm -rf build src", "denied", "asks", "runs", "runs"},
		{"allow command: rm -rf build", "cd src && rm -rf build", "denied", "asks", "runs", "runs"},
		{"allow command: rm", "rm -rf src", "denied", "runs", "runs", "runs"},
		{"allow command: rm", "rm -rf " + outside, "denied", "asks", "asks", "asks"},
		{"allow command: rm", "rm .git/config", "denied", "asks", "asks", "asks"},
		{"allow command: rm", "rm -rf ~/x", "denied", "asks", "asks", "asks"},
		{"allow command: git", "git push --force", "denied", "asks+network", "asks+network", "asks+network"},
		{"allow command: env", "env rm -rf src", "denied", "asks", "runs", "runs"},
		{"allow command: bash", "bash -c 'make test'", "denied", "asks", "runs", "runs"},
		{"allow command: npm", "npm ci", "denied", "asks+network", "asks+network", "asks+network"},
		{"allow network: npm ci", "npm ci", "denied", "network", "network", "network"},
		{"allow network: npm ci", "npm ci && npm test", "denied", "asks+network", "asks+network", "asks+network"},
		{"allow network: npm ci", "cd src && npm ci | tail", "denied", "network", "network", "network"},
		{"allow network: npm ci", "npm ci; rm -rf src", "denied", "asks+network", "asks+network", "asks+network"},
		{"allow network: npm ci; allow command: npm test", "npm ci && npm test", "denied", "asks+network", "asks+network", "asks+network"},
		{"allow network: npm ci; allow network: npm test", "npm ci && npm test", "denied", "network", "network", "network"},
		{"allow network: git push; allow command: git rebase", "git rebase -x 'sh x.sh' HEAD~1; git push", "denied", "asks+network", "asks+network", "asks+network"},
		{"allow network: git push", "git -c core.fsmonitor='sh x.sh' status; git push", "denied", "asks+network", "asks+network", "asks+network"},
		{"allow network: git push; allow command: git commit", "git commit -m x && git push", "denied", "network", "network", "network"},
		{"allow network: git push", "git push --force", "denied", "asks+network", "asks+network", "asks+network"},
		{"allow network: git push --force", "git push --force", "denied", "network", "network", "network"},
		{"allow command: cat", "cat " + outside + "/x", "denied", "runs", "runs", "runs"},
		{"allow tool: shell", "make test", "denied", "asks", "runs", "runs"},
	} {
		rows++
		call := run(dir, c.command)
		call.Tool = "shell"
		for mode, want := range map[event.Mode]string{event.ModePlan: c.plan, event.ModeAsk: c.ask, event.ModeAuto: c.edits, event.ModeAll: c.all} {
			p := policy.Policy{Mode: mode, Rules: rules(t, c.rules)}
			v := asks(&p, at, call)
			if got := outcome(v); got != want {
				t.Errorf("%s with the rules %q in %s: %s, want %s (%s: %s)", c.command, c.rules, mode, got, want, v.Decider, v.Why)
			}
			if v.Decider == "" || (v.Ask || v.Refuse) && v.Why == "" || v.ByRule && !strings.Contains(v.Decider, "config.json:") {
				t.Errorf("%s in %s: the verdict does not say what decided: %+v", c.command, mode, v)
			}
			if c.rules != "" && v.Offer.Scope != (standing.Scope{}) && strings.HasPrefix(c.rules, "ask") {
				t.Errorf("%s with the rules %q offers %s", c.command, c.rules, v.Offer)
			}
		}
	}
	if rows < 60 {
		t.Errorf("only %d rows", rows)
	}
}

// Without a sandbox, every command that may change something needs approval. In a
// disposable workspace, only protected paths do.
func TestSandboxAndDisposableWorkspace(t *testing.T) {
	dir := project(t, "main.go", ".git/config")
	for _, c := range []struct {
		command                           string
		off, missing, partial, disposable string
	}{
		{"ls", "private", "private", "private", "private"},
		{"make test", "asks", "asks", "asks", "runs"},
		{"rm -rf .", "asks", "asks", "asks", "runs"},
		{"curl example.org", "asks+network", "asks+network", "asks+network", "network"},
		{"curl localhost:3000", "asks+network", "asks+network", "asks+network", "network"},
		{"echo x > .git/config", "asks", "asks", "asks", "asks"},
	} {
		for want, at := range map[string]policy.Paths{
			"off " + c.off: {Sandbox: policy.SandboxOff}, "missing " + c.missing: {Sandbox: policy.SandboxMissing},
			"partial " + c.partial: {Sandbox: policy.SandboxPartial}, "disposable " + c.disposable: {Disposable: true, Sandbox: policy.SandboxMissing},
		} {
			at.Workspace = dir
			name, _, _ := strings.Cut(want, " ")
			v := asks(&policy.Policy{Mode: event.ModeAll}, at, run(dir, c.command))
			if got := name + " " + outcome(v); got != want {
				t.Errorf("%s: got %s, want %s (%s)", c.command, got, want, v.Why)
			}
		}
	}
}

// No spelling of a denied command runs without approval in any mode. Those whose text
// shows the command are denied.
func TestDenyRuleIsNotBypassed(t *testing.T) {
	dir := project(t, "main.go", "push", "sub/x")
	at := policy.Paths{Workspace: dir, Home: dir, Sandbox: policy.SandboxFull}
	denied := []string{
		"git push", "git  push", "git push origin main --force", "'git' push", `"git" "push"`, `g\it push`, `g""it pu''sh`, "git \\\n push", "/usr/bin/git push", "../../bin/git push", "GIT push", "git.exe push",
		"git -C . push", "git -C sub push", "git -c user.name=x push", "git --no-pager push", "git --git-dir .git push", "git --git-dir=.git --work-tree=. push", "git -P -C . push",
		"ls && git push", "ls || git push", "ls; git push", "ls | git push", "ls\ngit push", "git push &", "git push > /dev/null 2>&1", "git push # comment", "! git push", "time git push", "coproc git push",
		"(git push)", "{ git push; }", "if true; then git push; fi", "while ! git push; do :; done", "for x in 1; do git push; done", "case x in x) git push;; esac", "f() { git push; }; f",
		"echo $(git push)", "echo `git push`", `echo "$(git push)"`, "cat <(git push)", "x=$(git push)", "export X=$(git push)", "echo ${X:-$(git push)}", "[[ -n $(git push) ]]", "cat <<E\n$(git push)\nE", "echo $(($(git push)))",
		"X=1 git push", "X=1 Y=2 git push", "env git push", "env -i X=1 git push", "env -S 'git push'", "sudo git push", "sudo -u root git push", "doas git push", "nice git push", "nice -n 5 git push", "nohup git push", "timeout 5 git push",
		"timeout -k 1 5 git push", "stdbuf -o0 git push", "setsid git push", "exec git push", "command git push", "builtin command git push", "eval git push", "eval 'git push'", `eval "git" "push"`, "xargs git push", "echo x | xargs -n1 git push",
		"parallel git push", "find . -exec git push ';'", `find . -name x -execdir git push \;`, "fd x -x git push", "sh -c 'git push'", "bash -c \"git push\"", "bash -lc 'cd sub && git push'", "sh -c 'sh -c \"git push\"'", "zsh -c 'git push'", "busybox sh -c 'git push'",
		"ssh host git push", "watch git push", "trap 'git push' EXIT", "alias p='git push'", "su -c 'git push'", "script -c 'git push' x", "flock x git push", "python3 -c 'import os; os.system(\"git push\")'", "sudo env X=1 timeout 5 git -C . push",
		"/usr/lib/git-core/git-push origin", "cd sub && git push", "pushd sub; git push", "strace git push", "unshare -n git push", "git pus[h]",
	}
	unclear := []string{
		"$G push", "g=git; $g push", "git $X", "git ${X}", "git $(echo push)", "g{i,}t push", "git {push,}", "$'git' push", "git $'push'", "git $'pu\\x73h'", "eval \"$X\"", "eval git \"$X\"", "bash -c \"$X\"", "bash -c \"git $X\"", "sh -c \"$(cat x)\"",
		"echo 'git push' | sh", "echo Z2l0IHB1c2gK | base64 -d | bash", "bash <<E\ngit push\nE", "bash <<< 'git push'", "sh < push", "cat push | bash", "echo git push | xargs -I{} sh -c {}", "git -c alias.p=push p", "git -c \"$X\" status", "python3 - <<E\nimport os\nos.system('git push')\nE",
		"source /dev/stdin <<< 'git push'",
		`python3 -c 'import os; os.system("echo a\ngit push")'`, `perl -e 'system("echo a\ngit push")'`, `awk 'BEGIN{system("echo a\ngit push")}'`, `awk 'BEGIN{print "a\tgit push" | "sh"}'`, `node -e 'run("a\x0agit push")'`, `perl -e 'system("git\x20push")'`,
		`printf 'a:\n\tgit push\n' | make -f -`, `make -f - <<< $'a:\n\tgit push'`, "sed -nf - push <<< '1e git push'", "echo '1e git push' | sed -nf - push", "sed -n -f /dev/stdin push <<'E'\n1e git push\nE", "sed --file=push sub/x", "sed -nf push main.go",
		"/usr/bin/g?t push", "git\tpush\x01", "if", "git push\x00", strings.Repeat("(", 300) + "git push", "X=push; env git $X", "sudo $X", "xargs -a push",
	}
	broken, tried := 0, 0
	for want, lines := range map[string][]string{"denied": denied, "asks": unclear} {
		for _, line := range lines {
			for _, mode := range event.Modes {
				tried++
				p := policy.Policy{Mode: mode, Rules: rules(t, "allow command: git; allow network: git; deny command: git push")}
				p.Allow(standing.Grant{Scope: standing.Scope{Kind: tools.Command, Value: "git push", Dir: dir, Prefix: true, Network: true}})
				v := asks(&p, at, run(dir, line))
				got := strings.TrimSuffix(outcome(v), "+network")
				if !v.Ask && !v.Refuse {
					broken++
				}
				if got != want && !(want == "asks" && v.Refuse) {
					t.Errorf("%q in %s: %s, want %s (%s)", line, mode, got, want, v.Decider)
				}
			}
		}
	}
	t.Attr("promise", fmt.Sprintf("spellings of a denied command that run without approval: %d of %d", broken, tried))
	for _, line := range []string{"git commit -m 'then git push'", "git log --grep push", "echo git push", "grep -rn 'git push' .", "make push", "ls push", "git stash push"} {
		p := policy.Policy{Mode: event.ModeAll, Rules: rules(t, "deny command: git push")}
		if v := asks(&p, at, run(dir, line)); v.ByRule {
			t.Errorf("%q: %s", line, v.Why)
		}
	}
}

// Rules for files, hosts and tools.
func TestRulesForOtherTools(t *testing.T) {
	dir := project(t, "main.go", "secrets/key.txt", "docs/a.md", ".env", ".env.example", "src/x")
	outside := project(t, "lib/x.go", "id_rsa", "readable/x", "added/y", ".ssh/config")
	if err := os.Symlink(filepath.Join(outside, "lib"), filepath.Join(dir, "link")); err != nil {
		t.Skip(err)
	}
	at := policy.Paths{
		Workspace: dir, Home: outside, Readable: func() []string { return []string{filepath.Join(outside, "readable")} }, Added: []string{filepath.Join(outside, "added")},
		Config: []string{filepath.Join(outside, ".config")},
	}
	tool := func(name string, c tools.Call) tools.Call { c.Tool = name; return c }
	read := func(path string) tools.Call { return tool("read", to(tools.Read, tools.Path, path)) }
	edit := func(path string) tools.Call { return tool("edit", to(tools.Write, tools.Path, path)) }
	host := func(name string) tools.Call { return tool("fetch", to(tools.Network, tools.Host, name)) }
	mcpCall := func(name, value string, e tools.Effect) tools.Call { return tool(name, to(e, tools.MCP, value)) }
	file := func(name string) string { return filepath.Join(outside, name) }
	spelled := read(file("lib/x.go"))
	spelled.Targets[0].Spelled = []string{"secrets/../link/x.go"}
	for _, c := range []struct {
		rules                 string
		call                  tools.Call
		plan, ask, edits, all string
	}{
		{"", read("main.go"), "runs", "runs", "runs", "runs"},
		{"", read("."), "runs", "runs", "runs", "runs"},
		{"", read(".env"), "asks", "asks", "asks", "asks"},
		{"", read(".env.example"), "runs", "runs", "runs", "runs"},
		{"", read(file("lib/x.go")), "asks", "asks", "asks", "runs"},
		{"", read(file("readable/x")), "runs", "runs", "runs", "runs"},
		{"", read(file("added/y")), "runs", "runs", "runs", "runs"},
		{"", read(file("id_rsa")), "asks", "asks", "asks", "asks"},
		{"", read(file(".ssh/config")), "asks", "asks", "asks", "asks"},
		{"", edit("main.go"), "denied", "asks", "runs", "runs"},
		{"", edit(file("added/y")), "denied", "asks", "runs", "runs"},
		{"", edit(file("lib/x.go")), "denied", "asks", "asks", "asks"},
		{"", edit(file("readable/x")), "denied", "asks", "asks", "asks"},
		{"", host("example.org"), "asks", "asks", "asks", "runs"},
		{"deny read: secrets/**", read("secrets/key.txt"), "denied", "denied", "denied", "denied"},
		{"deny read: secrets/**", read("docs/a.md"), "runs", "runs", "runs", "runs"},
		{"deny read: secrets", read("secrets/key.txt"), "denied", "denied", "denied", "denied"},
		{"deny read: Secrets/*.TXT", read("secrets/key.txt"), "denied", "denied", "denied", "denied"},
		{"deny read: ~/lib/**", read(file("lib/x.go")), "denied", "denied", "denied", "denied"},
		{"deny read: link", spelled, "denied", "denied", "denied", "denied"},
		{"deny read: " + outside + "/**", read(file("readable/x")), "denied", "denied", "denied", "denied"},
		{"deny read: secrets", edit("secrets/key.txt"), "denied", "asks", "runs", "runs"},
		{"ask read: docs", read("docs/a.md"), "asks", "asks", "asks", "asks"},
		{"allow read: ~/lib/**", read(file("lib/x.go")), "runs", "runs", "runs", "runs"},
		{"allow read: ~/LIB/**", read(file("lib/x.go")), "asks", "asks", "asks", "runs"},
		{"allow read: link/**", read(file("lib/x.go")), "asks", "asks", "asks", "runs"},
		{"allow read: **", read(".env"), "asks", "asks", "asks", "asks"},
		{"allow read: .env", read(".env"), "runs", "runs", "runs", "runs"},
		{"allow tool: read", read(file("lib/x.go")), "asks", "asks", "asks", "runs"},
		{"deny edit: docs/**", edit("docs/a.md"), "denied", "denied", "denied", "denied"},
		{"deny edit: docs/**", to(tools.Write, tools.Path, "main.go", "docs/new/a.md"), "denied", "denied", "denied", "denied"},
		{"deny edit: docs/**", read("docs/a.md"), "runs", "runs", "runs", "runs"},
		{"ask edit: docs", edit("docs/a.md"), "denied", "asks", "asks", "asks"},
		{"allow edit: docs/", edit("docs/a.md"), "denied", "runs", "runs", "runs"},
		{"allow edit: docs/**; ask edit: docs/a.md", edit("docs/a.md"), "denied", "asks", "asks", "asks"},
		{"allow edit: docs/**", to(tools.Write, tools.Path, "main.go", "docs/a.md"), "denied", "asks", "runs", "runs"},
		{"allow edit: **", edit(".envrc"), "denied", "asks", "asks", "asks"},
		{"allow edit: ~/**", edit(file("lib/x.go")), "denied", "asks", "asks", "asks"},
		{"allow tool: edit", edit("main.go"), "denied", "runs", "runs", "runs"},
		{"deny tool: *", read("main.go"), "denied", "denied", "denied", "denied"},
		{"allow host: example.org", host("example.org"), "runs", "runs", "runs", "runs"},
		{"allow host: example.org", host("example.org.evil.org"), "asks", "asks", "asks", "runs"},
		{"allow host: example.org", host("www.example.org"), "asks", "asks", "asks", "runs"},
		{"allow host: example.org", host("example.org:8080"), "asks", "asks", "asks", "runs"},
		{"allow host: example.org:8080", host("EXAMPLE.org:8080"), "runs", "runs", "runs", "runs"},
		{"allow host: *.example.org", host("www.example.org"), "runs", "runs", "runs", "runs"},
		{"allow host: *.example.org", host("example.org"), "asks", "asks", "asks", "runs"},
		{"allow host: *.example.org", host("evilexample.org"), "asks", "asks", "asks", "runs"},
		{"deny host: example.org", host("example.org:8080"), "denied", "denied", "denied", "denied"},
		{"deny host: example.org", host("Example.org."), "denied", "denied", "denied", "denied"},
		{"deny host: *.example.org; allow host: www.example.org", host("www.example.org"), "denied", "denied", "denied", "denied"},
		{"", mcpCall("mcp__files__get", "files/get", tools.Network), "denied", "asks", "asks", "runs"},
		{"", mcpCall("mcp_call", "files/get", tools.Execute), "denied", "asks", "asks", "runs"},
		{"allow mcp: files", mcpCall("mcp__files__get", "files/get", tools.Network), "denied", "runs", "runs", "runs"},
		{"allow mcp: files", mcpCall("mcp_call", "files/get", tools.Execute), "denied", "runs", "runs", "runs"},
		{"allow tool: mcp__files__*", mcpCall("mcp_call", "files/get", tools.Execute), "denied", "runs", "runs", "runs"},
		{"allow mcp: files/get", mcpCall("mcp_call", "files/put", tools.Execute), "denied", "asks", "asks", "runs"},
		{"allow command: files", mcpCall("mcp_call", "files/put", tools.Execute), "denied", "asks", "asks", "runs"},
		{"ask mcp: files/put", mcpCall("mcp_call", "files/put", tools.Execute), "denied", "asks", "asks", "asks"},
		{"deny mcp: files/put", mcpCall("mcp__files__put", "files/put", tools.Network), "denied", "denied", "denied", "denied"},
		{"deny tool: mcp__files__put", mcpCall("mcp_call", "files/put", tools.Network), "denied", "denied", "denied", "denied"},
		{"deny mcp: files", mcpCall("mcp_call", "other/put", tools.Network), "denied", "asks", "asks", "runs"},
		{"allow mcp: files/resources/read", mcpCall("mcp_resource", "files/resources/read", tools.Network), "denied", "runs", "runs", "runs"},
		{"allow mcp: files/get_*", mcpCall("mcp_resource", "files/resources/read", tools.Execute), "denied", "asks", "asks", "runs"},
		{"allow tool: mcp__files__*", mcpCall("mcp_resource", "files/resources/read", tools.Execute), "denied", "runs", "runs", "runs"},
		{"deny mcp: files", mcpCall("mcp_resource", "files/resources/read", tools.Execute), "denied", "denied", "denied", "denied"},
		{"ask tool: delegate", tool("delegate", tools.Call{Effect: tools.Delegate}), "asks", "asks", "asks", "asks"},
	} {
		for mode, want := range map[event.Mode]string{event.ModePlan: c.plan, event.ModeAsk: c.ask, event.ModeAuto: c.edits, event.ModeAll: c.all} {
			p := policy.Policy{Mode: mode, Rules: rules(t, c.rules)}
			if v := asks(&p, at, c.call); outcome(v) != want {
				t.Errorf("%s %v with the rules %q in %s: %s, want %s (%s)", c.call.Tool, c.call.Targets, c.rules, mode, outcome(v), want, v.Decider)
			}
		}
	}
}

// A permission to read a directory outside the workspace covers that directory only,
// and no file that may hold secrets.
func TestPermissionToReadADirectory(t *testing.T) {
	dir, outside := project(t, "x"), project(t, "lib/a.go", "lib/sub/b.go", "lib/.env", "library/c.go")
	at := policy.Paths{Workspace: dir, Home: filepath.Join(outside, "home")}
	read := func(name string) tools.Call { return to(tools.Read, tools.Path, filepath.Join(outside, name)) }
	p := policy.Policy{Mode: event.ModeAsk}
	offer := asks(&p, at, read("lib/a.go")).Offer
	if want := "reading files under " + filepath.Join(outside, "lib") + "/"; offer.String() != want {
		t.Fatalf("offered %q, want %q", offer.String(), want)
	}
	p.Allow(offer)
	for name, want := range map[string]string{"lib/a.go": "runs", "lib/sub/b.go": "runs", "lib": "asks", "lib/.env": "asks", "library/c.go": "asks", "lib/../library/c.go": "asks"} {
		if got := outcome(asks(&p, at, read(name))); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	if v := asks(&p, at, read("lib/.env")); v.Offer.Scope != (standing.Scope{}) {
		t.Errorf("offered %s for a secret file", v.Offer)
	}
	if v := asks(&p, at, to(tools.Write, tools.Path, filepath.Join(outside, "lib/a.go"))); outcome(v) != "asks" || v.Offer.Scope != (standing.Scope{}) {
		t.Errorf("a change: %+v", v)
	}
	for _, parent := range []string{dir, filepath.Dir(dir), at.Home} {
		if v := asks(&p, policy.Paths{Workspace: filepath.Join(dir, "x"), Home: at.Home}, to(tools.Read, tools.Path, parent)); v.Offer.Scope != (standing.Scope{}) {
			t.Errorf("offered %s", v.Offer)
		}
	}
}
