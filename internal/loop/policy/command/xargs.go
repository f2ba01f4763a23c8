package command

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"agent/internal/bash"
)

// ReadsOptions reports whether p runs a program through xargs or parallel that could take
// words from its input as options or scripts which run other programs: file names such as
// -e1e for sed.
func (p *Part) ReadsOptions() bool {
	words := p.Argv
	for len(words) > 0 {
		w, ok := bash.WrapperOf(bash.Program(words[0]))
		switch name := bash.Program(words[0]); {
		case !ok:
			return false
		case name == "xargs", name == "gxargs":
			e := bash.XargsOf(words[1:])
			return e.Command == nil || xargsRuns(e, p.input.from != nil && !e.File && e.Separator == "" && (e.Null || p.input.intact) && p.input.from.printsPaths())
		case name == "parallel":
			return slices.ContainsFunc(words[1:], optionsRun)
		}
		words = w.Command(words[1:])
	}
	return false
}

// findIntact sets intact for the parts whose input is only names of files that xargs does not
// split. An earlier part, or one in the same pipeline, must not be able to make such a file.
func findIntact(parts []Part, env Env) {
	for i := range parts {
		p := &parts[i]
		if env.Splits == nil || !p.ReadsOptions() {
			continue
		}
		if p.input.intact = true; p.ReadsOptions() || mayMakeFiles(parts, i) || p.input.from.printsSplit(bash.XargsOf(p.Argv[1:]).Lines, env) {
			p.input.intact = false
		}
	}
}

// mayMakeFiles reports whether a part that runs before part i or at the same time may do more
// than read.
func mayMakeFiles(parts []Part, i int) bool {
	for j, p := range parts {
		if j > i && p.Operator != "|" {
			break
		}
		if j != i && p.Reason != "" {
			return true
		}
	}
	return false
}

// findUnsettled sets Unsettled for the parts with a wildcard if another part may create files
// before them or at the same time.
func findUnsettled(parts []Part) {
	for i := range parts {
		if slices.ContainsFunc(parts[i].Words, func(w Word) bool { return w.Kind == bash.Wildcard }) {
			parts[i].Unsettled = mayMakeFiles(parts, i) || slices.ContainsFunc(parts[i+1:], func(p Part) bool { return p.Nested && p.Reason != "" })
		}
	}
}

// printsSplit reports whether a name that p, which printsPaths, may print is more than one
// word of xargs.
func (p *Part) printsSplit(lines bool, env Env) bool {
	places := bash.Operands(p.Argv[1:])
	if p.Argv[0] == "find" {
		places, _ = findPlaces(p.Argv[1:])
	} else {
		places = places[1:] // the first one is the pattern
	}
	if len(p.dirs) == 0 || splits(strings.Join(places, "/"), true, lines) {
		return true
	}
	for _, dir := range p.dirs {
		for _, place := range places {
			if path := absolute(dir, place, false); !env.Inside(path) || env.Splits(path, lines) {
				return true
			}
		}
	}
	return false
}

