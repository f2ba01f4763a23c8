package checks

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"

	"agent/internal/bash"
)

const (
	maxWatched = 16 << 10 // bytes of a line that is watched
	maxText    = 300      // bytes of Ended.Text
)

// Watched are the checks of a line that can report their exit codes. A nil Watched has none.
type Watched struct {
	source string
	parts  []part
}

// part is a check in a line.
type part struct {
	at     int    // offset of its command
	insert int    // offset of its program
	name   string // short, such as "go test"
	text   string // as the line has it; empty if it contains expansions
}

// Ended is a check that ended.
type Ended struct {
	At   int    // offset of its command in the line, in bytes
	Name string // "go test"; Text if the line has several of that name, or if it ran more than once
	Text string // its words, clipped
	Dir  string // where it ended
	Code int
}

// Find returns the checks of a line that starts in dir with the environment env. Nil means that the
// line has none that can be watched, or that its own exit code is that of its only check. A line is
// not watched if it could tell the difference: if it traces its commands, lists processes, or uses
// the IDs of background processes.
func Find(line, dir string, env []string) *Watched {
	if len(line) > maxWatched {
		return nil
	}
	parsed, err := bash.Parse(line)
	if err != nil || Redefines(parsed) || showsItself(parsed) {
		return nil
	}
	f := finder{line: parsed, dir: dir, path: pathOf(env)}
	f.find()
	if len(f.parts) == 0 || len(f.parts) == 1 && f.parts[0].insert == f.parts[0].at && isSimple(parsed.File) {
		return nil
	}
	return &Watched{source: line, parts: f.parts}
}

// Line returns the line whose checks append their exit codes to file, a path without characters
// that are special in double quotes. Shell is the path of bash. Each check runs below another bash,
// with the same input, output, directory, environment and signals. Only the message of bash about a
// check that a signal such as SIGSEGV ended has other words.
func (w *Watched) Line(shell, file string) string {
	var out strings.Builder
	at := 0
	for i, p := range w.parts {
		out.WriteString(w.source[at:p.insert])
		fmt.Fprintf(&out, "%s -c %s bash ", bash.Quote(shell), bash.Quote(reporter(i, file)))
		at = p.insert
	}
	return out.String() + w.source[at:]
}

// reporter returns the script that runs the command in its arguments and reports its exit code.
// Traps that do nothing make it wait for a command that handles a signal of the group.
func reporter(number int, file string) string {
	return fmt.Sprintf(`trap : HUP INT QUIT TERM USR1 USR2; SHLVL=$((SHLVL-1)); "$@"; s=$?; `+
		`{ printf "%%s\0%%s\0%%s\0%%.%ds\0" %d "$s" "$(pwd -P)" "$*" >>"%s"; } 2>/dev/null; exit "$s"`, maxText, number, file)
}

// Read returns the checks that the content of the file reports, in the order in which they ended;
// none if it is damaged.
func (w *Watched) Read(text string) (all []Ended) {
	fields := strings.Split(text, "\x00")
	if w == nil || len(fields)%4 != 1 {
		return nil
	}
	for f := range slices.Chunk(fields[:len(fields)-1], 4) {
		number, err := strconv.Atoi(f[0])
		code, err2 := strconv.Atoi(f[1])
		if err != nil || err2 != nil || number < 0 || number >= len(w.parts) {
			return nil
		}
		p := w.parts[number]
		e := Ended{At: p.at, Name: p.name, Text: p.text, Dir: f[2], Code: code}
		if e.Text == "" {
			e.Text = strings.Join(strings.Fields(f[3]), " ")
		}
		all = append(all, e)
	}
	names := map[string]int{}
	for _, p := range w.parts {
		names[p.name]++
	}
	runs := map[int]int{}
	for _, e := range all {
		runs[e.At]++
	}
	for i, e := range all {
		if names[e.Name] > 1 || runs[e.At] > 1 {
			all[i].Name = e.Text
		}
	}
	return all
}

// finder finds the checks of a line.
type finder struct {
	line  *bash.Line
	dir   string
	path  []string
	parts []part
}

