package search

import (
	"path"
	"path/filepath"
	"strings"

	"agent/internal/tools/gitconfig"
	"agent/internal/tools/search/wildmatch"
)

// gitDir is the name of git's directory, which is always excluded.
const gitDir = ".git"

// gitIgnore is the name of git's ignore files.
const gitIgnore = ".gitignore"

// ruleFiles returns the names of ignore files, lowest precedence first.
func ruleFiles() []string { return []string{gitIgnore, ".ignore", ".agentignore"} }

// level holds the rules of one directory and refers to those of its parents. A
// nil level ignores nothing.
type level struct {
	*patterns
	parent *level
	// Patterns are relative to base, a directory of the tree. For rules above the
	// tree, they are relative to the directory from which prefix leads to the tree.
	base, prefix string
	git          bool // the rules come from git
}

// add returns r.level with the rules of the ignore file called name on top.
func (r rules) add(base, prefix, name, data string) *level {
	if data == "" {
		return r.level
	}
	ps := parsePatterns(r.budget, data, r.fold)
	if ps.count == 0 {
		return r.level
	}
	return &level{parent: r.level, base: base, prefix: prefix, patterns: ps, git: name == gitIgnore}
}

// withoutGit returns the non-git rules of l on top of others.
func (l *level) withoutGit(others *level) *level {
	if l == nil {
		return others
	}
	top := l.parent.withoutGit(others)
	if l.git {
		return top
	}
	k := *l
	k.parent = top
	return &k
}

// entry is an entry of the tree to compare with rules.
type entry struct {
	budget    *budget
	dir, name string
	isDir     bool
	path      string // dir and name joined, set on demand
	letters   uint32 // letters of the path, set on demand
	steps     int    // comparisons not yet subtracted from the budget
}

// rel returns the path of the entry relative to the rules of l.
func (s *entry) rel(l *level) string {
	if s.path == "" {
		s.path = join(s.dir, s.name)
	}
	rel := s.path
	switch {
	case l.prefix != "":
		rel = l.prefix + "/" + rel
	case l.base != ".":
		rel = rel[len(l.base)+1:]
	}
	s.steps += len(rel) / 16
	if l.fold {
		return lower(rel)
	}
	return rel
}

// lettersFor returns a superset of the letters in the path relative to the rules
// of l.
func (s *entry) lettersFor(l *level) uint32 {
	if s.letters == 0 {
		s.letters = lettersOf(s.name) | lettersOf(s.dir) | lettersOf("/")
	}
	if l.prefix != "" {
		return s.letters | lettersOf(l.prefix)
	}
	return s.letters
}

// spend subtracts the comparisons from the budget and reports whether some is
// left.
func (s *entry) spend() bool {
	n := s.steps
	s.steps = 0
	return s.budget.spend(n)
}

// ignores reports whether the rules of l and its parents ignore s, whose
// directory is not ignored.
func (l *level) ignores(s *entry) bool {
	for ; l != nil; l = l.parent {
		if at := l.verdict(s); at != 0 {
			return !at.negated()
		}
		if s.steps++; s.steps > stepsAtOnce && !s.spend() {
			return false
		}
	}
	return false
}

// verdict returns the order of the pattern of l that decides s, or 0.
func (l *level) verdict(s *entry) order {
	name, rel := s.name, ""
	if l.fold {
		name = lower(name)
	}
	if l.byPath {
		rel = s.rel(l)
	}
	at := order(0)
	if l.names != nil {
		at = l.names.last(name, s.isDir)
	}
	if l.suffixes != nil {
		for i := range len(name) {
			if name[i] == '.' {
				s.steps++
				at = max(at, l.suffixes.last(name[i:], s.isDir))
			}
		}
	}
	if l.paths != nil {
		at = max(at, l.paths.last(rel, s.isDir))
	}
	if len(l.globs) > 0 {
		at = max(at, l.wildcards(s, name, rel, at))
	}
	return at
}

// wildcards returns the order of the last matching pattern with wildcards, or 0.
// It ignores orders below least.
func (l *level) wildcards(s *entry, name, rel string, least order) order {
	letters := s.lettersFor(l)
	for i := len(l.globs) - 1; i >= 0; i-- {
		if s.steps++; s.steps > stepsAtOnce && !s.spend() {
			return 0
		}
		if l.required[i]&^letters != 0 {
			continue
		}
		g := &l.globs[i]
		if g.at < least {
			return 0
		}
		if g.dirOnly && !s.isDir {
			continue
		}
		what := rel
		if g.byName {
			what = name
		}
		if g.matches(s, what, l.fold) {
			return g.at
		}
	}
	return 0
}

