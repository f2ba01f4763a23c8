package command

import (
	_ "embed"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"agent/internal/bash"
)

//go:embed effects.txt
var effectsText string

// effect is a line of effects.txt.
type effect struct {
	subcommand string
	arguments  []string
	traits     Trait
	does       string
	writes     string
}

// effectTable holds effects.txt by program name. The programs of stems match the
// start of a name.
type effectTable struct{ names, stems map[string][]effect }

var allEffects = sync.OnceValue(func() effectTable {
	t := effectTable{map[string][]effect{}, map[string][]effect{}}
	for line := range strings.Lines(effectsText) {
		columns := strings.Split(line, "|")
		if strings.HasPrefix(line, "#") || len(columns) != 5 {
			continue
		}
		for i := range columns {
			columns[i] = strings.TrimSpace(columns[i])
		}
		programs, subcommand, _ := strings.Cut(columns[0], " ")
		e := effect{subcommand: subcommand, traits: traitsOf(columns[2]), does: columns[3], writes: columns[4]}
		if columns[1] != "" {
			e.arguments = strings.Split(columns[1], ",")
		}
		for name := range strings.SplitSeq(programs, ",") {
			if stem, ok := strings.CutSuffix(name, "*"); ok {
				t.stems[stem] = append(t.stems[stem], e)
			} else {
				t.names[name] = append(t.names[name], e)
			}
		}
	}
	return t
})

// traits are the words of effects.txt for traits.
var traits = map[string]Trait{"files": Destroys, "destroys": Destroys | Permanent, "connects": Connects, "tries": Connects | Tries, "interprets": RunsCode}

func traitsOf(names string) (t Trait) {
	for name := range strings.FieldsSeq(names) {
		t |= traits[name]
	}
	return t
}

// find returns the lines of a program.
func (t effectTable) find(name string) []effect {
	found := t.names[name]
	for stem, more := range t.stems {
		rest, ok := strings.CutPrefix(name, stem)
		if ok && (strings.Trim(rest, "0123456789.w") == "" || strings.HasPrefix(rest, ".")) {
			found = append(found[:len(found):len(found)], more...)
		}
	}
	return found
}

// guesser adds the traits and the Writes of parts that are not proven to only read. It
// guesses them from the words.
type guesser struct {
	env   Env
	depth *int // commands and lines in arguments around the current command
	work  *int // words in arguments that were judged as commands
	// line reads a command line in an argument, which runs in one of dirs, or in an
	// unknown directory if there is none.
	line func(text string, dirs []string)
}

// effects adds the traits of p. Some of its words may be unknown.
func (g *guesser) effects(p *Part, words []string) {
	if len(words) == 0 {
		return
	}
	if p.unknown(words[0]) || strings.ContainsAny(words[0], "*?[") || strings.HasPrefix(words[0], "/proc/") || strings.HasPrefix(words[0], "/dev/") {
		p.needs(Undetermined, "the text does not show which program runs: "+code(words[0]))
	}
	name := bash.Program(words[0])
	args := words[1:]
	sub := Subcommand(args)
	for _, e := range allEffects().find(name) {
		if e.subcommand != "" && e.subcommand != sub || !e.applies(args) {
			continue
		}
		does := code(name)
		if e.subcommand != "" || name == "git" && sub != "" {
			does = code(name, sub)
		}
		if g.staysHere(p, e, name, args) {
			continue
		}
		p.needs(e.traits, does+" "+e.does)
		switch e.writes {
		case "all":
			g.writesAll(p, bash.Operands(args))
		case "trees":
			g.removes(p, bash.Operands(args))
		case "last":
			if o := bash.Operands(args); len(o) > 0 {
				g.writesAll(p, o[len(o)-1:])
			}
		}
	}
	g.replaces(p, name, args)
	switch {
	case name == "git":
		g.gitEffects(p, args, sub)
	case name == "find" && given("-delete", args):
		places, _ := findPlaces(args)
		g.writesAll(p, slices.DeleteFunc(places, func(place string) bool { return g.allInside(p, place) }))
	}
	g.unwrap(p, name, args)
}