// find adds all checks that do not run in the background, in the order of the line.
func (f *finder) find() {
	syntax.Walk(f.line.File, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Stmt:
			return !n.Background && !n.Coprocess
		case *syntax.ProcSubst, *syntax.CoprocClause:
			return false
		case *syntax.CallExpr:
			f.add(n)
		}
		return true
	})
	slices.SortFunc(f.parts, func(a, b part) int { return a.insert - b.insert })
}

// add adds a command if it is a check.
func (f *finder) add(c *syntax.CallExpr) {
	words := Words(f.line, c)
	inner := Unwrapped(words)
	if kind, how := Classify(inner); kind == "" || how.Other {
		return
	}
	i := program(words)
	if i < 0 || !f.exists(words[i]) {
		return
	}
	p := part{at: int(c.Pos().Offset()), insert: int(c.Args[i].Pos().Offset()), name: Name(inner)}
	if !slices.Contains(words, "") {
		p.text = strings.Join(strings.Fields(f.line.Text(c)), " ")
	}
	f.parts = append(f.parts, p)
}

// program returns the index of the program in words that its wrappers, such as timeout, run; -1 if
// a wrapper runs it in another way than it would run any other program.
func program(words []string) int {
	at := 0
	for at < len(words) {
		name, args := bash.Program(words[at]), words[at+1:]
		w, ok := bash.WrapperOf(name)
		if !ok || !w.Passes {
			return at
		}
		switch {
		case name == "exec", name == "timeout" && has(args, "--foreground", "-f"), name == "env" && has(args, "-", "-i", "--ignore-environment"):
			return -1
		}
		inner := w.Command(args)
		if len(inner) == 0 {
			return at
		}
		at = len(words) - len(inner)
	}
	return -1
}

// exists reports whether bash finds a program at the start of the line. Bash itself reports one that
// it does not find.
func (f *finder) exists(name string) bool {
	if strings.Contains(name, "/") {
		if !filepath.IsAbs(name) {
			name = filepath.Join(f.dir, name)
		}
		return executable(name)
	}
	return slices.ContainsFunc(f.path, func(dir string) bool { return executable(filepath.Join(dir, name)) })
}

func executable(file string) bool {
	_, err := exec.LookPath(file)
	return err == nil
}

// pathOf returns the absolute directories of PATH.
func pathOf(env []string) (dirs []string) {
	for _, v := range slices.Backward(env) {
		if list, ok := strings.CutPrefix(v, "PATH="); ok {
			return slices.DeleteFunc(filepath.SplitList(list), func(dir string) bool { return !filepath.IsAbs(dir) })
		}
	}
	return nil
}

// isSimple reports whether a script is a single command without operators.
func isSimple(file *syntax.File) bool {
	if len(file.Stmts) != 1 || file.Stmts[0].Negated {
		return false
	}
	_, ok := file.Stmts[0].Cmd.(*syntax.CallExpr)
	return ok
}

// showsItself reports whether a line may print its own commands or look at its processes.
func showsItself(line *bash.Line) (yes bool) {
	syntax.Walk(line.File, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.ParamExp:
			yes = yes || n.Param != nil && slices.Contains([]string{"!", "BASH_COMMAND", "BASH_EXECUTION_STRING", "SHLVL"}, n.Param.Value)
		case *syntax.CallExpr:
			switch words := Unwrapped(Words(line, n)); {
			case len(words) == 0:
			case words[0] == "set":
				yes = yes || slices.ContainsFunc(words[1:], traces)
			default:
				yes = yes || slices.Contains([]string{"jobs", "ps", "pgrep", "pstree", "pkill", "killall", "strace", "lsof", "caller"}, words[0])
			}
		}
		return !yes
	})
	return yes
}

// traces reports whether a word of set can make bash print its commands.
func traces(word string) bool {
	return word == "" || word == "xtrace" || word == "verbose" || strings.HasPrefix(word, "-") && !strings.HasPrefix(word, "--") && strings.ContainsAny(word, "xv")
}

// subcommand matches a word that says what a program does, such as "test".
var subcommand = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z][a-z:-]*$`) })

// Name returns a short name of a command: its program, with its subcommand; empty if that is not
// known.
func Name(words []string) string {
	if len(words) == 0 || words[0] == "" {
		return ""
	}
	name := filepath.Base(words[0])
	for i, w := range words[1:] {
		if !subcommand().MatchString(w) {
			break
		}
		name += " " + w
		if i > 0 || w != "run" {
			break
		}
	}
	return name
}
