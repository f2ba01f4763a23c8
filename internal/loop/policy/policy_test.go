package policy_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/loop/policy"
	"agent/internal/tools"
)

func to(effect tools.Effect, kind tools.TargetKind, values ...string) tools.Call {
	c := tools.Call{Effect: effect}
	for _, v := range values {
		c.Targets = append(c.Targets, tools.Target{Kind: kind, Value: v})
	}
	return c
}

func TestModes(t *testing.T) {
	reads, writes := to(tools.Read, tools.Path, "a"), to(tools.Write, tools.Path, "a")
	runs, fetches := to(tools.Execute, tools.Command, "ls"), to(tools.Network, tools.Host, "example.org")
	careful := writes
	careful.Warnings = []string{"it has another name too"}
	for mode, want := range map[policy.Mode]string{ // whether it runs, asks or is refused
		policy.Ask:   "raaaa",
		policy.Edits: "rraaa",
		policy.Plan:  "rnnaa",
		policy.All:   "rrrrr",
	} {
		got := ""
		for _, c := range []tools.Call{reads, writes, careful, runs, fetches} {
			p := policy.Policy{Mode: mode}
			switch v := p.Judge(c); {
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
	for _, c := range []struct {
		call       tools.Call
		why, scope string
	}{
		{to(tools.Write, tools.Path, "a/b.go"), "it changes files (mode ask)", "edits under a/"},
		{to(tools.Write, tools.Path, "b.go"), "it changes files (mode ask)", "edits to b.go"},
		{to(tools.Write, tools.Path, "b.go", "c.go"), "it changes files (mode ask)", ""},
		{to(tools.Execute, tools.Command, "git status"), "a command can do anything that you can do", "this very command: git status"},
		{to(tools.Network, tools.Host, "example.org"), "it reaches the network: example.org", "requests to example.org"},
		{to(tools.Network, tools.Host, "example.org:8080"), "it reaches the network: example.org:8080", "requests to example.org:8080"},
		{to(tools.Network, tools.Host, "a.org", "b.org"), "it reaches the network: a.org, b.org", ""},
		{to(tools.Network, tools.Host), "it reaches the network", ""},
	} {
		v := (&policy.Policy{Mode: policy.Ask}).Judge(c.call)
		if d := cmp.Diff([]any{v.Ask, v.Why, v.Scope.String()}, []any{true, c.why, c.scope}); d != "" {
			t.Errorf("%v: %s", c.call.Targets, d)
		}
	}
}

// An "always" covers what it says and nothing beside it.
func TestScopes(t *testing.T) {
	for _, c := range []struct {
		granted      tools.Call
		free, asking []tools.Call
	}{
		{to(tools.Network, tools.Host, "example.org"),
			[]tools.Call{to(tools.Network, tools.Host, "example.org")},
			[]tools.Call{to(tools.Network, tools.Host, "www.example.org"), to(tools.Network, tools.Host, "example.org:8080"),
				to(tools.Network, tools.Host, "example.org.evil.org"), to(tools.Network, tools.Host, "example.org", "evil.org"),
				to(tools.Network, tools.Host), to(tools.Execute, tools.Command, "example.org"), to(tools.Write, tools.Path, "example.org")}},
		{to(tools.Write, tools.Path, "a/b.go"),
			[]tools.Call{to(tools.Write, tools.Path, "a/c.go"), to(tools.Write, tools.Path, "a/d/e.go", "a/b.go")},
			[]tools.Call{to(tools.Write, tools.Path, "b.go"), to(tools.Write, tools.Path, "ab/c.go"), to(tools.Write, tools.Path, "a/../b.go")}},
		{to(tools.Execute, tools.Command, "git status"),
			[]tools.Call{to(tools.Execute, tools.Command, "git status")},
			[]tools.Call{to(tools.Execute, tools.Command, "git status; rm -rf .")}},
	} {
		p := policy.Policy{Mode: policy.Ask}
		p.Grant(p.Judge(c.granted).Scope)
		for _, call := range c.free {
			if v := p.Judge(call); v.Ask {
				t.Errorf("%v asks after an always for %v", call.Targets, c.granted.Targets)
			}
			call.Warnings = []string{"careful"}
			if v := p.Judge(call); !v.Ask || v.Scope != (policy.Scope{}) {
				t.Errorf("%v with a warning: %+v", call.Targets, v)
			}
		}
		for _, call := range c.asking {
			if v := p.Judge(call); !v.Ask {
				t.Errorf("%v is unasked after an always for %v", call.Targets, c.granted.Targets)
			}
		}
	}
}
