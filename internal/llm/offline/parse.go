package offline

import (
	"path"
	"regexp"
	"strconv"
	"strings"
)

const (
	maxPrompt   = 64 << 10 // bytes that are looked at
	maxRequests = 20
	maxJoints   = 40      // places in a line where a second request may begin
	maxLine     = 2 << 10 // bytes of a line that may hold several requests
)

// request is one thing that the person wants.
type request struct {
	verb    verb
	said    string // in the person's words
	path    string // of a file; of find, a file or directory
	dir     string
	glob    string
	pattern string // a regular expression
	shown   string // the pattern as the person wrote it
	fold    bool   // letters match in either case
	old     string
	new     string
	all     bool // every occurrence
	content string
	command string
	first   int // line, 0 from the start
	last    int // line, 0 to the end
}

// prompt is all that the person wants.
type prompt struct {
	requests []request
	// material says that more followed that was not read as requests, as text
	// that is piped in does.
	material bool
}

// parse reads a prompt. Requests stand in its first paragraph: what follows
// may be a pasted diff or a log, and is never obeyed.
func parse(g *grammar, text string) prompt {
	if len(text) > maxPrompt {
		text = strings.ToValidUTF8(text[:maxPrompt], "")
	}
	q := mask(strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n")))
	head, rest := q.text, ""
	if at := regexp.MustCompile(`\n[ \t]*\n`).FindStringIndex(q.text); at != nil {
		head, rest = q.text[:at[0]], q.text[at[0]+1:]
	}
	var p prompt
	segments, open := g.segments(q, head)
	if n := len(segments); open && rest != "" {
		segments[n-1] += "\n" + rest
		rest = ""
	}
	p.material = strings.TrimSpace(rest) != ""
	for _, s := range segments {
		rs := g.requests(q, s)
		if len(rs) == 0 {
			rs = []request{{said: q.restore(s)}}
		}
		p.requests = append(p.requests, rs...)
	}
	if len(p.requests) > maxRequests {
		p.requests = p.requests[:maxRequests]
		p.material = true
	}
	return p
}

// segments cuts a paragraph into what may be a request each. It is open if the
// last one ends in content, which then goes on to the end of the prompt.
func (g *grammar) segments(q quotes, paragraph string) (out []string, open bool) {
	lines := strings.Split(paragraph, "\n")
	for i, line := range lines {
		line = g.marks.ReplaceAllString(line, "")
		if strings.TrimSpace(line) == "" {
			continue
		}
		if out = append(out, g.split(q, line)...); len(out) > maxRequests {
			break
		}
		if last := &out[len(out)-1]; g.opens.MatchString(*last) {
			if i+1 < len(lines) {
				*last += "\n" + strings.Join(lines[i+1:], "\n")
			}
			return out, true
		}
	}
	return out, false
}

// split cuts a line before what is a request of its own.
func (g *grammar) split(q quotes, line string) []string {
	var out []string
	start := 0
	joints := g.joint.FindAllStringIndex(line, maxJoints)
	if len(line) > maxLine || strings.HasPrefix(strings.TrimSpace(line), "!") {
		joints = nil
	}
	for i, at := range joints {
		if at[0] < start {
			continue
		}
		before, sign := line[start:at[0]], line[at[0]:at[1]]
		if g.parts(g.verbOf(q, before), sign, g.begins(q, line, joints[i:])) {
			out = append(out, before)
			start = at[1]
		}
	}
	return append(out, line[start:])
}

// parts reports whether sign ends a request of that verb, given whether another
// one begins behind it.
func (g *grammar) parts(before verb, sign string, begins bool) bool {
	semicolon := strings.Contains(sign, ";")
	strong := semicolon || strings.Contains(strings.ToLower(sign), "then")
	switch before {
	case unknown:
		return begins && strong // "replace this and that with …" is not yet whole
	case run:
		return begins && !semicolon // which is the shell's own
	case create, extend:
		return begins
	}
	return begins || strong
}

// begins reports whether a request begins after the first of joints and ends
// at one of the next few, or with the line.
func (g *grammar) begins(q quotes, line string, joints [][]int) bool {
	start := joints[0][1]
	const tries = 4
	for i := 1; i <= tries && i < len(joints); i++ {
		if g.verbOf(q, line[start:joints[i][0]]) != unknown {
			return true
		}
	}
	return g.verbOf(q, line[start:]) != unknown
}

func (g *grammar) verbOf(q quotes, s string) verb {
	if rs := g.requests(q, s); len(rs) > 0 {
		return rs[0].verb
	}
	return unknown
}

// requests reads one segment: none if it is not understood, several if it
// names several files.
func (g *grammar) requests(q quotes, s string) []request {
	s = strings.TrimSpace(s)
	for {
		cut := g.lead.ReplaceAllString(s, "")
		if cut == s || cut == "" {
			break
		}
		s = cut
	}
	exact := s
	if cut := g.tail.ReplaceAllString(s, ""); cut != "" {
		s, exact = cut, cut
	}
	for {
		cut := g.stop.ReplaceAllString(s, "$1")
		if cut == s || cut == "" {
			break
		}
		s = cut
	}
	for _, r := range g.rules {
		text := s
		if r.exact {
			text = exact
		}
		if m := r.re.FindStringSubmatch(text); m != nil {
			if rs := fill(q, r, m); len(rs) > 0 {
				return rs
			}
		}
	}
	return nil
}

// fill makes requests of what a rule matched, none if it does not fit after all.
func fill(q quotes, r compiled, m []string) []request {
	req := request{verb: r.verb, said: q.restore(m[0])}
	var names []string
	for i, name := range r.re.SubexpNames() {
		s := m[i]
		if name == "" || s == "" {
			continue
		}
		ok := true
		switch name {
		case "path":
			req.path = q.path(s)
		case "named":
			req.path, ok = q.path(s), fileLike(s)
		case "paths":
			names, ok = files(s)
		case "dir":
			req.dir = place(q.path(s))
		case "where":
			if s = place(q.path(s)); strings.ContainsAny(s, "*?[{") {
				req.glob = s
			} else {
				req.path = s
			}
		case "glob":
			req.glob = anywhere(q.value(s))
		case "ext":
			ext, _, _ := strings.Cut(s, " ")
			req.glob = "**/*." + strings.TrimPrefix(ext, ".")
		case "pattern":
			req.shown = q.value(s)
			req.pattern = expression(req.shown)
		case "fold":
			req.fold = true
		case "old":
			req.old = q.value(s)
		case "new":
			req.new = q.value(s)
		case "all", "everywhere":
			req.all = true
		case "content":
			req.content = q.content(s)
		case "command":
			req.command = q.value(s)
			ok = req.command != "" && (req.command[0] != '`' || strings.HasPrefix(m[0], "!")) // a quoted command and then prose
		case "first":
			req.first, _ = strconv.Atoi(s) // digits only; too many of them are 0, which is from the start
		case "last":
			req.last, _ = strconv.Atoi(s)
		}
		if !ok {
			return nil
		}
	}
	if names == nil {
		return []request{req}
	}
	var out []request
	for _, n := range names {
		req.path = q.path(n)
		out = append(out, req)
	}
	return out
}

// files takes a list of files apart. It is none when it reads like prose.
func files(s string) ([]string, bool) {
	names := regexp.MustCompile(`\s*,\s*(?:and\s+)?|\s+and\s+|\s+`).Split(strings.TrimSpace(s), -1)
	for _, n := range names {
		if n == "" || len(names) > 1 && !fileLike(n) {
			return nil, false
		}
	}
	return names, true
}

// fileLike reports whether a word is rather a file's name than plain prose.
func fileLike(s string) bool {
	first, _ := firstRune(s)
	switch strings.ToLower(s) {
	case "makefile", "dockerfile", "license", "readme":
		return true
	}
	return strings.ContainsAny(s, "./") || masked(first)
}

// place is a directory that may be named in words.
func place(s string) string {
	switch strings.ToLower(s) {
	case "here", "this", "project", "repo", "repository", "code", "codebase", "everything", "workspace", "directory", "folder", "files":
		return ""
	}
	return s
}

// anywhere lets a pattern without a directory match in all of them.
func anywhere(pattern string) string {
	if ext := path.Ext(pattern); ext == pattern && !strings.ContainsAny(pattern, "*?[{/") && pattern != "." && len(pattern) > 1 {
		pattern = "*" + pattern // ".go" files
	}
	if strings.Contains(pattern, "/") {
		return pattern
	}
	return "**/" + pattern
}

// expression is what finds s: s itself where it is clearly written as a regular
// expression, otherwise s letter by letter.
func expression(s string) string {
	if n := len(s); n > 2 && s[0] == '/' && s[n-1] == '/' {
		s = s[1 : n-1]
		if _, err := regexp.Compile(s); err == nil {
			return s
		}
	}
	clearly := regexp.MustCompile(`\.[*+]|\\[wdsbWDSB.()\[\]{}]|\w\|\w|^\^|\w\$$|\[[^\]]+-[^\]]+\]`)
	if _, err := regexp.Compile(s); err == nil && clearly.MatchString(s) {
		return s
	}
	return regexp.QuoteMeta(s)
}
