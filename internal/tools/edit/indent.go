package edit

import "strings"

// reindent is how the indentation of a text becomes that of the place in the file
// that it stands for.
type reindent struct {
	from, to string // what the lines begin with, here and there
	spaces   int    // how many make a tab; 0 if the rest of the indentation is the same
	extra    int    // spaces more than the tabs account for; only with spaces
	tabs     bool   // the file has the tabs; only with spaces
}

// indentOf returns the blanks that a line begins with; ok is false for a line
// of nothing else.
func indentOf(line string) (indent string, ok bool) {
	rest := strings.TrimLeft(line, blanks)
	return line[:len(line)-len(rest)], rest != ""
}

// findReindent finds the shift from the lines of old to as many of the file that
// differ from them in blanks alone. It is not ok if there is none that makes
// every indentation of old that of the file.
func findReindent(old, file []string) (s reindent, ok bool) {
	var here, there []string
	for i := range old {
		h, said := indentOf(old[i])
		if !said {
			continue
		}
		t, _ := indentOf(file[i])
		here, there = append(here, h), append(there, t)
	}
	if s, ok = tabsToSpaces(here, there); !ok {
		s = reindent{from: commonPrefix(here), to: commonPrefix(there)}
	}
	for i := range here {
		if got, ok := s.apply(here[i]); !ok || got != there[i] {
			return reindent{}, false
		}
	}
	return s, true
}

// tabsToSpaces finds the shift from spaces to tabs or back.
func tabsToSpaces(here, there []string) (reindent, bool) {
	s := reindent{tabs: true}
	spaces, tabs := here, there
	if strings.Contains(strings.Join(here, ""), "\t") {
		s.tabs = false
		spaces, tabs = there, here
	}
	if strings.Trim(strings.Join(spaces, ""), " ") != "" || strings.Trim(strings.Join(tabs, ""), "\t") != "" {
		return reindent{}, false
	}
	for i := range tabs {
		// Two depths say how much a tab is.
		if n := len(tabs[i]) - len(tabs[0]); n != 0 {
			s.spaces = (len(spaces[i]) - len(spaces[0])) / n
			s.extra = len(spaces[0]) - s.spaces*len(tabs[0])
			return s, s.spaces > 0
		}
	}
	if len(tabs[0]) == 0 || len(spaces[0])%len(tabs[0]) != 0 {
		return reindent{}, false
	}
	s.spaces = len(spaces[0]) / len(tabs[0])
	return s, 2 <= s.spaces && s.spaces <= 8
}

func commonPrefix(indents []string) string {
	p := indents[0]
	for _, s := range indents[1:] {
		for !strings.HasPrefix(s, p) {
			p = p[:len(p)-1]
		}
	}
	return p
}

// apply returns an indentation as it is to be in the file. It is not ok for one
// of which that cannot be told.
func (s reindent) apply(indent string) (string, bool) {
	switch {
	case s.spaces == 0:
		rest, ok := strings.CutPrefix(indent, s.from)
		return s.to + rest, ok
	case s.tabs:
		n := len(indent) - s.extra
		if strings.Contains(indent, "\t") || n < 0 || n%s.spaces != 0 {
			return "", false
		}
		return strings.Repeat("\t", n/s.spaces), true
	}
	n := len(indent)*s.spaces + s.extra
	if strings.Contains(indent, " ") || n < 0 {
		return "", false
	}
	return strings.Repeat(" ", n), true
}

// reindented returns r with its new lines shifted. It is not ok if that cannot be
// done with all of them.
func (r *lineReplacement) reindented(s reindent) (*lineReplacement, bool) {
	out := *r
	out.lines = make([]Line, len(r.lines))
	for i, l := range r.lines {
		if indent, said := indentOf(l.Text); said && l.Op == Insert {
			to, ok := s.apply(indent)
			if !ok || mixed(to) && !mixed(indent) {
				return nil, false
			}
			l.Text = to + l.Text[len(indent):]
		}
		out.lines[i] = l
	}
	return &out, true
}

func mixed(indent string) bool {
	return strings.Contains(indent, " ") && strings.Contains(indent, "\t")
}
