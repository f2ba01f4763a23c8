package search

import (
	"strings"
	"sync"

	gitignore "github.com/sabhiram/go-gitignore"
)

// pattern is one line of an ignore file.
type pattern struct {
	negated bool // what it matches is not ignored after all
	dirOnly bool
	byName  bool // it is matched against the last element alone
	fold    bool // ASCII letters match whatever their case
	how     how
	text    string // what how compares; of a glob, its literal beginning
	glob    func() *gitignore.GitIgnore
}

// how is the way to decide a pattern. Most need no regular expression.
type how int

const (
	equal how = iota
	suffix
	glob
)

// special are the characters with a meaning in a pattern.
const special = `*?[\`

// parsePatterns reads an ignore file as git does.
func parsePatterns(data string, fold bool) []*pattern {
	var out []*pattern
	for line := range strings.SplitSeq(strings.TrimPrefix(data, "\ufeff"), "\n") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		line = strings.TrimSuffix(line, "\r")
		line, _, _ = strings.Cut(line, "\x00")
		if p := parsePattern(trimBlanks(line), fold); p != nil {
			out = append(out, p)
		}
	}
	return out
}

// trimBlanks cuts trailing blanks that no backslash protects.
func trimBlanks(line string) string {
	end := 0
	for i := 0; i < len(line); i++ {
		if line[i] == '\\' {
			if i++; i == len(line) {
				return line
			}
			end = i + 1
		} else if line[i] != ' ' {
			end = i + 1
		}
	}
	return line[:end]
}

// parsePattern returns nil for a line that cannot match anything.
func parsePattern(line string, fold bool) *pattern {
	p := &pattern{fold: fold}
	line, p.negated = strings.CutPrefix(line, "!")
	line, p.dirOnly = strings.CutSuffix(line, "/")
	p.byName = !strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	if line == "" {
		return nil
	}
	if fold {
		line = lower(line)
	}
	literal := strings.IndexAny(line, special)
	switch {
	case literal < 0:
		p.how, p.text = equal, line
		return p
	case p.byName && line[0] == '*' && !strings.ContainsAny(line[1:], special):
		p.how, p.text = suffix, line[1:]
		return p
	}
	expr, ok := translate(line[:literal], line[literal:], fold)
	if !ok {
		return nil
	}
	p.how, p.text = glob, line[:literal]
	p.glob = sync.OnceValue(func() *gitignore.GitIgnore {
		return gitignore.CompileIgnoreLines(expr)
	})
	return p
}

// matches reports whether the pattern fits an entry. rel is its path relative
// to the directory of the ignore file, name the last element of it.
func (p *pattern) matches(rel, name string, isDir bool) bool {
	if p.dirOnly && !isDir {
		return false
	}
	s := rel
	if p.byName {
		s = name
	}
	if p.fold {
		s = lower(s)
	}
	switch p.how {
	case equal:
		return s == p.text
	case suffix:
		return strings.HasSuffix(s, p.text)
	}
	return strings.HasPrefix(s, p.text) && p.glob().MatchesPath(bytewise(s))
}

// lower folds ASCII letters only, as git does.
func lower(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}
