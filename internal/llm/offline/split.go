package offline

import "strings"

// segments cuts a paragraph into what may be a request each. It is open if the
// last one ends in content, which then goes on to the end of the prompt.
func (g *grammar) segments(q quotes, paragraph string) (out []string, open bool) {
	lines := strings.Split(paragraph, "\n")
	for i, line := range lines {
		line = g.marks.ReplaceAllString(line, "")
		if strings.TrimSpace(line) == "" {
			continue
		}
		if out = append(out, g.split(q, line)...); len(out) > maxRequests {
			break
		}
		if last := &out[len(out)-1]; g.opens.MatchString(*last) {
			if i+1 < len(lines) {
				*last += "\n" + strings.Join(lines[i+1:], "\n")
			}
			return out, true
		}
	}
	return out, false
}

// salvage reads the beginning of what is not understood as a whole, if that is
// a request that changes nothing: "read a.go and tell me what it does".
func (g *grammar) salvage(q quotes, s string) []request {
	if len(s) <= maxLine {
		for _, at := range g.joint.FindAllStringIndex(s, maxJoints) {
			begin, rest := g.requests(q, s[:at[0]]), s[at[1]:]
			if len(begin) == 0 || !reads(begin[0].verb) {
				continue
			}
			if begin[0].verb == read && fileLike(rest) { // "read a.go lines 1-9 and b.go"
				return append(begin, g.requests(q, "read "+rest)...)
			}
			return append(begin, request{said: q.restore(rest)})
		}
	}
	return []request{{said: q.restore(s)}}
}

// split cuts a line before what is a request of its own.
func (g *grammar) split(q quotes, line string) []string {
	var out []string
	start := 0
	joints := g.joint.FindAllStringIndex(line, maxJoints)
	if len(line) > maxLine || strings.HasPrefix(strings.TrimSpace(line), "!") {
		joints = nil
	}
	for i, at := range joints {
		if at[0] < start {
			continue
		}
		before, sign, rest := line[start:at[0]], line[at[0]:at[1]], line[at[1]:]
		if g.parts(g.verbOf(q, before), sign, rest, g.begins(q, line, joints[i:])) {
			out = append(out, before)
			start = at[1]
		}
	}
	return append(out, line[start:])
}

// parts reports whether sign ends a request of that verb, given what follows
// and whether that begins with a request.
func (g *grammar) parts(before verb, sign, rest string, begins bool) bool {
	semicolon := strings.Contains(sign, ";")
	strong := semicolon || strings.Contains(strings.ToLower(sign), "then")
	switch before {
	case unknown:
		return begins && strong // "replace this and that with …" is not yet whole
	case run:
		return begins && !(semicolon && g.shell.MatchString(rest))
	case create, extend:
		return begins
	}
	return begins || strong
}

// begins reports whether a request begins after the first of joints and ends
// at one of the next few, or with the line.
func (g *grammar) begins(q quotes, line string, joints [][]int) bool {
	start := joints[0][1]
	const tries = 4
	for i := 1; i <= tries && i < len(joints); i++ {
		if g.verbOf(q, line[start:joints[i][0]]) != unknown {
			return true
		}
	}
	return g.verbOf(q, line[start:]) != unknown
}

func (g *grammar) verbOf(q quotes, s string) verb {
	if rs := g.requests(q, s); len(rs) > 0 {
		return rs[0].verb
	}
	return unknown
}
