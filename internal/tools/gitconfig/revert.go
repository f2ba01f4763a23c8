package gitconfig

import (
	"cmp"
	"slices"
	"strings"
)

// settings holds variables of a configuration file by name, in the order of the file.
type settings map[string][]Variable

// compared returns the variables of two texts of a configuration file, before and after a command,
// that need approval, with all values that they have in one of the texts. It reports false if git
// stops at an error in a text, or if the offsets of the variables are not those in the text.
func compared(r Repository, before, after string) (was, is settings, parsed bool) {
	if strings.ContainsAny(before+after, "\x00\r\ufeff") {
		return nil, nil, false
	}
	old, readOld := Parse(before)
	now, readNow := Parse(after)
	j := newJudge(r, old, now)
	needs := map[string]bool{}
	for _, v := range slices.Concat(old, now) {
		needs[v.Name()] = needs[v.Name()] || !j.harmless(v)
	}
	those := func(all []Variable) settings {
		out := settings{}
		for _, v := range all {
			if needs[v.Name()] {
				out[v.Name()] = append(out[v.Name()], v)
			}
		}
		return out
	}
	return those(old), those(now), readOld && readNow
}

// same reports whether both have the same values of a variable.
func (p settings) same(q settings, name string) bool {
	return slices.EqualFunc(p[name], q[name], func(v, w Variable) bool { return v.Value == w.Value && v.Bare == w.Bare })
}

// changed returns the sorted names of the variables whose values differ.
func (p settings) changed(q settings) (names []string) {
	for _, all := range []settings{p, q} {
		for name := range all {
			if !p.same(q, name) && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names
}

// only returns the variables with these names, in the order of the file. It has a variable
// once that versions of git read differently.
func (p settings) only(names []string) (out []Variable) {
	for _, name := range names {
		out = append(out, p[name]...)
	}
	slices.SortStableFunc(out, func(v, w Variable) int { return cmp.Compare(v.Start, w.Start) })
	return slices.CompactFunc(out, func(v, w Variable) bool { return v.Start == w.Start })
}

// Changed returns the sorted names of the variables that need approval and whose values differ
// between two texts of a configuration file. It reports false if it cannot parse one of them.
func (r Repository) Changed(before, after string) (names []string, ok bool) {
	was, is, ok := compared(r, before, after)
	return was.changed(is), ok
}

// Revert returns the text of a configuration file, after, with the variables that need approval
// restored from before, and the names of the variables that differed. All other changes stay.
// If that is not possible, it returns before, and ok is false.
func (r Repository) Revert(before, after string) (text string, names []string, ok bool) {
	was, is, ok := compared(r, before, after)
	if !ok {
		return before, nil, false
	}
	if names = was.changed(is); len(names) == 0 {
		return after, nil, true
	}
	var out strings.Builder
	at := 0
	for _, v := range is.only(names) {
		start, end := lines(after, v)
		out.WriteString(after[at:start])
		at = end
	}
	out.WriteString(after[at:])
	if s := out.String(); s != "" && !strings.HasSuffix(s, "\n") {
		out.WriteByte('\n')
	}
	for _, v := range was.only(names) {
		start, end := lines(before, v)
		out.WriteString(header(v) + "\n" + strings.TrimSuffix(before[start:end], "\n") + "\n")
	}
	text = out.String()
	if left, ok := r.Changed(before, text); !ok || len(left) > 0 {
		return before, nil, false
	}
	return text, names, true
}

// lines returns where the lines of a variable begin and end in a text. A section header that
// is on the same line, and the newline then, are not part of them.
func lines(text string, v Variable) (start, end int) {
	start = strings.LastIndexByte(text[:v.Start], '\n') + 1
	if strings.Trim(text[start:v.Start], " \t") != "" {
		return v.Start, v.End
	}
	return start, min(v.End+1, len(text))
}

// header returns the line that begins the section of a variable.
func header(v Variable) string {
	if v.Subsection == "" {
		return "[" + v.Section + "]"
	}
	return "[" + v.Section + ` "` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(v.Subsection) + `"]`
}
