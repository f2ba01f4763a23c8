package command

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"agent/internal/bash"
)

// unwrap judges the command that the program of p runs. The result only adds traits.
func (g *guesser) unwrap(p *Part, name string, args []string) {
	if bash.IsShell(name) {
		g.shell(p, name, args)
	}
	switch name {
	case "find", "fd", "fdfind":
		for i, w := range args {
			if slices.Contains([]string{"-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch"}, w) {
				before := len(p.Runs)
				g.nest(p, args[i+1:])
				if name == "find" {
					continue
				}
				for j, run := range p.Runs[before:] { // fd appends the name of a file
					p.Runs[before+j] = append(slices.Clone(run), "{}")
				}
			}
		}
		return
	}
	w, ok := bash.WrapperOf(name)
	if !ok {
		return
	}
	p.needs(RunsCode, code(name)+" runs another command")
	switch name {
	case "env":
		if line := bash.SplitString(args); line != "" {
			g.line(line, p.dirs)
		}
	case "sudo", "doas", "pkexec", "runas":
		p.needs(RunsCode|Destroys|Permanent, code(name)+" runs a command as another user")
	}
	rest := w.Command(args)
	if len(rest) > 0 && slices.ContainsFunc(p.Words, func(word Word) bool { return word.Kind == bash.Unknown && word.Text == rest[0] }) {
		p.needs(Undetermined, "the text does not show which program "+code(name)+" runs")
	}
	switch {
	case w.Line && slices.ContainsFunc(rest, p.unknown):
		p.needs(Undetermined, "the text does not show what "+code(name)+" runs")
	case name == "trap" && len(rest) > 0:
		g.line(rest[0], nil)
	case w.Line && len(rest) > 0:
		g.line(strings.Join(rest, " "), nil)
	default:
		g.nest(p, rest)
	}
	for i, word := range args { // also behind options that are not known
		switch bash.Program(word) {
		case "rm", "shred", "dd", "mkfs", "unlink":
			g.nest(p, args[i:])
			return
		}
	}
}

// shell judges what the shell p runs.
func (g *guesser) shell(p *Part, name string, args []string) {
	p.needs(RunsCode, code(name)+" runs other commands")
	if slices.ContainsFunc(p.Words, func(w Word) bool { return w.Kind == bash.Unknown && len(args) > 0 && w.Text == args[0] }) {
		p.needs(Undetermined, "the text does not show what "+code(name)+" runs")
	}
	if line := bash.ScriptOf(args); p.unknown(line) {
		p.needs(Undetermined, "the text does not show what "+code(name)+" runs")
	} else if line != "" {
		g.line(line, p.dirs)
	}
}

// nest adds the traits of a command in the arguments of p.
func (g *guesser) nest(p *Part, words []string) {
	if len(words) == 0 {
		return
	}
	p.Runs = append(p.Runs, words)
	if *g.work += len(words); *g.depth >= maxDepth || *g.work > maxWork {
		p.needs(Undetermined, "it runs too many programs within programs")
		return
	}
	outside := p.Traits
	p.Traits &^= Destroys
	*g.depth++
	g.effects(p, words)
	*g.depth--
	p.Traits |= outside
}

