package policy_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"agent/internal/loop/event"
	"agent/internal/loop/policy"
)

// A command that only reads runs in every mode, as the words that were judged, without
// variables that name programs. Everything else does not run without approval.
func TestAutomaticCommands(t *testing.T) {
	dir := project(t, "main.go", "sub/x.go", ".env", "with blank.txt")
	outside := project(t, "secret.txt")
	if err := os.Symlink(outside, filepath.Join(dir, "link")); err != nil {
		t.Skip(err)
	}
	at := policy.Paths{Sandbox: policy.SandboxFull, Workspace: dir, Outputs: project(t, "out.txt")}
	for line, want := range map[string]string{
		"ls":                               "'ls'",
		"ls -la sub":                       "'ls' '-la' 'sub'",
		"cat main.go | head -n 3":          "'cat' 'main.go' | 'head' '-n' '3'",
		"grep -rn \"it's\" . 2>/dev/null":  `'grep' '-rn' 'it'\''s' '.' 2>'/dev/null'`,
		"cd sub && wc -l x.go":             "'cd' 'sub' && 'wc' '-l' 'x.go'",
		"head *.go":                        "'head' 'main.go'",
		"cat " + at.Outputs + "/out.txt":   "'cat' '" + at.Outputs + "/out.txt'",
		"cat .env":                         "",
		"cat link/secret.txt":              "",
		"cat sub/../link/secret.txt":       "",
		"cat " + outside + "/secret.txt":   "",
		"cat ~/x":                          "",
		"ls; make":                         "",
		"git status":                       "",
		"find . -delete":                   "",
		"sed -i s/a/b/ main.go":            "",
		"ls > $out":                        "",
		"PAGER=x ls":                       "",
		"ls $(make)":                       "",
		"./main.go":                        "",
		"rg --pre x y":                     "",
		"cat main.go\r":                    "",
		"sort -o main.go main.go":          "",
		"find . -newer x -exec rm {} \\;":  "",
		"awk 'BEGIN { system(\"id\") }'":   "",
		"xargs rm < main.go":               "",
		"cat /proc/self/environ":           "",
		"timeout 5 make":                   "",
		"echo x | tee main.go":             "",
		"ls &":                             "",
		"command ls":                       "'command' 'ls'",
		"test -f main.go && echo yes; pwd": "'test' '-f' 'main.go' && 'echo' 'yes'; 'pwd'",
	} {
		for _, mode := range event.Modes {
			p := policy.Policy{Mode: mode}
			v := p.Judge(run(dir, line), at.Look(context.Background(), run(dir, line)))
			switch {
			case v.Script != want:
				t.Errorf("%s in %s: got script %q, want %q (%s)", line, mode, v.Script, want, v.Why)
			case want != "" && (v.Ask || v.Refuse):
				t.Errorf("%s in %s: got %+v, want it to run", line, mode, v)
			case want == "" && mode != event.ModeAll && !v.Ask && !v.Refuse:
				t.Errorf("%s in %s: it runs without approval", line, mode)
			case mode == event.ModePlan && v.Refuse != (want == ""):
				t.Errorf("%s in plan: denied %v", line, v.Refuse)
			}
			if want != "" {
				env := v.Environment([]string{"LD_PRELOAD=x", "BASH_ENV=x", "PATH=/bin:.:" + dir, "LANG=C"})
				if !slices.Contains(env, "PATH=/bin") || !slices.Contains(env, "LANG=C") || slices.Contains(env, "LD_PRELOAD=x") || slices.Contains(env, "BASH_ENV=x") {
					t.Errorf("%s: got the environment %q", line, env)
				}
			}
		}
	}
	for line, want := range map[string]string{"cat": "'cat'", "sh": "", "xargs rm": "", "ls && cat": "'ls' && 'cat'"} {
		c := run(dir, line+"\n# standard input: {}")
		v := asks(&policy.Policy{Mode: event.ModeAsk}, at, c)
		c.Targets[0].Piped = true
		piped := asks(&policy.Policy{Mode: event.ModeAsk}, at, c)
		if !v.Ask || piped.Script != want || piped.Ask != (want == "") {
			t.Errorf("%s with an input: got script %q, want %q (%s)", line, piped.Script, want, piped.Why)
		}
	}
	at.Shell.NoBash = true
	if v := asks(&policy.Policy{Mode: event.ModeAsk}, at, run(dir, "ls")); !v.Ask {
		t.Error("a command is automatic in a shell other than bash")
	}
}

