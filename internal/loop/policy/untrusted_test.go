package policy_test

import (
	"strings"
	"testing"

	"agent/internal/loop/event"
	"agent/internal/loop/policy"
	"agent/internal/loop/policy/rule"
	"agent/internal/loop/policy/standing"
	"agent/internal/tools"
)

// What a host sent ends the permissions for the network that were given before it was
// read. Rules, permissions for that host and permissions without the network hold.
func TestReadEndsNetworkPermissions(t *testing.T) {
	at := policy.Paths{Workspace: project(t, "package.json")}
	allow, err := rule.Parse(rule.Allow, "host: *.example.com")
	if err != nil {
		t.Fatal(err)
	}
	p := policy.Policy{Mode: event.ModeAsk, Rules: []rule.Rule{allow}}
	install, test := run(at.Workspace, "npm ci"), run(at.Workspace, "go test ./...")
	other, read := to(tools.Network, tools.Host, "other.org"), to(tools.Network, tools.Host, "read.org")
	mcp := tools.Call{Tool: "mcp__files__get", Effect: tools.Network, Targets: []tools.Target{{Kind: tools.MCP, Value: "files/get"}}}
	calls := map[string]tools.Call{"mcp": mcp, "npm ci": install, "go test": test, "other.org": other, "read.org": read, "a.example.com": to(tools.Network, tools.Host, "a.example.com")}
	judge := func(c tools.Call) policy.Verdict { return p.AfterReading(c, asks(&p, at, c)) }
	check := func(when string, asked ...string) {
		t.Helper()
		for name, c := range calls {
			v := judge(c)
			want := strings.Contains(" "+strings.Join(asked, " ")+" ", " "+strings.ReplaceAll(name, " ", "_")+" ")
			if v.Ask != want {
				t.Errorf("%s, %s: asks %t, want %t", when, name, v.Ask, want)
			}
		}
	}
	for _, c := range []tools.Call{mcp, install, test, other, read} {
		offer := judge(c).Offer
		if offer.Scope == (standing.Scope{}) {
			t.Fatalf("nothing is offered for %s", c.Title)
		}
		p.Allow(offer)
	}
	check("at first")
	p.NoteSource("read.org")
	check("after the read", "mcp", "npm_ci", "other.org")
	for _, c := range []tools.Call{mcp, install, other} {
		if v := judge(c); !strings.HasPrefix(v.Warning, "after reading read.org: ") {
			t.Errorf("got the warning %q", v.Warning)
		}
	}
	p.Allow(judge(mcp).Offer)
	p.Allow(judge(install).Offer)
	p.Allow(judge(other).Offer)
	p.NoteSource("read.org")
	check("after the same host again")
	if v := judge(to(tools.Network, tools.Host, "new.org")); strings.Contains(v.Warning, "after reading") {
		t.Errorf("a question after new permissions has the warning %q", v.Warning)
	}
	p.NoteSource("next.org")
	check("after the next host", "mcp", "npm_ci", "other.org", "read.org")
	if v := judge(run(at.Workspace, "rm -rf x")); strings.Contains(v.Warning, "after reading") {
		t.Errorf("a command without the network has the warning %q", v.Warning)
	}
}
