package export

import (
	"encoding/json"
	"strings"
)

// CallTitle returns the tool and the most informative argument of a call on one line.
func CallTitle(name string, input json.RawMessage) string {
	var fields map[string]any
	if json.Unmarshal(input, &fields) == nil {
		for _, key := range []string{"command", "cmd", "file_path", "notebook_path", "path", "pattern", "query", "url", "description", "skill", "input"} {
			if s := commandText(fields[key]); s != "" {
				return OneLine(name+" "+patchPath(s), MaxTitle)
			}
		}
	}
	return OneLine(name, MaxTitle)
}

// patchPath returns the first path in a patch of Codex; any other text as it is.
func patchPath(text string) string {
	for line := range strings.Lines(text) {
		for _, verb := range []string{"*** Update File: ", "*** Add File: ", "*** Delete File: "} {
			if file, ok := strings.CutPrefix(line, verb); ok {
				return file
			}
		}
	}
	return text
}

// commandText returns v if it is a string, or the command line if it is an argument
// list; the script of "sh -c".
func commandText(v any) string {
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
