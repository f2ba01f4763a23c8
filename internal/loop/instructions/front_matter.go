package instructions

import "strings"

// frontMatter splits a Markdown text into its front matter, between two lines of
// three dashes, and the body. It reads the scalar values of the top level, also
// those of several lines, and ignores everything else.
func frontMatter(text string) (values map[string]string, body string) {
	rest, ok := strings.CutPrefix(text, "---\n")
	if !ok {
		return nil, text
	}
	head, body, ok := strings.Cut("\n"+rest, "\n---\n")
	if !ok {
		if head, ok = strings.CutSuffix("\n"+rest, "\n---"); !ok {
			return nil, text
		}
	}
	values = map[string]string{}
	key := ""
	for line := range strings.SplitSeq(head, "\n") {
		name, value, ok := strings.Cut(line, ":")
		indented := line != strings.TrimLeft(line, " \t")
		switch {
		case indented && key != "":
			values[key] = strings.TrimSpace(values[key] + " " + strings.TrimSpace(line))
		case indented || !ok:
		default:
			key = strings.TrimSpace(name)
			values[key] = scalar(strings.TrimSpace(value))
		}
	}
	return values, body
}

// scalar returns a value without its quotes. It returns an empty string for the mark
// of a multi-line value, such as > or |-.
func scalar(value string) string {
	if n := len(value); n >= 2 && value[0] == value[n-1] && (value[0] == '"' || value[0] == '\'') {
		return value[1 : n-1]
	}
	if value != "" && strings.Trim(value, ">|+-0123456789") == "" && strings.ContainsAny(value[:1], ">|") {
		return ""
	}
	return value
}
