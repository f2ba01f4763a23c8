package confine

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/realpath"
)

// maxBelow is how many directories are searched for a repository below the target of a link, those
// near the top first.
const maxBelow = 500

// unchecked is why a link is renamed.
const unchecked = "it leads to a repository that is not checked for programs that git would run"

// leadingToRepositories returns the links that lead from the directories of the tree to a
// repository in a place outside them that commands can write to. No check covers such
// repositories, and git works in one when the user enters the directory. The values are the places
// to which the links lead.
func (g *Guard) leadingToRepositories() map[string]string {
	links, found := map[string]string{}, map[string]bool{}
	for _, d := range g.area.tree.dirs {
		for _, link := range d.leaving {
			real := realpath.Of(link)
			i := slices.IndexFunc(g.unchecked, func(dir string) bool { return realpath.Inside(real, dir) })
			if i < 0 || inAny(real, g.area.tree.tops) {
				continue
			}
			is, known := found[real]
			if !known {
				is = inRepository(real, g.unchecked[i]) || holdsRepository(real, g.profile.Temp != "" && realpath.Inside(real, realpath.Of(g.profile.Temp)))
				found[real] = is
			}
			if is {
				links[link] = real
			}
		}
	}
	return links
}

// uncheckedPlaces returns the places outside the tree that every command can write to.
func (g *Guard) uncheckedPlaces() (dirs []string) {
	places := slices.Clone(g.profile.Write)
	if g.profile.Temp != "" {
		places = append(places, g.profile.Temp)
	}
	for _, place := range places {
		if real := realpath.Of(place); !slices.Contains(g.area.tree.tops, real) {
			dirs = append(dirs, real)
		}
	}
	return dirs
}

// renameLinks renames the links that lead to a repository now and did not before the command.
func (g *Guard) renameLinks() (notices []Notice) {
	for link, real := range g.leadingToRepositories() {
		if g.leading[link] != real {
			notices = append(notices, g.undo(link, unchecked)...)
		}
	}
	return notices
}

// inRepository reports whether a path, or a directory above it in top, is a worktree or a git
// directory.
func inRepository(path, top string) bool {
	for realpath.Inside(path, top) {
		if isRepository(path) {
			return true
		}
		if path == filepath.Dir(path) {
			return false
		}
		path = filepath.Dir(path)
	}
	return false
}

// holdsRepository reports whether there is a repository below a directory. Beyond the limit, and in
// directories that cannot be read, the result is beyond.
func holdsRepository(dir string, beyond bool) bool {
	todo := []string{dir}
	for i := 0; i < len(todo); i++ {
		if i == maxBelow {
			return beyond
		}
		if isRepository(todo[i]) {
			return true
		}
		entries, err := entriesOf(todo[i], func(e fs.DirEntry) bool { return e.IsDir() })
		if errors.Is(err, fs.ErrPermission) && beyond {
			return true // git finds repositories in it by their names, and it can become readable
		}
		for _, e := range entries {
			todo = append(todo, filepath.Join(todo[i], e.Name()))
		}
	}
	return false
}

// isRepository reports whether a directory contains .git, or may be a git directory.
func isRepository(dir string) bool {
	if exists(filepath.Join(dir, ".git")) || strings.EqualFold(filepath.Base(dir), ".git") {
		return true
	}
	has := func(name string) bool { return exists(filepath.Join(dir, name)) }
	return has("HEAD") && (has("objects") && has("refs") || has("commondir"))
}
