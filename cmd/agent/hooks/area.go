package hooks

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"agent/cmd/agent/settings"
	"agent/internal/realpath"
)

// plainPrograms are programs that execute nothing which a file names, so that a hook of the
// user which runs only them on files of the user needs no sandbox. They include builtins of the
// shell.
var plainPrograms = []string{
	":", "[", "cat", "curl", "cut", "date", "echo", "exit", "false", "head", "jq", "logger", "notify-send", "printenv", "printf", "read",
	"sleep", "tail", "terminal-notifier", "tr", "true", "wc",
	"afplay", "aplay", "canberra-gtk-play", "paplay", "say", "tput",
}

// plainCurl are long options of curl that write no file and read no options.
var plainCurl = []string{"--data", "--data-binary", "--data-raw", "--data-urlencode", "--header", "--request", "--silent", "--show-error", "--location", "--retry", "--connect-timeout", "--compressed", "--fail", "--max-time", "--user", "--url", "--json", "--form"}

// outside reports whether a hook runs outside the sandbox. A hook of the user that does not
// say so does if it runs only plainPrograms and names no file that commands can replace.
func outside(h settings.Hook, ofUser bool, dir string) bool {
	if h.Sandbox != nil {
		return !*h.Sandbox
	}
	return ofUser && plain(h.Command, dir)
}

// plain reports whether a command runs only plainPrograms from outside the workspace dir, and
// names only files outside it.
func plain(line, dir string) bool {
	f, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(line), "")
	if err != nil {
		return false
	}
	ok := true
	syntax.Walk(f, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CallExpr:
			if len(n.Args) > 0 {
				ok = ok && plainCall(n, dir)
			}
			ok = ok && !slices.ContainsFunc(n.Assigns, func(a *syntax.Assign) bool {
				return a.Name == nil || a.Index != nil || len(n.Args) > 0 || a.Name.Value == "PATH"
			})
		case *syntax.Redirect:
			ok = ok && plainRedirect(n, dir)
		case *syntax.File, *syntax.Stmt, *syntax.Word, *syntax.Lit, *syntax.SglQuoted, *syntax.DblQuoted, *syntax.CmdSubst, *syntax.Assign,
			*syntax.BinaryCmd, *syntax.IfClause, *syntax.Block, *syntax.Subshell, *syntax.Comment, nil:
		case *syntax.ParamExp: // arithmetic in it can run commands that are in a value
			ok = ok && n.Index == nil && n.Slice == nil && n.Exp == nil && n.Repl == nil && !n.Excl
		default: // functions, declarations, arithmetic: they can change what a name runs
			ok = false
		}
		return ok
	})
	return ok
}

// plainCall reports whether a call runs one of plainPrograms, which reads and writes only
// files that no command can have replaced.
func plainCall(c *syntax.CallExpr, dir string) bool {
	name := c.Args[0].Lit()
	if !slices.Contains(plainPrograms, name) || fromWorkspace(name, dir) || startsOthers(name) {
		return false
	}
	if name == "[" && !plainTest(c.Args[1:]) {
		return false
	}
	operands := 0
	for i, w := range c.Args[1:] {
		if splits(w) {
			return false
		}
		text, static := wordText(w)
		if strings.HasPrefix(text, "-") && text != "-" {
			if !plainOption(name, text, static) {
				return false
			}
			continue
		}
		operands++
		if !plainOperand(name, w, operands, c.Args[i].Lit(), dir) {
			return false
		}
	}
	return true
}

// splits reports whether the shell splits the value of an expansion in a word into several
// words, any of which can be an option.
func splits(w *syntax.Word) bool {
	return slices.ContainsFunc(w.Parts, func(p syntax.WordPart) bool {
		switch p.(type) {
		case *syntax.ParamExp, *syntax.CmdSubst:
			return !isHome(p)
		}
		return false
	})
}

// expands reports whether a word begins with an expansion, so that its value can be an option.
func expands(parts []syntax.WordPart) bool {
	if len(parts) == 0 {
		return false
	}
	switch p := parts[0].(type) {
	case *syntax.DblQuoted:
		return expands(append(slices.Clone(p.Parts), parts[1:]...))
	case *syntax.ParamExp, *syntax.CmdSubst:
		return !isHome(p)
	}
	return false
}

// plainTest reports whether the arguments of [ are a test whose operator the hook spells out: an
// operator that a value brings along can name a variable, and evaluate its index.
func plainTest(args []*syntax.Word) bool {
	if len(args) > 0 && args[0].Lit() == "!" {
		args = args[1:]
	}
	switch len(args) { // with the closing bracket
	case 2:
		return true
	case 3:
		op := args[0].Lit()
		return len(op) == 2 && op[0] == '-' && op != "-v" && op != "-R"
	case 4:
		return slices.Contains([]string{"=", "==", "!=", "-eq", "-ne", "-lt", "-le", "-gt", "-ge"}, args[1].Lit())
	}
	return false
}

// plainOption reports whether an option names no file and no variable. Static is set if its
// text is complete.
func plainOption(name, text string, static bool) bool {
	long := strings.HasPrefix(text, "--")
	switch name {
	case "printf", "[": // they evaluate the name of a variable
		return !strings.HasPrefix(text, "-v")
	case "cat", "cut", "head", "tail", "wc":
		return !strings.Contains(text, "files0-from")
	case "date":
		return !strings.HasPrefix(text, "--f") && !strings.HasPrefix(text, "--r") && (long || !strings.ContainsAny(text, "fr"))
	case "logger":
		return static && !strings.Contains(text, "f")
	case "jq":
		return strings.Trim(text, "-rcesnRja") == ""
	case "curl":
		option, _, _ := strings.Cut(text, "=")
		return !namesFile(text, false) && (long && slices.Contains(plainCurl, option) || !long && !strings.ContainsAny(text, "KOoDcJTbE"))
	}
	return true
}

