package rule_test

import (
	"strings"
	"testing"

	"agent/internal/loop/policy/rule"
)

// Examples of a rule are checked, and so is its pattern.
func TestRuleExamples(t *testing.T) {
	for _, c := range []struct {
		rule, match, not string
		want             string // part of the error; empty for none
	}{
		{"deny command: git push", "git push origin", "git pull", ""},
		{"deny command: git push", "sudo git -C x push && ls", "echo git push", ""},
		{"deny command: git push", "git pull", "", `does not match its example "git pull"`},
		{"deny command: git push", "", "ls; git push", `matches "ls; git push", which it must not match`},
		{"allow command: go test", "go test ./...", "go test ./... && make", ""},
		{"allow command: go test", "/x/go test", "", "does not match"},
		{"allow network: npm ci", "npm ci --silent", "npm install", ""},
		{"deny read: secrets/**", "secrets/a/b", "src/a", ""},
		{"deny read: ~/.aws/**", "~/.aws/config", ".aws/config", ""},
		{"allow edit: docs/*.md", "docs/a.md", "docs/sub/a.md", ""},
		{"deny host: *.example.org", "a.example.org:8080", "example.org", ""},
		{"allow mcp: files/get", "files/get", "files/put", ""},
		{"deny tool: mcp__*", "mcp__x__y", "read", ""},
		{"deny command: git push *", "", "", "must be the first words of one command"},
		{"deny command: ls && make", "", "", "must be the first words of one command"},
		{"deny read: [", "", "", "not a valid glob"},
		{"deny host: https://example.org", "", "", "must be a host"},
		{"deny host: *", "", "", "must be a host"},
	} {
		action, text, _ := strings.Cut(c.rule, " ")
		r, err := rule.Parse(rule.Action(action), text)
		if err != nil {
			t.Fatal(err)
		}
		if c.match != "" {
			r.Match = []string{c.match}
		}
		if c.not != "" {
			r.NotMatch = []string{c.not}
		}
		switch err := r.Check(); {
		case c.want == "" && err != nil, c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: got error %v, want %q", c.rule, err, c.want)
		}
	}
}

// A rule that denies all tools of a server denies the server, however it is written. Rules
// also count for the resources that a user mentions.
func TestDeniedServers(t *testing.T) {
	for line, want := range map[string][2]bool{
		"deny mcp: files":                {true, true},
		"deny mcp: files/*":              {true, true},
		"deny mcp: *":                    {true, true},
		"deny tool: mcp__files__*":       {true, true},
		"deny tool: mcp__*":              {true, true},
		"deny mcp: files/resources/read": {false, true},
		"deny tool: mcp_resource":        {false, true},
		"deny tool: mcp_*":               {true, true},
		"deny mcp: resource":             {false, false},
		"deny mcp: files/get_*":          {false, false},
		"deny tool: mcp__files__":        {false, false},
		"deny mcp: other":                {false, false},
		"ask mcp: files":                 {false, false},
		"allow mcp: files":               {false, false},
	} {
		action, text, _ := strings.Cut(line, " ")
		r, err := rule.Parse(rule.Action(action), text)
		if err != nil {
			t.Fatal(err)
		}
		if got := [2]bool{r.DeniesServer("files"), r.DeniesResources("files")}; got != want {
			t.Errorf("%s: %v, want %v", line, got, want)
		}
	}
}
