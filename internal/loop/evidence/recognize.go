package evidence

import (
	"os"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"agent/internal/bash"
	"agent/internal/loop/event"
	"agent/internal/tools/shell/checks"
	"agent/internal/tools/shell/pipeline"
)

// maxScript is the size in bytes above which a command is not parsed.
const maxScript = 16 << 10

// script is what a shell command does, as far as its text tells.
type script struct {
	checks []check
	// changes is set if a part of it may change files.
	changes bool
}

// check is a check in a script.
type check struct {
	kind    event.CheckKind
	command string // its part of the script
	dir     string // absolute; empty if unknown
	where   string // the directory as the script names it, if dir is unknown; may be empty
	proof   proof
	// after is set if the script may change files while or after the check runs.
	after bool
	at    int // offset in the script of its command, in bytes
	// silent is set if its exit code says nothing.
	silent bool
	// part is the number, from 1, of the part that the check is in the pipeline with which the script
	// ends; 0 if it is none, or if its exit code says nothing.
	part int
}

// proof is what the exit code of a script says of a part of it.
type proof struct {
	zero bool   // exit code 0 means that the part exited with 0
	fail bool   // another exit code means that the part ran and failed
	runs bool   // the part runs in any case
	why  string // why zero or fail is false
}

// without returns p of a part whose exit code does not count.
func (p proof) without(why string) proof { return proof{runs: p.runs, why: why} }

// none returns the proof of a part that may not run.
func none(why string) proof { return proof{why: why} }

// Reasons that an outcome is not known.
const (
	whyFollowed   = "its exit code is not that of the command"
	whyIgnored    = "its failure is ignored"
	whyOther      = "another part of the command may have failed"
	whyCompound   = "in a compound command"
	whyChanged    = "the command redefines its parts or its exit code"
	whyReplaced   = "its options replace the program that runs"
	whyNoProof    = "its exit code says nothing"
	whyNegated    = "its exit code is negated"
	whyBackground = "started in the background"
	whyPipe       = "the next part of the pipe did not read all of its output"
	whyExit       = "the command may have exited before"
)

// recognize reads a shell command that runs in dir.
func recognize(line, dir string) script {
	if len(line) > maxScript {
		return script{changes: true}
	}
	parsed, err := bash.Parse(line)
	if err != nil {
		return script{changes: true}
	}
	r := reader{line: parsed, dir: dir, last: pipeline.Last(parsed.File)}
	p := proof{zero: true, fail: true, runs: true}
	if checks.Redefines(parsed) {
		p = none(whyChanged)
	}
	r.list(parsed.File.Stmts, p)
	return r.script
}

// reader reads the statements of a script in the order in which they run.
type reader struct {
	script
	line     *bash.Line
	dir      string // current directory; empty if unknown
	where    string // see check.where
	errexit  bool
	pipefail bool
	subshell bool // exit ends only a part of the script
	tested   bool // the statement is left of && or ||, where errexit has no effect

	last []*syntax.Stmt // the parts of the pipeline with which the script ends
	part int            // see check.part
}

// inSubshell calls f. What f changes of the shell's state has no effect afterwards.
func (r *reader) inSubshell(f func()) {
	before := *r
	r.subshell = true
	f()
	r.dir, r.where, r.errexit, r.pipefail, r.subshell = before.dir, before.where, before.errexit, before.pipefail, before.subshell
}

// list reads statements that run one after the other.
func (r *reader) list(stmts []*syntax.Stmt, p proof) {
	for i, s := range stmts {
		own := p
		switch last := i == len(stmts)-1; {
		case last:
		case r.errexit && !r.tested && triggersExit(s):
			own.fail, own.why = false, whyOther
		default:
			own = p.without(whyFollowed)
		}
		r.statement(s, own)
		if r.errexit && !r.trivial(s) {
			p.fail, p.runs, p.why = false, false, whyOther
		}
		switch exit := r.exits(s); {
		case exit == mayExitZero:
			p = none(whyExit)
		case exit == exitsNonzero:
			p.fail, p.runs, p.why = false, false, whyExit
		}
	}
}

// statement reads one statement.
func (r *reader) statement(s *syntax.Stmt, p proof) {
	switch {
	case s.Background, s.Coprocess:
		p = p.without(whyBackground)
	case s.Negated:
		p = p.without(whyNegated)
	}
	if _, simple := s.Cmd.(*syntax.CallExpr); simple && !s.Negated {
		r.part = slices.Index(r.last, s) + 1
		defer func() { r.part = 0 }()
	}
	if s.Background || s.Coprocess {
		r.inSubshell(func() { r.command(s.Cmd, p) })
	} else {
		r.command(s.Cmd, p)
	}
	for _, d := range s.Redirs {
		r.inside(d, p)
	}
}

// command reads a statement without its redirections.
func (r *reader) command(c syntax.Command, p proof) {
	switch c := c.(type) {
	case nil:
	case *syntax.CallExpr:
		r.call(c, p)
	case *syntax.TimeClause:
		if c.Stmt != nil {
			r.statement(c.Stmt, p)
		}
	case *syntax.Block:
		r.list(c.Stmts, p)
	case *syntax.Subshell:
		r.inSubshell(func() { r.list(c.Stmts, p) })
	case *syntax.BinaryCmd:
		r.binary(c, p)
	case *syntax.DeclClause, *syntax.TestClause, *syntax.ArithmCmd, *syntax.LetClause:
		r.inside(c, p)
	default:
		r.inside(c, none(whyCompound))
		if r.changesDir(c) {
			r.dir, r.where = "", ""
		}
	}
}

