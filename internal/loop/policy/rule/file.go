package rule

import (
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"agent/internal/tools/protect"
)

// Roots are the directories at which the patterns of rules start.
type Roots struct {
	Workspace []string // as it was opened, and without symbolic links
	Home      []string
}

// MatchesFile reports whether a rule of kind read or edit matches a file. Names are its
// absolute names: as written, after each symbolic link, and last without links. A rule
// that denies or asks matches any of them, without regard to case, and everything below
// a directory that it matches. A rule that allows matches only the last one.
func (r Rule) MatchesFile(names []string, at Roots) bool {
	for _, pattern := range r.globs(at) {
		if r.Action == Allow {
			if doublestar.MatchUnvalidated(pattern, filepath.ToSlash(names[len(names)-1])) {
				return true
			}
			continue
		}
		pattern = folded(pattern)
		for _, name := range names {
			for path := folded(filepath.ToSlash(name)); ; {
				if doublestar.MatchUnvalidated(pattern, path) {
					return true
				}
				i := strings.LastIndexByte(path, '/')
				if i < 0 {
					break
				}
				path = path[:i]
			}
		}
	}
	return false
}

// globs returns the absolute patterns of the rule, with slashes.
func (r Rule) globs(at Roots) (out []string) {
	pattern := filepath.ToSlash(r.Pattern)
	if strings.HasSuffix(pattern, "/") {
		pattern += "**"
	}
	if filepath.IsAbs(filepath.FromSlash(pattern)) {
		return append(out, pattern)
	}
	starts := at.Workspace
	if rest, ok := strings.CutPrefix(pattern, "~/"); ok {
		pattern, starts = rest, at.Home
	}
	for _, dir := range starts {
		out = append(out, LiteralGlob(filepath.ToSlash(dir))+"/"+strings.TrimPrefix(pattern, "./"))
	}
	return out
}

// LiteralGlob returns a pattern that matches only path, which has slashes.
func LiteralGlob(path string) string {
	var b strings.Builder
	for _, r := range strings.TrimSuffix(path, "/") {
		if strings.ContainsRune(`\*?[]{}`, r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// folded returns a path or pattern with slashes in which each name is folded.
func folded(path string) string {
	names := strings.Split(path, "/")
	for i, name := range names {
		names[i] = protect.Fold(name)
	}
	return strings.Join(names, "/")
}

// MatchesBelow reports whether a rule may match a file below one of dirs, which are absolute.
func (r Rule) MatchesBelow(dirs []string, at Roots) bool {
	for _, pattern := range r.globs(at) {
		base, rest := folded(pattern), ""
		if strings.ContainsAny(base, `*?[{\`) {
			base, rest = doublestar.SplitPattern(base)
		}
		for _, dir := range dirs {
			dir = strings.TrimSuffix(folded(filepath.ToSlash(dir)), "/")
			if strings.HasPrefix(base+"/", dir+"/") || rest != "" && strings.HasPrefix(dir+"/", base+"/") {
				return true
			}
		}
	}
	return false
}

// Named returns the paths that the rule names, or whose content it names by DIR/**.
func (r Rule) Named(at Roots) (paths []string) {
	for _, glob := range r.globs(at) {
		base, rest := doublestar.SplitPattern(strings.TrimSuffix(glob, "/**") + "/**")
		if rest == "**" {
			paths = append(paths, filepath.FromSlash(base))
		}
	}
	return paths
}

// NamesFile reports whether the rule names a file without wildcards, in any directory.
func (r Rule) NamesFile() bool { return plainWords(filepath.Base(r.Pattern)) }
