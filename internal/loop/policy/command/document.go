package command

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// given returns the input that a here-document or a here-string gives to a program. It
// reports false if bash would expand it, or if it is not for the standard input.
func (r *reader) given(d *syntax.Redirect) (text string, ok bool) {
	if d.N != nil && d.N.Value != "0" || d.Word == nil {
		return "", false
	}
	if d.Op == syntax.WordHdoc {
		w := r.word(d.Word)
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
	if !quotes(d.Word) && text != "" && (strings.ContainsAny(text, "$`") || !strings.Contains(r.source, text) || strings.Contains(r.text(d.Hdoc), `\`)) {
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

// document returns the value of a command substitution that only prints a here-document:
// $(cat <<'EOF' …). Many commit messages have this form.
func (r *reader) document(n syntax.Node) (text string, ok bool) {
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
	text, ok = r.given(s.Redirs[0])
	return strings.TrimRight(text, "\n"), ok
}

// takesText reports whether a program reads a text from its standard input, such as the
// message of a commit, and does nothing else with it.
func (p *Part) takesText() bool {
	if len(p.Argv) < 3 {
		return false
	}
	options := []string{"--file"}
	switch p.Argv[0] {
	case "git":
		if !slices.Contains([]string{"commit", "tag", "notes", "merge"}, p.Argv[1]) {
			return false
		}
	case "gh":
		if !slices.Contains([]string{"pr", "issue", "release"}, p.Argv[1]) {
			return false
		}
		options = []string{"--body-file", "--notes-file"}
	default:
		return false
	}
	for i, w := range p.Argv {
		option, attached := strings.CutSuffix(w, "-")
		if w == "-" {
			option = p.Argv[i-1]
		} else if !attached {
			continue
		}
		short := len(option) > 1 && option[0] == '-' && option[1] != '-' && strings.HasSuffix(option, "F")
		if short || slices.Contains(options, strings.TrimSuffix(option, "=")) {
			return true
		}
	}
	return false
}

// runsInput records that p may run commands of its here-documents, or change something
// because of them.
func (p *Part) runsInput() {
	for i := range p.Redirs {
		if p.Redirs[i].Text != nil {
			p.Redirs[i].Text = nil
			p.needs(0, "it uses a here-document")
		}
	}
}
