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
	Path string // NAME or DIRECTORY/NAME, also with several directories; ".*" at its end is any suffix
	Why  string // completes "protected: "
	File bool   // it is not protected as a directory
}

// rule is a Name without its last element.
type rule struct {
	Name
	above []string // folded names of the directories above it, the nearest first
	start string   // of the folded last element, if it can have any suffix
}

// Names finds names in every spelling that a file system may treat as equal. A nil Names
// finds none. It is safe for concurrent use.
type Names struct {
	list     []Name
	rules    map[string][]rule // by the folded last element
	suffixed []rule            // with any suffix
	parents  map[string][]rule // of directories above protected names, by the folded last element
}

// New returns the Names of a list.
func New(list []Name) *Names {
	n := &Names{list: list, rules: map[string][]rule{}, parents: map[string][]rule{}}
	for _, name := range list {
		var above []string // the elements that were seen, the nearest first
		elements := strings.Split(name.Path, "/")
		for i, element := range elements {
			key, r := Fold(element), rule{Name: name, above: slices.Clone(above)}
			switch {
			case i < len(elements)-1:
				n.parents[key] = append(n.parents[key], r)
			case strings.HasSuffix(element, ".*"):
				r.start = strings.TrimSuffix(key, "*")
				n.suffixed = append(n.suffixed, r)
			default:
				n.rules[key] = append(n.rules[key], r)
			}
			above = slices.Insert(above, 0, key)
		}
	}
	return n
}

// Paths returns the paths of all names that are protected as files and as directories.
func (n *Names) Paths() (paths []string) {
	if n == nil {
		return nil
	}
	for _, name := range n.list {
		if !name.File {
			paths = append(paths, name.Path)
		}
	}
	return paths
}

// Why returns why a file or directory is protected, by its name and the path of the directory
// that contains it; "" if it is not.
func (n *Names) Why(dir, name string, isDir bool) string {
	if n == nil {
		return ""
	}
	name = Fold(name)
	for _, r := range n.rules[name] {
		if !(r.File && isDir) && r.within(dir) {
			return r.Why
		}
	}
	for _, r := range n.suffixed {
		if strings.HasPrefix(name, r.start) && r.within(dir) {
			return r.Why
		}
	}
	return ""
}

// Parent reports whether Why depends on that name of a directory in dir for some files below it.
func (n *Names) Parent(dir, name string) bool {
	return n != nil && slices.ContainsFunc(n.parents[Fold(name)], func(r rule) bool { return r.within(dir) })
}

// within reports whether dir ends with the directories above the last element of a rule.
func (r rule) within(dir string) bool {
	for _, name := range r.above {
		if Fold(filepath.Base(dir)) != name {
			return false
		}
		dir = filepath.Dir(dir)
	}
	return true
}

// Dependencies are the names of directories that contain many files with protected names. No
// program uses these files, except that git uses the repositories among them.
var Dependencies = []string{"node_modules", "vendor", ".venv", "venv", "site-packages", "target", ".tox"}

// Within returns the first protected path on the way from the directory root to path, and why
// it is protected; "" if there is none. Path is below root. Files in git directories and in
// Dependencies do not count, nor do names that are only protected as files.
func (n *Names) Within(root, path string) (at, why string) {
	at = strings.TrimSuffix(root, string(filepath.Separator))
	for name := range strings.SplitSeq(strings.TrimPrefix(path[len(at):], string(filepath.Separator)), string(filepath.Separator)) {
		dir := at
		if at += string(filepath.Separator) + name; name == ".git" {
			return "", ""
		}
		if why = n.Why(dir, name, true); why != "" {
			return at, why
		}
		if slices.Contains(Dependencies, name) {
			return "", ""
		}
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
