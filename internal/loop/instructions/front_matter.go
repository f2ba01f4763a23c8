package instructions

import "strings"

// frontMatter splits a Markdown text into its front matter, between two lines of
// three dashes, and the body. It reads the scalar values of the top level, also
// those of several lines, and lists of scalar values, whose items it joins with ", ".
// It ignores everything else.
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
	key, list := "", false
	for line := range strings.SplitSeq(head, "\n") {
		name, value, ok := strings.Cut(line, ":")
		indented := line != strings.TrimLeft(line, " \t")
		trimmed := strings.TrimSpace(line)
		item, isItem := strings.CutPrefix(trimmed+" ", "- ")
		switch {
		case list && (trimmed == "" || trimmed[0] == '#'):
		case list && isItem:
			values[key] = strings.TrimPrefix(values[key]+", "+scalar(strings.TrimSpace(item)), ", ")
		case indented && key != "":
			values[key], list = strings.TrimSpace(values[key]+" "+trimmed), false
		case indented || !ok || strings.HasPrefix(line, "#"):
		default:
			key = strings.TrimSpace(name)
			value = strings.TrimSpace(value)
			values[key], list = scalar(value), value == ""
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
