package policy_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/loop/event"
	"agent/internal/loop/policy"
	"agent/internal/loop/policy/standing"
	"agent/internal/tools"
)

func to(effect tools.Effect, kind tools.TargetKind, values ...string) tools.Call {
	c := tools.Call{Effect: effect}
	for _, v := range values {
		c.Targets = append(c.Targets, tools.Target{Kind: kind, Value: v})
	}
	return c
}

// run returns the call of a command in dir.
func run(dir, command string) tools.Call {
	return tools.Call{Effect: tools.Execute, Targets: []tools.Target{{Kind: tools.Command, Value: command, Dir: dir}}}
}

// project returns a directory with files, free of symbolic links.
func project(t *testing.T, files ...string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		write(t, filepath.Join(dir, name), "content of "+name)
	}
	return dir
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o755); err != nil {
		t.Fatal(err)
	}
}

// asks looks up the facts about c and judges it.
func asks(p *policy.Policy, at policy.Paths, c tools.Call) policy.Verdict {
	return p.Judge(c, at.Look(context.Background(), c))
}

func TestModes(t *testing.T) {
	at := policy.Paths{Workspace: project(t)}
	reads, delegates, writes := to(tools.Read, tools.Path, "a"), tools.Call{Effect: tools.Delegate}, to(tools.Write, tools.Path, "a")
	runs, fetches := run(at.Workspace, "make"), to(tools.Network, tools.Host, "example.org")
	lists, deletes := run(at.Workspace, "ls"), run(at.Workspace, "rm -rf build")
	careful := writes
	careful.Warnings = []string{"it has another name too"}
	unlinks := careful
	unlinks.Changes = []tools.Change{{Path: "a", Before: []byte("x"), After: []byte("y"), Unlinks: true}}
	protected := to(tools.Write, tools.Path, "a", ".github/workflows/ci.yml")
	for mode, want := range map[event.Mode]string{ // allowed, asked or denied
		event.ModeAsk:  "rraaaaaraa",
		event.ModeAuto: "rrraaaaraa",
		event.ModePlan: "rrnnnanrnn",
		event.ModeAll:  "rrrrararaa",
	} {
		got := ""
		for _, c := range []tools.Call{reads, delegates, writes, careful, runs, fetches, protected, lists, deletes, unlinks} {
			p := policy.Policy{Mode: mode}
			switch v := asks(&p, at, c); {
			case v.Refuse:
				got += "n"
			case v.Ask:
				got += "a"
			default:
				got += "r"
			}
		}
		if d := cmp.Diff(got, want); d != "" {
			t.Errorf("%s: %s", mode, d)
		}
	}
}

