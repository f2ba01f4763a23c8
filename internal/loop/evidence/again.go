package evidence

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"agent/internal/bash"
	"agent/internal/loop/event"
	"agent/internal/tools/shell/checks"
)

// replacedBy reports whether a later run makes a run obsolete: it is of the same check, or it passed
// and checks at least as much.
func (c *run) replacedBy(later *run) bool {
	if c.Kind != later.Kind || c.Dir != later.Dir || c.Agent != later.Agent {
		return false
	}
	return c.Command == later.Command || later.Outcome == event.CheckPassed && covers(later.Command, c.Command)
}

// covers reports whether a check certainly checks everything that another one does.
func covers(check, other string) bool {
	a, b := scopeOf(check), scopeOf(other)
	if a.name == "" || a.name != b.name {
		return false
	}
	within := func(list []string) func(string) bool {
		return func(w string) bool { return !slices.Contains(list, w) }
	}
	if slices.ContainsFunc(a.options, within(b.options)) {
		return false
	}
	all := slices.Contains(a.operands, "./...") || len(a.operands) == 0 && slices.Contains([]string{"pytest", "jest", "vitest", "cargo test"}, a.name)
	return all || len(a.operands) > 0 && !slices.ContainsFunc(b.operands, within(a.operands)) || len(a.operands)+len(b.operands) == 0
}

// scope is what a check checks.
type scope struct {
	name     string // "go test"; empty if it is not known
	options  []string
	operands []string // also the values of options
}

// harmless are options that do not change what a check checks.
var harmless = []string{"-v", "--verbose", "-count=1", "-q", "--quiet", "-json", "-vv", "-s", "--no-header", "-failfast", "-x"}

// scopeOf returns what a command checks.
func scopeOf(command string) (s scope) {
	line, err := bash.Parse(command)
	if err != nil || len(line.File.Stmts) != 1 {
		return s
	}
	c, ok := line.File.Stmts[0].Cmd.(*syntax.CallExpr)
	if !ok {
		return s
	}
	words := checks.Unwrapped(checks.Words(line, c))
	if slices.Contains(words, "") {
		return s
	}
	s.name = checks.Name(words)
	for _, w := range words[min(len(words), 1+strings.Count(s.name, " ")):] {
		switch {
		case slices.Contains(harmless, w):
		case strings.HasPrefix(w, "-"):
			s.options = append(s.options, w)
		default:
			s.operands = append(s.operands, w)
		}
	}
	return s
}
