package gitconfig

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Limits of the search for the files of programs. Beyond maxProgram, maxDepth and
// maxLooked, a program may be any file.
const (
	maxBases   = 10      // directories to which the relative paths of a program may refer
	maxProgram = 8 << 10 // bytes of the text of a program
	maxDepth   = 10      // levels of commands in commands
	maxLooked  = 5000    // paths of all programs
)

// Named returns the files, and the directories of hooks, that git runs in the worktree at
// dir because of c, as absolute paths. It reports false if they depend on something that
// only a shell finds out, and may be any file of the worktree. If c is the user's own
// configuration, own is true: a path in it that does not exist counts only where a shell
// runs it, since most of these settings are made for other repositories.
func (r Reader) Named(c Config, dir string, own bool) (paths []string, known bool) {
	n := naming{reader: r, dir: dir, own: own}
	for _, v := range c.Variables {
		switch {
		case v.Value == "" && v.remoteCommand() == "", v.Section == "include", v.Section == "includeif", v.Section == "protocol", !v.RunsPrograms():
		case v.isPath():
			path, ok := r.Path(dir, strings.TrimPrefix(v.Value, ":(optional)"))
			n.unknown = n.unknown || !ok
			n.paths = append(n.paths, path)
		default:
			n.program(v)
		}
	}
	slices.Sort(n.paths)
	return slices.DeleteFunc(slices.Compact(n.paths), func(path string) bool { return path == "" }), !n.unknown
}

// naming collects the files that programs name.
type naming struct {
	reader  Reader
	dir     string
	own     bool
	paths   []string
	unknown bool
	looked  int // paths that were looked for

	// The rest is about one program.
	bases    []string // directories to which relative paths may refer
	assigned []string // variables that the text sets
	moved    bool     // it changes to a directory that is not known
	bare     bool     // names without a slash may be files
	depth    int      // of the command in commands
}

// The marks that replace expansions in a program.
const (
	given  = '\x01' // by the user or git: an argument, a variable of the environment
	output = '\x02' // of a command, or a variable that the program sets
	marks  = "\x01\x02"
)

// program collects the files that a program names. A shell runs most programs, so its
// words are read as a shell reads them, and once more without quotes, because another
// shell may read an argument.
func (n *naming) program(v Variable) {
	text := strings.TrimLeft(v.Value, "!")
	if command := v.remoteCommand(); command != "" {
		text = command
	}
	if len(text) > maxProgram {
		n.unknown = true
		return
	}
	n.bases, n.assigned, n.moved, n.bare = []string{n.dir}, assignments(text), false, !v.isHelper()
	n.candidate(text, false)
	n.script(text)
}

// script collects the files that the text of a script names.
func (n *naming) script(text string) {
	if n.depth == maxDepth {
		n.unknown = true
		return
	}
	n.depth++
	defer func() { n.depth-- }()
	text = n.expand(strings.Map(func(c rune) rune {
		if strings.ContainsRune(marks, c) {
			return -1
		}
		return c
	}, text))
	n.commands(split(text, true))
	n.commands(split(text, false))
}

// commands collects the files that the words of commands name. A word is run if only
// assignments, options and the names of programs that run others are before it.
func (n *naming) commands(words []string) {
	run, runner := true, false
	for i, word := range words {
		if word == "\n" {
			run, runner = true, false
			continue
		}
		if i > 0 && (words[i-1] == "cd" || words[i-1] == "pushd") && strings.ContainsAny(word, marks) {
			n.moved = true
		}
		n.word(word, run, runner)
		switch {
		case !run, strings.HasPrefix(word, "-"), strings.HasPrefix(word, "+"), word == "":
		case slices.Contains(runners, filepath.Base(word)):
			runner = true
		default:
			run = assigns(word) != ""
		}
	}
}

// runners run the file that their first argument names, or are words of a shell before a command.
var runners = []string{
	"{", "!", "if", "then", "elif", "else", "while", "until", "do", "time", ".", "source", "eval", "exec", "command", "builtin", "env", "sudo", "nice", "nohup", "xargs", "timeout",
	"sh", "bash", "dash", "zsh", "ksh", "fish", "pwsh", "busybox", "python", "python2", "python3", "perl", "ruby", "node", "deno", "bun", "php", "lua",
}

// word collects the files that a word names, also behind an option or in an assignment.
func (n *naming) word(word string, run, runner bool) {
	bare := n.bare
	n.bare = bare && (!n.own || runner)
	defer func() { n.bare = bare }()
	n.part(word, run)
	for i, part := range strings.FieldsFunc(word, func(c rune) bool { return strings.ContainsRune("=:,{}[]", c) }) {
		if part != word {
			n.part(part, run && i > 0)
		}
		if option := strings.TrimLeft(part, "-"); option != part && option != "" {
			n.part(option, run)
			n.part(option[1:], run) // -Cdir
		}
	}
}

// part collects the files that a part of a word names.
func (n *naming) part(part string, run bool) {
	if run && strings.Contains(part, "/") {
		part = strings.Map(func(c rune) rune {
			if strings.ContainsRune("*?[", c) {
				return output
			}
			return c
		}, part)
	}
	first, last := strings.IndexAny(part, marks), strings.LastIndexAny(part, marks)
	switch {
	case part == "":
	case first < 0:
		found := n.candidate(part, strings.Contains(part, "/") && (run || !n.own))
		n.unknown = n.unknown || run && n.moved && !found && strings.Contains(part, "/") && !filepath.IsAbs(part)
	case strings.Trim(part, marks) == "":
		n.unknown = n.unknown || run && strings.ContainsRune(part, output)
	case first == 0:
		rest := strings.TrimLeft(part[last+1:], "/")
		found := n.candidate(rest, false)
		n.unknown = n.unknown || run && !found && strings.Contains(part, "/")
	case run:
		n.below(part[:strings.LastIndexByte(part[:first], '/')+1])
	}
}

// below collects a directory of which any file may be run.
func (n *naming) below(dir string) {
	if dir == "" {
		return
	}
	for _, base := range n.bases {
		path, ok := n.reader.Path(base, dir)
		if rel, err := filepath.Rel(path, n.dir); !ok || err == nil && filepath.IsLocal(rel) {
			n.unknown = true // it contains the worktree
			continue
		}
		n.paths = append(n.paths, path)
	}
}

// candidate collects a path if it is a file, or if missing is set and it does not exist.
// Later paths may refer to it if it is a directory. It reports whether the path exists.
func (n *naming) candidate(name string, missing bool) (found bool) {
	if strings.ContainsRune(name, '\x00') || !n.bare && !strings.Contains(name, "/") {
		return false
	}
	for _, base := range slices.Clone(n.bases) {
		if n.looked++; n.looked > maxLooked {
			n.unknown = true
			return false
		}
		path, _ := n.reader.Path(base, name)
		info, err := os.Stat(path)
		switch {
		case path == "":
		case err != nil:
			if missing && strings.Contains(name, "/") {
				n.paths = append(n.paths, path)
			}
		case info.Mode().IsRegular():
			found, n.paths = true, append(n.paths, path)
		case info.IsDir():
			if found = true; len(n.bases) < maxBases && !slices.Contains(n.bases, path) {
				n.bases = append(n.bases, path)
			}
		}
	}
	return found
}
