package policy_test

import (
	"os"
	"path/filepath"
	"testing"

	"agent/internal/loop/event"
	"agent/internal/loop/policy"
	"agent/internal/loop/policy/rule"
	"agent/internal/tools"
)

// parsed parses a rule.
func parsed(t *testing.T, action rule.Action, text string) rule.Rule {
	t.Helper()
	r, err := rule.Parse(action, text)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A rule for a host allows neither hosts whose names begin or end like it nor other
// spellings: CVE-2026-24052. A rule without a host allows none: CVE-2025-66479.
func TestHostRulesAllowNoLookalikes(t *testing.T) {
	at := policy.Paths{Workspace: project(t)}
	for pattern, hosts := range map[string][]string{
		"docs.python.org":   {"docs.python.org.evil.com", "evildocs.python.org", "docs.python.orgevil", "x.docs.python.org", "python.org", "docs.python.org:8080", "docs-python.org", "evil\x00.docs.python.org", "docs.python.org@evil.com", "docs.python.org/../evil", ""},
		"*.example.org":     {"example.org", "evilexample.org", "example.org.evil.com", "a.example.org.evil.com", ".example.org", "a.example.org:81", "evil\x00.example.org:80"},
		"127.0.0.1:8080":    {"127.0.0.1", "127.0.0.1:80", "127.0.0.1:80800", "1127.0.0.1:8080"},
		"*":                 {"evil.com"},
		"*.*":               {"evil.com"},
		"docs.python.org:*": {"docs.python.org:81", "evil.com"},
	} {
		p := policy.Policy{Mode: event.ModeAsk}
		if r, err := rule.Parse(rule.Allow, "host: "+pattern); err == nil {
			p.Rules = []rule.Rule{r}
		}
		for _, host := range hosts {
			if v := asks(&p, at, to(tools.Network, tools.Host, host)); !v.Ask && !v.Refuse {
				t.Errorf("a rule for %s allows %q", pattern, host)
			}
		}
	}
	if _, err := rule.Parse(rule.Allow, "host:"); err == nil {
		t.Error("a rule may name no host")
	}
	p := policy.Policy{Mode: event.ModeAsk, Rules: []rule.Rule{parsed(t, rule.Allow, "host: docs.python.org")}}
	if v := asks(&p, at, to(tools.Network, tools.Host, "docs.python.org")); v.Ask || v.Refuse {
		t.Errorf("the rule does not allow its own host: %+v", v)
	}
}

// A rule that denies a file denies it behind a link too, and by the link's own name:
// CVE-2025-59829 and CVE-2026-25724.
func TestDeniedFilesBehindLinks(t *testing.T) {
	dir := project(t, "secret/key.txt", "public/a.txt")
	for link, target := range map[string]string{
		"public/link.txt": "../secret/key.txt", "dir": "secret", "chain": "dir", "public/abs.txt": filepath.Join(dir, "secret/key.txt"), "secret/out.txt": "../public/a.txt",
	} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Skip(err)
		}
	}
	at := policy.Paths{Workspace: dir, Home: t.TempDir()}
	p := policy.Policy{Mode: event.ModeAll, Rules: []rule.Rule{parsed(t, rule.Deny, "read: secret/**"), parsed(t, rule.Deny, "edit: secret/**")}}
	for _, effect := range []tools.Effect{tools.Read, tools.Write} {
		for _, name := range []string{"secret/key.txt", "public/link.txt", "dir/key.txt", "chain/key.txt", "public/abs.txt", "secret/out.txt", "SECRET/key.txt", "public/../secret/key.txt", "./secret//key.txt"} {
			if v := asks(&p, at, to(effect, tools.Path, name)); !v.Refuse {
				t.Errorf("%v %s is not denied: %+v", effect, name, v)
			}
		}
		if v := asks(&p, at, to(effect, tools.Path, "public/a.txt")); v.Refuse || v.Ask {
			t.Errorf("%v public/a.txt is denied: %+v", effect, v)
		}
	}
}
