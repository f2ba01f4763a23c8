package policy

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"agent/internal/loop/policy/command"
	"agent/internal/tools"
	"agent/internal/tools/protect"
)

// matchesTool reports whether a rule of kind tool or mcp matches a tool.
func (r Rule) matchesTool(name string) bool {
	pattern := r.Pattern
	if r.Kind == RuleMCP {
		server, tool, one := strings.Cut(r.Pattern, "/")
		if !one {
			tool = "*"
		}
		pattern = mcpPrefix + server + "__" + tool
	}
	parts := strings.Split(pattern, "*")
	for i := range parts {
		parts[i] = regexp.QuoteMeta(parts[i])
	}
	return regexp.MustCompile(`(?s)\A` + strings.Join(parts, ".*") + `\z`).MatchString(name)
}

// matchesCall reports whether a rule of kind tool or mcp matches a call. A tool of an MCP
// server is known by the name with which the model called it, and by mcp__SERVER__TOOL. A call
// that is in effect one of another tool is known by both names.
func (r Rule) matchesCall(c tools.Call) bool {
	if c.Effective != nil && r.matchesTool(c.Effective.Tool) {
		return true
	}
	for _, t := range c.Targets {
		if t.Kind == tools.MCP {
			server, tool, _ := strings.Cut(t.Value, "/")
			return r.matchesTool(mcpPrefix+server+"__"+tool) || r.matchesTool(c.Tool)
		}
	}
	return r.matchesTool(c.Tool)
}

// mcpPrefix begins the names of the tools of MCP servers: mcp__SERVER__TOOL.
const mcpPrefix = "mcp__"

// matchesHost reports whether a rule matches a host, which includes its port unless that
// is the default one. A deny or ask rule without a port matches every port.
func (r Rule) matchesHost(host string) bool {
	pattern, host := hostName(r.Pattern), hostName(host)
	if name, _, ok := cutPort(host); ok && r.Action != Allow {
		if _, _, port := cutPort(pattern); !port {
			host = name
		}
	}
	if rest, ok := strings.CutPrefix(pattern, "*"); ok {
		return strings.HasPrefix(rest, ".") && len(host) > len(rest) && strings.HasSuffix(host, rest)
	}
	return host == pattern
}

func hostName(host string) string {
	name, port, ok := cutPort(strings.ToLower(host))
	name = strings.TrimSuffix(name, ".")
	if ok {
		return name + ":" + port
	}
	return name
}

// cutPort splits a host and its port. An IPv6 address without brackets has no port.
func cutPort(host string) (name, port string, ok bool) {
	i := strings.LastIndexByte(host, ':')
	if i < 0 || strings.Count(host, ":") > 1 && !strings.HasSuffix(host[:i], "]") {
		return host, "", false
	}
	return host[:i], host[i+1:], true
}

// roots are the directories at which the patterns of rules start.
type roots struct {
	workspace []string // as it was opened, and without symbolic links
	home      []string
}

// roots returns the roots of p.
func (p Paths) roots() (out roots) {
	for _, dir := range []string{p.Workspace, p.Resolved.Of(p.Workspace)} {
		if dir != "" && !slices.Contains(out.workspace, dir) {
			out.workspace = append(out.workspace, dir)
		}
	}
	for _, dir := range []string{p.Home, p.Resolved.Of(p.Home)} {
		if dir != "" && !slices.Contains(out.home, dir) {
			out.home = append(out.home, dir)
		}
	}
	return out
}

// matchesFile reports whether a rule of kind read or edit matches a file. Names are its
// absolute names: as written, after each symbolic link, and last without links. A rule
// that denies or asks matches any of them, without regard to case, and everything below
// a directory that it matches. A rule that allows matches only the last one.
func (r Rule) matchesFile(names []string, at roots) bool {
	for _, pattern := range r.globs(at) {
		if r.Action == Allow {
			if doublestar.MatchUnvalidated(pattern, filepath.ToSlash(names[len(names)-1])) {
				return true
			}
			continue
		}
		pattern = folded(pattern)
		for _, name := range names {
			for path := folded(filepath.ToSlash(name)); ; {
				if doublestar.MatchUnvalidated(pattern, path) {
					return true
				}
				i := strings.LastIndexByte(path, '/')
				if i < 0 {
					break
				}
				path = path[:i]
			}
		}
	}
	return false
}

