package evidence

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"agent/internal/tools"
)

// HowToTest tells the model how to test its changes in dir; empty if no way is known.
// Commands is set if commands can be approved.
func HowToTest(checks *tools.Checks, dir string, commands bool) string {
	if len(checks.Tools()) > 0 {
		return "call diagnostics"
	}
	if line := testCommand(dir); commands && line != "" {
		return "run `" + line + "`"
	}
	return ""
}

// testCommand returns the command that tests the project in dir; empty if none is
// known.
func testCommand(dir string) string {
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

// maxBuildFile is the size in bytes above which a build file is not read.
const maxBuildFile = 1 << 20

// buildFile returns the text of a regular file in dir; empty if it cannot be read.
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
