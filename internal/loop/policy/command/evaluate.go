package command

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"agent/internal/loop/bash"
)

// evaluating are builtins of bash that evaluate their words once more: an index such as
// a[$(rm x)] runs commands, even in quotes.
var evaluating = [...]string{"test", "[", "printf", "read", "unset", "wait", "mapfile", "readarray", "compgen", "complete", "let", "set", "local", "typeset", "declare", "readonly", "export"}

// startsCommands are variables whose value bash runs, or reads commands from.
var startsCommands = [...]string{"BASH_ENV", "ENV", "PS0", "PS1", "PS2", "PS4", "PROMPT_COMMAND"}

// namesPrograms are arrays of bash with other names of programs, like those of `hash -p` and alias.
var namesPrograms = [...]string{"BASH_CMDS", "BASH_ALIASES"}

// evaluates notes text of n that bash may evaluate although it is quoted.
func (r *reader) evaluates(n syntax.Node) { r.evaluatesText(n, false) }

// evaluatesText is evaluates. Input is set if the text of here-documents counts also for
// programs that do not evaluate it, because bash evaluates what they print.
func (r *reader) evaluatesText(n syntax.Node, input bool) {
	syntax.Walk(n, func(child syntax.Node) bool {
		switch c := child.(type) {
		case *syntax.Stmt:
			call, ok := c.Cmd.(*syntax.CallExpr)
			if input || !ok || len(call.Args) == 0 || mayEvaluate(call.Args[0]) || RunsArguments(bash.Program(call.Args[0].Lit())) {
				return true
			}
			r.evaluatesText(call, input)
			for _, d := range c.Redirs {
				if r.source.Redirect(d).Text == nil {
					r.evaluatesText(d, input)
				}
			}
			return false
		case *syntax.CallExpr:
			if len(c.Args) == 0 {
				return true
			}
			for _, a := range c.Assigns {
				r.evaluatesText(a, input)
			}
			for _, w := range c.Args {
				if mayEvaluate(c.Args[0]) {
					r.evaluatesText(w, true)
				} else {
					r.evaluatesInside(w, input)
				}
			}
			return false
		case *syntax.Assign:
			if c.Name != nil && slices.Contains(startsCommands[:], c.Name.Value) {
				r.needs(Undetermined, "it sets a variable that makes bash run commands")
			} else if c.Name != nil {
				r.substituted(c.Name.Value)
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

// evaluatesInside is evaluatesText for the substitutions in n.
func (r *reader) evaluatesInside(n syntax.Node, input bool) {
	syntax.Walk(n, func(child syntax.Node) bool {
		switch child.(type) {
		case *syntax.CmdSubst, *syntax.ProcSubst, *syntax.ParamExp: // also ${BASH_CMDS[ls]:=rm}
			r.evaluatesText(child, input)
			return false
		}
		return true
	})
}

// substituted notes literal text that becomes a command substitution when it is evaluated, or that
// gives a program another name.
func (r *reader) substituted(text string) {
	if slices.ContainsFunc(namesPrograms[:], func(name string) bool { return strings.Contains(text, name) }) {
		r.needs(Undetermined, "it may give a program another name")
	}
	if strings.Contains(text, "$(") || strings.Contains(text, "`") {
		r.needs(Undetermined, "bash may evaluate quoted text, which runs commands")
	}
}

// stores adds the traits of builtins that give bash a command to run later.
func (g *guesser) stores(p *Part, name string, args []string) {
	switch name {
	case "hash":
		if given("-p", args) {
			p.needs(Undetermined, "`hash` gives a program another name")
		}
	case "alias":
		for _, a := range args {
			alias, line, ok := strings.Cut(a, "=")
			switch {
			case p.unknown(a):
				p.needs(Undetermined, "the text does not show what an alias runs")
			case ok:
				p.defines = append(p.defines, alias)
				g.line(line, p.dirs)
			}
		}
	case "compgen", "complete", "mapfile", "readarray":
		if i := slices.Index(args, "-C"); i >= 0 && i+1 < len(args) {
			p.needs(RunsCode, code(name)+" runs other commands")
			g.line(args[i+1], p.dirs)
		}
	}
}
