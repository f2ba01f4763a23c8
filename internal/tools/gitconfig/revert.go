package gitconfig

import (
	"cmp"
	"slices"
	"strings"
)

// programs holds the variables of a configuration file that can make git run programs, by
// name, in the order of the file.
type programs map[string][]Variable

// programsIn returns the programs of a configuration file. It reports false if git stops at an
// error in the text, or if the offsets of the variables are not those in the text.
func programsIn(text string) (programs, bool) {
	if strings.ContainsAny(text, "\x00\r\ufeff") {
		return nil, false
	}
	variables, ok := Parse(text)
	all := programs{}
	for _, v := range variables {
		if v.RunsPrograms() {
			all[v.Name()] = append(all[v.Name()], v)
		}
	}
	return all, ok
}

// same reports whether both have the same values of a variable.
func (p programs) same(q programs, name string) bool {
	return slices.EqualFunc(p[name], q[name], func(v, w Variable) bool { return v.Value == w.Value && v.Bare == w.Bare })
}

// changed returns the sorted names of the variables whose values differ.
func (p programs) changed(q programs) (names []string) {
	for _, all := range []programs{p, q} {
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
func (p programs) only(names []string) (out []Variable) {
	for _, name := range names {
		out = append(out, p[name]...)
	}
	slices.SortStableFunc(out, func(v, w Variable) int { return cmp.Compare(v.Start, w.Start) })
	return slices.CompactFunc(out, func(v, w Variable) bool { return v.Start == w.Start })
}

// Changed returns the sorted names of the variables that can run programs and whose values differ
// between two texts of a configuration file. It reports false if it cannot parse one of them.
func Changed(before, after string) (names []string, ok bool) {
	was, parsed := programsIn(before)
	is, ok := programsIn(after)
	return was.changed(is), ok && parsed
}

// Revert returns the text of a configuration file, after, with the variables that can run
// programs restored from before, and the names of the variables that differed. All other
// changes stay. If that is not possible, it returns before, and ok is false.
func Revert(before, after string) (text string, names []string, ok bool) {
	was, parsed := programsIn(before)
	is, ok := programsIn(after)
	if !ok || !parsed {
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
	if now, ok := programsIn(text); !ok || len(was.changed(now)) > 0 {
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
