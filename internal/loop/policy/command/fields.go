package command

import (
	"regexp"
	"strings"
	"sync"
)

// Separators end a word of a shell, or surround one. Editors and git run the text after Mark.
const (
	Separators = " \t\r\n;&|<>(){}[]'\"\\$`=,"
	Mark       = "!"
)

// Fields splits text that may be a command into words. In a string of code, an escape such as
// \n can also stand for a character between two words.
func Fields(text string) (out []string) {
	split := func(text string) {
		out = append(out, strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(Separators+Mark, r) })...)
	}
	split(text)
	if blank := WithoutEscapes(text); blank != text {
		split(blank)
	}
	return out
}

// WithoutEscapes replaces the escapes of strings in code that can stand for white space or a
// separator of commands by a blank.
func WithoutEscapes(text string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	return escapes().ReplaceAllString(text, " ")
}

var escapes = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\\+([abefnrtv]|x[0-9A-Fa-f]{1,2}|x\{[0-9A-Fa-f]+\}|u[0-9A-Fa-f]{4}|u\{[0-9A-Fa-f]+\}|[0-7]{1,3}|o[0-7]{1,3})`)
})