func TestVerdicts(t *testing.T) {
	at := policy.Paths{Workspace: project(t, "script.sh"), Home: filepath.Dir(project(t))}
	removes := to(tools.Write, tools.Path, "a/b.go")
	removes.Changes = []tools.Change{{Path: "a/b.go", Before: []byte("x")}}
	const anything = "commands need approval unless they are known to be read-only"
	const protected = "changes to protected paths need approval every time, in every permission mode"
	for _, c := range []struct {
		call       tools.Call
		why, offer string
	}{
		{to(tools.Write, tools.Path, "a/b.go"), "changes files (permission mode: ask)", "all edits"},
		{to(tools.Write, tools.Path, "b.go"), "changes files (permission mode: ask)", "all edits"},
		{to(tools.Write, tools.Path, "b.go", "c.go"), "changes files (permission mode: ask)", "all edits"},
		{removes, "changes files (permission mode: ask)", ""},
		{to(tools.Write, tools.Path, ".envrc"), "changes to protected paths need approval every time, in every permission mode", ""},
		{run(at.Workspace, "make test"), anything, "`make test` with common options in this project"},
		{run(at.Workspace, "awk '{print $1}' x"), anything, ""},
		{run("", "job 1 < y"), anything, ""},
		{run(filepath.Join(at.Workspace, "gone"), "make"), anything, ""},
		{run(at.Workspace, "rm -rf build"), anything, ""},
		{run(at.Workspace, `sh -c "cd x && rm y"`), anything, ""},
		{run(at.Workspace, "/bin/rm x"), anything, ""},
		{run(at.Workspace, "git -C . reset --hard"), anything, ""},
		{run(at.Workspace, "sudo make install"), anything, ""},
		{run(at.Workspace, "cp hook .git/hooks/pre-commit"), protected, ""},
		{run(at.Workspace, "echo x >>.envrc"), protected, ""},
		{run(at.Workspace, "./$NAME.sh"), anything, ""},
		{run(at.Workspace, "./{script,other}.sh"), anything, ""},
		{run(at.Workspace, "echo $(./script.sh)"), anything, ""},
		{run(at.Workspace, "cd `pwd`; make"), anything, ""},
		{run(at.Workspace, "set -- scr ipt.sh; ./$1$2"), anything, ""},
		{run(at.Workspace, "sh -c './$0$1' scr ipt.sh"), anything, ""},
		{run(at.Workspace, "~someone/script.sh"), anything, ""},
		{run(at.Workspace, "./[[:alpha:]]cript.sh"), anything, ""},
		{run(at.Workspace, "go test -run 'TestA|TestB' ./..."), anything, "`go test` with common options in this project"},
		{run(at.Workspace, "git log --format='%h %s' -5 && git diff HEAD~1"), anything, "`git log` and `git diff` with common options in this project"},
		{run(at.Workspace, "sh $'script.sh'"), anything, ""},
		{to(tools.Network, tools.Host, "example.org"), "sends a request to the network: example.org", "requests to example.org"},
		{to(tools.Network, tools.Host, "example.org:8080"), "sends a request to the network: example.org:8080", "requests to example.org:8080"},
		{to(tools.Network, tools.Host, "a.org", "b.org"), "sends a request to the network: a.org, b.org", ""},
		{to(tools.Network, tools.Host), "sends a request to the network", ""},
	} {
		v := asks(&policy.Policy{Mode: event.ModeAsk}, at, c.call)
		if d := cmp.Diff([]any{v.Ask, v.Rule, v.Offer.String()}, []any{true, c.why, c.offer}); d != "" {
			t.Errorf("%v: %s", c.call.Targets, d)
		}
	}
	home := policy.Paths{Home: filepath.Dir(at.Workspace)}
	if got, want := home.Describe(standing.Grant{Scope: standing.Scope{Kind: tools.Command, Value: "make", Dir: at.Workspace}}), "`make` in ~/"+filepath.Base(at.Workspace); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// A standing permission covers exactly the scope that it names.
func TestScopes(t *testing.T) {
	at := policy.Paths{Workspace: project(t, "sub/x")}
	other := project(t)
	for _, c := range []struct {
		granted      standing.Scope
		free, asking []tools.Call
	}{
		{standing.Scope{Kind: tools.Host, Value: "example.org"},
			[]tools.Call{to(tools.Network, tools.Host, "example.org")},
			[]tools.Call{to(tools.Network, tools.Host, "www.example.org"), to(tools.Network, tools.Host, "example.org:8080"),
				to(tools.Network, tools.Host, "example.org.evil.org"), to(tools.Network, tools.Host, "example.org", "evil.org"),
				to(tools.Network, tools.Host), run(at.Workspace, "example.org"), to(tools.Write, tools.Path, "example.org")}},
		{standing.Scope{Kind: tools.Path, Value: "./", Dir: at.Workspace},
			[]tools.Call{to(tools.Write, tools.Path, "a/c.go"), to(tools.Write, tools.Path, "b.go", "a/../b.go")},
			[]tools.Call{to(tools.Write, tools.Path, "../b.go"), to(tools.Write, tools.Path, "/a/b.go"), to(tools.Write, tools.Path, ".envrc", "b.go"), to(tools.Execute, tools.Path, "a/b.go")}},
		{standing.Scope{Kind: tools.Path, Value: "a/", Dir: at.Workspace}, // of older versions
			[]tools.Call{to(tools.Write, tools.Path, "a/c.go"), to(tools.Write, tools.Path, "a/d/e.go", "a/b.go")},
			[]tools.Call{to(tools.Write, tools.Path, "b.go"), to(tools.Write, tools.Path, "ab/c.go"), to(tools.Write, tools.Path, "a-evil/c.go"),
				to(tools.Write, tools.Path, "a/../b.go"), to(tools.Write, tools.Path, "a/../../b.go"), to(tools.Write, tools.Path, "/a/b.go"),
				to(tools.Write, tools.Path, "A/b.go"), to(tools.Write, tools.Path, "a/b.go", "b.go"),
				to(tools.Write, tools.Path, "a/.envrc"), to(tools.Execute, tools.Path, "a/b.go")}},
		{standing.Scope{Kind: tools.Command, Value: "git commit", Dir: at.Workspace, Prefix: true},
			[]tools.Call{run(at.Workspace, "git commit"), run(filepath.Join(at.Workspace, "sub"), "git  commit --short"), run(at.Workspace, "git commit; ls | wc -l")},
			[]tools.Call{run(at.Workspace, "git commit; rm -rf ."), run(other, "git commit"), run("", "git commit"), run(at.Workspace, "git push"),
				run(at.Workspace, "git -c core.pager=x commit"), run(at.Workspace, "git commit > x"), run(at.Workspace, "git commit $(make)"), run(at.Workspace, "PAGER=x git commit")}},
		{standing.Scope{Kind: tools.Command, Value: "./sub/x 1", Dir: at.Workspace}, // of older versions
			[]tools.Call{run(at.Workspace, "./sub/x 1"), run(filepath.Join(at.Workspace, "sub", ".."), "./sub/x 1")},
			[]tools.Call{run(at.Workspace, "./sub/x 1; rm -rf ."), run(filepath.Join(at.Workspace, "sub"), "./sub/x 1"), run(other, "./sub/x 1"),
				run("", "./sub/x 1"), run(at.Workspace, "./sub/x  1")}},
	} {
		p := policy.Policy{Mode: event.ModeAsk}
		f := policy.Facts{}
		if !c.granted.Prefix && c.granted.Kind == tools.Command {
			f = at.Look(t.Context(), run(c.granted.Dir, c.granted.Value))
		}
		p.Allow(standing.Grant{Scope: c.granted, Files: f.Files})
		for _, call := range c.free {
			if v := asks(&p, at, call); v.Ask {
				t.Errorf("%v asks after an always for %v: %s", call.Targets, c.granted, v.Why)
			}
			call.Warnings = []string{"careful"}
			if v := asks(&p, at, call); !v.Ask || v.Offer.Scope != (standing.Scope{}) {
				t.Errorf("%v with a warning: %+v", call.Targets, v)
			}
		}
		for _, call := range c.asking {
			if v := asks(&p, at, call); !v.Ask {
				t.Errorf("%v needs no approval after an always for %v", call.Targets, c.granted)
			}
		}
	}
	p := policy.Policy{Mode: event.ModeAsk}
	edit := to(tools.Write, tools.Path, "a/b.go")
	p.Allow(asks(&p, at, edit).Offer)
	if !asks(&p, policy.Paths{Workspace: other}, edit).Ask {
		t.Error("a permission for edits holds in another workspace")
	}
	edit.Changes = []tools.Change{{Path: "a/b.go", Before: []byte("x")}}
	if !asks(&p, at, edit).Ask {
		t.Error("a permission for edits covers the removal of a file")
	}
}
