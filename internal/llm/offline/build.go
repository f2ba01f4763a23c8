package offline

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// buildFile is a file that says how a project is built.
type buildFile struct {
	name        string
	title       string // what finds the project's name in it, empty if it has none
	build, test string
}

// buildFiles are looked for in this order; the first that is there tells.
func buildFiles() []buildFile {
	return []buildFile{
		{"go.mod", `(?m)^module\s+(\S+)`, "go build ./...", "go test ./..."},
		{"Cargo.toml", `(?m)^name\s*=\s*"([^"]+)"`, "cargo build", "cargo test"},
		{"package.json", `"name"\s*:\s*"([^"]+)"`, "npm install", "npm test"},
		{"pyproject.toml", `(?m)^name\s*=\s*"([^"]+)"`, "pip install -e .", "python3 -m pytest"},
		{"pom.xml", `<artifactId>([^<]+)<`, "mvn package", "mvn test"},
		{"build.gradle", "", "gradle build", "gradle test"},
		{"CMakeLists.txt", `(?i)project\s*\(\s*(\w+)`, "cmake -B build && cmake --build build", "ctest --test-dir build"},
		{"Makefile", "", "make", "make test"},
	}
}

// command is how a project with these files is built or tested, empty if they
// do not tell. A Makefile that has the target goes first: it knows best.
func command(v verb, files []string, texts map[string]string) string {
	target := regexp.MustCompile(`(?m)^` + string(v) + `\s*:`)
	if target.MatchString(texts["Makefile"]) {
		return "make " + string(v)
	}
	for _, b := range buildFiles() {
		switch {
		case !slices.Contains(files, b.name):
		case v == build:
			return b.build
		case b.name != "Makefile": // it has no such target
			return b.test
		}
	}
	return ""
}

// check finds out how the project is tested or built, and runs that.
func (t *turn) check(r request) (string, bool) {
	tree, done := t.do(toolList, listArgs{Path: ".", Depth: 1})
	if !done {
		return "", false
	}
	if !tree.ok() {
		t.stopped = true
		return trouble(r, tree), true
	}
	top := notable(inTree(tree.text))
	texts := map[string]string{}
	if slices.Contains(top, "Makefile") {
		o, done := t.do(toolRead, readArgs{Path: "Makefile"})
		if !done {
			return "", false
		}
		if o.ok() {
			texts["Makefile"] = strings.Join(numbered(o.text).lines, "\n")
		}
	}
	r.command = command(r.verb, top, texts)
	if r.command == "" {
		t.stopped = true
		return fmt.Sprintf("I found no file that tells how to %s this. Say the command: %s.", r.verb, code("run COMMAND")), true
	}
	return t.single(r, toolShell, shellArgs{Command: r.command}, reportRun)
}
