package command

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"agent/internal/bash"
)

// expand replaces the pattern of a wildcard by the files that match it. It reports
// false if they are not known.
func (r *reader) expand(p *Part, w *Word) bool {
	if r.pattern++; r.pattern > maxPatterns {
		p.needs(0, "it has too many wildcards")
		return false
	}
	if len(p.dirs) != 1 {
		p.needs(0, "it uses wildcards in a directory that is not known")
		return false
	}
	files, err := r.env.Glob(p.dirs[0], w.Pattern)
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
		p.needs(Undetermined, "it has too many redirections")
		return
	}
	for _, d := range redirs {
		re := r.source.Redirect(d)
		if d.Word != nil {
			r.substitutions(d.Word, p.dirs)
		}
		if d.Hdoc != nil {
			r.substitutions(d.Hdoc, p.dirs)
			if bash.EndsEarly(d) {
				p.needs(Undetermined, "bash may end its here-document early")
			}
		}
		p.input.piped = p.input.piped || strings.HasPrefix(re.Op, "<<")
		p.Redirs = append(p.Redirs, re)
		r.redirected(p, d, re)
	}
}

// redirected judges one redirection.
func (r *reader) redirected(p *Part, d *syntax.Redirect, re bash.Redirect) {
	target := re.Target.Text
	standard := re.FD == "" || re.FD == "0" || re.FD == "1" || re.FD == "2"
	null := target == "/dev/null" && re.Target.Kind == bash.Literal
	switch d.Op {
	case syntax.RdrOut, syntax.AppOut, syntax.RdrAll, syntax.AppAll:
		if !standard || !null {
			r.written(p, re, d.Op == syntax.RdrOut || d.Op == syntax.RdrAll)
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
		r.written(p, re, d.Op != syntax.RdrInOut)
	case syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
		if re.Text == nil {
			p.needs(0, "it uses a here-document")
		}
	default:
		p.needs(0, "it redirects a descriptor other than its output")
	}
}

// written judges a redirection to a file.
func (r *reader) written(p *Part, re bash.Redirect, truncates bool) {
	target := re.Target.Text
	if re.Target.Kind != bash.Literal && strings.HasPrefix(target, "~") {
		r.guesser.writes(p, target, truncates)
		return
	}
	if re.Target.Kind != bash.Literal {
		p.needs(0, "it writes to "+code(target)+", which is not known before it runs")
		return
	}
	p.needs(0, "it writes to "+code(target))
	r.guesser.writes(p, target, truncates)
}
