package tui

import (
	"fmt"
	"strings"
)

// pasteLimit is the size in bytes from which a paste is shown as a token: every
// key costs the more, the longer the text is.
const pasteLimit = 2 << 10

// pasteFloor is the same where much is in the editor already.
const pasteFloor = 100

// pastes holds what was pasted, by the token that stands for it.
type pastes map[string]string

// collapse returns text itself, or a token for what is too much of it to go
// with typed bytes.
func (p pastes) collapse(text string, typed int) string {
	if len(text) <= max(pasteLimit-typed, pasteFloor) {
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
	if len(p) == 0 {
		return text
	}
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
