package dotenv

import (
	"regexp"
	"strings"
	"sync"
)

// parse returns the variables that text sets, as NAME=value. Programs read environment files
// by different rules, so each variable is returned with every value that a program may get,
// and with the parts of these values that are secret on their own. See candidates.
func parse(text string) []string {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(strings.TrimPrefix(text, "\ufeff"))
	c := candidates{seen: map[string]bool{}}
	for variables := 0; text != ""; {
		var line string
		line, text, _ = strings.Cut(text, "\n")
		for _, v := range assignments(line) {
			if variables++; variables > maxVariables || c.size > maxCandidates {
				return c.all
			}
			c.name = v.name
			c.addValue(v.value)
			c.add(continued(v.value, text))
		}
	}
	return c.all
}

// variable is a variable with the rest of its line.
type variable struct{ name, value string }

// assignments returns the variables that a line sets, also those in a comment: a variable that
// was commented out may still hold a secret. It ignores quotes, because an unclosed one would
// hide the variables after it.
func assignments(line string) (all []variable) {
	for _, p := range assigned() {
		for _, m := range p.FindAllStringSubmatchIndex(line, -1) {
			value := strings.TrimSpace(line[m[1]:])
			if strings.Trim(value, "=") != "" { // otherwise there is no value, or = is the padding of base64
				all = append(all, variable{line[m[2]:m[3]], value})
			}
		}
	}
	return all
}

// assigned matches the text of an assignment before the value: NAME=, NAME+=, NAME[0]=,
// ${NAME:= and ${NAME:-, and at the beginning of a line NAME: with a space after it,
// setenv NAME and set -x NAME.
var assigned = patterns(
	`(?:^|[^\w.=-])([\w.-]+)(?:(?:\[[^\]]*\])?[ \t]*[+:]?=|:-)`,
	`^\W*([\w.-]+)["']?[ \t]*:[ \t]`,
	`^\W*(?:setenv|set(?:[ \t]+-\w+)+)[ \t]+([\w.-]+)[ \t]`,
)

func patterns(expressions ...string) func() []*regexp.Regexp {
	return sync.OnceValue(func() (all []*regexp.Regexp) {
		for _, e := range expressions {
			all = append(all, regexp.MustCompile(e))
		}
		return all
	})
}

// continued returns the value that begins with first and continues in the lines after it: up
// to the quote with which it begins, or while lines end with a backslash. It is empty if the
// value does not continue.
func continued(first, following string) string {
	quote := opening(first)
	if first = first[len(quote):]; quote == "" && strings.HasSuffix(first, `\`) {
		for lines := 1; strings.HasSuffix(first, `\`) && lines < maxLines; lines++ {
			var next string
			next, following, _ = strings.Cut(following, "\n")
			first += "\n" + next
		}
		return shortened(first)
	}
	if quote == "" || closing(first, quote) >= 0 {
		return ""
	}
	all := first + "\n" + following
	end := max(closing(all, quote), 0)
	return shortened(all[:end])
}

// shortened returns s up to maxValue bytes and maxLines lines.
func shortened(s string) string {
	lines := strings.SplitN(s[:min(len(s), maxValue)], "\n", maxLines+1)
	return strings.Join(lines[:min(len(lines), maxLines)], "\n")
}

// opening returns the quotes with which value begins, or "".
func opening(value string) string {
	for _, quote := range []string{`"""`, `'''`, `"`, `'`, "`", `$"`, `$'`} {
		if strings.HasPrefix(value, quote) {
			return quote
		}
	}
	return ""
}

// closing returns the index of the quote in s that closes the opening one, or -1. It skips
// characters after a backslash.
func closing(s, quote string) int {
	quote = strings.TrimPrefix(quote, "$")
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' {
			i++
		} else if strings.HasPrefix(s[i:], quote) {
			return i
		}
	}
	return -1
}

// word returns the first word of s as a shell reads it: without its quotes and backslashes.
func word(s string) string {
	var b strings.Builder
	quote := byte(0)
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\' && quote != '\'' && i+1 < len(s):
			i++
			if quote == '"' && !strings.Contains("$`\"\\", s[i:i+1]) {
				b.WriteByte(c)
			}
			b.WriteByte(s[i])
		case c == quote:
			quote = 0
		case quote != 0:
			b.WriteByte(c)
		case c == '"' || c == '\'':
			quote = c
		case strings.Contains(" \t;&|()<>", s[i:i+1]):
			return b.String()
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}
