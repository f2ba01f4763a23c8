package offline

import (
	"cmp"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"agent/internal/llm/phrase"
)

const (
	maxEntries = 6   // entry points that are named
	maxAbout   = 500 // runes of the README that are told
	maxRead    = 300 // lines of a file that is read for the outline
)

// overview looks at the tree, then at the README and the build files in it.
func (t *turn) overview() (string, bool) {
	tree, treeDone := t.do(toolList, listArgs{Path: ".", Depth: 2})
	found, foundDone := t.do(toolGlob, globArgs{Pattern: "**/*"})
	if !treeDone || !foundDone {
		t.saying = "First the tree."
		return "", false
	}
	if !tree.ok() && !found.ok() {
		return trouble(request{said: "an outline of this project"}, tree), true
	}
	p := project{texts: map[string]string{}}
	if tree.ok() {
		p.tree = tree.text
		p.files = inTree(tree.text)
	}
	if found.ok() {
		flat, all := inList(found.text)
		p.files = append(p.files, flat...)
		p.partly = !all
	}
	slices.Sort(p.files)
	p.files = slices.Compact(p.files)
	p.top = notable(p.files)
	done := true
	for _, n := range p.top {
		o, ok := t.do(toolRead, readArgs{Path: n, Limit: maxRead})
		done = done && ok
		if o.ok() {
			p.texts[n] = strings.Join(numbered(o.text).lines, "\n")
		}
	}
	if !done {
		t.saying = "Then what says most about the project: " + strings.Join(p.top, ", ") + "."
		return "", false
	}
	return p.outline(), true
}

// project is what was found out about a project.
type project struct {
	files  []string          // all that are known, sorted
	partly bool              // there are more
	top    []string          // those that say most
	texts  map[string]string // and how they begin
	tree   string            // as the tool drew it
}

// inTree takes an indented tree apart: directories end in a slash, and what is
// in them is indented.
func inTree(text string) []string {
	type dir struct {
		indent int
		path   string
	}
	var out []string
	var open []dir
	for line := range strings.Lines(text) {
		name := strings.TrimLeft(strings.TrimRight(line, "\r\n"), " \t│├└─")
		indent := utf8.RuneCountInString(line) - utf8.RuneCountInString(strings.TrimLeft(line, " \t│├└─"))
		for len(open) > 0 && open[len(open)-1].indent >= indent {
			open = open[:len(open)-1]
		}
		in := ""
		if len(open) > 0 {
			in = open[len(open)-1].path
		}
		switch {
		case name == "" || strings.HasPrefix(name, "("): // a note
		case strings.HasSuffix(name, "/"):
			open = append(open, dir{indent, strings.TrimPrefix(path.Join(in, name)+"/", "./")})
		default:
			name, _, _ = strings.Cut(name, " -> ")
			out = append(out, in+name)
		}
	}
	return out
}

// inList takes a list of paths apart, one a line. A note in parentheses at the
// end says that there are more.
func inList(text string) (paths []string, all bool) {
	all = true
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "("):
			all = false
		case line != "":
			paths = append(paths, strings.TrimPrefix(line, "./"))
		}
	}
	return paths, all
}

// notable are the files at the top that say most about a project.
func notable(names []string) []string {
	var out []string
	for _, n := range names {
		if strings.HasPrefix(strings.ToLower(n), "readme") && !strings.Contains(n, "/") {
			out = append(out, n)
			break
		}
	}
	for _, b := range buildFiles() {
		if slices.Contains(names, b.name) {
			out = append(out, b.name)
		}
	}
	return out
}

// outline puts together what is known of a project.
func (p *project) outline() string {
	name, about := p.readme()
	var facts []string
	if about != "" {
		facts = append(facts, about)
	}
	for _, b := range buildFiles() {
		if name == "" && b.title != "" {
			if m := regexp.MustCompile(b.title).FindStringSubmatch(p.texts[b.name]); m != nil {
				name = m[1]
			}
		}
	}
	if rows := p.rows(); rows != "" {
		facts = append(facts, rows)
	}
	if p.tree != "" {
		facts = append(facts, listing(p.tree))
	}
	facts = append(facts, "This is put together from names and first lines; what the code does I cannot tell.")
	if name == "" {
		name = "This project"
	}
	return "## " + clip(name, 80) + "\n\n" + strings.Join(facts, "\n\n")
}

// rows are the facts about a project that take a line each.
func (p *project) rows() string {
	var b strings.Builder
	row := func(name, text string) {
		if text != "" {
			fmt.Fprintf(&b, "- **%s:** %s\n", name, text)
		}
	}
	row("Languages", p.languages())
	row("Starts in", strings.Join(p.entries(), ", "))
	if c := command(build, p.top, p.texts); c != "" {
		row("Build", code(c))
	}
	if c := command(test, p.top, p.texts); c != "" {
		row("Test", code(c))
	}
	row("Read for this", strings.Join(p.top, ", "))
	return strings.TrimRight(b.String(), "\n")
}

// readme returns the title and the first paragraph of the README.
func (p *project) readme() (title, about string) {
	if len(p.top) == 0 || !strings.HasPrefix(strings.ToLower(p.top[0]), "readme") {
		return "", ""
	}
	var paragraph []string
	fenced := false
	for line := range strings.Lines(p.texts[p.top[0]]) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
			continue
		}
		switch {
		case fenced:
		case strings.HasPrefix(line, "#"):
			if title == "" {
				title = strings.TrimSpace(strings.TrimLeft(line, "#"))
			}
		case line == "" && len(paragraph) > 0:
			return title, "> " + clip(strings.Join(paragraph, " "), maxAbout)
		case line == "" || strings.HasPrefix(line, "[!") || strings.HasPrefix(line, "![") || strings.HasPrefix(line, "<") || strings.Trim(line, "=-*_") == "":
		default:
			paragraph = append(paragraph, line)
		}
	}
	if len(paragraph) == 0 {
		return title, ""
	}
	return title, "> " + clip(strings.Join(paragraph, " "), maxAbout)
}

// languages counts files by language, the most frequent first.
func (p *project) languages() string {
	counts := map[string]int{}
	for _, n := range p.files {
		if l, _ := languageOf(n); l != "" {
			counts[l]++
		}
	}
	var all []string
	for l := range counts {
		all = append(all, l)
	}
	slices.SortFunc(all, func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	var out []string
	for _, l := range all[:min(len(all), maxEntries)] {
		out = append(out, fmt.Sprintf("%s (%s)", l, phrase.Count(counts[l], "file")))
	}
	if p.partly && len(out) > 0 {
		out[len(out)-1] += ", counted in a part of the files"
	}
	return strings.Join(out, ", ")
}

// entries are the files in which programs usually begin, the outermost first.
func (p *project) entries() []string {
	var found []string
	for _, n := range p.files {
		if strings.Contains(n, "testdata/") || strings.Contains(n, "vendor/") || strings.Contains(n, "node_modules/") {
			continue
		}
		switch path.Base(n) {
		case "main.go", "main.rs", "main.py", "__main__.py", "manage.py", "app.py", "main.c", "main.cc", "main.cpp",
			"Main.java", "index.js", "index.ts", "server.js", "index.html":
			found = append(found, n)
		}
	}
	slices.SortStableFunc(found, func(a, b string) int {
		return cmp.Or(cmp.Compare(strings.Count(a, "/"), strings.Count(b, "/")), cmp.Compare(a, b))
	})
	found = found[:min(len(found), maxEntries)]
	for i, n := range found {
		found[i] = code(n)
	}
	return found
}
