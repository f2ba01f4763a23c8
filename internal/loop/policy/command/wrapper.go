package command

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// wraps describes a program that runs the command in its arguments.
type wraps struct {
	values   string // short options with a value
	operands int    // operands before the command
	line     bool   // the command is a line for a shell
}

// wrapping returns how a program runs the command in its arguments.
func wrapping(name string) (w wraps, ok bool) {
	switch name {
	case "command", "builtin", "nohup", "setsid", "busybox", "toybox", "catchsegv", "fakeroot", "torsocks", "proxychains", "caffeinate":
	case "exec":
		w.values = "a"
	case "timeout", "gtimeout":
		w.values, w.operands = "ks", 1
	case "nice", "ionice":
		w.values = "nc"
	case "chrt":
		w.values, w.operands = "TPD", 1
	case "stdbuf":
		w.values = "ioe"
	case "env":
		w.values = "uCS"
	case "sudo":
		w.values = "ugpCDhRTt"
	case "doas", "pkexec", "runas", "gosu":
		w.values = "u"
	case "xargs", "gxargs":
		w.values = "InPdLsaE"
	case "parallel":
		w.values = "jna"
	case "time", "gtime":
		w.values = "of"
	case "chroot", "taskset", "setarch", "linux64", "flock", "schroot":
		w.values, w.operands = "wE", 1
	case "unshare", "nsenter", "systemd-run", "prlimit", "cgexec", "firejail", "bwrap", "strace", "ltrace", "dtruss", "valgrind", "perf", "rlwrap", "unbuffer", "entr", "direnv", "dotenv":
		w.values = "etpoSGg"
	case "runuser", "setpriv", "chpst", "setuidgid", "dbus-run-session", "dbus-launch", "xvfb-run", "numactl", "cpulimit", "systemd-inhibit", "systemd-cat",
		"start-stop-daemon", "run-parts", "watchexec", "nodemon", "conda", "mamba", "micromamba", "mise", "asdf", "rbenv", "pyenv", "nvm", "volta", "fnm", "ld.so":
		w.values = "ugGpneacNmls"
	case "hyperfine", "nix-shell", "nix", "guix":
		w.values, w.line = "wrmMPpI", true
	case "watch":
		w.values, w.line = "n", true
	case "ssh":
		w.values, w.operands, w.line = "bcDEeFIiJLlmOopQRSWw", 1, true
	case "eval", "trap":
		w.line = true
	default:
		return w, strings.HasPrefix(name, "ld-linux") || strings.HasPrefix(name, "ld-musl") // the loader of programs
	}
	return w, true
}

// shells run the line after -c.
var shells = [...]string{"sh", "bash", "dash", "zsh", "ksh", "mksh", "fish", "ash", "csh", "tcsh", "rbash", "elvish", "nu", "su", "script", "flock", "source", ".", "at", "batch"}

