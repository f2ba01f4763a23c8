// Package policy decides what a tool call may do unasked.
//
// It judges what the call declares (its effect and targets), never what the
// model says about it. Rules come from the person alone.
package policy

import (
	"fmt"
	"path"
	"strings"

	"agent/internal/tools"
)

// Mode is how much is asked about.
type Mode string

// The modes. Reading in the workspace is unasked in all of them.
const (
	Ask   Mode = "ask"   // whatever changes something is asked about
	Edits Mode = "edits" // edits in the workspace are unasked
	Plan  Mode = "plan"  // edits are refused; whatever else changes something is asked about
	All   Mode = "all"   // nothing is asked about
)

// Modes are all of them, in the order in which a person goes through them.
var Modes = []Mode{Ask, Edits, Plan, All}

// ParseMode returns the mode of that name.
func ParseMode(s string) (Mode, error) {
	for _, m := range Modes {
		if s == string(m) {
			return m, nil
		}
	}
	return "", fmt.Errorf("there is no mode %q: use ask, edits, plan or all", s)
}

// Verdict is what a policy says about a call.
type Verdict struct {
	Ask    bool   // the person is asked; false allows
	Refuse bool   // it must not run, and nobody is asked
	Why    string // the rule, in words that follow "asks because", and of a refusal by itself
	// Scope is what an "always" would cover; the zero value where none is offered.
	Scope Scope
}

// Scope is what an "always for this session" covers.
type Scope struct {
	Kind  tools.TargetKind `json:"kind"`
	Value string           `json:"value"` // a directory ending in "/", a file, a whole command, or a host with any port that is not the usual
}

// String says what the scope covers, in words; empty for the zero value.
func (s Scope) String() string {
	switch {
	case s.Kind == tools.Command:
		return "this very command: " + s.Value
	case s.Kind == tools.Path && strings.HasSuffix(s.Value, "/"):
		return "edits under " + s.Value
	case s.Kind == tools.Path:
		return "edits to " + s.Value
	case s.Kind == tools.Host:
		return "requests to " + s.Value
	}
	return ""
}

// Policy judges calls by a mode and the scopes granted so far. It is not safe
// for concurrent use.
type Policy struct {
	Mode   Mode
	scopes []Scope
}

// Grant makes scope unasked from here on.
func (p *Policy) Grant(s Scope) {
	if s != (Scope{}) {
		p.scopes = append(p.scopes, s)
	}
}

// Judge says whether a call may run unasked.
func (p *Policy) Judge(c tools.Call) Verdict {
	if c.Effect == tools.Read || p.Mode == All {
		return Verdict{}
	}
	if c.Effect == tools.Write && p.Mode == Plan {
		return Verdict{Refuse: true, Why: "the person wants a plan before files are changed (mode plan)"}
	}
	if c.Effect == tools.Write && p.Mode == Edits && len(c.Warnings) == 0 {
		return Verdict{}
	}
	if len(c.Warnings) == 0 && p.covered(c) {
		return Verdict{}
	}
	return Verdict{Ask: true, Why: why(c), Scope: scopeOf(c)}
}

func why(c tools.Call) string {
	switch c.Effect {
	case tools.Write:
		return "it changes files (mode ask)"
	case tools.Execute:
		return "a command can do anything that you can do"
	}
	var hosts []string
	for _, t := range c.Targets {
		if t.Kind == tools.Host {
			hosts = append(hosts, t.Value)
		}
	}
	return strings.TrimSuffix("it reaches the network: "+strings.Join(hosts, ", "), ": ")
}

// covered reports whether every target of c lies in a granted scope.
func (p *Policy) covered(c tools.Call) bool {
	for _, t := range c.Targets {
		ok := false
		for _, s := range p.scopes {
			ok = ok || s.covers(t)
		}
		if !ok {
			return false
		}
	}
	return len(c.Targets) > 0
}

func (s Scope) covers(t tools.Target) bool {
	if s.Kind != t.Kind {
		return false
	}
	if s.Kind == tools.Path && strings.HasSuffix(s.Value, "/") {
		return strings.HasPrefix(path.Clean(t.Value), s.Value)
	}
	return s.Value == t.Value
}

// scopeOf is the scope that an "always" for c offers: the directory of an
// edited file, the file itself where that directory is the whole workspace, a
// command or a host letter by letter.
func scopeOf(c tools.Call) Scope {
	if len(c.Targets) != 1 || len(c.Warnings) > 0 {
		return Scope{}
	}
	t := c.Targets[0]
	if t.Kind == tools.Path {
		if dir := path.Dir(path.Clean(t.Value)); dir != "." {
			return Scope{Kind: tools.Path, Value: dir + "/"}
		}
	}
	return Scope{Kind: t.Kind, Value: t.Value}
}
