package dotenv

import "strings"

// parse returns the variables that text sets, as NAME=value, also those in comments: a
// variable that somebody commented out may still hold a secret. A value in double quotes
// with escapes is returned twice, as it is in the file and without the escapes. Values with
// a reference, such as ${HOST}, are left out: they are not what programs get.
func parse(text string) (variables []string) {
	text = strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n")
	for text != "" {
		var line string
		line, text, _ = strings.Cut(text, "\n")
		name, value, ok := strings.Cut(line, "=")
		if name = trimName(name); !ok || !isVariable(name) {
			continue
		}
		value = strings.TrimLeft(value, " \t")
		quoted, rest, quote := unquote(value, text)
		if quote != 0 {
			value, text = quoted, rest
		} else {
			value = withoutComment(value)
		}
		if quote != '\'' && strings.Contains(value, "${") {
			continue
		}
		variables = append(variables, name+"="+value)
		if plain := escapes.Replace(value); quote == '"' && plain != value {
			variables = append(variables, name+"="+plain)
		}
	}
	return variables
}

// escapes replaces escapes in double quotes.
var escapes = strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\"`, `"`, `\\`, `\`, `\$`, `$`)

// trimName returns a name without blanks, the sign of a comment and export before it.
func trimName(s string) string {
	s = strings.TrimLeft(s, "# \t")
	if rest, ok := strings.CutPrefix(s, "export"); ok && strings.TrimLeft(rest, " \t") != rest {
		s = rest
	}
	return strings.TrimSpace(s)
}

// isVariable reports whether s can be the name of a variable.
func isVariable(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-") == ""
}

// unquote returns the text in quotes with which value begins, the lines after it, and the
// quote. The text may continue in the lines that follow value. Quote is 0 if value begins
// with no quote or the text does not end.
func unquote(value, following string) (quoted, rest string, quote byte) {
	if value == "" || !strings.Contains("\"'`", value[:1]) {
		return "", "", 0
	}
	quote, all := value[0], value+"\n"+following
	for i := 1; i < len(all); i++ {
		switch {
		case all[i] == '\\' && quote == '"':
			i++
		case all[i] == quote:
			_, rest, _ = strings.Cut(all[i:], "\n")
			return all[1:i], rest, quote
		}
	}
	return "", "", 0
}

// withoutComment returns a value that is not in quotes, without the comment after it and
// without a quote that is not closed.
func withoutComment(value string) string {
	for i := range value {
		if value[i] == '#' && (i == 0 || value[i-1] == ' ' || value[i-1] == '\t') {
			value = value[:i]
			break
		}
	}
	return strings.TrimLeft(strings.TrimSpace(value), "\"'`")
}