// matches reports whether g matches what, the name or path of s.
func (g *glob) matches(s *entry, what string, fold bool) bool {
	rest, ok := strings.CutPrefix(what, g.prefix)
	s.steps += len(rest) / 32
	if !ok || !strings.Contains(rest, g.longest) {
		return false
	}
	ok, steps := wildmatch.Match(g.text, rest)
	s.steps += steps
	if !ok || g.classes == "" {
		return ok
	}
	// Character classes are matched by the library.
	s.steps += 16 * len(what)
	c := s.budget.library(g, fold)
	return c != nil && c.MatchesPath(wildmatch.Bytewise(what))
}

// rules are the levels that apply in a directory, and whether its repository
// ignores case.
type rules struct {
	level  *level
	fold   bool
	budget *budget // nil if there are no rules
}

// ignores reports whether the entry name of dir is ignored. dir is not ignored.
func (r rules) ignores(dir, name string, isDir bool) bool {
	if name == gitDir || r.level == nil {
		return name == gitDir
	}
	s := entry{budget: r.budget, dir: dir, name: name, isDir: isDir, steps: -stepsPerEntry}
	if !r.budget.spend(0) {
		return false
	}
	ignored := r.level.ignores(&s)
	r.budget.steps.Add(int64(-s.steps))
	return ignored
}

// above returns the rules from outside the tree: of git's configuration and the
// directories from the repository root down to the tree.
func (t *Tree) above(b *budget) rules {
	if t.unfiltered {
		return rules{budget: b}
	}
	top, git, ok := findRepository(b, t.dir)
	if !ok {
		top = t.dir
	}
	prefix, err := filepath.Rel(top, t.dir)
	if err != nil {
		return rules{budget: b}
	}
	prefix = filepath.ToSlash(prefix)
	r := configured(b, top, git, ".", prefix)
	for dir := top; prefix != "." && !b.ended(); {
		for _, name := range ruleFiles() {
			r.level = r.add(".", prefix, name, b.readRules(filepath.Join(dir, name), true))
		}
		name, rest, more := strings.Cut(prefix, "/")
		dir = filepath.Join(dir, name)
		if prefix = rest; !more {
			break
		}
	}
	return r
}

// configured returns the rules of core.excludesFile and info/exclude.
func configured(b *budget, top, git, base, prefix string) rules {
	if prefix == "." {
		prefix = ""
	}
	c := readGitConfig(b, git)
	r := rules{fold: c.ignoreCase, budget: b}
	if c.excludesFile != "" {
		file, _ := gitconfig.Reader{Home: homeDir()}.Path(top, c.excludesFile)
		r.level = r.add(base, prefix, gitIgnore, b.readRules(file, false))
	}
	if git != "" {
		r.level = r.add(base, prefix, gitIgnore, b.readRules(filepath.Join(git, "info", "exclude"), false))
	}
	return r
}

// enter returns the rules in dir, opened as d: those of above and its own. A
// nested repository starts with new git rules. has reports whether dir has an
// entry.
func (t *Tree) enter(above rules, d folder, dir string, has func(name string) bool) rules {
	r := above
	if t.unfiltered {
		return r
	}
	if dir != "." && has(gitDir) {
		abs := filepath.Join(t.dir, filepath.FromSlash(dir))
		if git, ok := repositoryAt(r.budget, abs); ok {
			r = configured(r.budget, abs, git, dir, "")
			r.level = above.level.withoutGit(r.level)
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
		data := r.budget.readAll(f, r.budget.caps.file)
		f.close()
		r.level = r.add(dir, "", name, data)
	}
	return r
}

// rulesIn returns the rules in dir, even if dir itself is ignored, because the
// caller named it.
func (t *Tree) rulesIn(b *budget, dir string) rules {
	r := t.enterPath(t.above(b), ".")
	if dir == "." {
		return r
	}
	at := "."
	for name := range strings.SplitSeq(dir, "/") {
		if b.ended() {
			break
		}
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
	return t.enter(above, d, dir, d.has)
}
