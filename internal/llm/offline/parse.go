package offline

import (
	"regexp"
	"strconv"
	"strings"
)

// verb is the kind of a request.
type verb int

const (
	unknown verb = iota
	overview
	read
	list
	glob
	find
	replace
	create
	run
	test
	talk
)

// rule is one form of a request.
type rule struct {
	verb    verb
	tool    string         // tool that the request needs; empty for none
	usage   string         // form shown to the user; empty to hide it
	pattern *regexp.Regexp // its groups are named for the fields of request
	says    string         // the answer of talk; empty for the list of requests
}

// rules returns all forms of requests. The first match wins.
func rules() []rule {
	part := strings.NewReplacer(
		" ", `\s+`,
		"QUOTED", "\"[^\"]*\"|'[^']*'|`[^`]*`",
		"OPEN", `(?:read|show|open|cat|view)(?:\s+me)?(?:\s+the)?(?:\s+file)?`,
		"COMMAND", commands,
	)
	form := func(v verb, tool, usage, pattern string) rule {
		return rule{verb: v, tool: tool, usage: usage, pattern: regexp.MustCompile(`(?is)^(?:` + part.Replace(pattern) + `)$`)}
	}
	all := []rule{
		form(overview, "list", "what is this project?", `(?:what(?: is|'?s)|what does|explain|describe|summari[sz]e) (?:this|the)(?: project| repo| repository| codebase| code)?(?: do| about)?|overview`),
		form(list, "list", "list files in DIR", `(?:list|ls|show)(?: me)?(?: all)? (?:the )?files(?: (?:in )?(?P<path>QUOTED|\S+))?|(?:list|ls)(?: (?:in )?(?P<path>QUOTED|[^-\s]\S*))?`),
		form(read, "read", "read FILE", `OPEN (?P<path>QUOTED|\S+)`),
		form(read, "read", "read FILE lines 10-40", `OPEN (?P<path>QUOTED|\S+) lines? (?P<first>\d+)(?:\s*(?:-|to)\s*(?P<last>\d+))?`),
		form(glob, "glob", "find files named *.go", `find (?:the )?files? (?:named|called) (?P<glob>QUOTED|\S+)(?: in (?P<path>QUOTED|\S+))?`),
		form(find, "search", "find WORD in *.go", `(?:find|search for|grep) (?P<pattern>QUOTED|.+?)(?: in (?P<path>QUOTED|\S+))?`),
		form(replace, "edit", "replace A with B in FILE", `(?:replace (?P<all>all )?(?P<old>QUOTED|.+?) with|change (?P<old>QUOTED|.+?) to) (?P<new>QUOTED|.+) in (?P<path>QUOTED|\S+)`),
		form(create, "edit", "create FILE with TEXT", `create (?:an? )?(?:file )?(?P<path>QUOTED|\S+) with:? (?P<content>QUOTED|.+)`),
		form(test, "shell", "run tests", `(?:run |start )?(?:all )?(?:the |my )?tests?|test (?:it|this|everything|the project)`),
		form(run, "shell", "run COMMAND", `(?:run |\$ ?|!\s*)(?P<command>QUOTED|.+)|(?P<command>COMMAND)`),
	}
	for _, a := range answers() {
		r := form(talk, "", "", a.pattern)
		r.says = a.says
		all = append(all, r)
	}
	return all
}

// commands are lines that are run as they are, because they cannot be prose.
const commands = `git (?:status|diff|log|show|branch|stash|blame|remote|fetch|pull|add|commit|checkout|switch|restore|tag)(?: .+)?` +
	`|go (?:test|build|vet|run|fmt|mod|version|generate|install|env)(?: .+)?|cargo (?:test|build|run|check|fmt|clippy)(?: .+)?` +
	`|(?:npm|yarn|pnpm) (?:test|install|ci|start|run \S+|build)|make(?: (?:all|test|tests|check|build|lint|run|clean|install|fmt))?` +
	`|(?:pytest|tox|gofmt|ruff|mypy|eslint|tsc|mvn|gradle|\./gradlew)(?: [-./]\S*)*|python3? \S+\.py(?: .+)?|node \S+\.m?js(?: .+)?|\./\S+(?: .+)?|(?:ls|tree|du|df|wc|head|tail) -.+|pwd|whoami|date|uname(?: -\w+)?|tree`

// maxLine is the maximum of bytes of a line that is parsed.
const maxLine = 2 << 10

// request is one request of the user.
type request struct {
	verb    verb
	tool    string // tool that it needs
	text    string // the user's words
	path    string
	glob    string
	pattern string
	old     string
	new     string
	all     string // set to replace every occurrence
	content string
	command string
	says    string // the answer, if nothing is to be done; may be empty
	first   int    // line, 0 for the start
	last    int    // line, 0 for the end
}

// parse reads the request in the first line of a prompt. If it creates a file, the
// following lines are its content. more reports that other lines were ignored: pasted text
// is never followed.
func parse(rules []rule, text string) (r request, more bool) {
	text = strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n"))
	line, rest, _ := strings.Cut(text, "\n")
	if len(line) > maxLine {
		return request{text: line}, rest != ""
	}
	if r = match(rules, line); r.verb == unknown && rest != "" {
		if all := match(rules, line+"\n"+rest); all.verb == create {
			return all, false
		}
	}
	return r, rest != ""
}

// match parses one request. Its verb is unknown if no rule matches.
func match(rules []rule, s string) request {
	s = strings.TrimSpace(s)
	r := request{text: s}
	const please = "please "
	if len(s) > len(please) && strings.EqualFold(s[:len(please)], please) {
		s = strings.TrimSpace(s[len(please):])
	}
	for _, rule := range rules {
		text := s
		if trimmed := strings.TrimRight(s, ".!?"); rule.verb != run && rule.verb != create && trimmed == strings.TrimSpace(trimmed) {
			text = trimmed
		}
		if m := rule.pattern.FindStringSubmatch(text); m != nil {
			r.verb, r.tool, r.says = rule.verb, rule.tool, rule.says
			for i, name := range rule.pattern.SubexpNames() {
				if m[i] != "" {
					r.set(name, m[i])
				}
			}
			return r
		}
	}
	return r
}

// set stores the text that the named group matched.
func (r *request) set(group, s string) {
	s = unquoted(s)
	switch group {
	case "path":
		r.path = strings.TrimPrefix(s, "@")
	case "first":
		r.first, _ = strconv.Atoi(s) // 0, the start, for a number that is too large
	case "last":
		r.last, _ = strconv.Atoi(s)
	case "": // the whole match
	default:
		*map[string]*string{
			"glob": &r.glob, "pattern": &r.pattern, "old": &r.old, "new": &r.new, "all": &r.all, "content": &r.content, "command": &r.command,
		}[group] = s
	}
}

// unquoted returns s without the quotation marks around it.
func unquoted(s string) string {
	if n := len(s); n > 1 && strings.ContainsRune("\"'`", rune(s[0])) && strings.IndexByte(s[1:], s[0]) == n-2 {
		return s[1 : n-1]
	}
	return s
}
