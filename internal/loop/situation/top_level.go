package situation

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/llm/phrase"
)

// Limits of the description of a directory: about 120 tokens in all.
const (
	maxDirsText = 200 // bytes of the names of directories
	maxKinds    = 6   // kinds of files that are counted
	maxNamed    = 6   // files that are named if there are no more
)

// buildFiles are the files that say how a project is built.
func buildFiles() []string {
	return []string{
		"AGENTS.md", "BUILD.bazel", "CMakeLists.txt", "Cargo.toml", "Dockerfile", "GNUmakefile", "Gemfile", "MODULE.bazel", "Makefile", "Pipfile",
		"Rakefile", "Taskfile.yml", "build.gradle", "build.gradle.kts", "build.sbt", "build.zig", "composer.json", "deno.json", "go.mod", "go.work",
		"justfile", "makefile", "meson.build", "mix.exs", "package.json", "pnpm-workspace.yaml", "pom.xml", "pyproject.toml", "requirements.txt",
		"setup.cfg", "setup.py", "tox.ini", "tsconfig.json", "Package.swift",
	}
}

// topLevel describes the working directory: its directories, its build files by name, and
// its other files by kind.
func (p Place) topLevel() []part {
	entries, err := os.ReadDir(p.Dir)
	if err != nil {
		return nil
	}
	var dirs, builds, others []string
	known := buildFiles()
	for _, e := range entries {
		switch name := e.Name(); {
		case name == ".git":
		case e.IsDir() || e.Type()&fs.ModeSymlink != 0 && isDir(filepath.Join(p.Dir, name)):
			dirs = append(dirs, word(name)+"/")
		case slices.Contains(known, name):
			builds = append(builds, name)
		default:
			others = append(others, name)
		}
	}
	var lines []string
	if len(dirs) > 0 {
		lines = append(lines, limitedDirs(dirs)...)
	}
	if len(builds) > 0 {
		lines = append(lines, strings.Join(builds, " "))
	}
	if len(others) > 0 {
		lines = append(lines, describeFiles(others))
	}
	if lines == nil {
		lines = []string{"empty"}
	}
	return []part{{"Top level", lines}}
}

// isDir reports whether a path leads to a directory.
func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// word returns a name that is one word of a line.
func word(name string) string {
	if strings.ContainsAny(name, " ,") {
		return fmt.Sprintf("%q", name)
	}
	return name
}

// limitedDirs returns the names of directories in lines, the beginning of a long list.
func limitedDirs(dirs []string) []string {
	lines, size := []string{""}, 0
	for i, name := range dirs {
		name = phrase.Clip(name, maxLine/2)
		if size += len(name) + 1; size > maxDirsText {
			return append(lines, "… and "+phrase.Count(len(dirs)-i, "more directory"))
		}
		if last := len(lines) - 1; len(lines[last])+len(name) < maxLine-10 {
			lines[last] = strings.TrimPrefix(lines[last]+" "+name, " ")
			continue
		}
		lines = append(lines, name)
	}
	return lines
}

// describeFiles returns the names of a few files, or the number of files of each kind.
func describeFiles(names []string) string {
	if len(names) <= maxNamed {
		for i := range names {
			names[i] = word(names[i])
		}
		if line := strings.Join(names, " "); len(line) < maxLine {
			return line
		}
	}
	counts := map[string]int{}
	for _, name := range names {
		counts[kindOf(name)]++
	}
	kinds := slices.SortedFunc(func(yield func(string) bool) {
		for k := range counts {
			if k != "" && !yield(k) {
				return
			}
		}
	}, func(a, b string) int {
		if counts[a] != counts[b] {
			return counts[b] - counts[a]
		}
		return strings.Compare(a, b)
	})
	var all []string
	rest := len(names)
	for _, k := range kinds[:min(len(kinds), maxKinds)] {
		all = append(all, fmt.Sprintf("%d %s", counts[k], k))
		rest -= counts[k]
	}
	if rest > 0 {
		all = append(all, phrase.Count(rest, "other file"))
	}
	return strings.Join(all, ", ")
}

// kindOf returns the extension of a file; empty if it has none, or a long one.
func kindOf(name string) string {
	const long = 8
	ext := filepath.Ext(name)
	if ext == name || len(ext) > long {
		return ""
	}
	return ext
}
