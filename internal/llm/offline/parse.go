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
	help
)

// rule is one form of a request.
type rule struct {
	verb    verb
	tool    string         // tool that the request needs; empty for none
	usage   string         // form shown to the user; empty to hide it
	pattern *regexp.Regexp // its groups are named for the fields of request
}

// rules returns all forms of requests. The first match wins.
func rules() []rule {
	part := strings.NewReplacer(
		" ", `\s+`,
		"QUOTED", "\"[^\"]*\"|'[^']*'|`[^`]*`",
	)
	form := func(v verb, tool, usage, pattern string) rule {
		return rule{v, tool, usage, regexp.MustCompile(`(?is)^(?:` + part.Replace(pattern) + `)$`)}
	}
	return []rule{
		form(overview, "list", "what is this project?", `(?:what is|what's|explain|describe|summari[sz]e) (?:this|the)(?: project| repo| repository| codebase| code)?|overview`),
		form(read, "read", "read FILE", `(?:read|show|open|cat) (?:the )?(?:file )?(?P<path>QUOTED|\S+)`),
		form(read, "read", "read FILE lines 10-40", `(?:read|show|open|cat) (?:the )?(?:file )?(?P<path>QUOTED|\S+) lines? (?P<first>\d+)(?:\s*(?:-|to)\s*(?P<last>\d+))?`),
		form(list, "list", "list files in DIR", `(?:list|ls)(?: (?:the )?files)?(?: (?:in )?(?P<path>QUOTED|\S+))?`),
		form(glob, "glob", "find files named *.go", `find (?:the )?files? (?:named|called) (?P<glob>QUOTED|\S+)(?: in (?P<path>QUOTED|\S+))?`),
		form(find, "search", "find WORD in *.go", `(?:find|search for|grep) (?P<pattern>QUOTED|.+?)(?: in (?P<path>QUOTED|\S+))?`),
		form(replace, "edit", "replace A with B in FILE", `replace (?P<all>all )?(?P<old>QUOTED|.+?) with (?P<new>QUOTED|.+) in (?P<path>QUOTED|\S+)`),
		form(create, "edit", "create FILE with TEXT", `create (?:an? )?(?:file )?(?P<path>QUOTED|\S+) with:? (?P<content>QUOTED|.+)`),
		form(run, "shell", "run COMMAND", `(?:run |!\s*)(?P<command>QUOTED|.+)`),
		form(help, "", "", `help|hi|hello|hey|`),
	}
}

const (
	maxLine     = 2 << 10 // maximum bytes of a line that is parsed
	maxRequests = 20      // maximum requests in one prompt
)

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
	first   int // line, 0 for the start
	last    int // line, 0 for the end
}

// parse reads the requests in the first line of a prompt. If the last one
// creates a file, the following lines are its content. more reports that other
// lines were ignored: pasted text is never followed.
func parse(rules []rule, text string) (requests []request, more bool) {
	text = strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n"))
	line, rest, _ := strings.Cut(text, "\n")
	if len(line) > maxLine {
		return []request{{text: line}}, rest != ""
	}
	for _, s := range split(rules, line) {
		requests = append(requests, match(rules, s))
	}
	if last := &requests[len(requests)-1]; last.verb == unknown && rest != "" {
		if r := match(rules, last.text+"\n"+rest); r.verb == create {
			*last, rest = r, ""
		}
	}
	return requests, rest != ""
}

// split splits a line at semicolons that are followed by another request. A
// shell command extends to the end of the line.
func split(rules []rule, line string) []string {
	var out []string
	for at := 0; len(out) < maxRequests-1; {
		i := strings.Index(line[at:], ";")
		if i < 0 {
			break
		}
		at += i + 1
		before := match(rules, line[:at-1]).verb
		if before == run {
			break
		}
		next, _, _ := strings.Cut(line[at:], ";")
		if before != unknown && match(rules, next).verb != unknown {
			out = append(out, line[:at-1])
			line, at = line[at:], 0
		}
	}
	return append(out, line)
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
			r.verb, r.tool = rule.verb, rule.tool
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