// unwrap judges the command that the program of p runs. The result only adds traits.
func (g *guesser) unwrap(p *Part, name string, args []string) {
	if slices.Contains(shells[:], name) {
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
	w, ok := wrapping(name)
	if !ok {
		return
	}
	p.needs(Interprets, code(name)+" runs another command")
	switch name {
	case "env":
		if line := splitString(args); line != "" {
			g.line(line, p.dirs)
		}
		if slices.ContainsFunc(args, startsCommandsIn) {
			p.needs(Unclear, "`env` sets a variable that makes bash run commands")
		}
	case "xargs", "gxargs", "parallel":
		g.eachArgument(p, name, args, w.rest(args))
	case "sudo", "doas", "pkexec", "runas":
		p.needs(Interprets|Destroys|Permanent, code(name)+" runs a command as another user")
	}
	rest := w.rest(args)
	if len(rest) > 0 && slices.ContainsFunc(p.Words, func(word Word) bool { return word.Kind == Unknown && word.Text == rest[0] }) {
		p.needs(Unclear, "the text does not show which program "+code(name)+" runs")
	}
	switch {
	case w.line && slices.ContainsFunc(rest, p.unknown):
		p.needs(Unclear, "the text does not show what "+code(name)+" runs")
	case name == "trap" && len(rest) > 0:
		g.line(rest[0], nil)
	case w.line && len(rest) > 0:
		g.line(strings.Join(rest, " "), nil)
	default:
		g.nest(p, rest)
	}
	for i, word := range args { // also behind options that are not known
		switch programName(word) {
		case "rm", "shred", "dd", "mkfs", "unlink":
			g.nest(p, args[i:])
			return
		}
	}
}

// shell judges what the shell p runs.
func (g *guesser) shell(p *Part, name string, args []string) {
	p.needs(Interprets, code(name)+" runs other commands")
	if g.readsScript(p, args) {
		p.needs(Unclear, code(name)+" runs what it reads")
	}
	if slices.ContainsFunc(p.Words, func(w Word) bool { return w.Kind == Unknown && len(args) > 0 && w.Text == args[0] }) {
		p.needs(Unclear, "the text does not show what "+code(name)+" runs")
	}
	if line := scriptOf(args); p.unknown(line) {
		p.needs(Unclear, "the text does not show what "+code(name)+" runs")
	} else if line != "" {
		g.line(line, p.dirs)
	}
}

// scriptOf returns the line that a shell gets after its option -c; empty if there is none.
func scriptOf(args []string) string {
	c := slices.IndexFunc(args, func(w string) bool {
		return strings.HasPrefix(w, "-") && !strings.HasPrefix(w, "--") && strings.Contains(w, "c")
	})
	if c < 0 {
		return ""
	}
	for i := c + 1; i < len(args); i++ {
		switch w := args[i]; {
		case w == "-o", w == "+o", w == "-O", w == "+O":
			i++
		case !strings.HasPrefix(w, "-") && !strings.HasPrefix(w, "+"):
			return w
		}
	}
	return ""
}

// readsScript reports whether a shell with these arguments may read its commands from its
// input, which is a pipe, a here-document or a file.
func (g *guesser) readsScript(p *Part, args []string) bool {
	operands := operandsOf(args)
	device := slices.ContainsFunc(operands, func(w string) bool { return strings.HasPrefix(w, "/dev/") || strings.HasPrefix(w, "/proc/") })
	if !p.input.piped && !slices.ContainsFunc(p.Redirs, func(re Redirect) bool { return strings.HasPrefix(re.Op, "<") }) {
		return device
	}
	return device || scriptOf(args) == "" && !slices.ContainsFunc(operands, func(w string) bool { return p.finds(g.env, w, File, Directory, Special) }) || given("-s", args)
}

// splitString returns the command line that env runs because of its option -S: the value of
// the option and the arguments after it. It is empty without that option.
func splitString(args []string) string {
	for i, a := range args {
		name, value, attached := strings.Cut(a, "=")
		if long := len(name) > 2 && strings.HasPrefix("--split-string", name); !long {
			options, rest, found := strings.Cut(a, "S")
			if !found || !strings.HasPrefix(options, "-") || strings.HasPrefix(options, "--") {
				continue
			}
			value, attached = rest, rest != ""
		}
		args = args[i+1:]
		if !attached && len(args) > 0 {
			value, args = args[0], args[1:]
		}
		line, _, _ := strings.Cut(splitEscapes.Replace(value), "\x00")
		if strings.HasPrefix(strings.TrimSpace(line), "-") {
			line = "env " + line
		}
		for _, w := range args {
			line += " " + quote(w)
		}
		return line
	}
	return ""
}

// splitEscapes decodes the escapes of env -S that bash decodes differently: \_ is a space, and
// \c ends the text.
var splitEscapes = strings.NewReplacer(`\\`, `\\`, `\_`, " ", `\c`, "\x00")

// rest returns the arguments after options, assignments and operands.
func (w wraps) rest(args []string) []string {
	operands := w.operands
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a == "--":
		case strings.HasPrefix(a, "-") && len(a) == 2 && strings.Contains(w.values, a[1:]):
			i++
		case strings.HasPrefix(a, "-"), !w.line && assignment().MatchString(a):
		case operands > 0:
			operands--
		default:
			return args[i:]
		}
	}
	return nil
}

// assignment matches arguments of env and sudo that set variables.
var assignment = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*=`) })

// nest adds the traits of a command in the arguments of p.
func (g *guesser) nest(p *Part, words []string) {
	if len(words) == 0 {
		return
	}
	p.Runs = append(p.Runs, words)
	if *g.work += len(words); *g.depth >= maxDepth || *g.work > maxWork {
		p.needs(Unclear, "it runs too many programs within programs")
		return
	}
	outside := p.Traits
	p.Traits &^= Destroys
	*g.depth++
	g.effects(p, words)
	*g.depth--
	p.Destroyed.Partial = p.Destroyed.Partial || p.Traits&Destroys != 0
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
	if len(argv) == 0 || dashed(argv[0]) || slices.Contains(builtins[:], argv[0]) || wrapsListed(argv[0]) {
		return code(name) + " runs another command"
	}
	return v.reading(p, argv)
}

func wrapsListed(name string) bool {
	_, ok := wrapping(name)
	return ok
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
		p.Below = true
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
	_, wraps := wrapping(program)
	return wraps || slices.Contains(shells[:], program)
}
