package offline

import (
	"path"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxPrompt   = 64 << 10 // bytes that are looked at
	maxRequests = 20
	maxJoints   = 40      // places in a line where a second request may begin
	maxLead     = 5       // "ok, now could you please", and the request itself
	maxStops    = 3       // a quotation's, and the sentence's
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
			rs = g.salvage(q, s)
		}
		p.requests = append(p.requests, rs...)
	}
	if len(p.requests) > maxRequests {
		p.requests = p.requests[:maxRequests]
		p.material = true
	}
	return p
}

// requests reads one segment: none if it is not understood, several if it
// names several files.
func (g *grammar) requests(q quotes, s string) []request {
	s = strings.TrimSpace(s)
	if cut := g.tail.ReplaceAllString(s, ""); cut != "" {
		s = cut
	}
	for range maxLead {
		if rs := g.match(q, s); len(rs) > 0 {
			return rs
		}
		s = g.lead.ReplaceAllString(s, "")
	}
	return nil
}

// match tries the rules on a segment without what politeness puts before it.
func (g *grammar) match(q quotes, exact string) []request {
	plain := exact
	for range maxStops {
		if cut := g.stop.ReplaceAllString(plain, "$1"); cut != "" {
			plain = cut
		}
	}
	for _, r := range g.rules {
		text := plain
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
		if name == "" || m[i] == "" {
			continue
		}
		if !req.fits(name, m[i]) {
			return nil
		}
		if name == "paths" {
			names = files(m[i])
			continue
		}
		req.set(name, m[i], q)
	}
	if r.verb == run && (req.command == "" || req.command[0] == '`' && m[0][0] != '!') {
		return nil // a quoted command and then prose
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

// fits reports whether what a group matched can be what the group is for.
func (r *request) fits(group, s string) bool {
	switch group {
	case "named", "inside":
		return fileLike(s)
	case "filename":
		language, _ := languageOf(s)
		return language != ""
	case "paths":
		return files(s) != nil
	}
	return true
}

// set takes over what a group of that name matched.
func (r *request) set(group, s string, q quotes) {
	switch group {
	case "path", "named", "inside":
		r.path = q.path(s)
	case "dir":
		r.dir = place(q.path(s))
	case "where":
		if s = place(q.path(s)); strings.ContainsAny(s, "*?[{") {
			r.glob = s
		} else {
			r.path = s
		}
	case "glob", "filename":
		r.glob = anywhere(q.value(s))
	case "ext":
		ext, _, _ := strings.Cut(s, " ")
		r.glob = "**/*." + strings.TrimPrefix(ext, ".")
	case "pattern":
		r.shown = q.value(s)
		r.pattern = expression(r.shown)
	case "fold":
		r.fold = true
	case "old":
		r.old = q.value(s)
	case "new":
		r.new = q.value(s)
	case "all", "everywhere":
		r.all = true
	case "content":
		r.content = q.content(s)
	case "command":
		if bare := strings.TrimSuffix(s, "."); bare != s && endsInWord(bare) {
			s = bare
		}
		r.command = q.value(s)
	case "first":
		r.first, _ = strconv.Atoi(s) // digits only; too many of them are 0, which is from the start
	case "last":
		r.last, _ = strconv.Atoi(s)
	}
}

// endsInWord reports whether a full stop after s ends a sentence.
func endsInWord(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(s)
	return unicode.IsLetter(r) || unicode.IsDigit(r) || masked(r)
}

// files takes a list of files apart. It is nil when it reads like prose.
func files(s string) []string {
	names := regexp.MustCompile(`\s*,\s*(?:and\s+)?|\s+and\s+|\s+`).Split(strings.TrimSpace(s), -1)
	for _, n := range names {
		if n == "" || len(names) > 1 && !fileLike(n) {
			return nil
		}
	}
	return names
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
