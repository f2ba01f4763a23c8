package command

import (
	"path/filepath"
	"slices"
	"strings"
)

// builtins are the listed programs that bash does not look up on the PATH.
var builtins = [...]string{"cd", "pwd", "echo", "printf", "test", "[", "true", "false", ":", "type", "command"}

// prover finds out which parts of a line only read. It changes the Reads, Below and Git
// of a part, and no traits.
type prover struct {
	env        Env
	repository string // that git reads; empty for none yet
}

// reading returns why the command argv needs approval; empty if it only reads. It
// adds the paths that the command reads to p. The command is the whole part, or one
// that a wrapper of the part runs.
func (v *prover) reading(p *Part, argv []string) string {
	name := argv[0]
	row, ok := programs()[name]
	switch {
	case strings.Contains(name, "/"):
		return "it names its program by a path"
	case !ok:
		return code(name) + " is not on the list of programs that only read"
	case len(p.dirs) == 0:
		return "the directory in which " + code(name) + " runs is not known"
	}
	if !slices.Contains(builtins[:], name) {
		if why := v.located(p, name, row); why != "" {
			return why
		}
	}
	return v.row(p, row, argv)
}

// located returns why the program that a name stands for needs approval.
func (v *prover) located(p *Part, name string, row program) string {
	file := v.env.LookPath(name)
	switch {
	case file == "": // judged as if it were installed
		return ""
	case !filepath.IsAbs(file):
		return code(name) + " is found through a relative path"
	case v.env.Inside(file):
		return code(name) + " is a program in the workspace"
	case v.pinned(p, file, row):
		return "a file of the workspace chooses which " + code(name) + " runs"
	}
	return ""
}

// pins returns the files with which a version manager such as asdf chooses the program
// that runs. Some of them can name a program in the workspace.
func pins(file string, row program) []string {
	dir := filepath.Dir(file)
	switch {
	case filepath.Base(dir) == "shims":
		return []string{".tool-versions", "mise.toml", ".mise.toml", ".config/mise.toml", ".python-version", ".ruby-version", ".node-version", ".nvmrc", ".java-version", ".go-version"}
	case strings.HasSuffix(dir, "/.volta/bin"):
		return []string{"package.json"}
	case strings.HasSuffix(dir, "/.cargo/bin") && row.operands == "version":
		return []string{"rust-toolchain", "rust-toolchain.toml"}
	}
	return nil
}

// pinned reports whether a file in the directory of p, or in one above it, may choose
// the program that file stands for.
func (v *prover) pinned(p *Part, file string, row program) bool {
	names := pins(file, row)
	for _, at := range p.dirs {
		for len(names) > 0 {
			if slices.ContainsFunc(names, func(name string) bool { return v.env.Look(filepath.Join(at, name)) != Missing }) {
				return true
			}
			if at == filepath.Dir(at) {
				break
			}
			at = filepath.Dir(at)
		}
	}
	return false
}

// row judges a command by its row of the table.
func (v *prover) row(p *Part, row program, argv []string) string {
	name, args := argv[0], argv[1:]
	if rule, ok := strings.CutPrefix(row.operands, "@"); ok {
		return v.rule(p, rule, argv)
	}
	if row.operands == "version" {
		if _, ok := row.options[strings.Join(args, " ")]; ok && len(args) == 1 {
			return ""
		}
		return code(name) + " may run code unless it only prints its version"
	}
	if len(args) == 1 && (args[0] == "--version" || args[0] == "--help") && !slices.Contains(builtins[:], name) {
		return ""
	}
	a, why := row.sort(name, args)
	switch {
	case why != "":
		return why
	case name == "strings" && slices.ContainsFunc(args, func(w string) bool { return strings.HasPrefix(w, "@") }):
		return "`strings` reads options from a file"
	case (name == "diff" || name == "sdiff") && slices.ContainsFunc(a.operands, func(w string) bool { return p.finds(v.env, w, Directory) }):
		return code(name) + " follows symbolic links in directories, also out of the workspace"
	}
	p.opens(a.files...)
	return v.operands(p, row.operands, name, a)
}

// operands judges the operands of a command.
func (v *prover) operands(p *Part, kind, name string, a arguments) string {
	rest := a.operands
	waits := code(name) + " would wait for input"
	switch kind {
	case "words":
	case "none":
		if len(rest) > 0 {
			return code(name) + " has arguments that are not known to be safe"
		}
	case "files", "file":
		if kind == "file" && len(rest) > 1 {
			return "the second file of " + code(name) + " is one that it writes"
		}
		if len(rest) == 0 && !p.input.piped {
			return waits
		}
		return v.streams(p, name, rest)
	case "places", "pattern", "search":
		if kind != "places" && !a.pattern && len(rest) > 0 {
			rest = rest[1:]
		}
		p.Shows.Below = p.Shows.Below || name == "rg" || kind == "search" && a.has("-r", "--recursive")
		if kind == "search" && len(rest) == 0 && !a.has("-r", "--recursive") {
			if !p.input.piped {
				return waits
			}
			return ""
		}
		if len(rest) == 0 {
			rest = []string{"."}
		}
		if kind == "places" { // not opened, unless they are directories
			p.opens(rest...)
			return ""
		}
		return v.streams(p, name, rest)
	}
	return ""
}

// streams adds operands that a program opens to the reads of p. The operand "-" is
// standard input.
func (v *prover) streams(p *Part, name string, operands []string) string {
	for _, o := range operands {
		switch {
		case o == "-" && p.input.piped:
		case o == "-":
			return code(name) + " would wait for input"
		case o != "/dev/null" && p.finds(v.env, o, Special):
			return code(name) + " may not end: " + shown(o) + " is a device, a pipe or a socket"
		default:
			p.opens(o)
		}
	}
	return ""
}

// opens adds paths to the reads of p, in each directory in which it may run.
func (p *Part) opens(paths ...string) {
	for _, path := range paths {
		if path == "/dev/null" {
			continue
		}
		for _, dir := range p.dirs {
			if full := absolute(dir, path, false); !slices.Contains(p.Reads, full) {
				p.Reads = append(p.Reads, full)
			}
		}
	}
}

// finds reports whether a word is the path of an entry of one of these kinds, in a
// directory in which p may run.
func (p *Part) finds(env Env, word string, kinds ...Entry) bool {
	return slices.ContainsFunc(p.dirs, func(dir string) bool { return slices.Contains(kinds, env.Look(absolute(dir, word, false))) })
}