// staysHere reports whether an effect of p is less than its line in the table says, because the
// arguments name what is on this computer or in the command itself. It then records what is left.
func (g *guesser) staysHere(p *Part, e effect, name string, args []string) bool {
	switch {
	case e.traits&Connects != 0 && g.installed(p, name, args):
		p.needs(e.traits&^Connects, code(name)+" runs a program of node_modules")
	case e.traits == Connects && g.env.Loopback && reachesLoopback(name, args, g.env.line):
		p.Local = true
	case e.traits == Connects && name == "git" && e.subcommand == "clone" && g.clonesLocal(p, args):
		p.needs(0, "`git clone` copies a repository")
	default:
		return false
	}
	return true
}

// Subcommand returns the first argument that is not an option.
func Subcommand(args []string) string {
	for i := 0; i < len(args); i++ {
		switch {
		case slices.Contains([]string{"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--prefix", "--cwd", "--exec-path", "--manifest-path", "--context", "-n"}, args[i]):
			i++
		case !strings.HasPrefix(args[i], "-"):
			return args[i]
		}
	}
	return ""
}

// applies reports whether the arguments of a command match those of the line in
// effects.txt.
func (e effect) applies(args []string) bool {
	positive := false
	for _, a := range e.arguments {
		if missing, ok := strings.CutPrefix(a, "!"); ok {
			if given(missing, args) {
				return false
			}
			continue
		}
		positive = true
		if given(a, args) {
			return true
		}
	}
	return !positive
}

// given reports whether args contain an argument of effects.txt. It may be abbreviated,
// or combined with other options in one word.
func given(want string, args []string) bool {
	long := strings.HasPrefix(want, "--") && len(want) > 2
	stem, isStem := strings.CutSuffix(want, "*")
	for i, w := range args {
		name, _, _ := strings.Cut(w, "=")
		switch {
		case w == want, isStem && stem != "" && strings.HasPrefix(w, stem):
			return true
		case isStem && len(stem) > 2 && stem[0] == '*' && strings.Contains(w, stem[1:]):
			return true
		case want == "*.*" && i > 0 && !strings.HasPrefix(w, "-") && strings.Contains(w, ".") && !strings.HasPrefix(args[i-1], "-"):
			return true
		case long && len(name) > 2 && strings.HasPrefix(want, name):
			return true
		case len(want) == 2 && want[0] == '-' && len(w) > 2 && w[0] == '-' && w[1] != '-' && strings.Contains(w, want[1:]):
			return true
		}
	}
	return false
}

// replaces judges programs whose output file is not known from a redirection or the
// table: the last operand of mv, cp, install and ln, of= of dd, and the files of sed -i.
func (g *guesser) replaces(p *Part, name string, args []string) {
	operands := bash.Operands(args)
	switch name {
	case "mv", "cp", "install", "ln":
		if len(operands) == 0 {
			return
		}
		target := operands[len(operands)-1]
		sources := operands[:len(operands)-1]
		if name == "mv" {
			g.removes(p, sources)
		}
		for _, s := range sources {
			g.writesInside(p, target, filepath.Base(s))
			if g.exists(p, target, filepath.Base(s)) && !given("-n", args) && !given("--no-clobber", args) && (name != "ln" || given("-f", args)) {
				p.needs(Destroys, code(name)+" overwrites "+code(target))
			}
		}
		g.writesAll(p, []string{target})
		p.needs(0, code(name)+" changes files")
	case "dd":
		for _, w := range args {
			if file, ok := strings.CutPrefix(w, "of="); ok {
				g.writesAll(p, []string{file})
			}
		}
	case "make", "gmake", "bmake":
		for _, w := range args {
			if _, value, ok := strings.Cut(w, "="); ok && strings.ContainsAny(value, " \t/$;|&<>`") {
				p.needs(RunsCode, code(name)+" gets a variable that may name a program: "+code(w))
			}
		}
	case "sed", "gsed":
		if given("--file", args) || slices.ContainsFunc(args, sedFile().MatchString) {
			p.needs(RunsCode|Undetermined, "`sed` reads its script from a file, which may run programs")
		}
		for _, w := range args {
			if sedRuns().MatchString(w) {
				p.needs(RunsCode|Undetermined, "the script of `sed` may run programs")
			}
			if sedWrites().MatchString(w) {
				p.needs(Destroys, "the script of `sed` may overwrite files")
			}
		}
		if given("-i", args) {
			g.writesAll(p, sedFiles(args))
		}
	}
}

