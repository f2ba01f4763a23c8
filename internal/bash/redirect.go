package bash

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Redirect is a redirection of a command.
type Redirect struct {
	FD     string // the descriptor, empty for the default of the operator
	Op     string // > >> < >& and the like
	Target Word   // a literal or unknown word
	// Text is the input that a here-document or a here-string gives to a program that only
	// reads it as text; nil for other redirections.
	Text *string
}

// Redirect returns a redirection with the value of its target.
func (l *Line) Redirect(d *syntax.Redirect) Redirect {
	re := Redirect{Op: d.Op.String()}
	if d.N != nil {
		re.FD = d.N.Value
	}
	if d.Word != nil {
		re.Target = l.Word(d.Word)
	}
	if re.Target.Kind == Wildcard {
		re.Target = Word{Text: re.Target.Text, Kind: Unknown}
	}
	if text, ok := l.input(d); ok {
		re.Text = &text
	}
	return re
}

// input returns the input that a here-document or a here-string gives to a program. It
// reports false if bash would expand it, or if it is not for the standard input.
func (l *Line) input(d *syntax.Redirect) (text string, ok bool) {
	if d.N != nil && d.N.Value != "0" || d.Word == nil {
		return "", false
	}
	if d.Op == syntax.WordHdoc {
		w := l.Word(d.Word)
		return w.Text + "\n", w.Kind == Literal
	}
	if d.Op != syntax.Hdoc && d.Op != syntax.DashHdoc {
		return "", false
	}
	var b strings.Builder
	if d.Hdoc != nil {
		for _, part := range d.Hdoc.Parts {
			lit, plain := part.(*syntax.Lit)
			if !plain {
				return "", false
			}
			b.WriteString(lit.Value)
		}
	}
	text = b.String()
	if !quotes(d.Word) && text != "" && (strings.ContainsAny(text, "$`") || !strings.Contains(l.source, text) || strings.Contains(l.Text(d.Hdoc), `\`)) {
		return "", false
	}
	if d.Op == syntax.DashHdoc {
		lines := strings.SplitAfter(text, "\n")
		for i := range lines {
			lines[i] = strings.TrimLeft(lines[i], "\t")
		}
		text = strings.Join(lines, "")
	}
	return text, text == "" || strings.HasSuffix(text, "\n")
}

// quotes reports whether a delimiter has quotes: bash then expands nothing in its
// here-document.
func quotes(delimiter *syntax.Word) bool {
	return slices.ContainsFunc(delimiter.Parts, func(part syntax.WordPart) bool {
		switch part := part.(type) {
		case *syntax.SglQuoted:
			return !part.Dollar
		case *syntax.DblQuoted:
			return !part.Dollar
		case *syntax.Lit:
			return strings.Contains(part.Value, `\`)
		}
		return false
	})
}

// Printed returns the value of a command substitution that only prints a here-document:
// $(cat <<'EOF' …). Many commit messages have this form.
func (l *Line) Printed(n syntax.Node) (text string, ok bool) {
	c, isSubst := n.(*syntax.CmdSubst)
	if !isSubst || c.TempFile || c.ReplyVar || len(c.Stmts) != 1 {
		return "", false
	}
	s := c.Stmts[0]
	call, isCall := s.Cmd.(*syntax.CallExpr)
	if !isCall || s.Negated || s.Background || s.Coprocess || s.Disown || len(s.Redirs) != 1 ||
		len(call.Assigns) > 0 || len(call.Args) != 1 || call.Args[0].Lit() != "cat" {
		return "", false
	}
	text, ok = l.input(s.Redirs[0])
	return strings.TrimRight(text, "\n"), ok
}

// EndsEarly reports whether a line of a here-document becomes its delimiter if bash
// joins lines that end with a backslash. The parser and bash then disagree about the end
// of the document.
func EndsEarly(d *syntax.Redirect) bool {
	delimiter := d.Word.Lit()
	if d.Hdoc == nil || delimiter == "" {
		return false
	}
	var text strings.Builder
	for _, part := range d.Hdoc.Parts {
		if lit, ok := part.(*syntax.Lit); ok {
			text.WriteString(lit.Value)
		} else {
			text.WriteByte('$')
		}
	}
	for line := range strings.SplitSeq(strings.ReplaceAll(text.String(), "\\\n", ""), "\n") {
		if strings.TrimLeft(line, "\t") == delimiter {
			return true
		}
	}
	return false
}
