package command

import (
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"agent/internal/bash"
)

// reader reads the statements of a line and splits it into parts, which a prover and a
// guesser judge.
type reader struct {
	env     Env
	prover  prover
	guesser guesser
	source  *bash.Line
	parts   []Part
	traits  Trait  // traits of constructs that are not parts
	reason  string // the first construct that needs approval
	urgency int
	pattern int // wildcards so far
	nested  int // lines, compound commands and arguments around the current part
	depth   int // lines and commands in arguments around the current one
	work    int // words in arguments that were judged as commands
}

func newReader(env Env) *reader {
	r := &reader{env: env, prover: prover{env: env}}
	r.guesser = guesser{env: env, depth: &r.depth, work: &r.work, line: r.inner}
	return r
}

// needs records a construct that needs approval.
func (r *reader) needs(traits Trait, reason string) {
	p := Part{Reason: r.reason, urgency: r.urgency}
	p.needs(traits, reason)
	r.traits, r.reason, r.urgency = r.traits|traits, p.Reason, p.urgency
}

// line reads a command line that runs in one of dirs, or in an unknown directory if
// there is none.
func (r *reader) line(text string, dirs []string) {
	line, err := bash.Parse(text)
	switch {
	case err != nil:
		r.needs(Undetermined, "bash cannot parse it: "+shown(err.Error()))
		return
	case len(line.File.Stmts) == 0:
		r.needs(0, "it contains no command")
		return
	}
	outer := r.source
	r.source = line
	r.list(line.File.Stmts, dirs)
	r.source = outer
}

// inner reads a line that is an argument of another program. Such a line never runs
// automatically.
func (r *reader) inner(text string, dirs []string) {
	if r.depth >= maxDepth || unfit(text) != "" {
		r.needs(Undetermined, "it contains a command line that cannot be read")
		return
	}
	r.depth++
	r.nested++
	r.line(text, dirs)
	r.depth--
	r.nested--
}

// list reads statements that run one after the other.
func (r *reader) list(stmts []*syntax.Stmt, dirs []string) {
	operator := ""
	for _, s := range stmts {
		ok, failed := r.statement(s, operator, dirs)
		dirs = union(ok, failed)
		operator = ";"
	}
}

// union returns the directories of both lists. It returns nil, which stands for an
// unknown directory, if one of them is unknown or there are too many. A list that is
// empty but not nil stands for an outcome that cannot happen.
func union(a, b []string) []string {
	if a == nil || b == nil {
		return nil
	}
	out := slices.Clone(a)
	for _, dir := range b {
		if !slices.Contains(out, dir) {
			out = append(out, dir)
		}
	}
	if len(out) > maxDirs {
		return nil
	}
	return out
}

// statement reads one statement that runs in one of dirs. It returns the directories
// of the shell after it has succeeded and after it has failed.
func (r *reader) statement(s *syntax.Stmt, operator string, dirs []string) (ok, failed []string) {
	switch {
	case s.Background, s.Disown:
		r.needs(0, "it runs a command in the background")
	case s.Coprocess, s.Negated:
		r.needs(0, "it uses a shell construct that is not a simple command")
	}
	switch c := s.Cmd.(type) {
	case nil:
		p := r.part(operator, dirs)
		r.redirect(p, s.Redirs)
		p.needs(0, "it redirects without a command")
		r.parts = append(r.parts, *p)
		return dirs, dirs
	case *syntax.CallExpr:
		return r.call(c, s.Redirs, operator, dirs)
	case *syntax.BinaryCmd:
		if len(s.Redirs) == 0 {
			return r.binary(c, operator, dirs)
		}
	}
	r.compound(s, operator, dirs)
	return nil, nil
}

// binary reads two statements that are joined by an operator.
func (r *reader) binary(c *syntax.BinaryCmd, operator string, dirs []string) (ok, failed []string) {
	switch c.Op {
	case syntax.AndStmt:
		ok, failed = r.statement(c.X, operator, dirs)
		both, second := r.statement(c.Y, "&&", ok)
		return both, union(failed, second)
	case syntax.OrStmt:
		ok, failed = r.statement(c.X, operator, dirs)
		if failed != nil && len(failed) == 0 { // the right side never runs
			r.statement(c.Y, "||", dirs)
			return ok, failed
		}
		second, neither := r.statement(c.Y, "||", failed)
		return union(ok, second), neither
	case syntax.Pipe, syntax.PipeAll:
		if c.Op == syntax.PipeAll {
			r.needs(0, "it uses `|&`; write `2>&1 |` instead")
		}
		r.statement(c.X, operator, dirs)
		first := len(r.parts)
		r.statement(c.Y, "|", dirs)
		r.afterPipe(first)
		return dirs, dirs // each side runs in a process of its own
	}
	r.needs(Undetermined, "it uses an unknown operator")
	return nil, nil
}