// xargsRuns reports whether the program of xargs may take words as options or scripts that run
// others. If paths is set, no word begins with a dash.
func xargsRuns(e bash.Xargs, paths bool) bool {
	command, head := e.Command, e.Command
	if e.Marker != "" {
		i := slices.IndexFunc(command, func(w string) bool { return strings.Contains(w, e.Marker) })
		if i < 0 {
			return false
		}
		head, paths = command[:i], false
	}
	for len(command) > 0 {
		w, ok := bash.WrapperOf(bash.Program(command[0]))
		if !ok {
			break
		}
		command = w.Command(command[1:])
		if w.Line || len(command) == 0 || len(e.Command)-len(command) >= len(head) || slices.Contains([]string{"xargs", "gxargs", "parallel"}, bash.Program(command[0])) {
			return true
		}
	}
	if len(e.Command) == 0 {
		return false
	}
	if head = head[min(len(head), len(e.Command)-len(command)):]; len(head) == 0 {
		return true
	}
	name := bash.Program(head[0])
	if !optionsRun(name) {
		return false
	}
	args := head[1:]
	if name == "sed" || name == "gsed" {
		script, ended := sedArguments(args)
		return !script || !ended && !paths
	}
	if interprets(name) && !paths && (len(args) == 0 || strings.HasPrefix(args[0], "-") && (len(args) < 2 || args[0] != "-c" && args[0] != "-e")) {
		return true
	}
	switch sub := Subcommand(args); name {
	case "find":
		return true
	case "tar", "bsdtar": // an operand in front holds options, whose values follow it
		if !strings.HasPrefix(first(args), "-") {
			return true
		}
	case "git":
		if _, reads := gitCommands()[sub]; !reads && !slices.Contains(gitWrites[:], sub) || slices.Contains([]string{"bisect", "submodule", "lfs"}, sub) {
			return true
		}
	}
	if paths {
		return interprets(name) && len(bash.Operands(args)) == 0
	}
	end := slices.Index(args, "--")
	return end < 0 || end > 0 && strings.HasPrefix(args[end-1], "-") // an option may take it as its value
}

// optionsRun reports whether a program runs code, or other programs with some options.
func optionsRun(word string) bool {
	switch name := bash.Program(word); name {
	case "sed", "gsed", "git", "find", "fd", "fdfind", "rg":
		return true
	default:
		return slices.ContainsFunc(allEffects().find(name), func(e effect) bool { return e.traits&RunsCode != 0 })
	}
}

// interprets reports whether a program runs code whatever its options are.
func interprets(name string) bool {
	return slices.ContainsFunc(allEffects().find(name), func(e effect) bool {
		return e.traits&RunsCode != 0 && e.subcommand == "" && len(e.arguments) == 0
	})
}

var (
	sedPlain = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^-([nErszu]+(i.*)?|i.*)$`) })
	sedGiven = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(-[nErszu]*[ef]|--expression|--file)(.*)$`) })
)

// sedArguments reports whether arguments of sed include its script, and whether they end its
// options. Both are false if an option is not known.
func sedArguments(args []string) (script, ended bool) {
	for i := 0; i < len(args); i++ {
		w := args[i]
		match := sedGiven().FindStringSubmatch(w)
		switch {
		case w == "--":
			return script || i+1 < len(args), true
		case w == "-", !strings.HasPrefix(w, "-"):
			script = true
		case match != nil:
			if match[2] == "" {
				i++
			}
			script = script || i < len(args)
		case !sedPlain().MatchString(w) && !strings.HasPrefix(w, "--in-place") && !slices.Contains([]string{"--quiet", "--silent", "--regexp-extended", "--separate", "--null-data"}, w):
			return false, false
		}
	}
	return script, false
}

// printsPaths reports whether p prints only paths that begin with a starting point in its
// text, so that none is an option: grep -rl x DIR, or find DIR.
func (p *Part) printsPaths() bool {
	if len(p.Argv) < 2 || p.Reason != "" || len(p.Redirs) > 0 {
		return false
	}
	switch args := p.Argv[1:]; p.Argv[0] {
	case "find":
		places, tests := findPlaces(args)
		return !slices.ContainsFunc(places, dashed) && !slices.ContainsFunc(tests, func(w string) bool { return w == "-printf" || w == "-ls" })
	case "grep":
		names := false
		for _, w := range args {
			switch {
			case !dashed(w), strings.HasPrefix(w, "--include="), strings.HasPrefix(w, "--exclude"), w == "--null":
			case strings.Trim(w[1:], "rRlLiEFwInHsZ") != "":
				return false
			default:
				names = names || strings.ContainsAny(w, "lL")
			}
		}
		operands := bash.Operands(args)
		return names && len(operands) > 1 && !slices.ContainsFunc(operands, dashed)
	}
	return false
}
