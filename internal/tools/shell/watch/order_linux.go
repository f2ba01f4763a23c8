//go:build amd64 || arm64

package watch

import (
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/tools/snapshot"
)

// order is the order of a command, and what it says about paths. Paths are absolute, without links.
type order snapshot.Order

// wanted reports whether the changes of an absolute path without links are to be kept.
func (o *order) wanted(path string) bool {
	for _, skip := range o.Skip {
		if path == skip || below(path, skip) {
			return false
		}
	}
	for _, root := range o.Roots {
		if below(path, root) {
			rest := path[len(strings.TrimSuffix(root, "/")):] + "/"
			return !strings.Contains(strings.ToLower(rest), "/.git/") // undo restores no spelling of it
		}
	}
	return false
}

// keptGitDir returns the git directory on the way to a path whose state undo restores, and the rest
// of the path. Both are empty if there is none.
func (o *order) keptGitDir(path string) (dir, rest string) {
	for _, dir := range o.Repositories {
		if below(path, dir) {
			return dir, path[len(dir)+1:]
		}
	}
	for _, root := range o.Roots {
		if !below(path, root) {
			continue
		}
		if worktree, rest, found := strings.Cut(path[len(strings.TrimSuffix(root, "/")):], "/.git/"); found {
			return strings.TrimSuffix(root, "/") + worktree + "/.git", rest
		}
	}
	return "", ""
}

// gitState returns the git directory, or that of a submodule in it, to whose state a path belongs, and
// reports whether undo restores that state.
func (o *order) gitState(path string) (dir string, ok bool) {
	dir, rest := o.keptGitDir(path)
	inner, ok := snapshot.GitState(rest)
	return filepath.Join(dir, inner), ok
}

// outerGitDir returns the first directory on the way to a path, or the path itself, that has the
// name .git or is one of Order.GitDirs, and the rest of the path. Both are empty if there is none.
func (o *order) outerGitDir(path string) (dir, rest string) {
	for _, dir := range o.GitDirs {
		if path == dir || below(path, dir) {
			return dir, strings.TrimPrefix(path[len(dir):], "/")
		}
	}
	worktree, rest, found := strings.Cut(path+"/", "/.git/")
	if !found {
		return "", ""
	}
	return worktree + "/.git", strings.TrimSuffix(rest, "/")
}

// protects reports whether protected paths, and the programs of git directories, must not change.
func (o *order) protects() bool { return o.Strict && len(o.Protected) > 0 }

// isApproved reports whether the user approved the change of a path, or of one below it.
func (o *order) isApproved(path string) bool {
	return slices.ContainsFunc(o.Approved, func(ok string) bool { return path == ok || below(path, ok) || below(ok, path) })
}

// holdsRoot reports whether a path is one of Roots or above one. Under another name, changes in a
// directory whose changes are kept would not be.
func (o *order) holdsRoot(path string) bool {
	return slices.ContainsFunc(o.Roots, func(root string) bool { return path == root || below(root, path) })
}

// below reports whether path is in dir.
func below(path, dir string) bool {
	dir = strings.TrimSuffix(dir, "/")
	return len(path) > len(dir)+1 && path[len(dir)] == '/' && path[:len(dir)] == dir
}
