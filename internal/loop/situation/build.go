package situation

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
)

// maxTargets is how many targets of a makefile are listed.
const maxTargets = 20

// makeTargets returns the first targets of the makefile in dir.
func makeTargets(dir string) []string {
	for _, name := range []string{"GNUmakefile", "makefile", "Makefile"} {
		text := buildFile(dir, name)
		if text == "" {
			continue
		}
		rule := regexp.MustCompile(`(?m)^([A-Za-z0-9][A-Za-z0-9_-]*) *:(?:[^=]|$)`)
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