// afterPipe judges programs that run what they read: curl … | sh.
func (r *reader) afterPipe(first int) {
	if first >= len(r.parts) || first == 0 {
		return
	}
	p, from := &r.parts[first], &r.parts[first-1]
	if p.Traits&RunsCode != 0 && from.Traits&Connects != 0 {
		p.needs(RunsCode, code(p.Program())+" runs what "+code(from.Program())+" downloads")
	}
}

// part returns a new part in the current context.
func (r *reader) part(operator string, dirs []string) *Part {
	pipe := operator == "|"
	p := &Part{Simple: Simple{Operator: operator}, Nested: r.nested > 0, dirs: dirs, input: input{piped: pipe || r.env.Piped}}
	if pipe && len(r.parts) > 0 {
		before := r.parts[len(r.parts)-1]
		p.input.from = &before
	}
	return p
}

// compound reads a statement that is not a simple command, for its traits.
func (r *reader) compound(s *syntax.Stmt, operator string, dirs []string) {
	r.needs(0, "it uses "+construct(s.Cmd))
	r.nested++
	defer func() { r.nested-- }()
	if len(s.Redirs) > 0 {
		p := r.part(operator, dirs)
		r.redirect(p, s.Redirs)
		p.needs(0, "it redirects a compound command")
		r.parts = append(r.parts, *p)
	}
	if _, ok := s.Cmd.(*syntax.CoprocClause); ok { // the parser takes an assignment for its name
		r.needs(Undetermined, "it starts a coprocess")
	}
	switch c := s.Cmd.(type) {
	case *syntax.Subshell:
		r.list(c.Stmts, dirs)
	case *syntax.Block:
		r.list(c.Stmts, dirs)
	default:
		if mayMove(s) {
			dirs = nil
		}
		r.inside(s.Cmd, dirs)
	}
}

// mayMove reports whether n may change the directory of the shell.
func mayMove(n syntax.Node) (yes bool) {
	syntax.Walk(n, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.CallExpr); ok && len(c.Args) > 0 {
			name := c.Args[0].Lit()
			yes = yes || name == "" || slices.Contains([]string{"cd", "pushd", "popd", "eval", "source", ".", "builtin", "command"}, name)
		}
		return !yes
	})
	return yes
}

// inside reads the simple commands anywhere below n, which run in one of dirs.
func (r *reader) inside(n syntax.Node, dirs []string) {
	syntax.Walk(n, func(child syntax.Node) bool {
		switch child := child.(type) {
		case *syntax.Stmt:
			r.statement(child, ";", dirs)
			return false
		case *syntax.CallExpr:
			r.call(child, nil, ";", dirs)
			return false
		case *syntax.DeclClause:
			r.needs(0, "it sets variables of the shell")
		}
		return true
	})
}

// construct names a compound command for the user.
func construct(c syntax.Command) string {
	switch c.(type) {
	case *syntax.Subshell:
		return "a subshell"
	case *syntax.Block:
		return "a group of commands"
	case *syntax.FuncDecl:
		return "a function"
	case *syntax.IfClause, *syntax.CaseClause:
		return "a condition"
	case *syntax.WhileClause, *syntax.ForClause:
		return "a loop"
	case *syntax.DeclClause:
		return "a command that sets variables of the shell"
	case *syntax.TestClause, *syntax.ArithmCmd, *syntax.LetClause:
		return "an expression of the shell, which may run commands"
	}
	return "a shell construct that is not a simple command"
}

