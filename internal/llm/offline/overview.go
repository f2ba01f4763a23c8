package offline

import (
	"cmp"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

const (
	maxEntries = 6   // entry points that are named
	maxAbout   = 500 // runes of the README that are told
	maxTree    = 40  // lines of the tree
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
	names := filesIn(found, tree)
	top := notable(names)
	texts := map[string]string{}
	done := true
	for _, n := range top {
		o, ok := t.do(toolRead, readArgs{Path: n})
		done = done && ok
		if o.ok() {
			texts[n] = strings.Join(numbered(o.text).lines, "\n")
		}
	}
	if !done {
		t.saying = "Then what says most about the project: " + strings.Join(top, ", ") + "."
		return "", false
	}
	return outline(names, top, texts, tree), true
}

// filesIn are the files that a project consists of, from the flat list if there
// is one.
func filesIn(found, tree outcome) []string {
	text := tree.text
	if found.ok() {
		text = found.text
	}
	var out []string
	for line := range strings.Lines(text) {
		name := strings.TrimSpace(strings.TrimLeft(line, " \t│├└─|`+-"))
		name = strings.TrimPrefix(name, "./")
		if name == "" || strings.HasSuffix(name, "/") || strings.HasPrefix(name, "(") || strings.HasPrefix(name, "…") ||
			strings.Count(name, " ") > 1 {
			continue
		}
		name, _, _ = strings.Cut(name, "  ") // a size behind it
		out = append(out, name)
	}
	return out
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
func outline(names, top []string, texts map[string]string, tree outcome) string {
	name, about := readme(top, texts)
	var facts []string
	if about != "" {
		facts = append(facts, about)
	}
	for _, b := range buildFiles() {
		if re := b.title; name == "" && re != "" {
			if m := regexp.MustCompile(re).FindStringSubmatch(texts[b.name]); m != nil {
				name = m[1]
			}
		}
	}
	var rows []string
	if l := languages(names); l != "" {
		rows = append(rows, "- **Languages:** "+l)
	}
	if e := entries(names); len(e) > 0 {
		rows = append(rows, "- **Starts in:** "+strings.Join(e, ", "))
	}
	if c := command(build, top, texts); c != "" {
		rows = append(rows, "- **Build:** "+code(c))
	}
	if c := command(test, top, texts); c != "" {
		rows = append(rows, "- **Test:** "+code(c))
	}
	if len(top) > 0 {
		rows = append(rows, "- **Read for this:** "+strings.Join(top, ", "))
	}
	if len(rows) > 0 {
		facts = append(facts, strings.Join(rows, "\n"))
	}
	if tree.ok() {
		lines := strings.Split(strings.TrimRight(tree.text, "\n"), "\n")
		shown := lines[:min(len(lines), maxTree)]
		facts = append(facts, block("", strings.Join(shown, "\n")))
	}
	if name == "" {
		name = "This project"
	}
	return "## " + clip(name, 80) + "\n\n" + strings.Join(facts, "\n\n") +
		"\n\nThis is put together from names and first lines; what the code does I cannot tell."
}

// readme returns the title and the first paragraph of the README.
func readme(top []string, texts map[string]string) (title, about string) {
	if len(top) == 0 || !strings.HasPrefix(strings.ToLower(top[0]), "readme") {
		return "", ""
	}
	var paragraph []string
	fenced := false
	for line := range strings.Lines(texts[top[0]]) {
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
			return title, quoted(clip(strings.Join(paragraph, " "), maxAbout))
		case line == "" || strings.HasPrefix(line, "[!") || strings.HasPrefix(line, "![") || strings.HasPrefix(line, "<") || strings.Trim(line, "=-*_") == "":
		default:
			paragraph = append(paragraph, line)
		}
	}
	if len(paragraph) == 0 {
		return title, ""
	}
	return title, quoted(clip(strings.Join(paragraph, " "), maxAbout))
}

// languages counts files by language, the most frequent first.
func languages(names []string) string {
	counts := map[string]int{}
	for _, n := range names {
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
		out = append(out, fmt.Sprintf("%s (%s)", l, plural(counts[l], "file")))
	}
	return strings.Join(out, ", ")
}

// entries are the files in which programs usually begin, the outermost first.
func entries(names []string) []string {
	var found []string
	for _, n := range names {
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
