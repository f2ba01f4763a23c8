package tui

import (
	"fmt"
	"strings"
)

// pasteLimit is the size in bytes from which a paste is shown as a token: every
// key would cost the more, the longer the text.
const pasteLimit = 2 << 10

// pastes holds what was pasted, by the token that stands for it.
type pastes map[string]string

// collapse returns text itself, or a token for much of it.
func (p pastes) collapse(text string) string {
	if len(text) <= pasteLimit {
		return text
	}
	size := count(strings.Count(strings.TrimSuffix(text, "\n"), "\n")+1, "line")
	token := fmt.Sprintf("[pasted %s]", size)
	for n := 2; p[token] != "" && p[token] != text; n++ {
		token = fmt.Sprintf("[pasted %s, no. %d]", size, n)
	}
	p[token] = text
	return token
}

// expand writes out every token in text. What was pasted is not looked into for
// tokens.
func (p pastes) expand(text string) string {
	var pairs []string
	for token, pasted := range p {
		pairs = append(pairs, token, pasted)
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// endOf returns the token that text ends in, if any.
func (p pastes) endOf(text string) string {
	for token := range p {
		if strings.HasSuffix(text, token) {
			return token
		}
	}
	return ""
}
