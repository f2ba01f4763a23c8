package search

import (
	"strings"

	"agent/internal/tools/search/wildmatch"
)

// order is the place of a pattern in its ignore file, from 1, times two, plus
// one if the pattern is negated. Of the patterns that match, the one with the
// greatest order decides. It is 0 for none.
type order int32

func (o order) negated() bool { return o&1 != 0 }

// literals holds patterns without wildcards by what they match: the greatest
// order of those for files and directories, and of those for directories alone.
type literals map[string][2]order

func (l literals) add(text string, at order, dirOnly bool) {
	both := l[text]
	if dirOnly {
		both[1] = at
	} else {
		both[0] = at
	}
	l[text] = both
}

func (l literals) last(text string, isDir bool) order {
	both := l[text]
	if isDir {
		return max(both[0], both[1])
	}
	return both[0]
}

// glob is a pattern that must be compared with each entry.
type glob struct {
	at      order
	byName  bool // it is matched against the last element alone
	dirOnly bool
	prefix  string // its literal beginning
	text    string // the rest, with a ? for each character class
	classes string // the rest as it was written; empty without character classes
	word    string // the longest literal part of the text; few entries hold it
}

// patterns are those of one ignore file.
type patterns struct {
	fold     bool // ASCII letters match whatever their case
	count    int
	names    literals // compared with the last element of the path
	suffixes literals // compared with its end, from a dot on: *.go
	paths    literals // compared with the path
	globs    []glob
	needs    []uint32 // of each of the globs: the letters that it cannot do without
	byPath   bool     // some pattern needs the path, not the name alone
}

// special are the characters with a meaning in a pattern.
const special = `*?[\`

// maxGlob is the length in bytes of the longest pattern with wildcards.
const maxGlob = 4096

// parsePatterns reads an ignore file as git does, as far as b allows.
func parsePatterns(b *budget, data string, fold bool) *patterns {
	ps := &patterns{fold: fold}
	n := 0
	for line := range strings.SplitSeq(strings.TrimPrefix(data, "\ufeff"), "\n") {
		if n++; n%linesAtOnce == 0 && b.ended() {
			break
		}
		if strings.HasPrefix(line, "#") {
			continue
		}
		line = strings.TrimSuffix(line, "\r")
		line, _, _ = strings.Cut(line, "\x00")
		if line = trimBlanks(line); line == "" {
			continue
		}
		if !b.take(&b.patterns, 1) {
			break
		}
		if !ps.add(line) {
			b.noteRules()
		}
	}
	return ps
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

// add takes one line. It reports false for a pattern that is too long to be
// applied. A line that cannot match anything is left out.
func (ps *patterns) add(line string) bool {
	at := order(ps.count+1) << 1
	line, negated := strings.CutPrefix(line, "!")
	if negated {
		at++
	}
	line, dirOnly := strings.CutSuffix(line, "/")
	byName := !strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	if line == "" {
		return true
	}
	if ps.fold {
		line = lower(line)
	}
	first := strings.IndexAny(line, special)
	switch {
	case first < 0 && byName:
		add(&ps.names, line, at, dirOnly)
	case first < 0:
		ps.byPath = true
		add(&ps.paths, line, at, dirOnly)
	case byName && strings.HasPrefix(line, "*.") && !strings.ContainsAny(line[1:], special):
		add(&ps.suffixes, line[1:], at, dirOnly)
	case len(line) > maxGlob:
		return false
	default:
		g := glob{at: at, byName: byName, dirOnly: dirOnly, prefix: line[:first]}
		if !g.read(line[first:]) {
			return true
		}
		g.word = longestWord(g.text)
		ps.byPath = ps.byPath || !byName
		ps.globs = append(ps.globs, g)
		ps.needs = append(ps.needs, g.letters())
	}
	ps.count++
	return true
}

func add(l *literals, text string, at order, dirOnly bool) {
	if *l == nil {
		*l = literals{}
	}
	l.add(text, at, dirOnly)
}

// read takes the part of a pattern with wildcards. It reports whether git can
// read it: a pattern that git cannot read matches nothing.
func (g *glob) read(rest string) bool {
	g.text = rest
	if !strings.ContainsAny(rest, `[\`) {
		return true
	}
	var b strings.Builder
	for i := 0; i < len(rest); {
		next := i + 1
		switch rest[i] {
		case '\\':
			if next++; next > len(rest) {
				return false
			}
			b.WriteString(rest[i:next])
		case '[':
			var ok bool
			if next, ok = wildmatch.SkipBracket(rest, i); !ok {
				return false
			}
			g.classes = rest
			b.WriteByte('?')
		default:
			b.WriteByte(rest[i])
		}
		i = next
	}
	g.text = b.String()
	return true
}

// letters returns the letters that whatever g matches holds.
func (g *glob) letters() uint32 {
	set := lettersOf(g.prefix)
	for i := 0; i < len(g.text); i++ {
		switch g.text[i] {
		case '*':
			// Stars and the slash after them may stand for nothing.
			for i+1 < len(g.text) && (g.text[i+1] == '*' || g.text[i+1] == '/') {
				i++
			}
			continue
		case '?':
			continue
		case '\\':
			i++
		}
		set |= letterOf(g.text[i])
	}
	return set
}

// longestWord returns the longest part of a pattern between its wildcards. The
// slash after two stars may stand for nothing and is no part of it.
func longestWord(text string) string {
	longest := ""
	for at := 0; at < len(text); {
		n := strings.IndexAny(text[at:], special)
		if n < 0 {
			n = len(text) - at
		}
		if n > len(longest) {
			longest = text[at : at+n]
		}
		switch at += n; {
		case strings.HasPrefix(text[at:], "**/"):
			at += len("**/")
		case strings.HasPrefix(text[at:], `\`):
			at += 2
		default:
			at++
		}
	}
	return longest
}

// lower folds ASCII letters only, as git does.
func lower(s string) string {
	for i := range len(s) {
		if small(s[i]) != s[i] {
			b := []byte(s)
			for j := range b {
				b[j] = small(b[j])
			}
			return string(b)
		}
	}
	return s
}
