package export

import (
	"encoding/json"
	"strings"
)

// CallTitle is a call in one line: the tool, and what tells the most of its
// arguments.
func CallTitle(name string, input json.RawMessage) string {
	var fields map[string]any
	if json.Unmarshal(input, &fields) == nil {
		for _, key := range []string{"command", "cmd", "file_path", "notebook_path", "path", "pattern", "query", "url", "description", "skill", "input"} {
			if s := Spoken(fields[key]); s != "" {
				return OneLine(name+" "+telling(s), MaxTitle)
			}
		}
	}
	return OneLine(name, MaxTitle)
}

// telling returns the line of a text that tells the most.
func telling(text string) string {
	for line := range strings.Lines(text) {
		for _, verb := range []string{"*** Update File: ", "*** Add File: ", "*** Delete File: "} { // of a patch as Codex writes it
			if file, ok := strings.CutPrefix(line, verb); ok {
				return file
			}
		}
	}
	return text
}

// Spoken returns a text, or the words of a command line, as they are said.
func Spoken(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []any:
		var out []string
		for _, w := range v {
			if s, ok := w.(string); ok {
				out = append(out, s)
			}
		}
		if len(out) == 3 && (out[1] == "-c" || out[1] == "-lc") {
			return out[2]
		}
		return strings.Join(out, " ")
	}
	return ""
}
