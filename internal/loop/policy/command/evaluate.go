package command

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// evaluating are builtins of bash that evaluate their words once more: an index such as
// a[$(rm x)] runs commands, even in quotes.
var evaluating = [...]string{"test", "[", "printf", "read", "unset", "wait", "mapfile", "readarray", "compgen", "complete", "let", "set", "local", "typeset", "declare", "readonly", "export"}

// startsCommands are variables whose value bash runs, or reads commands from.
var startsCommands = [...]string{"BASH_ENV", "ENV", "PS0", "PS1", "PS2", "PS4", "PROMPT_COMMAND"}

// evaluates notes text of n that bash may evaluate although it is quoted.
func (r *reader) evaluates(n syntax.Node) {
	syntax.Walk(n, func(child syntax.Node) bool {
		switch c := child.(type) {
		case *syntax.CallExpr:
			if len(c.Args) > 0 && !mayEvaluate(c.Args[0]) {
				for _, a := range c.Assigns {
					r.evaluates(a)
				}
				for _, w := range c.Args {
					r.evaluatesInside(w)
				}
				return false
			}
		case *syntax.Assign:
			if c.Name != nil && slices.Contains(startsCommands[:], c.Name.Value) {
				r.needs(Unclear, "it sets a variable that makes bash run commands")
			}
		case *syntax.SglQuoted:
			r.substituted(c.Value)
		case *syntax.Lit:
			r.substituted(c.Value)
		}
		return true
	})
}

// mayEvaluate reports whether the program with this name may be a builtin that evaluates its
// words.
func mayEvaluate(name *syntax.Word) bool {
	lit := strings.ReplaceAll(strings.ReplaceAll(name.Lit(), "\\\n", ""), `\`, "")
	return lit == "" || lit == "command" || lit == "builtin" || slices.Contains(evaluating[:], lit)
}

// evaluatesInside is evaluates for the substitutions in n.
func (r *reader) evaluatesInside(n syntax.Node) {
	syntax.Walk(n, func(child syntax.Node) bool {
		switch child.(type) {
		case *syntax.CmdSubst, *syntax.ProcSubst:
			r.evaluates(child)
			return false
		}
		return true
	})
}

// substituted notes literal text that becomes a command substitution when it is evaluated.
func (r *reader) substituted(text string) {
	if strings.Contains(text, "$(") || strings.Contains(text, "`") {
		r.needs(Unclear, "bash may evaluate quoted text, which runs commands")
	}
}

// stores adds the traits of builtins that give bash a command to run later.
func (g *guesser) stores(p *Part, name string, args []string) {
	switch name {
	case "hash":
		if given("-p", args) {
			p.needs(Unclear, "`hash` gives a program another name")
		}
	case "alias":
		for _, a := range args {
			alias, line, ok := strings.Cut(a, "=")
			switch {
			case p.unknown(a):
				p.needs(Unclear, "the text does not show what an alias runs")
			case ok:
				p.defines = append(p.defines, alias)
				g.line(line, p.dirs)
			}
		}
	case "compgen", "complete", "mapfile", "readarray":
		if i := slices.Index(args, "-C"); i >= 0 && i+1 < len(args) {
			p.needs(Interprets, code(name)+" runs other commands")
			g.line(args[i+1], p.dirs)
		}
	}
}
