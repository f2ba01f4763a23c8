// Package quote recognizes tool calls in text, which a model may only repeat when it writes
// one. It decides nothing about such a call. Start reading at In.
package quote

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// In reports whether one of the texts holds the call of a tool with these arguments, as
// JSON, in any of the forms in which models write calls. It compares only visible ASCII
// characters, and also what is inside strings of JSON.
func In(texts []string, tool, arguments string) bool {
	var args any
	if json.Unmarshal([]byte(arguments), &args) != nil {
		args = arguments
	}
	var words []string
	leaves(args, func(s string) { words = append(words, squeeze(s)) })
	head := regexp.MustCompile(`("name":"|"tool":"|"tool_name":"|"function":"|<function=|<invokename="|to=|functions\.|Action:|TOOL_CALLS\]|tool_call>|tool_call_begin\|>|toolsep>|toolcallbegin>)` + regexp.QuoteMeta(squeeze(tool)))
	for _, text := range texts {
		for range maxNested {
			if near(squeeze(text), head, words, 2*len(arguments)+maxAround) {
				return true
			}
			next := escaped.ReplaceAllStringFunc(text, unescape)
			if next == text {
				break
			}
			text = next
		}
	}
	return false
}

// WithoutPrefixes returns a text without the numbers and paths that tools put before lines.
func WithoutPrefixes(text string) string { return linePrefix.ReplaceAllString(text, "") }

const (
	// maxAround is how much text may be between the parts of a quoted call, in bytes.
	maxAround = 300
	// maxNested is how deep strings of JSON inside each other are compared.
	maxNested = 4
)

var (
	linePrefix = regexp.MustCompile(`(?m)^(\s*\d+[\t:|-] ?|[^\s:]+[:-]\d+[:-])`)
	escaped    = regexp.MustCompile(`\\(u[0-9a-fA-F]{4}|.)`)
	unmatched  = regexp.MustCompile(`[^!-~]+`)
)

// unescape returns the character of an escape of JSON. Half of a surrogate pair becomes a
// replacement character.
func unescape(escape string) string {
	if code, err := strconv.ParseUint(strings.TrimPrefix(escape, `\u`), 16, 16); err == nil && strings.HasPrefix(escape, `\u`) {
		return string(rune(code))
	}
	if s, err := strconv.Unquote(`"` + escape + `"`); err == nil {
		return s
	}
	return escape[1:]
}

// squeeze returns the visible ASCII characters of s: all others can be written in several
// ways, and invalid ones are replaced when JSON is decoded.
func squeeze(s string) string { return unmatched.ReplaceAllString(s, "") }

// leaves passes all strings in a decoded JSON value to f.
func leaves(v any, f func(string)) {
	switch v := v.(type) {
	case string:
		f(v)
	case []any:
		for _, e := range v {
			leaves(e, f)
		}
	case map[string]any:
		for _, e := range v {
			leaves(e, f)
		}
	}
}

// near reports whether all words are in doc at most distance bytes from a match of head.
func near(doc string, head *regexp.Regexp, words []string, distance int) bool {
	for at := 0; at < len(doc); {
		m := head.FindStringIndex(doc[at:])
		if m == nil {
			return false
		}
		at += m[0]
		part := doc[max(0, at-distance):min(len(doc), at+2*distance)] // around all heads in the next distance bytes
		if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(part, w) }) {
			return true
		}
		at += distance
	}
	return false
}
