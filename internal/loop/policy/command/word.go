package command

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// literal collects the value of a word.
type literal struct {
	text    strings.Builder // after quote removal
	pattern strings.Builder // the same as a pattern, quoted characters escaped
	wild    bool            // an unquoted * or ?
	bracket bool            // an unquoted [
	brace   bool            // an unquoted {
	list    bool            // a comma or two dots, which with braces make a list
	unknown bool
}

// word returns the value of a word.
func (r *reader) word(w *syntax.Word) Word {
	var l literal
	for i, part := range w.Parts {
		switch part := part.(type) {
		case *syntax.ParamExp:
			if value, ok := r.temporary.value(part); ok {
				l.quoted(value)
			} else {
				l.unknown = true
			}
		case *syntax.Lit:
			l.unquoted(part.Value, i == 0)
		case *syntax.SglQuoted:
			l.unknown = l.unknown || part.Dollar
			l.quoted(part.Value)
		case *syntax.DblQuoted:
			l.unknown = l.unknown || part.Dollar
			r.doubleQuoted(&l, part)
		default:
			l.unknown = true
		}
	}
	text := l.text.String()
	if l.brace && (l.list || strings.Contains(text, "..")) {
		l.unknown = true
	}
	switch {
	case l.unknown:
		return Word{Text: r.text(w), Kind: Unknown, Temporary: r.isTemporary(w), shape: shape(w, l.brace)}
	case l.wild, l.bracket && strings.Contains(text, "]"):
		return Word{Text: text, Kind: Wildcard, Matches: []string{l.pattern.String()}}
	}
	return Word{Text: text}
}

// quoted adds text that has no meaning to the shell.
func (l *literal) quoted(text string) {
	l.text.WriteString(text)
	for _, r := range text {
		if strings.ContainsRune(`\*?[]`, r) {
			l.pattern.WriteByte('\\')
		}
		l.pattern.WriteRune(r)
	}
}

// doubleQuoted adds text in double quotes to l, in which a backslash only escapes
// characters that have a meaning there.
func (r *reader) doubleQuoted(l *literal, q *syntax.DblQuoted) {
	for _, part := range q.Parts {
		if text, ok := r.document(part); ok {
			l.quoted(text)
			continue
		}
		if param, ok := part.(*syntax.ParamExp); ok {
			if value, ok := r.temporary.value(param); ok {
				l.quoted(value)
				continue
			}
		}
		lit, ok := part.(*syntax.Lit)
		if !ok {
			l.unknown = true
			return
		}
		var b strings.Builder
		for i := 0; i < len(lit.Value); i++ {
			if c := lit.Value[i]; c == '\\' && i+1 < len(lit.Value) {
				switch next := lit.Value[i+1]; next {
				case '$', '`', '"', '\\':
					b.WriteByte(next)
					i++
					continue
				case '\n':
					i++
					continue
				}
			}
			b.WriteByte(lit.Value[i])
		}
		l.quoted(b.String())
	}
}

// unquoted adds text outside quotes. first is set for the beginning of the word.
func (l *literal) unquoted(text string, first bool) {
	previous := rune(0)
	if !first {
		previous = '='
	}
	escaped := false
	for _, r := range text {
		if escaped {
			escaped = false
			if r != '\n' {
				l.quoted(string(r))
			}
			previous = r
			continue
		}
		switch r {
		case '\\':
			escaped = true
			continue
		case '*', '?':
			l.wild = true
		case '[':
			l.bracket = true
		case '{':
			l.brace = true
		case ',':
			l.list = true
		case '~':
			l.unknown = l.unknown || previous == 0 || previous == '=' || previous == ':'
		case '$', '`', '<', '>', '|', '&', ';', '(', ')', '"', '\'', '\n':
			l.unknown = true // the parser leaves these to nodes of their own
		}
		l.text.WriteRune(r)
		l.pattern.WriteRune(r)
		previous = r
	}
	l.unknown = l.unknown || escaped
}

