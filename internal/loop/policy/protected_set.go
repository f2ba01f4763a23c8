package policy

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/realpath"
	"agent/internal/tools/gitconfig"
	"agent/internal/tools/protect"
)

// Limits of the search for symbolic links in protected directories. Entries beyond
// them are ignored.
const (
	maxEntries    = 4096  // of one directory
	maxAllEntries = 20000 // of all directories together
	maxSearched   = 400   // directories of the workspace
	maxDeep       = 3     // levels below the workspace
)

// protectedSet holds the protected absolute paths. Paths that depend on a directory are
// added when a file in it is checked.
type protectedSet struct {
	paths   Paths
	root    string // the workspace without symbolic links; may be empty
	list    []resolvedPath
	user    gitconfig.Config // the user's git configuration
	seen    map[string]bool  // directories whose protected paths are in list
	entries int              // of directories that were read
}

// protectedSet returns the protected paths that do not depend on the checked file, and the
// targets of links in the workspace and in the repository above it.
func (p Paths) protectedSet() *protectedSet {
	ps := &protectedSet{paths: p, root: p.Resolved.Of(p.Workspace), user: p.userGit(), seen: map[string]bool{}}
	for _, path := range p.ProgramFiles {
		ps.add(path, ownFiles)
	}
	for _, r := range protectedPaths {
		start, rest, _ := strings.Cut(r.path, "/")
		for _, base := range p.bases(start) {
			ps.add(filepath.Join(base, filepath.FromSlash(rest)), r.reason)
		}
	}
	for _, path := range p.userNamed(ps.user) {
		ps.add(path, gitNamed)
	}
	if ps.root != "" && !exists(filepath.Join(ps.root, ".git")) {
		ps.addAbove()
	}
	ps.addBelow()
	return ps
}

// bases returns the directories of a rule whose path begins with start; none if the
// rule applies in every directory.
func (p Paths) bases(start string) []string {
	switch start {
	case "~":
		return []string{p.Home}
	case "config":
		return p.Config
	case "zsh":
		return p.Shell.Zsh
	case "":
		return []string{string(filepath.Separator)}
	}
	return nil
}

// anywhere reports whether a rule applies in every directory.
func (r protectedPath) anywhere() bool {
	return !strings.ContainsAny(r.path[:1], "~/") && !strings.HasPrefix(r.path, "config/") && !strings.HasPrefix(r.path, "zsh/")
}

// add protects a path, and the targets of symbolic links in it and one level below.
func (ps *protectedSet) add(path, reason string) {
	if !filepath.IsAbs(path) {
		return
	}
	at := newResolvedPath(path, reason)
	ps.list = append(ps.list, at)
	if at.info != nil && at.info.IsDir() {
		ps.addLinks(path, reason, true)
	}
}

// addLinks protects the targets of symbolic links in a directory, and in its
// subdirectories if deeper is set.
func (ps *protectedSet) addLinks(dir, reason string, deeper bool) {
	d, err := os.Open(dir)
	if err != nil {
		return
	}
	entries, _ := d.ReadDir(min(maxEntries, maxAllEntries-ps.entries+1))
	d.Close()
	if ps.entries += len(entries); ps.entries > maxAllEntries {
		return
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		switch {
		case e.Type()&fs.ModeSymlink != 0:
			ps.list = append(ps.list, newResolvedPath(path, reason))
		case e.IsDir() && deeper:
			ps.addLinks(path, reason, false)
		}
	}
}

// addDir protects the paths in dir of the rules that apply in every directory, with
// their targets if they are symbolic links.
func (ps *protectedSet) addDir(dir string) {
	if ps.seen[dir] {
		return
	}
	ps.seen[dir] = true
	for _, r := range protectedPaths {
		first, _, _ := strings.Cut(r.path, "/")
		if r.anywhere() && r.path != fileOnly && exists(filepath.Join(dir, first)) {
			ps.add(filepath.Join(dir, filepath.FromSlash(r.path)), r.reason)
		}
	}
	for _, hooks := range ps.hooksOf(dir) {
		reason := gitNamed
		if hooks == dir {
			reason = gitUnknown
		}
		ps.add(hooks, reason)
	}
}

