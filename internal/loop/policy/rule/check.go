package rule

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"agent/internal/loop/policy/command"
)

// Check validates the pattern, and tests that the rule matches its Match examples and
// does not match its NotMatch examples. Examples are command lines, paths, hosts, or the
// names of tools, depending on the kind of the rule.
func (r Rule) Check() error {
	if err := r.checkPattern(); err != nil {
		return err
	}
	for _, example := range r.Match {
		if !r.matchesExample(example) {
			return fmt.Errorf("the rule %q does not match its example %q", r, example)
		}
	}
	for _, example := range r.NotMatch {
		if r.matchesExample(example) {
			return fmt.Errorf("the rule %q matches %q, which it must not match", r, example)
		}
	}
	return nil
}

// checkPattern returns an error if the pattern can never match.
func (r Rule) checkPattern() error {
	switch {
	case strings.TrimSpace(r.Pattern) == "":
		return fmt.Errorf("the rule %q has no pattern", r)
	case (r.Kind == Read || r.Kind == Edit) && !doublestar.ValidatePattern(filepath.ToSlash(r.Pattern)):
		return fmt.Errorf("the rule %q is not a valid glob pattern", r)
	case r.Kind == Host && strings.Contains(strings.TrimPrefix(r.Pattern, "*."), "*"), r.Kind == Host && strings.ContainsAny(r.Pattern, "/ "):
		return fmt.Errorf("the rule %q must be a host: example.org, example.org:8080, or *.example.org", r)
	case (r.Kind == Command || r.Kind == Network) && !plainWords(r.Pattern):
		return fmt.Errorf("the rule %q must be the first words of one command, such as %q, without quotes, wildcards, variables and operators", r, "git push")
	}
	return nil
}

// plainWords reports whether text is a list of words that have no meaning to a shell.
func plainWords(text string) bool {
	return !strings.ContainsAny(text, "\n\t;&|<>(){}'\"\\$`*?[]!#~")
}

// Roots of the examples of rules.
const (
	exampleHome      = "/home/user"
	exampleWorkspace = "/home/user/workspace"
)

// matchesExample reports whether the rule matches an example.
func (r Rule) matchesExample(example string) bool {
	switch r.Kind {
	case Tool:
		return r.matchesTool(example)
	case MCP:
		server, tool, _ := strings.Cut(example, "/")
		return r.matchesTool(mcpPrefix + server + "__" + tool)
	case Host:
		return r.MatchesHost(example)
	case Read, Edit:
		path := example
		if rest, ok := strings.CutPrefix(path, "~/"); ok {
			path = exampleHome + "/" + rest
		}
		if !filepath.IsAbs(path) {
			path = exampleWorkspace + "/" + path
		}
		return r.MatchesFile([]string{filepath.Clean(path)}, Roots{Workspace: []string{exampleWorkspace}, Home: []string{exampleHome}})
	}
	r.Kind = Command // the network does not matter
	c := command.Judge(example, textEnv(exampleWorkspace))
	if r.Action != Allow {
		return r.MatchesLine(c) == Certain
	}
	return len(c.Parts) > 0 && !slices.ContainsFunc(c.Parts, func(p command.Part) bool { return !r.AllowsPart(&p, exampleWorkspace, false) })
}
