package search

import (
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// gitDir is the name of git's own directory, which is never looked into.
const gitDir = ".git"

// gitIgnore is the name of git's files of rules.
const gitIgnore = ".gitignore"

// ruleFiles are the files of rules that a directory may hold, each taking
// precedence over those before it.
func ruleFiles() []string { return []string{gitIgnore, ".ignore", ".agentignore"} }

// maxRules is how much of an ignore file is read.
const maxRules = 4 << 20

// level is the rules of one directory, on top of those of the directories above
// it. A nil level ignores nothing.
type level struct {
	parent *level
	// The patterns are relative to base, a directory of the tree, or, where
	// they lie above it, to the directory from which prefix leads to the tree.
	base, prefix string
	patterns     []*pattern
	byPath       bool // some pattern needs the path, not the name alone
	git          bool // the rules are git's
}

// add returns the rules of an ignore file called name on top of l.
func (l *level) add(base, prefix, name, data string, fold bool) *level {
	patterns := parsePatterns(data, fold)
	if len(patterns) == 0 {
		return l
	}
	top := &level{parent: l, base: base, prefix: prefix, patterns: patterns, git: name == gitIgnore}
	for _, p := range patterns {
		top.byPath = top.byPath || !p.byName
	}
	return top
}

// own returns the rules of l that are not git's, on top of others.
func (l *level) own(others *level) *level {
	if l == nil {
		return others
	}
	top := l.parent.own(others)
	if l.git {
		return top
	}
	k := *l
	k.parent = top
	return &k
}

// ignores reports whether the entry p of the tree, whose last element is name,
// is ignored, given that its directory is not.
func (l *level) ignores(p, name string, isDir bool) bool {
	for ; l != nil; l = l.parent {
		rel := p
		switch {
		case !l.byPath:
		case l.prefix != "":
			rel = l.prefix + "/" + p
		case l.base != ".":
			rel = p[len(l.base)+1:]
		}
		for i := len(l.patterns) - 1; i >= 0; i-- {
			if l.patterns[i].matches(rel, name, isDir) {
				return !l.patterns[i].negated
			}
		}
	}
	return false
}

// rules are the levels that hold in a directory, and how its repository wants
// them read.
type rules struct {
	level *level
	fold  bool
}

// ignores reports whether the entry called name of the directory dir, which is
// not ignored itself, is.
func (r rules) ignores(dir, name string, isDir bool) bool {
	return name == gitDir || r.level != nil && r.level.ignores(join(dir, name), name, isDir)
}

// above returns the rules that hold before the tree's own: those of git's
// configuration and of the directories from the repository's root down to it.
func (t *Tree) above() rules {
	if t.whole {
		return rules{}
	}
	top, git, ok := findRepository(t.dir)
	if !ok {
		top = t.dir
	}
	prefix, err := filepath.Rel(top, t.dir)
	if err != nil {
		return rules{}
	}
	prefix = filepath.ToSlash(prefix)
	r := configured(top, git, ".", prefix)
	for dir := top; prefix != "."; {
		for _, name := range ruleFiles() {
			r.level = r.level.add(".", prefix, name, readRules(filepath.Join(dir, name), true), r.fold)
		}
		name, rest, more := strings.Cut(prefix, "/")
		dir = filepath.Join(dir, name)
		if prefix = rest; !more {
			break
		}
	}
	return r
}

// configured returns the rules that a repository has outside its files: of
// core.excludesFile and info/exclude.
func configured(top, git, base, prefix string) rules {
	if prefix == "." {
		prefix = ""
	}
	c := readGitConfig(git)
	r := rules{fold: c.ignoreCase}
	if c.excludesFile != "" && !filepath.IsAbs(c.excludesFile) {
		c.excludesFile = filepath.Join(top, c.excludesFile)
	}
	r.level = r.level.add(base, prefix, gitIgnore, readRules(c.excludesFile, false), r.fold)
	if git != "" {
		r.level = r.level.add(base, prefix, gitIgnore, readRules(filepath.Join(git, "info", "exclude"), false), r.fold)
	}
	return r
}

// enter returns the rules that hold in dir, which d is: those of above, and its
// own on top. In a repository within the tree git's begin anew. has says what is
// in dir.
func (t *Tree) enter(above rules, d folder, dir string, has func(name string) bool) rules {
	r := above
	if t.whole {
		return r
	}
	if dir != "." && has(gitDir) {
		abs := filepath.Join(t.dir, filepath.FromSlash(dir))
		if git, ok := repositoryAt(abs); ok {
			r = configured(abs, git, dir, "")
			r.level = above.level.own(r.level)
		}
	}
	for _, name := range ruleFiles() {
		if !has(name) {
			continue
		}
		f, err := d.file(name)
		if err != nil {
			continue
		}
		data, _ := io.ReadAll(io.LimitReader(f, maxRules))
		f.close()
		r.level = r.level.add(dir, "", name, string(data), r.fold)
	}
	return r
}

// rulesIn returns the rules that hold in dir, whether or not dir itself is
// ignored: who asks for it by name gets it.
func (t *Tree) rulesIn(dir string) rules {
	r := t.enterPath(t.above(), ".")
	if dir == "." {
		return r
	}
	at := "."
	for name := range strings.SplitSeq(dir, "/") {
		at = path.Join(at, name)
		r = t.enterPath(r, at)
	}
	return r
}

func (t *Tree) enterPath(above rules, dir string) rules {
	d, err := openFolder(t.root, dir)
	if err != nil {
		return above
	}
	defer d.close()
	return t.enter(above, d, dir, func(name string) bool {
		info, err := t.root.Lstat(path.Join(dir, name))
		return err == nil && (name == gitDir || info.Mode().IsRegular())
	})
}

// readRules reads a file of rules or configuration outside the tree; what
// cannot be read holds none. With plain, a symbolic link is not followed, as
// git does not for a .gitignore.
func readRules(file string, plain bool) string {
	if file == "" {
		return ""
	}
	if info, err := os.Lstat(file); err != nil || plain && !info.Mode().IsRegular() {
		return ""
	}
	f, err := regular(func(flag int) (*os.File, error) { return os.OpenFile(file, flag, 0) })
	if err != nil {
		return ""
	}
	defer f.Close()
	data, _ := io.ReadAll(io.LimitReader(f, maxRules))
	return string(data)
}
