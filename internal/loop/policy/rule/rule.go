// Package rule holds the permission rules that users and administrators configure: it parses and
// checks them, and says which tools, files, commands and hosts a rule matches. It judges no call and
// reads no files: package policy decides with the rules and the facts about a call. Start reading at
// Rule.
package rule

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

// Kind is what a rule matches.
type Kind string

// The kinds of rules.
const (
	Tool    Kind = "tool"    // a tool by its name, in which * stands for any text
	Read    Kind = "read"    // reading files that a glob matches
	Edit    Kind = "edit"    // changing files that a glob matches
	Command Kind = "command" // commands that begin with these words
	Network Kind = "network" // the same commands, which may also use the network
	Host    Kind = "host"    // requests to a host, or to *.example.org
	MCP     Kind = "mcp"     // an MCP server, or SERVER/TOOL
)

// kinds are all kinds, in the order in which messages list them.
var kinds = []Kind{Command, Network, Read, Edit, Host, Tool, MCP}

// Rule is a permission that a user or an administrator has configured. A repository
// never adds one.
type Rule struct {
	Action  Action
	Kind    Kind
	Pattern string
	// Match and NotMatch are examples that the rule must match and must not match. They
	// are checked when the rule is loaded.
	Match, NotMatch []string
	Source          string // where the rule comes from: "config.json:12", "--allow"
}

// Parse parses "KIND: PATTERN", such as "command: go test".
func Parse(action Action, text string) (Rule, error) {
	kind, pattern, ok := strings.Cut(text, ":")
	r := Rule{Action: action, Kind: Kind(strings.TrimSpace(kind)), Pattern: strings.TrimSpace(pattern)}
	switch {
	case !ok:
		if word, rest, _ := strings.Cut(strings.TrimSpace(text), " "); slices.Contains(Kinds(), word) {
			return Rule{}, fmt.Errorf("the rule %q has no colon after its kind (did you mean %q?)", text, word+": "+strings.TrimSpace(rest))
		}
		return Rule{}, fmt.Errorf("the rule %q has no kind (did you mean %q?). Kinds: %s", text, "command: "+strings.TrimSpace(text), strings.Join(Kinds(), ", "))
	case !slices.Contains(kinds, r.Kind):
		hint := ""
		if near := phrase.Nearest(string(r.Kind), Kinds()); near != "" {
			hint = fmt.Sprintf(" (did you mean %q?)", near+": "+r.Pattern)
		}
		return Rule{}, fmt.Errorf("the rule %q has an unknown kind%s. Kinds: %s", text, hint, strings.Join(Kinds(), ", "))
	}
	if r.Pattern == "" {
		return Rule{}, fmt.Errorf("the rule %q has no pattern", text)
	}
	return r, nil
}

// Kinds returns the names of the kinds, in the order in which messages list them.
func Kinds() []string {
	var names []string
	for _, k := range kinds {
		names = append(names, string(k))
	}
	return names
}

// String returns the rule as it is written, with its action: "deny command: git push".
func (r Rule) String() string { return string(r.Action) + " " + string(r.Kind) + ": " + r.Pattern }

// Decider returns the rule with its source: "--allow: allow command: go test".
func (r Rule) Decider() string { return strings.TrimPrefix(r.Source+": "+r.String(), ": ") }
