package vi

import (
	"slices"
	"strings"
	"unicode"

	"agent/internal/tui/editor/text"
)

// indent is the number of columns by which > shifts a line.
const indent = 4

// span is the range that an operator acts on.
type span struct {
	from, to int
	lines    bool // linewise
	caret    int  // the caret afterwards, unless the operator moves it
	times    int  // how often > shifts a line
}

// isOperator reports whether a key is an operator, including those that are not
// supported, so that the motion after them is not run.
func isOperator(key string) bool {
	return slices.Contains([]string{"d", "c", "y", ">", "<", "gu", "gU", "g~", "=", "!", "gq", "gw", "g?", "g@", "zf"}, key)
}

// doubles reports whether a key repeats the operator, which then acts on lines.
func (c *command) doubles(key string) bool {
	op := c.operator
	return key == op || len(op) == 2 && op[0] == 'g' && key == op[1:]
}

// applyLines applies the operator to as many lines as the count says.
func (v *Vi) applyLines() {
	b := v.b
	to, ok := b.below(v.times() - 1)
	if !ok {
		v.reset()
		return
	}
	s := span{from: b.Caret(), to: to, lines: true, caret: b.Caret()}
	if v.operator != "y" && b.lineEnd(b.Caret()) == to {
		s.caret = min(b.Caret(), b.firstLetter(b.lineStart(b.Caret())))
	}
	v.apply(v.operator, s)
}

// operate applies the operator to the range of a motion.
func (v *Vi) operate(m motion) {
	b := v.b
	s := span{from: min(b.Caret(), m.to), to: max(b.Caret(), m.to), lines: m.lines}
	s.caret = s.from
	switch {
	case s.lines:
	case m.inclusive:
		if s.to < b.lineEnd(s.to) {
			s.to = text.Next(b.String(), s.to)
		}
	case !m.exact && s.to > s.from && b.lineStart(s.to) == s.to && strings.Contains(b.String()[s.from:s.to], "\n"):
		s.to-- // the newline before the start of a line stays
		s.lines = b.inIndent(s.from)
	}
	if v.operator == "d" && !s.lines && strings.Contains(b.String()[s.from:s.to], "\n") {
		s.lines = b.inIndent(s.from) && b.firstLetter(s.to) == b.lineEnd(s.to)
	}
	v.apply(v.operator, s)
}

// inIndent reports whether only whitespace is before an offset in its line.
func (b reader) inIndent(at int) bool { return b.firstLetter(b.lineStart(at)) >= at }

// apply applies an operator to a range.
func (v *Vi) apply(op string, s span) {
	b := v.b
	v.mode = Normal
	b.doc.MoveTo(s.caret)
	if s.lines {
		s.from, s.to = b.lineStart(s.from), b.lineEnd(s.to)
	}
	if op == "y" || (op == "d" || op == "c") && b.String() != "" {
		v.kills.Keep(b.taken(s))
	}
	switch op {
	case "y":
		v.done(false)
	case "d":
		b.cutOut(s)
		v.done(true)
	case "c":
		b.doc.Join()
		b.doc.Edit(s.from, s.to, "")
		v.change(Insert, 1)
	case ">", "<":
		b.shift(op, s)
		v.done(true)
	case "gu", "gU", "g~":
		how := map[string]func(string) string{"gu": strings.ToLower, "gU": strings.ToUpper, "g~": otherCase}[op]
		b.rewrite(s.from, s.to, how(b.String()[s.from:s.to]))
		b.doc.MoveTo(s.caret)
		v.done(true)
	default:
		v.reset()
		v.hold()
	}
}

// rewrite replaces a range if the new text is different.
func (b buffer) rewrite(from, to int, with string) {
	if b.String()[from:to] != with {
		b.doc.Edit(from, to, with)
	}
}

// otherCase swaps uppercase and lowercase letters.
func otherCase(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsUpper(r) {
			return unicode.ToLower(r)
		}
		return unicode.ToUpper(r)
	}, s)
}

// taken returns a range as a kill.
func (b reader) taken(s span) text.Kill {
	k := text.Kill{Text: b.String()[s.from:s.to], Lines: s.lines}
	if s.lines {
		k.Text += "\n"
	}
	return k
}

// cutOut deletes a range. If it is linewise, it also deletes one adjacent newline.
func (b buffer) cutOut(s span) {
	from, to := s.from, s.to
	switch {
	case !s.lines:
	case to < len(b.String()):
		to++
	case from > 0:
		from--
	}
	b.doc.Edit(from, to, "")
	if s.lines {
		b.doc.MoveTo(b.firstLetter(b.lineStart(b.Caret())))
	}
}

// shift implements > and <: it shifts lines right or left.
func (b buffer) shift(op string, s span) {
	by := indent * max(s.times, 1)
	if op == "<" {
		by = -by
	}
	from, to := b.lineStart(s.from), b.lineEnd(s.to)
	if !s.lines && s.to > s.from && s.to == b.lineStart(s.to) {
		to = s.to - 1 // the last line is not in the range
	}
	all := strings.Split(b.String()[from:to], "\n")
	for i, line := range all {
		if words := strings.TrimLeft(line, " \t"); words != "" {
			col := b.Rows().Column(from, from+len(line)-len(words))
			all[i] = strings.Repeat(" ", max(col+by, 0)) + words
		}
		from += len(line) + 1
	}
	from = b.lineStart(s.from)
	b.rewrite(from, to, strings.Join(all, "\n"))
	b.doc.MoveTo(b.firstLetter(from))
}
