package gitconfig

import (
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"agent/internal/realpath"
	"agent/internal/tools/manifest"
)

// wildcards begin the part of a word that a shell or a program matches with names.
const wildcards = "*?["

// shells and interpreters run the file that their first argument names, and otherwise what
// they read. Interpreters also look for modules. Versions such as python3.12 count as the
// same program.
var (
	shells       = []string{"sh", "bash", "dash", "zsh", "ksh", "fish", "pwsh", "busybox", "run-parts", "awk", "gawk", "mawk"}
	interpreters = []string{"python", "pypy", "perl", "ruby", "node", "deno", "bun", "php", "lua", "luajit", "tclsh", "rscript"}
)

// prefixes run the program that their first argument names, or are words of a shell before
// a command.
var prefixes = []string{
	"{", "!", "if", "then", "elif", "else", "while", "until", "do", "time", ".", "source", "eval", "exec", "command", "builtin", "run",
	"env", "sudo", "doas", "nice", "ionice", "nohup", "setsid", "stdbuf", "xargs", "parallel", "timeout", "chronic", "watch",
}

// listers give other programs the files of directories, or read the files that they are given.
var listers = []string{"cd", "pushd", "ls", "find", "fd", "cat", "head", "tail", "tac", "sort", "sed", "tee", "printf", "echo", "go"}

// position says what the words before a word in its command say about it.
type position struct {
	run      bool // only assignments, options, prefixes and names of interpreters are before it
	takes    bool // a program before it runs files, or gives them to others
	script   bool // an interpreter is before it
	modules  bool // a program before it looks for modules
	packages bool // a program before it looks for programs of packages
	git      bool // it is the first argument of git
}

// commands collects the files that the words of commands name.
func (n *naming) commands(words []string) {
	at, reads := position{run: true}, false
	for i, word := range append(slices.Clip(words), "\n") {
		if word == "\n" {
			n.script.fed = n.script.fed || reads
			at, reads = position{run: true}, false
			continue
		}
		if i > 0 && (words[i-1] == "cd" || words[i-1] == "pushd") && strings.ContainsAny(word, marks) {
			n.moved = true
		}
		n.word(word, at)
		name := strings.TrimRight(manifest.Program(word), "0123456789.")
		isShell := slices.Contains(shells, name)
		switch {
		case word == "", strings.HasPrefix(word, "-"), strings.HasPrefix(word, "+"):
		case isShell, slices.Contains(interpreters, name), name == "go" && i+1 < len(words) && words[i+1] == "run":
			at = position{run: true, takes: true, script: true, modules: at.modules || !isShell}
			n.script.interprets, reads = true, !strings.HasSuffix(name, "awk")
		case at.run && slices.Contains(prefixes, filepath.Base(word)):
			at.takes, at.script = true, at.script || word == "." || word == "source"
		case strings.Trim(word, marks+"{}./") == "": // a file that something else finds
			at.run = false
		default:
			reads = reads && assigns(word) != ""
			at.git = at.run && name == "git"
			if assigns(word) != "" { // such as NODE_OPTIONS="--require ./x"
				at.modules = true
			} else if at.run {
				files := manifest.Files(word)
				at.run, at.packages = false, slices.Contains(files, "package.json")
				at.takes, at.modules = at.takes || len(files) > 0 || slices.Contains(listers, name), at.modules || len(files) > 0
			}
		}
	}
}

// word collects the files that a word names, also behind an option or in an assignment.
func (n *naming) word(word string, at position) {
	if (at.run || at.script) && strings.ContainsAny(word, " \t\n'\"`|&;<>()") {
		n.commandsIn(word, false)
	}
	bare := n.bare
	n.bare = bare && (!n.own || at.takes || strings.Contains(word, "=") && !strings.HasPrefix(word, "-"))
	defer func() { n.bare = bare }()
	n.defaults(word, at.run && !n.own)
	at.modules = at.modules || assigns(word) != ""
	for _, text := range braces(word) {
		n.part(text, at, text != word || strings.Contains(word, "/") || !at.git && (!at.run || at.takes))
	}
	for i, part := range strings.FieldsFunc(word, func(c rune) bool { return strings.ContainsRune("=:,{}[]", c) }) {
		inner := at
		if inner.run = at.run && i > 0; part != word {
			n.part(part, inner, true)
		}
		if option := strings.TrimLeft(part, "-"); option != part && option != "" {
			n.part(option, at, true)
			n.part(option[1:], at, true) // -Cdir
		}
	}
}

// part collects the files that a part of a word names. If all is set, it can be a directory of
// which a program runs any file.
func (n *naming) part(part string, at position, all bool) {
	before := len(n.paths)
	first, last := strings.IndexAny(part, marks), strings.LastIndexAny(part, marks)
	slash := strings.Contains(part, "/")
	switch {
	case part == "":
	case strings.ContainsAny(part, wildcards) && (first < 0 || strings.IndexAny(part, wildcards) < first):
		n.pattern(part, at.run && slash)
	case first < 0:
		missing := slash && (at.run || !n.own) || at.run && at.script || at.takes && !n.own && filepath.Ext(part) != ""
		found := n.candidate(part, missing, all)
		n.unknown = n.unknown || at.run && n.moved && !found && slash && !filepath.IsAbs(part)
		if at.modules && !strings.ContainsFunc(part, notInModule) {
			for _, name := range manifest.Modules(part) {
				installed := at.packages && !n.own && strings.HasPrefix(name, "node_modules/")
				n.candidate(filepath.FromSlash(name), installed || !found && at.run && at.script, false)
			}
		}
	case strings.Trim(part, marks) == "":
		n.unknown = n.unknown || at.run && strings.ContainsRune(part, output)
	case first == 0:
		rest := strings.TrimLeft(part[last+1:], "/")
		found := n.candidate(rest, false, true)
		n.unknown = n.unknown || at.run && !found && slash
	case at.run:
		n.below(part[:strings.LastIndexByte(part[:first], '/')+1])
	default:
		n.candidate(part[:strings.LastIndexByte(part[:first], '/')+1], false, true)
	}
	n.script.named = n.script.named || !at.run && slices.ContainsFunc(n.paths[before:], func(path string) bool { return path != n.dir && realpath.Inside(path, n.dir) })
}

// notInModule reports whether the name of a module never contains c.
func notInModule(c rune) bool {
	return !unicode.IsLetter(c) && !unicode.IsDigit(c) && !strings.ContainsRune("._-/@+", c)
}

// braces returns the words that a shell makes of one with {a,b} or {1..3}.
func braces(word string) []string {
	words := []string{word}
	for i := 0; i < len(words) && len(words) < maxBraces; {
		w := words[i]
		end := strings.IndexByte(w, '}')
		start := strings.LastIndexByte(w[:max(end, 0)], '{')
		if start < 0 || !strings.Contains(w[start:end], ",") && !strings.Contains(w[start:end], "..") {
			i++
			continue
		}
		var made []string
		for text := range strings.SplitSeq(w[start+1:end], ",") {
			if strings.Contains(text, "..") {
				text = "*"
			}
			made = append(made, w[:start]+text+w[end+1:])
		}
		words = slices.Replace(words, i, i+1, made...)
	}
	return words
}
