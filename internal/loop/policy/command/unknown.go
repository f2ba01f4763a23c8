package command

import (
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"agent/internal/loop/bash"
)

// valueOptions are options of git whose value in the next word is no other option.
var valueOptions = [...]string{"-b", "-c", "-m", "-F", "-e", "--message", "--author", "--date", "--format"}

// unknown reports whether text is the source of a word of p whose value is not known.
func (p *Part) unknown(text string) bool {
	_, ok := p.unknownWord(text)
	return ok
}

// unknownWord returns the word of p with this source whose value is not known.
func (p *Part) unknownWord(text string) (w Word, ok bool) {
	i := slices.IndexFunc(p.Words, func(w Word) bool { return w.Kind == bash.Unknown && w.Text == text })
	if i < 0 {
		return w, false
	}
	return p.Words[i], true
}

// unknownOptions adds Undetermined if a word that is not known may be an option with which git
// or find destroys data, or the command of git that does. The expansion of an unquoted word
// may also be several words.
func (g *guesser) unknownOptions(p *Part, name string, args []string, sub string) {
	switch name {
	case "git":
		options := args[:max(0, slices.Index(args, sub))]
		if p.unknown(sub) || slices.ContainsFunc(options, p.unknown) {
			p.needs(Undetermined, "the text does not show which command of git runs")
			return
		}
	case "find", "fd", "fdfind":
	default:
		return
	}
	rows := slices.ContainsFunc(allEffects().find(name), func(e effect) bool {
		return e.traits&Destroys != 0 && (name != "git" || e.subcommand != "" && e.subcommand == sub)
	})
	for i, w := range args {
		word, unknown := p.unknownWord(w)
		if !rows || !unknown {
			continue
		}
		if i > 0 && !word.MaySplit() && (findTest(args[i-1]) > 1 && name != "git" || name == "git" && slices.Contains(valueOptions[:], args[i-1])) {
			continue
		}
		if word.MayBeOption() || sub == "checkout" {
			p.needs(Undetermined, "the text does not show which options "+code(name)+" gets: "+code(w))
		}
	}
}

// embedded adds the traits in mask of an argument or a variable that may be a command line,
// such as the value of an option that names a program. A wrong guess only adds traits.
func (g *guesser) embedded(p *Part, text string, mask Trait) {
	if *g.work += len(text); *g.work > maxWork {
		p.needs(Undetermined, "its arguments are too long")
		return
	}
	text = strings.TrimPrefix(text, "!")
	if *g.depth > maxDepth || !strings.ContainsAny(text, " \t\n$`{<") || unfit(text) != "" {
		return
	}
	if line, err := bash.Parse(text); err != nil || len(line.File.Stmts) == 0 {
		return
	}
	inner := newReader(g.env)
	inner.depth, inner.nested, inner.work = *g.depth+1, 1, *g.work
	inner.line(text, p.dirs)
	*g.work = inner.work
	traits := inner.traits
	for i := range inner.parts {
		traits |= inner.parts[i].Traits
	}
	if traits &= mask; traits != 0 {
		p.needs(traits, "it may run "+code(text))
		p.Destroyed.Partial = p.Destroyed.Partial || traits&Destroys != 0
	}
}

// embeddedIn adds the traits of the arguments of a program that runs other programs.
func (g *guesser) embeddedIn(p *Part, name string, args []string) {
	mask := Destroys
	if name == "git" {
		mask |= Undetermined
	}
	for i, w := range args {
		if p.unknown(w) {
			continue
		}
		g.embedded(p, w, mask)
		value := w
		for _, v, ok := strings.Cut(w, "="); ok && *g.work <= maxWork; _, v, ok = strings.Cut(v, "=") {
			value = v
			g.embedded(p, v, mask)
		}
		if option := strings.TrimLeft(w, "-"); option != w && len(option) > 1 { // -Ovalue
			g.embedded(p, option[1:], mask)
		}
		if name == "git" && !strings.HasPrefix(value, "!") && (strings.Contains(w, "alias.") || i > 0 && strings.HasPrefix(args[i-1], "alias.")) {
			g.embedded(p, "git "+value, mask)
		}
	}
}

// assigned adds the traits of the values of variables: a program may run them.
func (r *reader) assigned(p *Part, all []*syntax.Assign) {
	for _, a := range all {
		if a.Value == nil {
			continue
		}
		switch w := r.word(a.Value); {
		case w.Kind == bash.Unknown:
		case strings.HasPrefix(w.Text, "!"), a.Name != nil && strings.HasPrefix(a.Name.Value, "GIT_"):
			r.guesser.embedded(p, w.Text, Destroys|Undetermined)
		default:
			r.guesser.embedded(p, w.Text, Destroys)
		}
	}
}

// startsCommandsIn reports whether an argument of env sets a variable whose value bash runs.
func startsCommandsIn(w string) bool {
	name, _, found := strings.Cut(w, "=")
	return found && (slices.Contains(startsCommands[:], name) || strings.HasPrefix(name, "BASH_FUNC_"))
}

// eachArgument adds Undetermined if the arguments that xargs reads may name a program, a command
// of git, an action of find or the script of a shell. The arguments of xargs end with command.
func (g *guesser) eachArgument(p *Part, name string, args, command []string) {
	options := args[:len(args)-len(command)]
	marker := bash.XargsOf(args).Marker
	unclear := len(command) > 0 && (strings.Contains(command[0], "{}") || marker != "" && strings.Contains(command[0], marker))
	for len(command) > 0 {
		w, ok := bash.WrapperOf(bash.Program(command[0]))
		if !ok {
			break
		}
		command = w.Command(command[1:])
		unclear = unclear || len(command) == 0
	}
	switch program := bash.Program(first(command)); {
	case len(command) == 0:
	case bash.IsShell(program):
		script := bash.ScriptOf(command[1:])
		unclear = unclear || script == "" || slices.ContainsFunc(options, func(w string) bool {
			marker := strings.TrimPrefix(w, "-I")
			return strings.Contains(script, "{}") || marker != "" && strings.Contains(script, marker)
		})
	case program == "git":
		unclear = unclear || Subcommand(command[1:]) == ""
	case program == "find":
		unclear = unclear || !slices.ContainsFunc(options, func(w string) bool { return strings.HasPrefix(w, "-I") })
	}
	if unclear {
		p.needs(Undetermined, code(name)+" runs what it reads")
	}
}

// runsDefined adds Undetermined to the parts that run a file or an alias which the line itself
// defines: neither is judged with the arguments that it gets.
func runsDefined(parts []Part) {
	var defined []string
	for i := range parts {
		switch parts[i].Program() {
		case "chmod", "chown", "touch", "mkdir": // the content of a file stays
		default:
			defined = append(defined, parts[i].defines...)
		}
	}
	for i := range parts {
		p := &parts[i]
		words := p.texts()
		if len(words) == 0 {
			continue
		}
		runs := words[:1]
		if bash.IsShell(bash.Program(words[0])) {
			runs = bash.Operands(words)
		}
		for _, w := range runs {
			if slices.Contains(defined, filepath.Base(w)) {
				p.needs(Undetermined, "it runs "+code(w)+", which it also writes or defines")
			}
		}
	}
}
