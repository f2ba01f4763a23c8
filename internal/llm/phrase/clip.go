package phrase

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clip returns s, or its first n bytes and an ellipsis if s is longer.
func Clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}

// OneLine is like Clip for s on one line, with single spaces between its words.
func OneLine(s string, n int) string { return Clip(strings.Join(strings.Fields(s), " "), n) }

// Quoted returns a name as it is, or in quotes if it has other characters than those of
// usual identifiers and paths: a name with spaces could look like the words around it.
func Quoted(name string) string {
	plain := func(r rune) bool {
		return r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_-./:@", r))
	}
	if name != "" && !strings.ContainsFunc(name, func(r rune) bool { return !plain(r) }) {
		return name
	}
	return strconv.Quote(name)
}

// Unfence returns the content of text that is one Markdown code fence, otherwise text, in
// both cases without the whitespace around it. Models put JSON in fences.
func Unfence(text string) string {
	text = strings.TrimSpace(text)
	inner, opened := strings.CutPrefix(text, "```")
	inner, closed := strings.CutSuffix(inner, "```")
	_, inner, line := strings.Cut(inner, "\n")
	if !opened || !closed || !line {
		return text
	}
	return strings.TrimSpace(inner)
}
