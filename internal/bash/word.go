package bash

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Word is a word of a command.
type Word struct {
	// Text is the word after quote removal. For an unknown word it is its source.
	Text string
	Kind Kind
	// Pattern is the pattern of a wildcard, in which a backslash quotes the next character;
	// empty for other words.
	Pattern string
}

// Kind says how far the value of a word is known.
type Kind int

// The values of Kind.
const (
	Literal  Kind = iota
	Wildcard      // the word is a pattern of file names
	Unknown       // the value depends on a variable, a substitution or the like
)

// literal collects the value of a word.
type literal struct {
	text    strings.Builder // after quote removal
	pattern strings.Builder // the same as a pattern, quoted characters escaped
	wild    bool            // an unquoted * or ?
	bracket bool            // an unquoted [
	brace   bool            // an unquoted {
	list    bool            // a comma or two dots, which with braces make a list
	unknown bool
}

// Word returns the value of a word.
func (l *Line) Word(w *syntax.Word) Word {
	var v literal
	for i, part := range w.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			v.unquoted(part.Value, i == 0)
		case *syntax.SglQuoted:
			v.unknown = v.unknown || part.Dollar
			v.quoted(part.Value)
		case *syntax.DblQuoted:
			v.unknown = v.unknown || part.Dollar
			l.doubleQuoted(&v, part)
		default:
			v.unknown = true
		}
	}
	text := v.text.String()
	switch {
	case v.unknown, v.brace && (v.list || strings.Contains(text, "..")):
		return Word{Text: l.Text(w), Kind: Unknown}
	case v.wild, v.bracket && strings.Contains(text, "]"):
		return Word{Text: text, Kind: Wildcard, Pattern: v.pattern.String()}
	}
	return Word{Text: text}
}

// quoted adds text that has no meaning to the shell.
func (v *literal) quoted(text string) {
	v.text.WriteString(text)
	for _, r := range text {
		if strings.ContainsRune(`\*?[]`, r) {
			v.pattern.WriteByte('\\')
		}
		v.pattern.WriteRune(r)
	}
}

// doubleQuoted adds text in double quotes, in which a backslash only escapes characters that
// have a meaning there.
func (l *Line) doubleQuoted(v *literal, q *syntax.DblQuoted) {
	for _, part := range q.Parts {
		if text, ok := l.Printed(part); ok {
			v.quoted(text)
			continue
		}
		lit, ok := part.(*syntax.Lit)
		if !ok {
			v.unknown = true
			continue
		}
		var b strings.Builder
		for i := 0; i < len(lit.Value); i++ {
			if c := lit.Value[i]; c == '\\' && i+1 < len(lit.Value) {
				switch next := lit.Value[i+1]; next {
				case '$', '`', '"', '\\':
					b.WriteByte(next)
					i++
					continue
				case '\n':
					i++
					continue
				}
			}
			b.WriteByte(lit.Value[i])
		}
		v.quoted(b.String())
	}
}

// unquoted adds text outside quotes. first is set for the beginning of the word.
func (v *literal) unquoted(text string, first bool) {
	previous := rune(0)
	if !first {
		previous = '='
	}
	escaped := false
	for _, r := range text {
		if escaped {
			escaped = false
			if r != '\n' {
				v.quoted(string(r))
			}
			previous = r
			continue
		}
		switch r {
		case '\\':
			escaped = true
			continue
		case '*', '?':
			v.wild = true
		case '[':
			v.bracket = true
		case '{':
			v.brace = true
		case ',':
			v.list = true
		case '~':
			v.unknown = v.unknown || previous == 0 || previous == '=' || previous == ':'
		case '$', '`', '<', '>', '|', '&', ';', '(', ')', '"', '\'', '\n':
			v.unknown = true // the parser leaves these to nodes of their own
		}
		v.text.WriteRune(r)
		v.pattern.WriteRune(r)
		previous = r
	}
	v.unknown = v.unknown || escaped
}
