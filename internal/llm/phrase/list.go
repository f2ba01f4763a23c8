package phrase

import (
	"strconv"
	"strings"
)

// List joins words for a sentence. The word before the last of them is "and" or "or": "a, b and c".
func List(words []string, before string) string {
	n := len(words)
	if n < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:n-1], ", ") + " " + before + " " + words[n-1]
}

// Some joins at most limit words, and says how many more there are: "a, b and 3 more".
func Some(words []string, limit int) string {
	if more := len(words) - limit; more > 0 {
		return strings.Join(words[:limit], ", ") + " and " + strconv.Itoa(more) + " more"
	}
	return strings.Join(words, ", ")
}
