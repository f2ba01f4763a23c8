package policy_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/loop/event"
	"agent/internal/loop/policy"
	"agent/internal/tools"
)

// Access that the model asks for is one question before the command runs. Rules for the network
// answer it; deny rules, protected paths and plan mode win.
func TestRequestedAccess(t *testing.T) {
	home := project(t, "notes/a.txt", ".bashrc", ".ssh/config", "src/shop/main.go", "data/b.txt")
	dir := filepath.Join(home, "src/shop")
	at := policy.Paths{Workspace: dir, Home: home, Sandbox: policy.SandboxFull, Room: room(1 << 20)}
	in := func(path string) string { return filepath.Join(home, path) }
	network := tools.AccessRequest{Network: true}
	writes := func(paths ...string) tools.AccessRequest { return tools.AccessRequest{Write: paths} }
	for _, c := range []struct {
		mode    event.Mode
		rules   string
		command string
		request tools.AccessRequest
		want    string // outcome, and the writable paths
		why     string
	}{
		{event.ModeAll, "", "make deps", network, "asks+network", "the model asks for the network"},
		{event.ModeAuto, "", "make deps", network, "asks+network", "the model asks for the network"},
		{event.ModeAsk, "", "make deps", network, "asks+network", "the model asks for the network"},
		{event.ModePlan, "", "make deps", network, "denied", ""},
		{event.ModeAll, "allow network: make", "make deps", network, "network", ""},
		{event.ModeAsk, "allow network: make", "make deps", network, "network", ""},
		{event.ModeAsk, "allow command: make", "make deps", network, "asks+network", "the model asks for the network"},
		{event.ModeAll, "deny network: make", "make deps", network, "denied", "a rule denies it"},
		{event.ModeAll, "deny command: make", "make deps", network, "denied", "a rule denies it"},
		{event.ModeAll, "ask command: make", "make deps", network, "asks+network", "a rule requires approval"},
		{event.ModeAll, "", "ls", network, "private", ""},
		{event.ModeAll, "", "make", writes(in("notes")), "asks " + in("notes"), "the model asks to change " + in("notes")},
		{event.ModeAll, "", "make", writes(in("notes/a.txt")), "asks " + in("notes/a.txt"), "the model asks to change"},
		{event.ModeAll, "", "make", writes(in("notes/new/b.txt")), "asks " + in("notes"), "the model asks to change"},
		{event.ModeAll, "", "make", writes(dir), "runs", ""},
		{event.ModeAll, "deny edit: ~/notes/**", "make", writes(in("notes/a.txt")), "denied", "a rule denies it"},
		{event.ModeAll, "deny edit: ~/notes/a.txt", "make", writes(in("notes")), "denied", "a rule denies it"},
		{event.ModeAll, "", "make", writes(in(".ssh")), "denied", "protected"},
		{event.ModeAll, "", "make", writes(in(".bashrc")), "denied", "protected"},
		{event.ModeAll, "", "make", writes(filepath.Join(dir, ".git/hooks")), "denied", "protected"},
		{event.ModeAll, "", "make", writes(in("data"), in(".bashrc")), "denied", "protected"},
		{event.ModeAll, "", "make", writes(home), "denied", "never made writable"},
		{event.ModeAll, "", "make", writes("/"), "denied", "never made writable"},
		{event.ModeAll, "", "make", writes("/proc/self/mem"), "denied", "never made writable"},
		{event.ModeAll, "deny network: make", "make", tools.AccessRequest{Outside: true}, "denied", "a rule denies it"},
		{event.ModeAll, "", "make", tools.AccessRequest{Outside: true}, "asks", "without the sandbox"},
	} {
		call := run(dir, c.command)
		call.Request = &c.request
		p := policy.Policy{Mode: c.mode, Rules: rules(t, c.rules)}
		v := p.Judge(call, at.Look(t.Context(), call))
		got := strings.TrimSpace(outcome(v) + " " + strings.Join(v.Access.Write, " "))
		if got != c.want || !strings.Contains(v.Why, c.why) || v.Requested != (v.Ask && !v.ByRule) && !v.Refuse && !v.ByRule {
			t.Errorf("%s, %q, %q, %+v: got %s (%s, requested %v), want %s (%s)", c.mode, c.rules, c.command, c.request, got, v.Why, v.Requested, c.want, c.why)
		}
		if v.Access.Outside != (c.request.Outside && v.Ask) {
			t.Errorf("%+v: outside is %v", c.request, v.Access.Outside)
		}
	}
}

// The question offers one permission for the same command with the network, and none for paths.
// Flags that would allow the request are named where nobody can answer.
func TestRequestedAccessCanBeAllowed(t *testing.T) {
	home := project(t, "notes/a.txt", "src/shop/package.json")
	at := policy.Paths{Workspace: filepath.Join(home, "src/shop"), Home: home, Sandbox: policy.SandboxFull}
	if err := os.WriteFile(filepath.Join(at.Workspace, "package.json"), []byte(`{"scripts":{"build":"x"}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	notes := filepath.Join(home, "notes")
	for _, c := range []struct {
		request  tools.AccessRequest
		offer    string
		remedies string
	}{
		{tools.AccessRequest{Network: true}, "`npm run build` with common options and the network in this project", "--allow 'network: npm run build'"},
		{tools.AccessRequest{Write: []string{filepath.Join(notes, "a.txt")}}, "", "--allow 'command: npm run build' --add-dir '" + notes + "'"},
		{tools.AccessRequest{Network: true, Write: []string{notes}}, "", "--allow 'network: npm run build' --add-dir '" + notes + "'"},
		{tools.AccessRequest{Outside: true}, "", ""},
	} {
		call := run(at.Workspace, "npm run build")
		call.Request = &c.request
		p := policy.Policy{Mode: event.ModeAsk}
		f := at.Look(t.Context(), call)
		v := p.Judge(call, f)
		if got := strings.Join(p.Remedies(call, f, []event.Mode{}), ", "); got != c.remedies || v.Offer.String() != c.offer {
			t.Errorf("%+v: got offer %q, remedies %q; want %q, %q", c.request, v.Offer.String(), got, c.offer, c.remedies)
		}
		if v.Offer.Kind == "" {
			continue
		}
		p.Allow(v.Offer)
		if v := p.Judge(call, at.Look(t.Context(), call)); v.Ask || !v.Access.Network {
			t.Errorf("with the permission: got %+v", v)
		}
	}
}
