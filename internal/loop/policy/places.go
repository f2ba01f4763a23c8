package policy

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Limits of the search for symbolic links in protected directories. Entries
// beyond them are not looked at.
const (
	maxEntries    = 4096  // of one directory
	maxAllEntries = 20000 // of all directories in one look
	maxSearched   = 400   // directories of the workspace that are searched for such links
	maxDeep       = 3     // how far below the workspace they are
)

// places are the absolute paths that are protected. Those that depend on a
// directory are added when a file in it is looked at.
type places struct {
	paths   Paths
	root    string // the workspace without symbolic links; empty if it is unknown
	list    []place
	hooks   []string        // relative directories of hooks that the user's own git configuration names
	seen    map[string]bool // directories whose places are in list
	entries int             // of directories that were read
}

// places returns the paths that are protected wherever the workspace is, and
// what links in the repository above the workspace lead to.
func (p Paths) places() *places {
	ps := &places{paths: p, root: physical(p.Workspace), seen: map[string]bool{}}
	for _, path := range p.Own {
		ps.add(path, ownFiles)
	}
	for _, r := range protectedRules {
		start, rest, _ := strings.Cut(r.path, "/")
		for _, base := range p.bases(start) {
			ps.add(filepath.Join(base, filepath.FromSlash(rest)), r.reason)
		}
	}
	for _, file := range p.gitConfigs() {
		for _, path := range hooksPaths(file) {
			if path = p.expanded(path); filepath.IsAbs(path) {
				ps.add(path, gitHooks)
			} else {
				ps.hooks = append(ps.hooks, path)
			}
		}
	}
	if ps.root != "" && !exists(filepath.Join(ps.root, ".git")) {
		ps.addAbove()
	}
	ps.addBelow()
	return ps
}

// bases returns the directories in which a rule starts whose first name is
// start; none if it applies in every directory.
func (p Paths) bases(start string) []string {
	switch start {
	case "~":
		return []string{p.Home}
	case "config":
		return p.Config
	case "zsh":
		return p.Zsh
	case "":
		return []string{string(filepath.Separator)}
	}
	return nil
}

// anywhere reports whether a rule applies in every directory.
func (r rule) anywhere() bool {
	return !strings.ContainsAny(r.path[:1], "~/") && !strings.HasPrefix(r.path, "config/") && !strings.HasPrefix(r.path, "zsh/")
}

// add protects a path, and what the symbolic links in it and one level below it
// lead to.
func (ps *places) add(path, reason string) {
	if !filepath.IsAbs(path) {
		return
	}
	at := placeAt(path, reason)
	ps.list = append(ps.list, at)
	if at.info != nil && at.info.IsDir() {
		ps.addLinks(path, reason, true)
	}
}

// addLinks protects what the symbolic links in a directory lead to, and those in
// its directories if deeper is set.
func (ps *places) addLinks(dir, reason string, deeper bool) {
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
			ps.list = append(ps.list, placeAt(path, reason))
		case e.IsDir() && deeper:
			ps.addLinks(path, reason, false)
		}
	}
}

// addDir protects what the rules that apply in every directory mean in this one:
// a rule's path may be a symbolic link, whose destination has another name.
func (ps *places) addDir(dir string) {
	if ps.seen[dir] {
		return
	}
	ps.seen[dir] = true
	for _, r := range protectedRules {
		first, _, _ := strings.Cut(r.path, "/")
		if r.anywhere() && exists(filepath.Join(dir, first)) {
			ps.add(filepath.Join(dir, filepath.FromSlash(r.path)), r.reason)
		}
	}
	for _, hooks := range ps.hooksOf(dir) {
		ps.add(hooks, gitHooks)
	}
}

// addAbove protects what the repository that the workspace is a part of has in
// directories above the workspace, as far as it leads into the workspace: a rule
// must not protect a workspace because of the directory that it is in.
func (ps *places) addAbove() {
	above := &places{paths: ps.paths, root: ps.root, hooks: ps.hooks, seen: map[string]bool{}}
	for dir := ps.root; dir != filepath.Dir(dir); {
		dir = filepath.Dir(dir)
		above.addDir(dir)
		if exists(filepath.Join(dir, ".git")) {
			root := split(ps.root)
			for _, at := range above.list {
				real := at.names[len(at.names)-1]
				if len(real) > len(root) && slices.Equal(real[:len(root)], root) {
					ps.list = append(ps.list, at)
				}
			}
			return
		}
	}
}

// addBelow protects what links in directories of the workspace lead to, if they
// have the name of a rule: sub/.envrc may lead to a file outside of sub.
func (ps *places) addBelow() {
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

// startsRule reports whether a rule for every directory starts with a name.
func startsRule(name string) bool {
	return slices.ContainsFunc(protectedRules, func(r rule) bool {
		first, _, _ := strings.Cut(r.path, "/")
		return r.anywhere() && fold(name) == fold(first)
	})
}

// protection returns why a file is protected; empty if it is not. written are
// all files that are written at once. Paths are absolute, or relative if the
// workspace is not known.
func (ps *places) protection(file string, written []string) string {
	names := []string{filepath.Clean(file)}
	if filepath.IsAbs(file) {
		names = spellings(file)
	}
	for _, name := range names {
		parts, from := split(name), ps.depth(name)
		for _, r := range protectedRules {
			if r.anywhere() && within(parts, split(filepath.FromSlash(r.path)), from) {
				return r.reason
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
	return ""
}

// depth returns the index of the first name of path that the rules for every
// directory look at: that of the workspace itself, or 0 outside of it.
func (ps *places) depth(path string) int {
	for _, root := range []string{ps.root, ps.paths.Workspace} {
		if rel, err := filepath.Rel(root, path); root != "" && err == nil && filepath.IsLocal(rel) {
			return len(split(root)) - 1
		}
	}
	return 0
}

// inGitDir reports whether a file lies in what git takes for its directory,
// whatever it is called, such as a bare repository, or for the part of one that
// several worktrees share. Files that are written at once count as there. A
// worktree inside such a directory is not a part of it.
func (ps *places) inGitDir(file string, written []string) bool {
	there := func(path string) bool {
		parts := split(path)
		return exists(path) || slices.ContainsFunc(written, func(name string) bool {
			made := split(name)
			return len(made) >= len(parts) && slices.Equal(made[:len(parts)], parts)
		})
	}
	for dir := filepath.Dir(file); ; dir = filepath.Dir(dir) {
		has := func(name string) bool { return there(filepath.Join(dir, name)) }
		if has("objects") && has("refs") || has("HEAD") && has("commondir") {
			return true
		}
		if dir == filepath.Dir(dir) || dir == ps.root && exists(filepath.Join(dir, ".git")) {
			return false
		}
	}
}

// exists reports whether there is something at path, perhaps a symbolic link
// that leads nowhere.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