// expand replaces the pattern of a wildcard by the files that match it. It reports
// false if they are not known.
func (r *reader) expand(p *Part, w *Word) bool {
	pattern := w.Matches[0]
	w.Matches = nil
	if r.pattern++; r.pattern > maxPatterns {
		p.needs(0, "it has too many wildcards")
		return false
	}
	if len(p.dirs) != 1 {
		p.needs(0, "it uses wildcards in a directory that is not known")
		return false
	}
	files, err := r.env.Glob(p.dirs[0], pattern)
	switch {
	case err != nil:
		p.needs(0, "the files of "+code(w.Text)+" are not known: "+err.Error())
		return false
	case len(files) > maxMatches:
		p.needs(0, code(w.Text)+" matches too many files")
		return false
	}
	if i := slices.IndexFunc(files, func(f string) bool { return strings.HasPrefix(f, "-") }); i >= 0 {
		p.needs(0, code(w.Text)+" matches the file "+code(files[i])+", which a program reads as an option")
		return false
	}
	if i := slices.IndexFunc(files, func(f string) bool { return unfit(f) != "" || strings.Contains(f, "\n") }); i >= 0 {
		p.needs(0, code(w.Text)+" matches a file with an unusual name")
		return false
	}
	w.Matches = files
	return true
}

// redirect adds redirections to p.
func (r *reader) redirect(p *Part, redirs []*syntax.Redirect) {
	if len(redirs) > maxRedirs {
		p.needs(Unclear, "it has too many redirections")
		return
	}
	for _, d := range redirs {
		re := Redirect{Op: d.Op.String()}
		if d.N != nil {
			re.FD = d.N.Value
		}
		if d.Word != nil {
			re.Target = r.word(d.Word)
			r.substitutions(d.Word, p.dirs)
		}
		if d.Hdoc != nil {
			r.substitutions(d.Hdoc, p.dirs)
			if joinsDelimiter(d) {
				p.needs(Unclear, "bash may end its here-document early")
			}
		}
		if re.Target.Kind == Wildcard {
			re.Target = Word{Text: re.Target.Text, Kind: Unknown}
		}
		if strings.HasPrefix(re.Op, "<<") {
			p.input.piped = true
			if text, ok := r.given(d); ok {
				re.Text = &text
			}
		}
		p.Redirs = append(p.Redirs, re)
		r.redirected(p, d.Op, re)
	}
}

// redirected judges one redirection.
func (r *reader) redirected(p *Part, op syntax.RedirOperator, re Redirect) {
	target := re.Target.Text
	standard := re.FD == "" || re.FD == "0" || re.FD == "1" || re.FD == "2"
	null := target == "/dev/null" && re.Target.Kind == Literal
	switch op {
	case syntax.RdrOut, syntax.AppOut, syntax.RdrAll, syntax.AppAll:
		if !standard || !null {
			r.written(p, re, op == syntax.RdrOut || op == syntax.RdrAll)
		}
	case syntax.RdrIn:
		if !standard || !null {
			p.needs(0, "it redirects its input from "+code(target))
		}
	case syntax.DplOut:
		switch {
		case standard && (target == "1" || target == "2"):
		case target == "-" || target != "" && strings.Trim(target, "0123456789-") == "":
			p.needs(0, "it redirects a descriptor other than its output")
		default:
			r.written(p, re, true)
		}
	case syntax.RdrInOut, syntax.RdrClob, syntax.RdrAllClob, syntax.AppClob, syntax.AppAllClob:
		r.written(p, re, op != syntax.RdrInOut)
	case syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
		if re.Text == nil {
			p.needs(0, "it uses a here-document")
		}
	default:
		p.needs(0, "it redirects a descriptor other than its output")
	}
}

// written judges a redirection to a file.
func (r *reader) written(p *Part, re Redirect, truncates bool) {
	target := re.Target.Text
	if re.Target.Kind != Literal && strings.HasPrefix(target, "~") {
		r.guesser.writes(p, target, truncates)
		return
	}
	if re.Target.Temporary {
		p.needs(0, "it writes to "+code(target)+", a temporary file")
		return
	}
	if re.Target.Kind != Literal {
		p.needs(Unclear, "it writes to "+code(target)+", which is not known before it runs")
		return
	}
	p.needs(0, "it writes to "+code(target))
	r.guesser.writes(p, target, truncates)
}