// globs returns the absolute patterns of the rule, with slashes.
func (r Rule) globs(at roots) (out []string) {
	pattern := filepath.ToSlash(r.Pattern)
	if strings.HasSuffix(pattern, "/") {
		pattern += "**"
	}
	if filepath.IsAbs(filepath.FromSlash(pattern)) {
		return append(out, pattern)
	}
	starts := at.workspace
	if rest, ok := strings.CutPrefix(pattern, "~/"); ok {
		pattern, starts = rest, at.home
	}
	for _, dir := range starts {
		out = append(out, literalGlob(filepath.ToSlash(dir))+"/"+strings.TrimPrefix(pattern, "./"))
	}
	return out
}

// uneditable returns the existing paths in the workspace that rules for editing name, or whose
// content they name by DIR/**. A command that nobody approved must not change them, although its
// text need not show that it does.
func (p *Policy) uneditable(f Facts) (paths []string) {
	for _, r := range p.Rules {
		if r.Kind != RuleEdit || r.Action == Allow {
			continue
		}
		for _, glob := range r.globs(f.at) {
			base, rest := doublestar.SplitPattern(strings.TrimSuffix(glob, "/**") + "/**")
			path := filepath.FromSlash(base)
			if rest == "**" && f.paths.borders().inside(f.paths.Resolved.Of(path)) && exists(path) && !slices.Contains(paths, path) {
				paths = append(paths, path)
			}
		}
	}
	return paths
}

// literalGlob returns a pattern that matches only path, which has slashes.
func literalGlob(path string) string {
	var b strings.Builder
	for _, r := range strings.TrimSuffix(path, "/") {
		if strings.ContainsRune(`\*?[]{}`, r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// folded returns a path or pattern with slashes in which each name is folded.
func folded(path string) string {
	names := strings.Split(path, "/")
	for i, name := range names {
		names[i] = protect.Fold(name)
	}
	return strings.Join(names, "/")
}

// below reports whether a rule may match a file below one of dirs, which are absolute.
func (r Rule) below(dirs []string, at roots) bool {
	for _, pattern := range r.globs(at) {
		base, rest := folded(pattern), ""
		if strings.ContainsAny(base, `*?[{\`) {
			base, rest = doublestar.SplitPattern(base)
		}
		for _, dir := range dirs {
			dir = strings.TrimSuffix(folded(filepath.ToSlash(dir)), "/")
			if strings.HasPrefix(base+"/", dir+"/") || rest != "" && strings.HasPrefix(dir+"/", base+"/") {
				return true
			}
		}
	}
	return false
}

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
	case (r.Kind == RuleRead || r.Kind == RuleEdit) && !doublestar.ValidatePattern(filepath.ToSlash(r.Pattern)):
		return fmt.Errorf("the rule %q is not a valid glob pattern", r)
	case r.Kind == RuleHost && strings.Contains(strings.TrimPrefix(r.Pattern, "*."), "*"), r.Kind == RuleHost && strings.ContainsAny(r.Pattern, "/ "):
		return fmt.Errorf("the rule %q must be a host: example.org, example.org:8080, or *.example.org", r)
	case (r.Kind == RuleCommand || r.Kind == RuleNetwork) && !plainWords(r.Pattern):
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
	case RuleTool:
		return r.matchesTool(example)
	case RuleMCP:
		server, tool, _ := strings.Cut(example, "/")
		return r.matchesTool(mcpPrefix + server + "__" + tool)
	case RuleHost:
		return r.matchesHost(example)
	case RuleRead, RuleEdit:
		path := example
		if rest, ok := strings.CutPrefix(path, "~/"); ok {
			path = exampleHome + "/" + rest
		}
		if !filepath.IsAbs(path) {
			path = exampleWorkspace + "/" + path
		}
		return r.matchesFile([]string{filepath.Clean(path)}, roots{workspace: []string{exampleWorkspace}, home: []string{exampleHome}})
	}
	r.Kind = RuleCommand // the network does not matter
	c := command.Judge(example, textEnv(exampleWorkspace))
	if r.Action != Allow {
		return r.matchesLine(c) == certainMatch
	}
	return len(c.Parts) > 0 && !slices.ContainsFunc(c.Parts, func(p command.Part) bool { return !r.allowsPart(&p, exampleWorkspace, false) })
}
