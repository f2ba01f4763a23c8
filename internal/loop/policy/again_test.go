package policy_test

import (
	"reflect"
	"testing"

	"agent/internal/loop/event"
	"agent/internal/loop/policy"
	"agent/internal/tools"
)

// A command runs again only with approval, and not at all in mode plan or against a
// deny rule.
func TestAgain(t *testing.T) {
	network, outside, unkept := tools.Access{Network: true}, tools.Access{Outside: true}, tools.Access{Unkept: true}
	deny := []policy.Rule{{Action: policy.Deny, Kind: policy.RuleNetwork, Pattern: "npm", Source: "config.json:3"}}
	const npm = "`npm ci` with any arguments and the network in this project"
	for _, c := range []struct {
		mode    event.Mode
		rules   []policy.Rule
		command string
		access  tools.Access
		ask     bool
		offer   string
	}{
		{event.ModeAsk, nil, "npm ci", network, true, npm},
		{event.ModeEdits, nil, "npm ci", network, true, npm},
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
		{event.ModeEdits, nil, "npm ci", unkept, true, ""},
		{event.ModePlan, nil, "npm ci", unkept, false, ""},
		{event.ModeAll, deny, "go mod download", network, true, "`go mod download` with any arguments and the network in this project"},
	} {
		at := policy.Paths{Workspace: t.TempDir()}
		call := run(at.Workspace, c.command)
		p := policy.Policy{Mode: c.mode, Rules: c.rules}
		v := p.JudgeAgain(call, at.Look(t.Context(), call), c.access)
		if v.Ask != c.ask || v.Refuse == c.ask || v.Offer.String() != c.offer {
			t.Errorf("%s %q %+v: got ask %v, denied %v, offer %q; want ask %v, offer %q", c.mode, c.command, c.access, v.Ask, v.Refuse, v.Offer.String(), c.ask, c.offer)
		}
		if v.Ask && !reflect.DeepEqual(v.Access, c.access) {
			t.Errorf("%q would run with %+v, want %+v", c.command, v.Access, c.access)
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
	p.Allow(p.JudgeAgain(call, at.Look(t.Context(), call), tools.Access{Network: true}).Offer)
	if v := asks(&p, at, call); v.Ask || !v.Access.Network {
		t.Errorf("got %+v, want a run with the network", v)
	}
}

// The first question says that the sandbox keeps a protected path. The question about a
// run outside of it names the path again.
func TestProtectedPathsAndTheSandbox(t *testing.T) {
	at := policy.Paths{Workspace: t.TempDir(), Sandbox: policy.SandboxFull}
	call := run(at.Workspace, "touch .envrc")
	const protected = ".envrc is protected: direnv runs it when you enter the directory"
	p := policy.Policy{Mode: event.ModeAsk}
	if got, want := asks(&p, at, call).Warning, protected+"; the sandbox blocks or undoes this change"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := p.JudgeAgain(call, at.Look(t.Context(), call), tools.Access{Outside: true}).Warning; got != protected {
		t.Errorf("outside of the sandbox: got %q, want %q", got, protected)
	}
	at.Sandbox = policy.SandboxOff
	if got := asks(&p, at, call).Warning; got != protected {
		t.Errorf("without a sandbox: got %q, want %q", got, protected)
	}
}
