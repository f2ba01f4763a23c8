// Package protect finds the names of files that make other programs run commands, such as
// .envrc or .github/workflows, in any directory. It reads no file and decides nothing.
// Start reading at Names.
package protect

import (
	"path/filepath"
	"slices"
	"strings"
	"unicode"
)

// Name is a protected file or directory with everything in it.
type Name struct {
	Path string // NAME, or DIRECTORY/NAME
	Why  string // completes "protected: "
}

// Names finds names in every spelling that a file system may treat as equal. A nil Names
// finds none. It is safe for concurrent use.
type Names struct {
	list    []Name
	why     map[string]string // by the folded path
	parents map[string]bool   // the folded directories of paths with two names
}

// New returns the Names of a list.
func New(list []Name) *Names {
	n := &Names{list: list, why: map[string]string{}, parents: map[string]bool{}}
	for _, name := range list {
		dir, last, nested := strings.Cut(name.Path, "/")
		key := Fold(dir)
		if nested {
			n.parents[key] = true
			key += "/" + Fold(last)
		}
		n.why[key] = name.Why
	}
	return n
}

// Paths returns the paths of all names.
func (n *Names) Paths() (paths []string) {
	if n == nil {
		return nil
	}
	for _, name := range n.list {
		paths = append(paths, name.Path)
	}
	return paths
}

// Why returns why a file is protected, by its name and that of its directory; "" if it is not.
func (n *Names) Why(parent, name string) string {
	if n == nil {
		return ""
	}
	name = Fold(name)
	if why := n.why[name]; why != "" || len(n.parents) == 0 {
		return why
	}
	if parent = Fold(parent); n.parents[parent] {
		return n.why[parent+"/"+name]
	}
	return ""
}

// Parent reports whether Why depends on that name of a directory for some files in it.
func (n *Names) Parent(name string) bool { return n != nil && n.parents[Fold(name)] }

// Dependencies are the names of directories that contain many files with protected names. No
// program uses these files, except that git uses the repositories among them.
var Dependencies = []string{"node_modules", "vendor", ".venv", "venv", "site-packages", "target", ".tox"}

// Within returns the first protected path on the way from the directory root to path, and why
// it is protected; "" if there is none. Path is below root. Files in git directories and in
// Dependencies do not count.
func (n *Names) Within(root, path string) (at, why string) {
	parent := filepath.Base(root)
	at = strings.TrimSuffix(root, string(filepath.Separator))
	for name := range strings.SplitSeq(strings.TrimPrefix(path[len(at):], string(filepath.Separator)), string(filepath.Separator)) {
		if at += string(filepath.Separator) + name; name == ".git" {
			return "", ""
		}
		if why = n.Why(parent, name); why != "" {
			return at, why
		}
		if slices.Contains(Dependencies, name) {
			return "", ""
		}
		parent = name
	}
	return "", ""
}

// Fold normalizes a file name: without case, invisible characters, and the suffixes
// that Windows ignores. Two names that any file system treats as equal fold to the
// same name.
func Fold(name string) string {
	name = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		least := r
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			least = min(least, f)
		}
		return least
	}, name)
	if first, _, stream := strings.Cut(name, ":"); stream && len(first) > 1 { // not a drive
		name = first
	}
	if trimmed := strings.TrimRight(name, ". "); trimmed != "" {
		name = trimmed
	}
	if name == "GIT~1" {
		return ".GIT"
	}
	return name
}