// addAbove protects paths in the workspace that are reached through links in the
// directories above it, up to the root of the repository. It ignores other paths
// above, except for a repository of which git may run any file: the location of a
// workspace must not make all of it protected.
func (ps *protectedSet) addAbove() {
	above := &protectedSet{paths: ps.paths, root: ps.root, user: ps.user, seen: map[string]bool{}}
	for dir := ps.root; dir != filepath.Dir(dir); {
		dir = filepath.Dir(dir)
		above.addDir(dir)
		if exists(filepath.Join(dir, ".git")) {
			root := split(ps.root)
			for _, at := range above.list {
				real := at.names[len(at.names)-1]
				if at.reason == gitUnknown || len(real) > len(root) && slices.Equal(real[:len(root)], root) {
					ps.list = append(ps.list, at)
				}
			}
			return
		}
	}
}

// addBelow protects the targets of links in the workspace that have the name of a
// rule: sub/.envrc may point to a file outside sub.
func (ps *protectedSet) addBelow() {
	type level struct {
		dir  string
		deep int
	}
	todo := []level{{ps.root, 0}}
	for n := 0; ps.root != "" && n < len(todo) && n < maxSearched && ps.entries < maxAllEntries; n++ {
		d, err := os.Open(todo[n].dir)
		if err != nil {
			continue
		}
		entries, _ := d.ReadDir(maxEntries)
		d.Close()
		ps.entries += len(entries)
		for _, e := range entries {
			switch {
			case e.Type()&fs.ModeSymlink != 0 && startsRule(e.Name()):
				ps.addDir(todo[n].dir)
			case e.IsDir() && todo[n].deep < maxDeep && e.Name() != ".git" && e.Name() != "node_modules":
				todo = append(todo, level{filepath.Join(todo[n].dir, e.Name()), todo[n].deep + 1})
			}
		}
	}
}

// startsRule reports whether name is the first element of a rule for every directory.
func startsRule(name string) bool {
	return slices.ContainsFunc(protectedPaths, func(r protectedPath) bool {
		first, _, _ := strings.Cut(r.path, "/")
		return r.anywhere() && protect.Fold(name) == protect.Fold(first)
	})
}

// protection returns why a file is protected; empty if it is not. written lists all
// files of the same change. Paths are absolute, or relative if the workspace is
// unknown.
func (ps *protectedSet) protection(file string, written []string) string {
	names := []string{filepath.Clean(file)}
	if filepath.IsAbs(file) {
		names = realpath.Steps(file)
	}
	for _, name := range names {
		parts, from := split(name), ps.depth(name)
		for i := max(from, 0); i < len(parts); i++ {
			if why := ProtectedNames().Why(strings.Join(parts[:i], string(filepath.Separator)), parts[i], i < len(parts)-1); why != "" {
				return why
			}
		}
	}
	if !filepath.IsAbs(file) {
		return ""
	}
	real := names[len(names)-1]
	for dir := filepath.Dir(real); ; dir = filepath.Dir(dir) {
		ps.addDir(dir)
		if dir == ps.root || dir == filepath.Dir(dir) {
			break
		}
	}
	parts, above := split(real), ancestors(real)
	for _, at := range ps.list {
		if at.holds(parts, above) {
			return at.reason
		}
	}
	if ps.inGitDir(real, written) {
		return gitPrograms
	}
	if ps.paths.Shell.Search.Shadows(real) && !exists(real) {
		return protect.WhyShadow
	}
	return ""
}

// depth returns the index of the first element of path to which the rules for every
// directory apply: that of the workspace itself, or 0 outside it.
func (ps *protectedSet) depth(path string) int {
	for _, root := range []string{ps.root, ps.paths.Workspace} {
		if rel, err := filepath.Rel(root, path); root != "" && err == nil && filepath.IsLocal(rel) {
			return len(split(root)) - 1
		}
	}
	return 0
}

// inGitDir reports whether a file is in a git directory of any name, such as a bare
// repository, or in the part of one that worktrees share. The files in written count
// as existing. A worktree inside a git directory is not part of it.
func (ps *protectedSet) inGitDir(file string, written []string) bool {
	willExist := func(path string) bool {
		parts := split(path)
		return exists(path) || slices.ContainsFunc(written, func(name string) bool {
			made := split(name)
			return len(made) >= len(parts) && slices.Equal(made[:len(parts)], parts)
		})
	}
	for dir := filepath.Dir(file); ; dir = filepath.Dir(dir) {
		has := func(name string) bool { return willExist(filepath.Join(dir, name)) }
		if has("objects") && has("refs") || has("HEAD") && has("commondir") {
			return true
		}
		if dir == filepath.Dir(dir) || dir == ps.root && exists(filepath.Join(dir, ".git")) {
			return false
		}
	}
}

// exists reports whether path exists, if only as a dangling symbolic link.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
