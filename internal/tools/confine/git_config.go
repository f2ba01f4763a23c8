package confine

import (
	"slices"
	"strings"

	"agent/internal/tools/gitconfig"
)

// variable is a setting in a git configuration file.
type variable struct {
	section string // lower case, with the subsection as written: "remote origin"
	key     string // lower case
	value   string // as written, with quotes and comments
	line    int    // index of its line
}

// name returns the name of the variable as git prints it: "remote.origin.url".
func (v variable) name() string {
	section, sub, ok := strings.Cut(v.section, " ")
	if ok {
		section += "." + sub
	}
	return section + "." + v.key
}

// gitConfig is a parsed git configuration file.
type gitConfig struct {
	lines     []string // without newlines
	variables []variable
}

// parseGitConfig parses a git configuration file in the form that git itself writes. It
// reports false for other forms that git accepts, such as values of several lines, so
// that no variable is overlooked.
func parseGitConfig(text string) (c gitConfig, ok bool) {
	if strings.ContainsAny(text, "\x00\r\ufeff") {
		return c, false
	}
	if text = strings.TrimSuffix(text, "\n"); text == "" {
		return c, true
	}
	c.lines = strings.Split(text, "\n")
	section := ""
	for i, line := range c.lines {
		line = strings.Trim(line, " \t")
		switch {
		case line == "" || line[0] == '#' || line[0] == ';':
			continue
		case line[0] == '[':
			if section, ok = parseSection(line); !ok {
				return c, false
			}
			continue
		case section == "" || strings.HasSuffix(line, `\`):
			return c, false
		}
		name, value, _ := strings.Cut(line, "=")
		v := variable{section: section, key: strings.ToLower(strings.TrimSpace(name)), value: strings.TrimSpace(value), line: i}
		if !plainName(v.key) {
			return c, false
		}
		c.variables = append(c.variables, v)
	}
	return c, true
}

// parseSection parses a line with a section and nothing after it but a comment.
func parseSection(line string) (section string, ok bool) {
	head, rest, ok := strings.Cut(line[1:], "]")
	rest = strings.TrimSpace(rest)
	if !ok || rest != "" && rest[0] != '#' && rest[0] != ';' {
		return "", false
	}
	name, sub, quoted := strings.Cut(head, ` "`)
	name = strings.ToLower(strings.TrimRight(name, " \t"))
	if !quoted {
		name, sub, quoted = strings.Cut(name, ".") // the old form: [remote.origin]
	} else if sub, ok = strings.CutSuffix(sub, `"`); !ok || strings.ContainsAny(sub, `"\`) {
		return "", false
	}
	if !plainName(name) {
		return "", false
	}
	if quoted {
		name += " " + sub
	}
	return name, true
}

// plainName reports whether name is a valid name of a section or a variable.
func plainName(name string) bool {
	return name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

// runsPrograms reports whether a variable can make git run a program.
func (v variable) runsPrograms() bool {
	section, sub, _ := strings.Cut(v.section, " ")
	value := strings.NewReplacer(`"`, "", `\`, "").Replace(v.value)
	return gitconfig.Variable{Section: section, Subsection: sub, Key: v.key, Value: value}.RunsPrograms()
}

// programs returns the values of the variables that can run programs, by name, in
// the order of the file.
func (c gitConfig) programs() map[string][]variable {
	all := map[string][]variable{}
	for _, v := range c.variables {
		if v.runsPrograms() {
			all[v.name()] = append(all[v.name()], v)
		}
	}
	return all
}

// revert returns after with the variables that can run programs restored from before,
// and the names of the variables that differed. All other changes stay. If it cannot
// parse one of the texts, it returns before, and ok is false.
func revert(before, after string) (text string, names []string, ok bool) {
	old, parsed := parseGitConfig(before)
	now, ok := parseGitConfig(after)
	if !ok || !parsed {
		return before, nil, false
	}
	was, is := old.programs(), now.programs()
	remove := map[int]bool{}
	var restored []variable
	for name, values := range is {
		if sameValues(values, was[name]) {
			continue
		}
		names = append(names, name)
		for _, v := range values {
			remove[v.line] = true
		}
	}
	for name, values := range was {
		if !sameValues(values, is[name]) {
			restored = append(restored, values...)
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	if len(names) == 0 {
		return after, nil, true
	}
	slices.Sort(names)
	slices.SortFunc(restored, func(a, b variable) int { return a.line - b.line })
	var out strings.Builder
	for i, line := range now.lines {
		if !remove[i] {
			out.WriteString(line + "\n")
		}
	}
	for _, v := range restored {
		out.WriteString(v.header() + "\n" + old.lines[v.line] + "\n")
	}
	return out.String(), names, true
}

// header returns the line that begins the section of the variable.
func (v variable) header() string {
	if section, sub, ok := strings.Cut(v.section, " "); ok {
		return "[" + section + ` "` + sub + `"]`
	}
	return "[" + v.section + "]"
}

// sameValues reports whether two lists of variables have the same values.
func sameValues(a, b []variable) bool {
	return slices.EqualFunc(a, b, func(x, y variable) bool { return x.value == y.value })
}
