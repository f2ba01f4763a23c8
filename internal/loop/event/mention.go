package event

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Resources returns the resources of MCP servers that a text may mention, each once:
// "shop:stock://tea" for "see @shop:stock://tea." and for `see @"shop:stock://tea".`. Which
// servers exist is not known here. Agents are not among them: see Mention.
func Resources(text string) (all []string) {
	for at := strings.IndexByte(text, '@'); at >= 0; at = strings.IndexByte(text, '@') {
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		begins := at == 0 || unicode.IsSpace(before) || strings.ContainsRune(`([{<"'`, before)
		text = text[at+1:]
		if !begins || strings.HasPrefix(text, strings.TrimPrefix(Mention, "@")) {
			continue
		}
		name := text[:len(text)-len(strings.TrimLeftFunc(text, func(r rune) bool { return !unicode.IsSpace(r) }))]
		if quoted, ok := strings.CutPrefix(text, `"`); ok {
			name, _, _ = strings.Cut(quoted, `"`)
			name, _, _ = strings.Cut(name, "\n")
		} else {
			name = withoutEnd(name)
		}
		server, uri, ok := strings.Cut(name, ":")
		valid := func(r rune) bool { return r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' || r == '_' }
		if ok && server != "" && uri != "" && strings.TrimFunc(server, valid) == "" && !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	return all
}

// withoutEnd removes the punctuation after a URI that ends a sentence or closes a bracket.
func withoutEnd(uri string) string {
	for {
		last, size := utf8.DecodeLastRuneInString(uri)
		rest := uri[:len(uri)-size]
		switch {
		case size == 0:
			return uri
		case strings.ContainsRune(`.,;:!?"'>`, last):
		case unopened(rest, last, ')', "("), unopened(rest, last, ']', "["), unopened(rest, last, '}', "{"):
		default:
			return uri
		}
		uri = rest
	}
}

// unopened reports whether last is a closing bracket that has no opening one in rest.
func unopened(rest string, last, closing rune, opening string) bool {
	return last == closing && strings.Count(rest, opening) <= strings.Count(rest, string(closing))
}