// A permission for the first words of a command covers further arguments, but nothing
// else that the line does.
func TestPrefixPermissions(t *testing.T) {
	dir := project(t, "main.go", "sub/x.go", "package.json")
	at := policy.Paths{Workspace: dir, Home: dir}
	for granted, c := range map[string]struct{ free, asking []string }{
		"go test ./...":                    {[]string{"go test -run X ./sub", "go vet; ls"}[:1], []string{"go test -exec rm ./...", "go build", "go test ./... && make", "go test > main.go", "go test ./...; rm x", "$(go test)", "go test ./... | sh", "GOFLAGS=x go test"}},
		"npm run build":                    {[]string{"npm run build --silent", "npm run build | head"}, []string{"npm run deploy", "npm ci", "npm run build && npm publish"}},
		"git add main.go && git add sub":   {[]string{"git add .", "git add -A && ls"}, []string{"git commit -m x", "git add .; git push"}},
		"cd sub && go vet ./... | tail -3": {[]string{"go vet"}, []string{"go run .", "go vet $X"}},
	} {
		p := policy.Policy{Mode: event.ModeAsk}
		offer := asks(&p, at, run(dir, granted)).Offer
		if !offer.Prefix {
			t.Errorf("%s: offered %q", granted, offer.String())
			continue
		}
		p.Allow(offer)
		for _, line := range c.free {
			if v := asks(&p, at, run(dir, line)); v.Ask || v.Script == "" || v.Environment != nil {
				t.Errorf("%s after %s: %+v", line, granted, v)
			}
		}
		for _, line := range c.asking {
			if v := asks(&p, at, run(dir, line)); !v.Ask {
				t.Errorf("%s needs no approval after %s", line, granted)
			}
		}
	}
	for _, line := range []string{"python3 x.py", "bash x.sh", "sudo make", "env make", "xargs make", "rm -rf x", "git push --force", "node x.js", "npx x", "eval make", "make; python3 x.py", "./x"} {
		if offer := asks(&policy.Policy{Mode: event.ModeAsk}, at, run(dir, line)).Offer; offer.Prefix {
			t.Errorf("%s: offered %q", line, offer.String())
		}
	}
}

// A permission for the first words of a command holds in the directories whose manifests
// were there when it was given. Another directory needs approval once, and does not end it.
func TestPrefixPermissionPerDirectory(t *testing.T) {
	dir := project(t, "package.json", "web/package.json", "web/src/x", "docs/x")
	at, p := policy.Paths{Workspace: dir, Home: dir}, policy.Policy{Mode: event.ModeAsk}
	judge := func(sub, line, want string) {
		t.Helper()
		v := asks(&p, at, run(filepath.Join(dir, sub), line))
		if got := outcome(v); got != want {
			t.Errorf("%s in %q: %s, want %s (%s)", line, sub, got, want, v.Why)
		}
	}
	p.Allow(asks(&p, at, run(dir, "npm run build")).Offer)
	judge("", "npm run build --silent", "runs")
	judge("docs", "npm run build", "runs") // npm uses the manifest above
	judge("web", "npm run build", "asks")
	judge("", "cd web && npm run build", "asks")
	judge("", "cd web/src && npm run build", "asks")
	judge("", "npm run build --prefix web", "asks")
	judge("", "npm run build; echo $X", "asks")
	judge("", "npm run build", "runs")
	p.Allow(asks(&p, at, run(filepath.Join(dir, "web"), "npm run build")).Offer)
	judge("web/src", "npm run build", "runs")
	judge("", "npm run build", "runs")
	write(t, filepath.Join(dir, "web", "package.json"), "changed")
	judge("", "npm run build", "runs")
	judge("web", "npm run build", "asks")
	judge("web", "npm run build", "asks")
}
