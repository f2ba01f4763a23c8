package situation

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
)

// programs are the tools of software projects that the model may want to run.
func programs() []string {
	return []string{
		"go", "node", "npm", "pnpm", "yarn", "bun", "deno", "python3", "python", "uv", "poetry", "cargo", "java", "mvn", "gradle",
		"ruby", "php", "dotnet", "swift", "zig", "gcc", "clang", "cmake", "make", "just", "docker", "git", "gh", "rg", "jq",
	}
}

// installed returns the programs that are on PATH. It runs none of them.
func installed(ctx context.Context) []string {
	var found []string
	for _, name := range programs() {
		if ctx.Err() != nil {
			break
		}
		if _, err := exec.LookPath(name); err == nil {
			found = append(found, name)
		}
	}
	return found
}

const (
	// maxMakefile is how many bytes of a makefile are read.
	maxMakefile = 64 << 10
	maxTargets  = 20
)

// makeTargets returns the first targets of the makefile in dir.
func makeTargets(dir string) []string {
	for _, name := range []string{"GNUmakefile", "makefile", "Makefile"} {
		name = filepath.Join(dir, name)
		fi, err := os.Lstat(name)
		if err != nil {
			continue
		}
		if !fi.Mode().IsRegular() { // a pipe would block; a link can leave the directory
			return nil
		}
		f, err := os.Open(name)
		if err != nil {
			return nil
		}
		defer f.Close()
		text, err := io.ReadAll(io.LimitReader(f, maxMakefile))
		if err != nil {
			return nil
		}
		var targets []string
		rule := regexp.MustCompile(`(?m)^([A-Za-z0-9][A-Za-z0-9_-]*) *:(?:[^=]|$)`)
		for _, m := range rule.FindAllSubmatch(text, -1) {
			if target := string(m[1]); len(targets) < maxTargets && !slices.Contains(targets, target) {
				targets = append(targets, target)
			}
		}
		return targets
	}
	return nil
}
