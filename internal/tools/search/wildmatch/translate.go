package wildmatch

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// The parts of a translated pattern. They contain only characters that
// go-gitignore passes to package regexp unchanged: no dot, star or question mark. Each byte of a path is one character, see Bytewise.
const (
	anyByte  = `[\x{0}-\x{ff}]`
	notSlash = `[\x{0}-\x{2e}\x{30}-\x{ff}]`
	many     = `{0,}`
)

// Translate returns a line for go-gitignore that matches what git matches with a
// pattern. beginning is the literal part before the pattern's first special
// character, glob the rest. It reports false for a pattern that matches nothing.
//
// The line matches paths made by Bytewise. go-gitignore anchors a line that
// begins with a slash, and lets every line match the content of a directory too,
// which the $ at the end excludes.
func Translate(beginning, glob string, fold bool) (string, bool) {
	var b strings.Builder
	b.WriteByte('/')
	for i := range len(beginning) {
		literal(&b, beginning[i])
	}
	for i := 0; i < len(glob); {
		switch c := glob[i]; c {
		case '\\':
			if i+1 == len(glob) {
				return "", false
			}
			literal(&b, glob[i+1])
			i += 2
		case '?':
			b.WriteString(notSlash)
			i++
		case '*':
			i = stars(&b, glob, i)
		case '[':
			set, next, ok := bracket(glob, i, fold)
			if !ok {
				return "", false
			}
			set.write(&b)
			i = next
		default:
			literal(&b, c)
			i++
		}
	}
	b.WriteByte('$')
	return b.String(), true
}

// stars translates the stars at i and returns where they end. Two or more cross
// directories where they are a whole element of the path; the
// literal beginning counts as one, as in git.
func stars(b *strings.Builder, glob string, i int) int {
	start := i
	for i < len(glob) && glob[i] == '*' {
		i++
	}
	rest := glob[i:]
	whole := i-start > 1 && (start == 0 || glob[start-1] == '/')
	switch {
	case whole && strings.HasPrefix(rest, "/"):
		b.WriteString("(|" + anyByte + many + "/)")
		return i + 1
	case whole && (rest == "" || strings.HasPrefix(rest, `\/`)):
		b.WriteString(anyByte + many)
	default:
		b.WriteString(notSlash + many)
	}
	return i
}

func literal(b *strings.Builder, c byte) {
	if c == '/' {
		b.WriteByte(c)
		return
	}
	fmt.Fprintf(b, `\x{%x}`, c)
}

// Bytewise makes each byte of s one character, because git compares bytes and
// regular expressions compare characters.
func Bytewise(s string) string {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			r := make([]rune, len(s))
			for j := range len(s) {
				r[j] = rune(s[j])
			}
			return string(r)
		}
	}
	return s
}
