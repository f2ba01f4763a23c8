package search

import (
	"strings"

	"agent/internal/tools/search/wildmatch"
)

// order is the position of a pattern in its ignore file, from 1, times two, plus
// one if it is negated. The matching pattern with the highest order decides. 0
// means none.
type order int32

func (o order) negated() bool { return o&1 != 0 }

// literals maps patterns without wildcards to their highest orders: for all
// entries, and for directories only.
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

// glob is a pattern with wildcards.
type glob struct {
	at      order
	byName  bool // it matches the last path element only
	dirOnly bool
	prefix  string // literal prefix
	text    string // the rest, with ? for each character class
	classes string // the rest unchanged; empty without character classes
	longest string // longest literal part of text, for fast rejection
}

// patterns are the rules of one ignore file.
type patterns struct {
	fold     bool // ignore the case of ASCII letters
	count    int
	names    literals // match the last path element
	suffixes literals // match its end from a dot on: *.go
	paths    literals // match the path
	globs    []glob
	required []uint32 // letters that each of globs requires
	byPath   bool     // a pattern needs the path
}

// special are the wildcard characters of patterns.
const special = `*?[\`

// maxGlob is the maximum length in bytes of a pattern with wildcards.
const maxGlob = 4096

// parsePatterns parses an ignore file like git, within the budget b.
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
		if !b.subtract(&b.patterns, 1) {
			break
		}
		if !ps.add(line) {
			b.noteRules()
		}
	}
	return ps
}

// trimBlanks removes trailing blanks that are not escaped.
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

// add adds one line. It reports false for a pattern that is too long. It skips
// lines that match nothing.
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
		g.longest = longestWord(g.text)
		ps.byPath = ps.byPath || !byName
		ps.globs = append(ps.globs, g)
		ps.required = append(ps.required, g.letters())
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

// read parses the part of a pattern with wildcards. It reports whether the
// pattern is valid for git; invalid ones match nothing.
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

// letters returns the letters that all matches of g contain.
func (g *glob) letters() uint32 {
	set := lettersOf(g.prefix)
	for i := 0; i < len(g.text); i++ {
		switch g.text[i] {
		case '*':
			// Stars and a following slash may match nothing.
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

// longestWord returns the longest part of a pattern between wildcards. It
// excludes the slash after two stars, which may match nothing.
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

// lower lowercases ASCII letters, like git.
func lower(s string) string {
	for i := range len(s) {
		if lowerByte(s[i]) != s[i] {
			b := []byte(s)
			for j := range b {
				b[j] = lowerByte(b[j])
			}
			return string(b)
		}
	}
	return s
}
