package dotenv

import (
	"regexp"
	"strings"
)

// Minimum lengths of the parts of a value that count as values themselves. Ordinary text
// contains shorter ones too often.
const (
	minPart = 8  // bytes between references
	minLine = 16 // bytes of a line
)

// candidates collects the possible values of the variable name.
type candidates struct {
	name string
	all  []string // as NAME=value
	seen map[string]bool
	size int // bytes of all
}

// addValue adds what programs may read from the rest of a line after NAME=.
func (c *candidates) addValue(value string) {
	value = value[:min(len(value), maxValue)]
	if passwordReference().MatchString(value) {
		return
	}
	c.add(value)
	plain := value
	if m := comment().FindStringIndex(value); m != nil {
		plain = value[:m[0]]
		c.add(plain)
	}
	if i := strings.IndexByte(value, '#'); i >= 0 {
		c.add(value[:i])
	}
	quote := opening(value)
	if i := strings.IndexAny(value, " \t"); i >= 0 && quote == "" {
		c.add(value[:i])
	}
	if quote != "" {
		inner := value[len(quote):]
		c.add(inner[:max(closing(inner, quote), 0)])
		inner, _, _ = strings.Cut(inner, strings.TrimPrefix(quote, "$"))
		c.add(inner)
	}
	c.add(word(value))
	c.addParts(plain)
}

// addParts adds the text between references to other variables. It leaves out parts with a
// slash or a blank, because they belong to a path, an address or ordinary text.
func (c *candidates) addParts(value string) {
	parts := reference().Split(value, -1)
	for _, part := range parts {
		if part = trim(part); len(parts) > 1 && len(part) >= minPart && !strings.ContainsAny(part, "/ \t") {
			c.add(part)
		}
	}
}

// add adds a value with and without its escapes, and the lines of a value that has several.
// It leaves out the quotes and separators around them, with which an ordinary word would look
// like a secret. It also leaves out lines that set variables.
func (c *candidates) add(value string) {
	for _, v := range []string{value, unescape(value)} {
		if v = trim(v); v == "" || isHollow(v) || !c.addOne(v) || !strings.Contains(v, "\n") {
			continue
		}
		c.addOne(strings.ReplaceAll(v, "\n", "\r\n"))
		for line := range strings.SplitSeq(v, "\n") {
			if line = trim(line); len(line) >= minLine && len(assignments(line)) == 0 && !isHollow(line) {
				c.addOne(line)
			}
		}
	}
}

// addOne adds a value and reports whether it is new.
func (c *candidates) addOne(value string) bool {
	v := c.name + "=" + value
	if c.seen[v] {
		return false
	}
	c.seen[v] = true
	c.all = append(c.all, v)
	c.size += len(v)
	return true
}

// trim returns s without the blanks, quotes and separators around it, and without a closing
// bracket at its end that has no opening one.
func trim(s string) string {
	const around = " \t\n\"'`"
	s = strings.TrimRight(s, around+`;,:\`)
	for _, brackets := range []string{"()", "[]", "{}"} {
		rest, ok := strings.CutSuffix(s, brackets[1:])
		if ok && strings.Count(rest, brackets[1:]) >= strings.Count(rest, brackets[:1]) {
			s = strings.TrimRight(rest, around)
		}
	}
	if quote := opening(s); strings.HasPrefix(quote, "$") {
		s = s[1:]
	}
	return strings.TrimLeft(s, around)
}

// unescape returns s without the backslashes of escapes.
func unescape(s string) string {
	return escape().ReplaceAllStringFunc(s, func(e string) string {
		switch e[1] {
		case 'n':
			return "\n"
		case 'r':
			return "\r"
		case 't':
			return "\t"
		case '\n': // a continued line
			return ""
		}
		return e[1:]
	})
}

// isHollow reports whether a value consists of references or of the first or last line of a
// PEM file, and at most a short text. Such a value is not a secret.
func isHollow(value string) bool {
	rest := shared().ReplaceAllString(value, "")
	return rest != value && len(trim(rest)) < minPart
}

var (
	comment   = pattern(`[ \t]#`)
	escape    = pattern(`(?s)\\.`)
	reference = pattern(`\$\{[^}]*\}?|\$[A-Za-z_]\w*`)
	shared    = pattern(`\$\{[^}]*\}|-----[A-Z ]*(?:-----)?`)

	// passwordReference matches a URL with a reference instead of a password.
	passwordReference = pattern(`://[^/\s]*:\$\{\w+\}@`)
)

func pattern(expression string) func() *regexp.Regexp {
	all := patterns(expression)
	return func() *regexp.Regexp { return all()[0] }
}
