// Package gitconfig reads git's configuration files as git does, and says which files
// git runs or reads because of them. It runs nothing. Start reading at Reader.
package gitconfig

import "strings"

// Variable is a setting in a git configuration file.
type Variable struct {
	Section    string // lower case
	Subsection string // as written, without escapes
	Key        string // lower case
	Value      string // without quotes, escapes and comment; empty also for a Bare one
	// Bare is set for a variable without "=", which means true.
	Bare bool
	// Start and End are the offsets of its first byte and of the newline or the end of the
	// text behind it. They do not count a byte order mark, and "\r\n" counts as one byte.
	Start, End int
}

// Name returns the name as git prints it: "remote.origin.url".
func (v Variable) Name() string {
	if v.Subsection != "" {
		return v.Section + "." + v.Subsection + "." + v.Key
	}
	return v.Section + "." + v.Key
}

// Parse returns the variables in the text of a configuration file. It follows the parser in
// git's config.c character by character. If git stops at an error in the text, ok is
// false, and the variables are those before the error. Versions of git differ in white
// space inside a value: Parse then returns the variable twice, first with spaces.
func Parse(text string) (variables []Variable, ok bool) {
	text = strings.TrimPrefix(text, "\ufeff")
	p := parser{text: strings.ReplaceAll(text, "\r\n", "\n")}
	section := ""
	for {
		c := p.next()
		switch {
		case c == '\n' && p.at > len(p.text):
			return variables, true
		case isSpace(c):
		case c == '#' || c == ';':
			for c != '\n' {
				c = p.next()
			}
		case c == '[':
			if section, ok = p.section(); !ok || section == "" {
				return variables, false
			}
			section += "."
		case !isKey(c) || c == '-' || '0' <= c && c <= '9':
			return variables, false
		default:
			start := p.at - 1
			name, values, ok := p.variable(c)
			if !ok {
				return variables, false
			}
			bare := len(values) == 0
			if bare {
				values = []string{""}
			}
			for _, value := range values {
				v := newVariable(section+name, value)
				v.Bare, v.Start, v.End = bare, start, min(p.at-1, len(p.text))
				variables = append(variables, v)
			}
		}
	}
}

// newVariable splits the name of a variable like git. Both texts end at a NUL.
func newVariable(name, value string) Variable {
	name, _, _ = strings.Cut(name, "\x00")
	value, _, _ = strings.Cut(value, "\x00")
	v := Variable{Key: name, Value: value}
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		v.Section, v.Key = name[:i], name[i+1:]
		v.Section, v.Subsection, _ = strings.Cut(v.Section, ".")
	}
	return v
}

// parser reads the text of a configuration file, whose lines end with "\n". After the end
// it reads newlines.
type parser struct {
	text string
	at   int
}

func (p *parser) next() byte {
	p.at++
	if p.at > len(p.text) {
		return '\n'
	}
	return p.text[p.at-1]
}

// section reads the rest of a header: core], remote "origin"] or remote.origin].
func (p *parser) section() (name string, ok bool) {
	var out []byte
	c := p.next()
	for ; !isSpace(c); c = p.next() {
		switch {
		case c == ']':
			return string(out), true
		case !isKey(c) && c != '.':
			return "", false
		}
		out = append(out, lower(c))
	}
	for isSpace(c) && c != '\n' {
		c = p.next()
	}
	if c != '"' {
		return "", false
	}
	out = append(out, '.')
	for c = p.next(); c != '"'; c = p.next() {
		if c == '\\' {
			c = p.next()
		}
		if c == '\n' {
			return "", false
		}
		out = append(out, c)
	}
	return string(out), p.next() == ']'
}

// variable reads the rest of a variable whose name begins with c, up to the newline behind it.
// One without "=" has no values.
func (p *parser) variable(c byte) (name string, values []string, ok bool) {
	var out []byte
	for ; isKey(c); c = p.next() {
		out = append(out, lower(c))
	}
	for c == ' ' || c == '\t' {
		c = p.next()
	}
	switch c {
	case '\n':
		return string(out), nil, true
	case '=':
		values, ok = p.value()
		return string(out), values, ok
	}
	return "", nil, false
}

// value reads a value: once if all versions of git read the same, otherwise first as
// those that replace white space.
func (p *parser) value() (values []string, ok bool) {
	var spaces, verbatim, white []byte // white is not part of the value yet
	quoted := false
	for {
		c := p.next()
		switch {
		case c == '\n':
			values = []string{string(spaces)}
			if string(verbatim) != string(spaces) {
				values = append(values, string(verbatim))
			}
			return values, !quoted
		case isSpace(c) && !quoted:
			if len(spaces) > 0 {
				white = append(white, c)
			}
			continue
		case (c == '#' || c == ';') && !quoted:
			for c != '\n' {
				c = p.next()
			}
			p.at-- // the newline ends the value
			continue
		}
		for _, w := range white {
			spaces, verbatim = append(spaces, ' '), append(verbatim, w)
		}
		white = white[:0]
		switch c {
		case '"':
			quoted = !quoted
			continue
		case '\\':
			if c = p.next(); c == '\n' {
				continue
			}
			i := strings.IndexByte(`tbn\"`, c)
			if i < 0 {
				return nil, false
			}
			c = "\t\b\n\\\""[i]
		}
		spaces, verbatim = append(spaces, c), append(verbatim, c)
	}
}

// isSpace, isKey and lower are about ASCII, in git's sense.
func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

func isKey(c byte) bool {
	return 'a' <= lower(c) && lower(c) <= 'z' || '0' <= c && c <= '9' || c == '-'
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
