package situation

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// TestCommand returns the command that tests the project in dir; empty if none is
// known.
func TestCommand(dir string) string {
	has := func(name string) bool { return buildFile(dir, name) != "" }
	var node struct{ Scripts map[string]string }
	switch {
	case strings.Contains("\n"+buildFile(dir, "Makefile"), "\ntest:"):
		return "make test"
	case has("go.mod"):
		return "go test ./..."
	case has("Cargo.toml"):
		return "cargo test"
	case json.Unmarshal([]byte(buildFile(dir, "package.json")), &node) == nil && node.Scripts["test"] != "":
		return "npm test"
	case has("pytest.ini"), strings.Contains(buildFile(dir, "pyproject.toml"), "[tool.pytest"):
		return "python3 -m pytest"
	}
	return ""
}

// maxTargets is how many targets of a makefile are listed.
const maxTargets = 20

// makeTargets returns the first targets of the makefile in dir.
func makeTargets(dir string) []string {
	rule := regexp.MustCompile(`(?m)^([A-Za-z0-9][A-Za-z0-9_-]*) *:(?:[^=]|$)`)
	for _, name := range []string{"GNUmakefile", "makefile", "Makefile"} {
		text := buildFile(dir, name)
		if text == "" {
			continue
		}
		var targets []string
		for _, m := range rule.FindAllStringSubmatch(text, -1) {
			if target := m[1]; len(targets) < maxTargets && !slices.Contains(targets, target) {
				targets = append(targets, target)
			}
		}
		return targets
	}
	return nil
}

// maxBuildFile is the size in bytes above which a build file is not read.
const maxBuildFile = 1 << 20

// buildFile returns the text of a regular file in dir; empty if it cannot be read. A
// pipe would block, and a link can leave the directory.
func buildFile(dir, name string) string {
	file := filepath.Join(dir, name)
	if fi, err := os.Lstat(file); err != nil || !fi.Mode().IsRegular() || fi.Size() > maxBuildFile {
		return ""
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	return string(b)
}
