package policy

import (
	"fmt"
	"slices"
	"strings"

	"agent/internal/llm/phrase"
)

// Action is what a rule does with the calls that it matches.
type Action string

// The actions. If several rules match a call, Deny comes before Ask, and Ask before
// Allow.
const (
	Deny  Action = "deny"
	Ask   Action = "ask"
	Allow Action = "allow"
)

// RuleKind is what a rule matches.
type RuleKind string

// The kinds of rules.
const (
	RuleTool    RuleKind = "tool"    // a tool by its name, in which * stands for any text
	RuleRead    RuleKind = "read"    // reading files that a glob matches
	RuleEdit    RuleKind = "edit"    // changing files that a glob matches
	RuleCommand RuleKind = "command" // commands that begin with these words
	RuleNetwork RuleKind = "network" // the same commands, which may also use the network
	RuleHost    RuleKind = "host"    // requests to a host, or to *.example.org
	RuleMCP     RuleKind = "mcp"     // an MCP server, or SERVER/TOOL
)

// ruleKinds are all kinds, in the order in which messages list them.
var ruleKinds = []RuleKind{RuleCommand, RuleNetwork, RuleRead, RuleEdit, RuleHost, RuleTool, RuleMCP}

// Rule is a permission that a user or an administrator has configured. A repository
// never adds one.
type Rule struct {
	Action  Action
	Kind    RuleKind
	Pattern string
	// Match and NotMatch are examples that the rule must match and must not match. They
	// are checked when the rule is loaded.
	Match, NotMatch []string
	Source          string // where the rule comes from: "config.json:12", "--allow"
}

// ParseRule parses "KIND: PATTERN", such as "command: go test".
func ParseRule(action Action, text string) (Rule, error) {
	kind, pattern, ok := strings.Cut(text, ":")
	r := Rule{Action: action, Kind: RuleKind(strings.TrimSpace(kind)), Pattern: strings.TrimSpace(pattern)}
	switch {
	case !ok:
		if word, rest, _ := strings.Cut(strings.TrimSpace(text), " "); slices.Contains(RuleKinds(), word) {
			return Rule{}, fmt.Errorf("the rule %q has no colon after its kind (did you mean %q?)", text, word+": "+strings.TrimSpace(rest))
		}
		return Rule{}, fmt.Errorf("the rule %q has no kind (did you mean %q?). Kinds: %s", text, "command: "+strings.TrimSpace(text), strings.Join(RuleKinds(), ", "))
	case !slices.Contains(ruleKinds, r.Kind):
		hint := ""
		if near := phrase.Nearest(string(r.Kind), RuleKinds()); near != "" {
			hint = fmt.Sprintf(" (did you mean %q?)", near+": "+r.Pattern)
		}
		return Rule{}, fmt.Errorf("the rule %q has an unknown kind%s. Kinds: %s", text, hint, strings.Join(RuleKinds(), ", "))
	}
	if r.Pattern == "" {
		return Rule{}, fmt.Errorf("the rule %q has no pattern", text)
	}
	return r, nil
}

// RuleKinds returns the names of the kinds, in the order in which messages list them.
func RuleKinds() []string {
	var names []string
	for _, k := range ruleKinds {
		names = append(names, string(k))
	}
	return names
}

// String returns the rule as it is written, with its action: "deny command: git push".
func (r Rule) String() string { return string(r.Action) + " " + string(r.Kind) + ": " + r.Pattern }
