package search

import (
	"path"
	"path/filepath"
	"strings"

	"agent/internal/tools/search/wildmatch"
)

// gitDir is the name of git's own directory, which is never looked into.
const gitDir = ".git"

// gitIgnore is the name of git's files of rules.
const gitIgnore = ".gitignore"

// ruleFiles are the files of rules that a directory may hold, each taking
// precedence over those before it.
func ruleFiles() []string { return []string{gitIgnore, ".ignore", ".agentignore"} }

// level is the rules of one directory, on top of those of the directories above
// it. A nil level ignores nothing.
type level struct {
	*patterns
	parent *level
	// The patterns are relative to base, a directory of the tree, or, where
	// they lie above it, to the directory from which prefix leads to the tree.
	base, prefix string
	git          bool // the rules are git's
}

// add returns the rules of an ignore file called name on top of those of r.
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

// subject is an entry of the tree that is compared with rules.
type subject struct {
	budget    *budget
	dir, name string
	isDir     bool
	path      string // dir and name, once a rule needs it
	letters   uint32 // of the path, once a rule needs them; 0 until then
	steps     int    // comparisons that are not accounted for yet
}

// rel returns the path of the subject as the rules of l see it.
func (s *subject) rel(l *level) string {
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

// lettersFor returns a set of letters that holds all those of the path as the
// rules of l see it.
func (s *subject) lettersFor(l *level) uint32 {
	if s.letters == 0 {
		s.letters = lettersOf(s.name) | lettersOf(s.dir) | lettersOf("/")
	}
	if l.prefix != "" {
		return s.letters | lettersOf(l.prefix)
	}
	return s.letters
}

// more accounts for the comparisons made and reports whether s may be compared
// further.
func (s *subject) more() bool {
	n := s.steps
	s.steps = 0
	return s.budget.spend(n)
}

// ignores reports whether the rules of l and its parents ignore s, given that
// they do not ignore its directory.
func (l *level) ignores(s *subject) bool {
	for ; l != nil; l = l.parent {
		if at := l.verdict(s); at != 0 {
			return !at.negated()
		}
		if s.steps++; s.steps > stepsAtOnce && !s.more() {
			return false
		}
	}
	return false
}

// verdict returns the order of the pattern of l that decides s, 0 for none.
func (l *level) verdict(s *subject) order {
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

// wildcards returns the order of the last pattern with wildcards that matches,
// of those after the one at least.
func (l *level) wildcards(s *subject, name, rel string, least order) order {
	letters := s.lettersFor(l)
	for i := len(l.globs) - 1; i >= 0; i-- {
		if s.steps++; s.steps > stepsAtOnce && !s.more() {
			return 0
		}
		if l.needs[i]&^letters != 0 {
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

// matches reports whether g fits what, the name or path of s.
func (g *glob) matches(s *subject, what string, fold bool) bool {
	rest, ok := strings.CutPrefix(what, g.prefix)
	s.steps += len(rest) / 32
	if !ok || !strings.Contains(rest, g.word) {
		return false
	}
	ok, steps := wildmatch.Match(g.text, rest)
	s.steps += steps
	if !ok || g.classes == "" {
		return ok
	}
	// What a class stands for is left to the library.
	s.steps += 16 * len(what)
	c := s.budget.library(g, fold)
	return c != nil && c.MatchesPath(wildmatch.Bytewise(what))
}

// rules are the levels that hold in a directory, and how its repository wants
// them read.
type rules struct {
	level  *level
	fold   bool
	budget *budget // nil where there are no rules
}

// ignores reports whether the entry called name of the directory dir, which is
// not ignored itself, is.
func (r rules) ignores(dir, name string, isDir bool) bool {
	if name == gitDir || r.level == nil {
		return name == gitDir
	}
	s := subject{budget: r.budget, dir: dir, name: name, isDir: isDir, steps: -stepsPerEntry}
	if !r.budget.spend(0) {
		return false
	}
	ignored := r.level.ignores(&s)
	r.budget.steps.Add(int64(-s.steps))
	return ignored
}

// above returns the rules that hold before the tree's own: those of git's
// configuration and of the directories from the repository's root down to it.
func (t *Tree) above(b *budget) rules {
	if t.whole {
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

// configured returns the rules that a repository has outside its files: of
// core.excludesFile and info/exclude.
func configured(b *budget, top, git, base, prefix string) rules {
	if prefix == "." {
		prefix = ""
	}
	c := readGitConfig(b, git)
	r := rules{fold: c.ignoreCase, budget: b}
	if c.excludesFile != "" && !filepath.IsAbs(c.excludesFile) {
		c.excludesFile = filepath.Join(top, c.excludesFile)
	}
	r.level = r.add(base, prefix, gitIgnore, b.readRules(c.excludesFile, false))
	if git != "" {
		r.level = r.add(base, prefix, gitIgnore, b.readRules(filepath.Join(git, "info", "exclude"), false))
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
		if git, ok := repositoryAt(r.budget, abs); ok {
			r = configured(r.budget, abs, git, dir, "")
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
		data := r.budget.readAll(f, r.budget.caps.file)
		f.close()
		r.level = r.add(dir, "", name, data)
	}
	return r
}

// rulesIn returns the rules that hold in dir, whether or not dir itself is
// ignored: who asks for it by name gets it.
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