// plainOperand reports whether an argument that is no option, number n, names only files that
// no command can have replaced. before is the argument before it.
func plainOperand(name string, w *syntax.Word, n int, before, dir string) bool {
	text, static := wordText(w)
	if expands(w.Parts) {
		switch name {
		case "curl", "date", "jq", "logger", "say":
			return false
		case "printf":
			return n > 1
		case "terminal-notifier":
			return strings.HasPrefix(before, "-")
		}
	}
	switch name {
	case "read": // it evaluates the name of a variable
		return static
	case "cat", "cut", "head", "tail", "wc":
		return static && strings.Trim(text, "0123456789,-+") == "" || plainPath(w, dir)
	case "jq": // the first one is the filter, which can include others
		return n == 1 && !strings.Contains(text, "import") && !strings.Contains(text, "include") || n > 1 && plainPath(w, dir)
	case "curl":
		return !namesFile(text, before == "--data-urlencode")
	}
	return true
}

// namesFile reports whether an argument of curl names a file to send: "@file",
// "name=@file", "-d@file", or "name@file" in encoded data. Standard input is none.
func namesFile(text string, encoded bool) bool {
	before, after, found := strings.Cut(text, "@")
	switch {
	case strings.Contains(text, "=<"):
		return true
	case !found, after == "-":
		return false
	}
	return before == "" || strings.HasSuffix(before, "=") || strings.HasPrefix(before, "-") || encoded && !strings.Contains(before, "=")
}

// wordText returns the text of a word without its expansions. Static is set if it has none.
func wordText(w *syntax.Word) (text string, static bool) {
	static = true
	var add func(parts []syntax.WordPart)
	add = func(parts []syntax.WordPart) {
		for _, p := range parts {
			switch p := p.(type) {
			case *syntax.Lit:
				text += p.Value
			case *syntax.SglQuoted:
				text += p.Value
				static = static && !p.Dollar
			case *syntax.DblQuoted:
				add(p.Parts)
			default:
				static = false
			}
		}
	}
	add(w.Parts)
	return text, static
}

// plainRedirect reports whether a redirection names only files that no command can have
// replaced.
func plainRedirect(r *syntax.Redirect, dir string) bool {
	switch r.Op {
	case syntax.WordHdoc, syntax.Hdoc, syntax.DashHdoc, syntax.DplIn:
		return true
	case syntax.DplOut:
		return r.Word.Lit() == "1" || r.Word.Lit() == "2"
	}
	return r.Word.Lit() == os.DevNull || plainPath(r.Word, dir)
}

// plainPath reports whether a word is an absolute path, which may begin with $HOME or ~,
// outside the workspace dir and the temporary directory: commands can replace files there.
func plainPath(w *syntax.Word, dir string) bool {
	path, static := wordText(w)
	parts := w.Parts
	if len(parts) == 1 {
		if quoted, isQuoted := parts[0].(*syntax.DblQuoted); isQuoted {
			parts = quoted.Parts
		}
	}
	switch {
	case len(parts) == 2 && isHome(parts[0]):
		if _, isText := parts[1].(*syntax.Lit); !isText {
			return false
		}
		path = os.Getenv("HOME") + path
	case !static:
		return false
	case strings.HasPrefix(w.Lit(), "~/"):
		path = filepath.Join(os.Getenv("HOME"), path[2:])
	}
	real := realpath.Of(path)
	return filepath.IsAbs(path) && !strings.ContainsAny(path, "*?[{") && !realpath.Inside(real, realpath.Of(dir)) && !realpath.Inside(real, realpath.Of(os.TempDir()))
}

// isHome reports whether a part of a word is $HOME.
func isHome(part syntax.WordPart) bool {
	p, isVariable := part.(*syntax.ParamExp)
	return isVariable && p.Short && p.Param.Value == "HOME"
}

// fromWorkspace reports whether the shell could find a program of that name in the workspace.
func fromWorkspace(name, dir string) bool {
	for _, in := range filepath.SplitList(os.Getenv("PATH")) {
		if !filepath.IsAbs(in) || realpath.Inside(realpath.Of(in), realpath.Of(dir)) {
			return true
		}
	}
	path, err := exec.LookPath(name)
	return err == nil && realpath.Inside(realpath.Of(path), realpath.Of(dir))
}

// startsOthers reports whether the program that PATH finds by a name may start another one, which
// files in the working directory choose: it is a script, or a version manager starts it.
func startsOthers(name string) bool {
	path, err := exec.LookPath(name)
	if err != nil {
		return false // a builtin of the shell, or nothing
	}
	for _, step := range realpath.Steps(path) {
		if filepath.Base(filepath.Dir(step)) == "shims" && runtime.GOOS != "windows" { // those of Scoop read no such files
			return true
		}
	}
	f, err := os.Open(path)
	if err != nil {
		return true
	}
	defer f.Close()
	start := make([]byte, 2)
	_, err = io.ReadFull(f, start)
	return err != nil || string(start) == "#!"
}