// binary reads two statements that are joined by an operator.
func (r *reader) binary(c *syntax.BinaryCmd, p proof) {
	x, y := p, p
	switch c.Op {
	case syntax.AndStmt:
		if !r.trivial(c.Y) {
			x.fail, x.why = false, whyOther
		}
		if !r.trivial(c.X) {
			y.fail, y.runs, y.why = false, false, whyOther
		}
		if r.exits(c.X) == mayExitZero {
			y = none(whyExit)
		}
	case syntax.OrStmt:
		y.zero, y.runs, y.why = false, false, whyOther
		if r.exits(c.X) != staysIn {
			y = none(whyExit)
		}
		if r.exits(c.Y) == exitsNonzero {
			x.zero = p.zero || p.runs && !r.subshell
		} else if !fails(c.Y) {
			x.zero, x.why = false, whyIgnored
		}
	case syntax.Pipe, syntax.PipeAll:
		r.pipe(c, p)
		return
	default:
		x, y = none(whyCompound), none(whyCompound)
	}
	tested := r.tested
	r.tested = true
	r.statement(c.X, x)
	r.tested = tested
	r.statement(c.Y, y)
}

// pipe reads a pipeline. Its parts run at the same time, each in a subshell.
func (r *reader) pipe(c *syntax.BinaryCmd, p proof) {
	x, y := p, p
	x.fail, x.why = false, "piped into "+r.name(c.Y)
	switch c.X.Cmd.(type) {
	case *syntax.CallExpr, *syntax.BinaryCmd:
	default: // the pipe may break before a later part of it
		x.runs = false
	}
	if r.pipefail {
		y.fail, y.why = false, whyOther
	} else {
		x.zero = false
	}
	first, changes := len(r.checks), r.changes
	r.changes = false
	r.inSubshell(func() { r.statement(c.X, x) })
	r.inSubshell(func() { r.statement(c.Y, y) })
	for i := first; r.changes && i < len(r.checks); i++ {
		r.checks[i].after = true
	}
	r.changes = r.changes || changes
}

// inside reads the commands in the expansions and parts of n.
func (r *reader) inside(n syntax.Node, p proof) {
	r.inSubshell(func() {
		syntax.Walk(n, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.Redirect:
				if r.writes(n) {
					r.change()
				}
			case *syntax.CallExpr:
				r.simple(n, p.without(whyCompound))
			}
			return true
		})
	})
}

// call reads a simple command, and the commands in its expansions.
func (r *reader) call(c *syntax.CallExpr, p proof) {
	for _, a := range c.Assigns {
		r.inside(a, p)
	}
	for _, w := range c.Args {
		r.inside(w, p)
	}
	r.simple(c, p)
}

// simple reads a simple command.
func (r *reader) simple(c *syntax.CallExpr, p proof) {
	words := checks.Words(r.line, c)
	if len(words) == 0 {
		return
	}
	switch words[0] {
	case "cd", "pushd", "popd":
		r.dir, r.where = changeDir(r.dir, words), ""
		if r.dir == "" && words[0] == "cd" && len(c.Args) == 2 && words[1] == "" {
			r.where = strings.Trim(r.source(c.Args[1]), `"`)
		}
		return
	case "set":
		r.set(words[1:])
		return
	}
	var assigned bool
	for _, a := range c.Assigns {
		assigned = assigned || a.Name != nil && strings.Contains(strings.ToUpper(a.Name.Value), "UPDATE")
	}
	kind, how := checks.Classify(checks.Unwrapped(words))
	if kind == "" {
		if !readOnly(checks.Unwrapped(words)) {
			r.change()
		}
		return
	}
	switch {
	case how.Other:
		p = none(whyReplaced)
	case how.Ignores:
		p.zero, p.why = false, whyNoProof
	}
	at := check{kind: event.CheckKind(kind), command: r.source(c), at: int(c.Pos().Offset()), dir: r.dir, where: r.where, proof: p, after: how.Writes || assigned, part: r.part}
	if how.Other || how.Ignores || p.why == whyChanged {
		at.part, at.silent = 0, true
	}
	r.checks = append(r.checks, at)
	r.changes = r.changes || at.after
}

// change records that a part of the script may change files, after the checks so
// far.
func (r *reader) change() {
	r.changes = true
	for i := range r.checks {
		r.checks[i].after = true
	}
}

// set reads the options of set.
func (r *reader) set(words []string) {
	for i, w := range words {
		on := strings.HasPrefix(w, "-")
		if !on && !strings.HasPrefix(w, "+") || strings.HasPrefix(w, "--") {
			continue
		}
		if strings.Contains(w, "e") {
			r.errexit = on
		}
		if strings.HasSuffix(w, "o") && i+1 < len(words) {
			switch words[i+1] {
			case "pipefail":
				r.pipefail = on
			case "errexit":
				r.errexit = on
			}
		}
	}
}

// source returns the text of n on one line.
func (r *reader) source(n syntax.Node) string {
	return strings.Join(strings.Fields(r.line.Text(n)), " ")
}

// name returns the program of a statement.
func (r *reader) name(s *syntax.Stmt) string {
	if c, ok := s.Cmd.(*syntax.CallExpr); ok && len(c.Args) > 0 {
		return r.source(c.Args[0])
	}
	return "a compound command"
}

// trivial reports whether a statement cannot fail for a reason of its own.
func (r *reader) trivial(s *syntax.Stmt) bool {
	c, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(s.Redirs) > 0 || s.Negated {
		return false
	}
	words := checks.Words(r.line, c)
	if len(words) == 0 || words[0] == "" {
		return false
	}
	switch words[0] {
	case "cd":
		info, err := os.Stat(changeDir(r.dir, words))
		return len(words) == 2 && err == nil && info.IsDir()
	case "echo", "printf", "true", ":", "pwd", "set":
		return true
	}
	return false
}