// call reads a simple command.
func (r *reader) call(c *syntax.CallExpr, redirs []*syntax.Redirect, operator string, dirs []string) (ok, failed []string) {
	p := r.part(operator, dirs)
	if len(r.parts) >= maxParts || len(c.Args) > maxWords {
		r.needs(Undetermined, "it has too many commands or words")
		return nil, nil
	}
	for _, a := range c.Assigns {
		p.Assigns = append(p.Assigns, r.source.Text(a))
	}
	known := true
	for i, w := range c.Args {
		word := Word{Word: r.source.Word(w)}
		if word.Kind == bash.Wildcard && !r.expand(p, &word) {
			known = false
		}
		if word.Kind == bash.Unknown {
			known = false
		}
		if i == 0 && word.Kind == bash.Wildcard {
			p.needs(Undetermined, "a wildcard names the program")
		}
		p.Words = append(p.Words, word)
	}
	if known {
		p.Argv = argv(p.Words)
	}
	if len(p.Argv) > maxWords {
		p.needs(Undetermined, "its wildcards match too many files")
		p.Argv = nil
	}
	r.redirect(p, redirs)
	if len(p.Assigns) > 0 {
		p.needs(0, "it sets the variable "+shown(p.Assigns[0]))
	}
	at := len(r.parts)
	r.parts = append(r.parts, *p)
	r.judge(p, c)
	r.parts[at] = *p
	for _, a := range c.Assigns {
		r.substitutions(a, dirs)
	}
	for _, w := range c.Args {
		r.substitutions(w, dirs)
	}
	if p.Program() == "cd" {
		return r.changed(p)
	}
	return dirs, dirs
}

// judge judges p, whose words are those of c.
func (r *reader) judge(p *Part, c *syntax.CallExpr) {
	if len(p.Words) == 0 {
		p.needs(0, "it only sets variables")
		return
	}
	for _, w := range p.Words {
		if w.Kind == bash.Unknown {
			p.needs(0, "the value of "+code(w.Text)+" is not known before it runs")
			break
		}
	}
	if p.Words[0].Kind != bash.Literal {
		p.needs(Undetermined, "the text does not show which program runs")
		return
	}
	why := r.proof(p, c)
	if why != "" && !p.takesText() {
		p.runsInput()
	}
	if why != "" {
		p.Reads = nil
		r.guesser.effects(p, p.Texts())
		p.needs(0, why)
	} else if p.Reason != "" { // of a redirection or an assignment
		if p.Edits = !p.Shows.Below && p.edits(); !p.Edits {
			p.Reads = nil
		}
	}
}

// proof returns why p, whose words are those of c, is not proven to only read.
func (r *reader) proof(p *Part, c *syntax.CallExpr) string {
	switch {
	case p.Argv == nil:
		return "one of its words is not known before it runs"
	case c.Args[0].Lit() != p.Words[0].Text:
		return "the name of its program is quoted"
	}
	return r.prover.reading(p, p.Argv)
}

// Texts returns the words of p, with the source of those that are unknown.
func (p *Part) Texts() (out []string) {
	if p.Argv != nil {
		return p.Argv
	}
	for _, w := range p.Words {
		out = append(out, w.Text)
	}
	return out
}

// substitutions reads the commands in the expansions of n.
func (r *reader) substitutions(n syntax.Node, dirs []string) {
	syntax.Walk(n, func(child syntax.Node) bool {
		switch c := child.(type) {
		case *syntax.DblQuoted:
			for _, part := range c.Parts {
				if _, ok := r.source.Printed(part); !ok || c.Dollar {
					r.substitutions(part, dirs)
				}
			}
			return false
		case *syntax.CmdSubst:
			r.substitution(c.Stmts, dirs)
			return false
		case *syntax.ProcSubst:
			r.substitution(c.Stmts, dirs)
			return false
		}
		return true
	})
}

func (r *reader) substitution(stmts []*syntax.Stmt, dirs []string) {
	r.needs(0, "it uses a command substitution")
	r.nested++
	r.list(stmts, dirs)
	r.nested--
}

// argv returns the words that the program gets.
func argv(words []Word) (out []string) {
	for _, w := range words {
		if w.Kind == bash.Wildcard && len(w.Matches) > 0 {
			out = append(out, w.Matches...)
		} else {
			out = append(out, w.Text)
		}
	}
	return out
}

// changed returns the directories after a cd that succeeded, and after one that
// failed. A cd to an existing directory does not fail.
func (r *reader) changed(p *Part) (ok, failed []string) {
	if len(p.Argv) != 2 || p.Argv[1] == "" || strings.HasPrefix(p.Argv[1], "-") {
		return nil, p.dirs
	}
	failed = []string{}
	for _, dir := range p.dirs {
		target := absolute(dir, p.Argv[1], true)
		ok = append(ok, target)
		if r.env.Look(target) != Directory {
			failed = p.dirs
		}
	}
	return ok, failed
}

// absolute returns path, which is relative to dir unless it is absolute. clean is set
// for the shell's cd, which removes ".." without resolving symbolic links.
func absolute(dir, path string, clean bool) string {
	if !filepath.IsAbs(path) {
		path = strings.TrimSuffix(dir, "/") + "/" + path
	}
	if clean {
		return filepath.Clean(path)
	}
	return path
}
