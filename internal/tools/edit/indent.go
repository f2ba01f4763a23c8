package edit

import "strings"

// reindent converts the indentation of a text to that of its place in the file.
type reindent struct {
	from, to string // common indentation in the text and in the file
	spaces   int    // spaces per tab; 0 if only the prefix changes
	extra    int    // spaces in addition to the tabs; only with spaces
	tabs     bool   // the file uses tabs; only with spaces
}

// indentOf returns the leading blanks of a line. It reports false for a blank
// line.
func indentOf(line string) (indent string, ok bool) {
	rest := strings.TrimLeft(line, blanks)
	return line[:len(line)-len(rest)], rest != ""
}

// findReindent returns the conversion from old to lines of the file that differ
// only in blanks. It reports false if no conversion fits every line.
func findReindent(old, file []string) (s reindent, ok bool) {
	var text, target []string
	for i := range old {
		h, said := indentOf(old[i])
		if !said {
			continue
		}
		t, _ := indentOf(file[i])
		text, target = append(text, h), append(target, t)
	}
	if s, ok = tabsToSpaces(text, target); !ok {
		s = reindent{from: commonPrefix(text), to: commonPrefix(target)}
	}
	for i := range text {
		if got, ok := s.apply(text[i]); !ok || got != target[i] {
			return reindent{}, false
		}
	}
	return s, true
}

// tabsToSpaces returns the conversion between spaces and tabs, in either
// direction.
func tabsToSpaces(text, target []string) (reindent, bool) {
	s := reindent{tabs: true}
	spaces, tabs := text, target
	if strings.Contains(strings.Join(text, ""), "\t") {
		s.tabs = false
		spaces, tabs = target, text
	}
	if strings.Trim(strings.Join(spaces, ""), " ") != "" || strings.Trim(strings.Join(tabs, ""), "\t") != "" {
		return reindent{}, false
	}
	for i := range tabs {
		// Two different depths determine the width of a tab.
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

// apply converts an indentation. It reports false if that is impossible.
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

// reindented returns r with its new lines reindented. It reports false if a line
// cannot be converted.
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
