package trust

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/tools/manifest"
)

// maxSearched is the number of entries in directories whose files a command may run.
const maxSearched = 2000

// Commands is like Programs for shell commands, and includes further files that they may
// run: the manifests of programs such as make and npm, the files of directories that a loop,
// a wildcard, find, xargs or git ls-files names, and the modules of interpreters.
func Commands(root, dir string, commands ...string) (text string, files []string) {
	var paths []string
	for _, line := range commands {
		dirs := []string{dir}
		if root != dir {
			dirs = append(dirs, root)
		}
		words := slices.DeleteFunc(strings.FieldsFunc(line, notInName), func(w string) bool { return len(w) > maxWord })
		for _, word := range words {
			for _, path := range pathsIn(word, dirs) {
				info, err := os.Stat(path)
				if err == nil && info.IsDir() && inside(root, path) && len(dirs) < maxDirs && !slices.Contains(dirs, path) {
					dirs = append(dirs, path)
				}
			}
		}
		for _, in := range dirs {
			for _, word := range words {
				paths = append(paths, namedIn(in, word)...)
			}
			if in != root && in != dir && runsFiles(words) {
				paths = append(paths, filesBelow(in)...)
			}
		}
	}
	return describeAll(root, dir, commands, paths)
}

// namedIn returns the existing files that a word may make a program run which it starts in
// dir: manifests, modules, and the files that match a wildcard.
func namedIn(dir, word string) (out []string) {
	for _, name := range slices.Concat(manifest.Files(word), manifest.Modules(word)) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			out = append(out, path)
		}
	}
	if strings.ContainsAny(word, "*?[") {
		found, _ := filepath.Glob(filepath.Join(dir, word)) // the error is a malformed pattern
		out = append(out, found[:min(len(found), maxSearched)]...)
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

// inside reports whether path is root or in it.
func inside(root, path string) bool {
	rel, err := filepath.Rel(root, path)
	return err == nil && filepath.IsLocal(rel)
}