// duration matches the time of timeout.
var duration = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9]{1,6}(\.[0-9]+)?[sm]?$`) })

// wrapper judges a listed program that runs the command in its arguments, which then
// must only read.
func (v *prover) wrapper(p *Part, name string, args []string) string {
	unsafe := code(name) + " has an argument that is not known to be safe"
	switch name {
	case "command":
		if len(args) > 1 && (args[0] == "-v" || args[0] == "-V") {
			return ""
		}
		if len(args) == 0 || dashed(args[0]) {
			return unsafe
		}
	case "timeout":
		for len(args) > 0 && (args[0] == "--preserve-status" || args[0] == "--foreground") {
			args = args[1:]
		}
		if len(args) > 1 && args[0] == "-k" && duration().MatchString(args[1]) {
			args = args[2:]
		}
		if len(args) < 2 || !duration().MatchString(args[0]) {
			return unsafe
		}
		args = args[1:]
	case "nice":
		if len(args) > 1 && args[0] == "-n" && number().MatchString(args[1]) {
			args = args[2:]
		}
	case "xargs":
		return v.eachFile(p, args)
	}
	return v.wrapped(p, name, args)
}

// wrapped judges the command that a wrapper runs.
func (v *prover) wrapped(p *Part, name string, argv []string) string {
	_, wraps := bash.WrapperOf(first(argv))
	if len(argv) == 0 || dashed(argv[0]) || slices.Contains(builtins[:], argv[0]) || wraps {
		return code(name) + " runs another command"
	}
	return v.reading(p, argv)
}

// eachFile judges xargs. It may only read names of regular files that find prints,
// separated by NUL: they begin with a starting point of find, so that none is an option
// or a path outside it.
func (v *prover) eachFile(p *Part, args []string) string {
	source := "`xargs` may read names of files that are not known; only `find … -type f … -print0 | xargs -0` is known to be safe"
	null := false
	for len(args) > 0 && dashed(args[0]) {
		switch args[0] {
		case "-0", "--null", "-0r", "-r0":
			null = true
		case "-r", "--no-run-if-empty", "-t":
		case "-n", "-P", "-L":
			if len(args) < 2 || !number().MatchString(args[1]) {
				return source
			}
			args = args[1:]
		default:
			return source
		}
		args = args[1:]
	}
	if !null || p.input.from == nil || len(args) == 0 {
		return source
	}
	places, ok := printsNames(*p.input.from)
	if !ok {
		return source
	}
	switch programs()[args[0]].operands {
	case "files", "places", "search", "pattern":
		p.Shows.Below = true
		return v.wrapped(p, "xargs", slices.Concat(args, places))
	}
	return code("xargs", args[0]) + " is not known to only read"
}

// printsNames reports whether p is a find that prints the names of regular files, each
// followed by NUL, and returns its starting points. Other names may be symbolic links
// out of the workspace.
func printsNames(p Part) (places []string, ok bool) {
	if len(p.Argv) < 2 || p.Argv[0] != "find" || p.Reason != "" || len(p.Redirs) > 0 || p.Argv[1] == "-H" || p.Argv[1] == "-P" {
		return nil, false
	}
	n := 1
	for ; n < len(p.Argv) && !strings.HasPrefix(p.Argv[n], "-") && p.Argv[n] != "(" && p.Argv[n] != "!"; n++ {
		if w := p.Argv[n]; w == "" || !wordByte(w[0]) && w[0] != '.' && w[0] != '/' {
			return nil, false
		}
		places = append(places, p.Argv[n])
	}
	if len(places) == 0 {
		places = []string{"."}
	}
	return places, onlyFiles(p.Argv[n:])
}

// onlyFiles reports whether an expression of find tests for regular files before its
// only action, -print0.
func onlyFiles(tests []string) bool {
	depth, files, printed := 0, false, false
	for i := 0; i < len(tests); i++ {
		w := tests[i]
		switch {
		case w == "(":
			depth++
		case w == ")":
			depth--
		case printed, w == "-print", w == "-printf", w == "-ls", w == ",", depth == 0 && (w == "-o" || w == "-or"):
			return false
		case w == "-print0":
			if !files || depth > 0 || negated(tests, i) {
				return false
			}
			printed = true
		case findTest(w) > 1:
			files = files || w == "-type" && depth == 0 && tests[i+1] == "f" && !negated(tests, i)
			i++
		}
	}
	return printed
}

// negated reports whether the test at index i follows a negation.
func negated(tests []string, i int) bool {
	return i > 0 && (tests[i-1] == "!" || tests[i-1] == "-not")
}

// RunsArguments reports whether a program runs a command or a script that its arguments
// name: a wrapper such as env or timeout, a shell, or find.
func RunsArguments(program string) bool {
	switch program {
	case "find", "fd", "fdfind", "alias", "bind", "complete", "mapfile", "readarray":
		return true
	}
	_, wraps := bash.WrapperOf(program)
	return wraps || bash.IsShell(program)
}