// sedFiles returns the files among the arguments of sed: all operands if options hold the script,
// otherwise all but the first.
func sedFiles(args []string) (files []string) {
	script := false
	for i := 0; i < len(args); i++ {
		switch w := args[i]; {
		case w == "--":
			files = append(files, args[i+1:]...)
			i = len(args)
		case sedArgument().MatchString(w):
			script = true
			i++
		case w == "-l" || w == "--line-length":
			i++
		case strings.HasPrefix(w, "-e"), strings.HasPrefix(w, "-f"), strings.HasPrefix(w, "--expression="), strings.HasPrefix(w, "--file="):
			script = true
		case !strings.HasPrefix(w, "-"):
			files = append(files, w)
		}
	}
	if !script && len(files) > 0 {
		files = files[1:]
	}
	return files
}

// sedArgument matches an option of sed after which an argument with the script, or the name of its
// file, follows, such as -ne.
var sedArgument = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(-[nErszu]*[ef]|--expression|--file)$`) })

// sedFile matches an option -f of sed among others, such as -nf.
var sedFile = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^-[nErszu]*f`) })

// sedRuns and sedWrites match scripts of sed with the command or the flag e, which runs
// programs, and w, which writes files. They also match some harmless scripts.
var (
	sedRuns = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(^|[;{}\n!$0-9/,|#])[ \t]*[gpiImM0-9]*e[gpiImM0-9]*([ \t;}\n]|$)`)
	})
	sedWrites = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(^|[;{}\n!$0-9/,|#])[ \t]*[gpiImM0-9]*[wW][ \t]`) })
)

// exists reports whether a command that writes target, or base in the directory
// target, may overwrite a file.
func (g *guesser) exists(p *Part, target, base string) bool {
	for _, dir := range p.dirs {
		full := absolute(dir, target, false)
		switch g.env.Look(full) {
		case File:
			return true
		case Directory:
			if g.env.Look(filepath.Join(full, base)) == File {
				return true
			}
		}
	}
	return len(p.dirs) == 0
}

func (g *guesser) writesAll(p *Part, paths []string) {
	for _, path := range paths {
		g.writes(p, path, false)
	}
}

// removes records that p removes or changes paths with everything below them.
func (g *guesser) removes(p *Part, paths []string) {
	before := len(p.Writes)
	g.writesAll(p, paths)
	p.Trees = append(p.Trees, p.Writes[before:]...)
}

// writesInside records that p writes the file base in the directory target, if both exist.
func (g *guesser) writesInside(p *Part, target, base string) {
	for _, dir := range p.dirs {
		full := absolute(dir, target, false)
		if file := filepath.Join(full, base); g.env.Look(full) == Directory && g.env.Look(file) == File {
			g.writes(p, file, false)
		}
	}
}

// writes records that p writes path. If truncates is set, the content of an existing
// file is lost.
func (g *guesser) writes(p *Part, path string, truncates bool) {
	switch {
	case slices.Contains([]string{"", "/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty"}, path):
		return
	case strings.HasPrefix(path, "/dev/tcp/"), strings.HasPrefix(path, "/dev/udp/"):
		p.needs(Connects, "it writes to the network: "+shown(path))
		return
	case strings.HasPrefix(path, "~"):
		p.needs(WritesOutside, "it writes to "+code(path)+", outside the workspace")
		if full := g.inHome(path); full == "" {
			p.WritesUnknown = true
		} else if !slices.Contains(p.Writes, full) {
			p.Writes = append(p.Writes, full)
		}
		return
	}
	if len(p.dirs) == 0 && !filepath.IsAbs(path) {
		p.needs(0, "the directory of "+code(path)+" is not known")
		return
	}
	dirs := p.dirs
	if filepath.IsAbs(path) {
		dirs = []string{"/"}
	}
	for _, dir := range dirs {
		full := absolute(dir, path, false)
		if !slices.Contains(p.Writes, full) {
			p.Writes = append(p.Writes, full)
		}
		if !g.env.Inside(full) && (g.env.Temporary == nil || !g.env.Temporary(full)) {
			p.needs(WritesOutside, "it writes to "+code(path)+", outside the workspace")
		}
		if truncates && g.env.Look(full) == File {
			p.needs(Destroys, "it overwrites "+code(path))
		}
	}
}

// inHome returns the absolute path of a word that begins with ~; empty if it is not known.
func (g *guesser) inHome(word string) string {
	rest := strings.TrimPrefix(word, "~")
	if g.env.Home == "" || rest != "" && rest[0] != '/' || strings.ContainsAny(rest, "$`*?[{\\\"'") {
		return ""
	}
	return filepath.Join(g.env.Home, rest)
}
