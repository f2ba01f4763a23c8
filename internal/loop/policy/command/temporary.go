package command

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"

	"agent/internal/loop/bash"
)

// temporaries are the variables of a line that name the temporary directory, or a path in it
// that mktemp has made.
type temporaries struct {
	values map[string]string // those of Env.Variables that the line does not set
	once   map[string]bool   // the variables that the line sets once
	made   map[string]bool   // those that are the output of mktemp
}

// plainDir matches a value that stays one word without quotes.
var plainDir = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^/[A-Za-z0-9/_.+-]+$`) })

// setters are commands that may set a variable which they do not name with an assignment.
var setters = [...]string{"eval", "source", ".", "read", "mapfile", "readarray", "getopts", "unset", "trap", "command", "builtin", ""}

// temporariesOf returns the variables of a line. There are none if the line may set variables
// other than by assignments.
func temporariesOf(file *syntax.File, env Env) (t temporaries) {
	if env.Temporary == nil {
		return t
	}
	unclear, count := false, map[string]int{}
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Assign:
			if n.Name != nil {
				count[n.Name.Value]++
			}
		case *syntax.CallExpr:
			if len(n.Args) > 0 {
				name := strings.ReplaceAll(n.Args[0].Lit(), `\`, "")
				unclear = unclear || slices.Contains(setters[:], name) || name == "printf" && len(n.Args) > 1 && mayHaveDash(n.Args[1])
			}
		case *syntax.ParamExp:
			unclear = unclear || n.Exp != nil && (n.Exp.Op == syntax.AssignUnset || n.Exp.Op == syntax.AssignUnsetOrNull)
		case *syntax.DeclClause, *syntax.LetClause, *syntax.ArithmCmd, *syntax.ArithmExp, *syntax.ForClause, *syntax.FuncDecl, *syntax.CoprocClause:
			unclear = true
		}
		return !unclear
	})
	if unclear {
		return t
	}
	t = temporaries{values: map[string]string{}, once: map[string]bool{}, made: map[string]bool{}}
	for name, value := range env.Variables {
		if count[name] == 0 {
			t.values[name] = value
		}
	}
	for name, n := range count {
		t.once[name] = n == 1
	}
	return t
}

// mayHaveDash reports whether a word may be an option, such as -v of printf.
func mayHaveDash(w *syntax.Word) bool {
	text := ""
	switch part := inQuotes(w)[0].(type) {
	case *syntax.Lit:
		text = part.Value
	case *syntax.SglQuoted:
		text = part.Value
	}
	return text == "" || text[0] == '-' || text[0] == '\\'
}

// value returns the value of $TMPDIR, ${TMPDIR} or ${TMPDIR:-/tmp}. It reports false for
// other expansions, and for a value that is not one word.
func (t temporaries) value(p *syntax.ParamExp) (string, bool) {
	if p.Param == nil || p.Index != nil || p.Slice != nil || p.Repl != nil || p.Names != 0 || p.Excl || p.Length || p.Width {
		return "", false
	}
	value, ok := t.values[p.Param.Value]
	if p.Exp != nil && p.Exp.Op != syntax.DefaultUnsetOrNull && p.Exp.Op != syntax.DefaultUnset {
		return "", false
	}
	if ok && value == "" && p.Exp != nil && p.Exp.Word != nil {
		value = p.Exp.Word.Lit()
	}
	return strings.TrimRight(value, "/"), ok && plainDir().MatchString(value)
}

// assign notes that a variable is set to the output of mktemp.
func (r *reader) assign(a *syntax.Assign) {
	if a.Name == nil || a.Value == nil || a.Append || a.Index != nil || !r.temporary.once[a.Name.Value] {
		return
	}
	parts := inQuotes(a.Value)
	if len(parts) != 1 {
		return
	}
	if c, ok := parts[0].(*syntax.CmdSubst); ok && r.makesTemporary(c) {
		r.temporary.made[a.Name.Value] = true
	}
}

// inQuotes returns the parts of a word, without the double quotes around the first ones.
func inQuotes(w *syntax.Word) []syntax.WordPart {
	if len(w.Parts) > 0 {
		if q, ok := w.Parts[0].(*syntax.DblQuoted); ok && !q.Dollar && len(q.Parts) > 0 {
			return slices.Concat(q.Parts, w.Parts[1:])
		}
	}
	return w.Parts
}

// makesTemporary reports whether a substitution is an mktemp in the temporary directory.
func (r *reader) makesTemporary(c *syntax.CmdSubst) bool {
	if len(c.Stmts) != 1 || len(c.Stmts[0].Redirs) > 0 {
		return false
	}
	call, ok := c.Stmts[0].Cmd.(*syntax.CallExpr)
	if !ok || len(call.Assigns) > 0 || len(call.Args) == 0 || call.Args[0].Lit() != "mktemp" {
		return false
	}
	for i, w := range call.Args[1:] {
		switch word := r.word(w); {
		case word.Kind != bash.Literal:
			return false
		case slices.Contains([]string{"-d", "-q", "-t", "-dt", "--directory", "--quiet", "--tmpdir"}, word.Text), strings.HasPrefix(word.Text, "--suffix="):
		case i > 0 && strings.HasSuffix(call.Args[i].Lit(), "t") && !strings.ContainsAny(word.Text, "/"): // mktemp -t NAME.XXXXXX
		case strings.HasPrefix(word.Text, "/") && r.env.Temporary(word.Text):
		default:
			return false
		}
	}
	return true
}

// isTemporary reports whether a word is $f, or a path below it such as "$f/x", of a variable
// that names the output of mktemp.
func (r *reader) isTemporary(w *syntax.Word) bool {
	parts := inQuotes(w)
	if len(parts) == 0 {
		return false
	}
	p, ok := parts[0].(*syntax.ParamExp)
	if !ok || p.Param == nil || !r.temporary.made[p.Param.Value] || p.Exp != nil || p.Index != nil || p.Slice != nil || p.Repl != nil || p.Names != 0 || p.Excl || p.Length || p.Width {
		return false
	}
	rest := ""
	for _, part := range parts[1:] {
		lit, ok := part.(*syntax.Lit)
		if !ok {
			return false
		}
		rest += lit.Value
	}
	return rest == "" || plainDir().MatchString(rest) && !strings.Contains(rest, "..")
}
