package bash

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Program returns the name of a program in lower case, without its directory.
func Program(word string) string {
	name := filepath.Base(word)
	return strings.TrimSuffix(strings.ToLower(name), ".exe")
}

// Operands returns the arguments that are not options.
func Operands(args []string) (out []string) {
	for i, w := range args {
		if w == "--" {
			return append(out, args[i+1:]...)
		}
		if !strings.HasPrefix(w, "-") {
			out = append(out, w)
		}
	}
	return out
}

// Quote returns a word in single quotes.
func Quote(word string) string {
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// Wrapper describes a program that runs the command in its arguments.
type Wrapper struct {
	values   string   // short options with a value
	long     []string // long options whose value may be the next word
	operands int      // operands before the command
	// Line is set if the command is a line for a shell.
	Line bool
	// Passes is set if the exit code of the wrapper is that of the command, unless the
	// wrapper itself fails or ends the command.
	Passes bool
}

// WrapperOf returns how a program runs the command in its arguments. It reports false for a
// program that is no wrapper. The name is that of Program.
func WrapperOf(program string) (w Wrapper, ok bool) {
	switch program {
	case "command", "nohup":
		w.Passes = true
	case "builtin", "setsid", "busybox", "toybox", "catchsegv", "fakeroot", "torsocks", "proxychains", "caffeinate":
	case "exec":
		w.values, w.Passes = "a", true
	case "timeout", "gtimeout":
		w.values, w.long, w.operands, w.Passes = "ks", []string{"--signal", "--kill-after"}, 1, true
	case "nice", "ionice":
		w.values, w.Passes = "nc", program == "nice"
	case "chrt":
		w.values, w.operands = "TPD", 1
	case "stdbuf":
		w.values, w.Passes = "ioe", true
	case "env":
		w.values, w.Passes = "uCS", true
	case "sudo":
		w.values = "ugpCDhRTt"
	case "doas", "pkexec", "runas", "gosu":
		w.values = "u"
	case "xargs", "gxargs":
		w.values = "InPdLsaE"
	case "parallel":
		w.values = "jna"
	case "xvfb-run":
		w.values, w.Passes = "efnpsw", true
	case "time", "gtime":
		w.values, w.Passes = "of", true
	case "chroot", "taskset", "setarch", "linux64", "flock", "schroot":
		w.values, w.operands = "wE", 1
	case "unshare", "nsenter", "systemd-run", "prlimit", "cgexec", "firejail", "bwrap", "strace", "ltrace", "dtruss", "valgrind", "perf", "rlwrap", "unbuffer", "entr", "direnv", "dotenv":
		w.values = "etpoSGg"
	case "runuser", "setpriv", "chpst", "setuidgid", "dbus-run-session", "dbus-launch", "numactl", "cpulimit", "systemd-inhibit", "systemd-cat",
		"start-stop-daemon", "run-parts", "watchexec", "nodemon", "conda", "mamba", "micromamba", "mise", "asdf", "rbenv", "pyenv", "nvm", "volta", "fnm", "ld.so":
		w.values = "ugGpneacNmls"
	case "hyperfine", "nix-shell", "nix", "guix":
		w.values, w.Line = "wrmMPpI", true
	case "watch":
		w.values, w.Line = "n", true
	case "ssh":
		w.values, w.operands, w.Line = "bcDEeFIiJLlmOopQRSWw", 1, true
	case "eval", "trap":
		w.Line = true
	default:
		return w, strings.HasPrefix(program, "ld-linux") || strings.HasPrefix(program, "ld-musl") // the loader of programs
	}
	return w, true
}

// shells run the line after -c.
var shells = [...]string{"sh", "bash", "dash", "zsh", "ksh", "mksh", "fish", "ash", "csh", "tcsh", "rbash", "elvish", "nu", "su", "script", "flock", "source", ".", "at", "batch"}

// IsShell reports whether a program runs the line after its option -c, or the script that
// its first operand names.
func IsShell(program string) bool { return slices.Contains(shells[:], program) }

// ScriptOf returns the line that a shell gets after its option -c; empty if there is none.
func ScriptOf(args []string) string {
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

// SplitString returns the command line that env runs because of its option -S: the value of
// the option and the arguments after it. It is empty without that option.
func SplitString(args []string) string {
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
			line += " " + Quote(w)
		}
		return line
	}
	return ""
}

// splitEscapes decodes the escapes of env -S that bash decodes differently: \_ is a space, and
// \c ends the text.
var splitEscapes = strings.NewReplacer(`\\`, `\\`, `\_`, " ", `\c`, "\x00")

// Command returns the command in the arguments of a wrapper: those after its options,
// assignments and operands.
func (w Wrapper) Command(args []string) []string {
	operands := w.operands
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a == "--":
		case strings.HasPrefix(a, "-") && len(a) == 2 && strings.Contains(w.values, a[1:]), slices.Contains(w.long, a):
			i++
		case strings.HasPrefix(a, "-"), !w.Line && assignment().MatchString(a):
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
