package offline

import (
	"fmt"
	"slices"
	"strings"
)

const (
	maxAbout = 500 // runes of the README shown in an overview
	maxRead  = 300 // lines of the README to read
)

// buildFile is a file that shows how a project is built and tested.
type buildFile struct{ name, build, test string }

// buildFiles returns the known build files, the most specific first.
func buildFiles() []buildFile {
	return []buildFile{
		{"go.mod", "go build ./...", "go test ./..."},
		{"Cargo.toml", "cargo build", "cargo test"},
		{"package.json", "npm install", "npm test"},
		{"pyproject.toml", "pip install -e .", "python3 -m pytest"},
		{"Makefile", "make", "make test"},
	}
}

// overview describes the project by its tree, its README and its build file.
func (t *turn) overview() string {
	tree, done := t.callTool("list", listArgs{Path: ".", Depth: 2})
	if !done {
		return ""
	}
	if !tree.ok() {
		return failure(request{text: "what is this project?", tool: "list"}, tree)
	}
	names := topLevel(tree.text)
	title, about := "", ""
	if i := slices.IndexFunc(names, func(n string) bool { return strings.HasPrefix(strings.ToLower(n), "readme") }); i >= 0 {
		o, done := t.callTool("read", readArgs{Path: names[i], Limit: maxRead})
		if !done {
			return ""
		}
		if o.ok() {
			title, about = readme(numbered(o.text).lines)
		}
	}
	if title == "" {
		title = "This project"
	}
	facts := []string{"## " + clip(title, 80)}
	if about != "" {
		facts = append(facts, "> "+clip(about, maxAbout))
	}
	for _, b := range buildFiles() {
		if slices.Contains(names, b.name) {
			facts = append(facts, fmt.Sprintf("- **Build:** %s\n- **Test:** %s", code(b.build), code(b.test)))
			break
		}
	}
	facts = append(facts, listing(tree.text), "This summary comes from file names and the README. I cannot explain what the code does.")
	return strings.Join(facts, "\n\n")
}

// test runs the tests of the project with the command of its build file.
func (t *turn) test(r request) string {
	tree, done := t.callTool("list", listArgs{Path: "."})
	if !done {
		return ""
	}
	names := topLevel(tree.text)
	for _, b := range buildFiles() {
		if tree.ok() && slices.Contains(names, b.name) {
			r.verb, r.command = run, b.test
			return t.single(r, shellArgs{Command: b.test}, reportRun)
		}
	}
	return "I found none of go.mod, Cargo.toml, package.json, pyproject.toml and Makefile in the working directory, so I do not know how to run the tests. Type `run COMMAND`."
}

// topLevel returns the names of the files at the top of an indented tree.
func topLevel(tree string) []string {
	var names []string
	for line := range strings.Lines(tree) {
		name := strings.TrimSpace(line)
		indent := len(line) - len(strings.TrimLeft(line, " "))
		if indent <= 2 && name != "" && !strings.HasSuffix(name, "/") && !strings.HasPrefix(name, "(") {
			names = append(names, name)
		}
	}
	return names
}

// readme returns the title and the first paragraph of a README.
func readme(lines []string) (title, about string) {
	var paragraph []string
	fenced := false
	for _, line := range lines {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "```"):
			fenced = !fenced
		case fenced:
		case strings.HasPrefix(line, "#"):
			if title == "" {
				title = strings.TrimSpace(strings.TrimLeft(line, "#"))
			}
		case line == "" && len(paragraph) > 0:
			return title, strings.Join(paragraph, " ")
		case line == "" || strings.HasPrefix(line, "[!") || strings.HasPrefix(line, "![") || strings.HasPrefix(line, "<") || strings.Trim(line, "=-*_") == "":
		default:
			paragraph = append(paragraph, line)
		}
	}
	return title, strings.Join(paragraph, " ")
}
