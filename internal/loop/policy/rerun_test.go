package policy_test

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"agent/internal/loop/event"
	"agent/internal/loop/policy"
	"agent/internal/loop/policy/rule"
	"agent/internal/tools"
)

// A command runs again only with approval, and not at all in mode plan or against a
// deny rule.
func TestAgain(t *testing.T) {
	network, outside, unkept := tools.Access{Network: true}, tools.Access{Outside: true}, tools.Access{NotUndoable: true}
	deny := []rule.Rule{{Action: rule.Deny, Kind: rule.Network, Pattern: "npm", Source: "config.json:3"}}
	const npm = "`npm ci` with common options and the network in this project"
	allow := []rule.Rule{{Action: rule.Allow, Kind: rule.Network, Pattern: "curl", Source: "config.json:4"}}
	for _, c := range []struct {
		mode    event.Mode
		rules   []rule.Rule
		command string
		access  tools.Access
		ask     bool
		offer   string
	}{
		{event.ModeAsk, nil, "npm ci", network, true, npm},
		{event.ModeAuto, nil, "npm ci", network, true, npm},
		{event.ModeAll, nil, "npm ci", network, true, npm},
		{event.ModePlan, nil, "npm ci", network, false, ""},
		{event.ModePlan, nil, "ls", network, false, ""},
		{event.ModeAll, nil, "npm ci", outside, true, ""},
		{event.ModeAll, nil, "ls", network, true, ""},
		{event.ModeAll, nil, "rm -rf build", network, true, ""},
		{event.ModeAll, nil, "python3 fetch.py", network, true, ""},
		{event.ModeAll, deny, "npm ci", network, false, ""},
		{event.ModeAll, deny, "cd sub && sudo 'npm' ci", network, false, ""},
		{event.ModeAll, deny, "npm ci", outside, false, ""},
		{event.ModeAuto, nil, "npm ci", unkept, true, ""},
		{event.ModePlan, nil, "npm ci", unkept, false, ""},
		{event.ModeAll, deny, "go mod download", network, true, "`go mod download` with common options and the network in this project"},
		{event.ModeAll, nil, "curl localhost:3000", network, true, ""},
		{event.ModeAsk, allow, "curl localhost:3000", outside, true, ""},
	} {
		at := policy.Paths{Workspace: t.TempDir(), Sandbox: policy.SandboxFull}
		call := run(at.Workspace, c.command)
		p := policy.Policy{Mode: c.mode, Rules: c.rules}
		v := p.JudgeRerun(call, at.Look(t.Context(), call), c.access)
		if v.Ask != c.ask || v.Refuse == c.ask || v.Offer.String() != c.offer {
			t.Errorf("%s %q %+v: got ask %v, denied %v, offer %q; want ask %v, offer %q", c.mode, c.command, c.access, v.Ask, v.Refuse, v.Offer.String(), c.ask, c.offer)
		}
		if v.Ask && !reflect.DeepEqual(v.Access, c.access) {
			t.Errorf("%q would run with %+v, want %+v", c.command, v.Access, c.access)
		}
	}
}

// A client of a server on this computer first runs without the network, for a server in
// the sandbox. If a rule allows it the network, it runs again without a question.
func TestLoopbackClientWithARule(t *testing.T) {
	at := policy.Paths{Workspace: t.TempDir(), Sandbox: policy.SandboxFull}
	p := policy.Policy{Mode: event.ModeAsk, Rules: rules(t, "allow network: curl; allow command: wget")}
	for command, want := range map[string]string{"curl localhost:3000": "network", "wget localhost:3000": "asks+network", "curl localhost:3000; wget localhost:3000": "asks+network"} {
		call := run(at.Workspace, command)
		if got := outcome(p.JudgeRerun(call, at.Look(t.Context(), call), tools.Access{Network: true})); got != want {
			t.Errorf("%s: got %s, want %s", command, got, want)
		}
	}
}

// A permission with the network counts also if an older one is without.
func TestNetworkIsAddedToAPermission(t *testing.T) {
	at := policy.Paths{Workspace: t.TempDir()}
	call := run(at.Workspace, "go test ./...")
	p := policy.Policy{Mode: event.ModeAsk}
	first := asks(&p, at, call)
	p.Allow(first.Offer)
	if v := asks(&p, at, call); v.Ask || v.Access.Network {
		t.Errorf("got %+v, want a run without the network", v)
	}
	p.Allow(p.JudgeRerun(call, at.Look(t.Context(), call), tools.Access{Network: true}).Offer)
	if v := asks(&p, at, call); v.Ask || !v.Access.Network {
		t.Errorf("got %+v, want a run with the network", v)
	}
}

// The question names a protected path. An approval permits the sandbox to change that
// path, by all of its names and in both runs, and no other one. There is no permission
// for it to grant.
func TestProtectedPathsAndTheSandbox(t *testing.T) {
	at := policy.Paths{Workspace: project(t), Sandbox: policy.SandboxFull}
	if err := os.Symlink("shared", filepath.Join(at.Workspace, ".envrc")); err != nil {
		t.Fatal(err)
	}
	call := run(at.Workspace, "touch .envrc x")
	const protected = ".envrc is protected: direnv runs it when you enter the directory"
	for _, mode := range []event.Mode{event.ModeAsk, event.ModeAll} {
		p := policy.Policy{Mode: mode}
		v := asks(&p, at, call)
		slices.Sort(v.Access.Protected)
		names := []string{filepath.Join(at.Workspace, ".envrc"), filepath.Join(at.Workspace, "shared")}
		if v.Warning != protected || !slices.Equal(slices.Compact(v.Access.Protected), names) || v.Offer.Kind != "" {
			t.Errorf("mode %s: got %q, %q, offer %v", mode, v.Warning, v.Access.Protected, v.Offer)
		}
		v = p.JudgeRerun(call, at.Look(t.Context(), call), tools.Access{Network: true, Protected: names})
		if v.Warning != protected || !slices.Equal(v.Access.Protected, names) || v.Offer.Kind != "" {
			t.Errorf("mode %s, again: got %q, %q, offer %v", mode, v.Warning, v.Access.Protected, v.Offer)
		}
	}
}
