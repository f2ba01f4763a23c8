package trust

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/realpath"
	"agent/internal/tools/manifest"
)

// maxSearched is the number of entries in directories whose files a command may run.
const maxSearched = 2000

// Commands is like Programs for shell commands, and includes further files that they may
// run: the manifests of programs such as make and npm, the files of directories that a loop,
// a wildcard, find, xargs or git ls-files names, the modules of interpreters, and the
// programs in node_modules. Assignments such as "PYTHONPATH=lib" are commands, too.
func Commands(root, dir string, commands ...string) (text string, files []string) {
	var paths, lines []string
	for _, line := range commands {
		l := newLaunch(root, dir, line)
		paths, lines = append(paths, l.paths()...), append(lines, strings.Join(l.words, "\n"))
	}
	return describeAll(root, dir, lines, paths)
}

// launch is a command whose files are looked for.
type launch struct {
	root, dir string
	line      string
	composed  []string // words that may name directories in paths that the command computes
	words     []string // that may name files or directories
	programs  []string // that may name programs
	packages  []string // that may name packages in node_modules
	// node and python are set if the command may run an interpreter of that language.
	node, python bool
	// outside is set if the command starts outside root, so that it reads no manifests there.
	outside bool
	// fetches is set if the command runs a package, and does not read the project in dir.
	fetches bool
}

func newLaunch(root, dir, line string) launch {
	plain := unquoted(line)
	words := distinct(append(wordsIn(line), wordsIn(plain)...))
	l := launch{root: root, dir: dir, line: line, composed: distinct(composed(plain)), words: words, programs: words, packages: words}
	l.node, l.python = slices.ContainsFunc(words, isNode), slices.ContainsFunc(words, isPython)
	return l
}

// distinct returns the words without repetitions, in their order.
func distinct(words []string) []string {
	known := map[string]bool{}
	return slices.DeleteFunc(words, func(word string) bool {
		again := known[word]
		known[word] = true
		return again
	})
}

// wordsIn returns the words of a command, and those that follow the letters of an option
// without a space, as in -mserver.
func wordsIn(line string) (all []string) {
	for word := range strings.FieldsFuncSeq(line, notInName) {
		if len(word) > maxWord {
			continue
		}
		all = append(all, word)
		if option, ok := strings.CutPrefix(word, "-"); ok && len(option) > 1 && option[0] != '-' {
			all = append(all, option[1:])
			if len(option) > 2 {
				all = append(all, option[2:])
			}
		}
	}
	return all
}

// paths returns the files that the command may run besides those that its words name.
func (l launch) paths() (out []string) {
	for _, in := range l.dirs() {
		for _, word := range l.words {
			out = append(out, l.namedIn(in, word)...)
		}
		if l.outside && in == l.root {
			continue
		}
		for _, word := range l.programs {
			out = append(out, l.manifests(in, word)...)
		}
		out = append(out, l.installed(in)...)
		if in != l.root && in != l.dir && runsFiles(l.words) {
			out = append(out, filesBelow(in)...)
		}
	}
	for _, in := range append(l.named(l.composed, l.above()), l.named(l.composed, l.dirs())...) {
		out = append(out, filesBelow(in)...)
	}
	for token := range strings.FieldsSeq(l.line) {
		if name, value, ok := strings.Cut(strings.Trim(token, `"'`), "="); ok && slices.Contains(searchPaths, name) {
			for _, dir := range l.named(wordsIn(value), []string{l.dir, l.root}) {
				out = append(out, filesBelow(dir)...)
			}
		}
	}
	return out
}

// dirs returns the directories in which the command may look for files: the result of above,
// and the directories that the command names.
func (l launch) dirs() []string {
	dirs := l.above()
	return append(dirs, l.named(l.words, dirs)...)
}

// above returns the directory of the command and those above it, up to the root.
func (l launch) above() []string {
	dirs := []string{l.dir}
	for at := l.dir; at != l.root && realpath.Inside(at, l.root) && len(dirs) < maxDirs; {
		at = filepath.Dir(at)
		dirs = append(dirs, at)
	}
	if !slices.Contains(dirs, l.root) {
		dirs = append(dirs, l.root)
	}
	return dirs
}

// named returns the directories below the root that words name in dirs, or in one another.
func (l launch) named(words, dirs []string) (out []string) {
	for _, word := range words {
		for _, path := range pathsIn(word, slices.Concat(dirs, out)) {
			info, err := os.Stat(path)
			if err == nil && info.IsDir() && path != l.root && realpath.Inside(path, l.root) && len(dirs)+len(out) < maxDirs && !slices.Contains(dirs, path) && !slices.Contains(out, path) {
				out = append(out, path)
			}
		}
	}
	return out
}

// manifests returns the existing files that the program word reads by default in dir.
func (l launch) manifests(dir, word string) (out []string) {
	names := manifest.Files(word)
	switch name := programName(word); {
	case isPython(word):
		names = append(names, "sitecustomize.py", "usercustomize.py")
	case name == "go":
		names = append(names, "*.go")
	case name == "yarn":
		names = append(names, ".yarn/releases/*", ".pnp.cjs", ".pnp.loader.mjs")
	case name == "bun" || name == "bunx":
		names = append(names, "bunfig.toml")
	}
	if l.fetches {
		project := []string{"package.json", "pyproject.toml", "go.mod", "go.work", "*.go"}
		names = slices.DeleteFunc(names, func(name string) bool { return slices.Contains(project, name) })
	}
	return existing(dir, names)
}

// namedIn returns the existing files that a word may make a program run which it starts in
// dir: modules, and the files that match a wildcard.
func (l launch) namedIn(dir, word string) (out []string) {
	for _, path := range existing(dir, modules(word, l.python)) {
		out = append(out, path)
		if l.node && filepath.Base(path) == "package.json" {
			out = append(out, readPackage(filepath.Dir(path)).files()...)
		}
	}
	if strings.ContainsAny(word, "*?[") {
		found, _ := filepath.Glob(filepath.Join(dir, word)) // the error is a malformed pattern
		out = append(out, found[:min(len(found), maxSearched)]...)
	}
	return out
}

// existing returns the paths of the regular files in dir that have one of the names, which
// may be patterns.
func existing(dir string, names []string) (out []string) {
	for _, name := range names {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if strings.Contains(name, "*") {
			found, _ := filepath.Glob(path) // the error is a malformed pattern
			out = append(out, found[:min(len(found), maxSearched)]...)
		} else if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			out = append(out, path)
		}
	}
	return out
}

// runsFiles reports whether a command may run files of a directory that it names: it
// lists them for another program, or runs them in a loop.
func runsFiles(words []string) bool {
	return slices.ContainsFunc(words, func(word string) bool {
		switch filepath.Base(word) {
		case "for", "while", "until", "xargs", "find", "fd", "parallel", "run-parts", "ls", "ls-files", "ls-tree", "source", "eval":
			return true
		}
		return false
	})
}

// filesBelow returns the files below a directory, at most maxSearched.
func filesBelow(dir string) (out []string) {
	n := 0
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if n++; n > maxSearched {
			return filepath.SkipAll
		}
		if err == nil && !d.IsDir() {
			out = append(out, path)
		}
		return nil
	})
	return out
}
