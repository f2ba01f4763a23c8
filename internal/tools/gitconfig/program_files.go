package gitconfig

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/realpath"
	"agent/internal/tools/manifest"
)

// Limits of the search for the files of programs. Beyond maxProgram, maxDepth and
// maxLooked, a program may be any file.
const (
	maxBases   = 10      // directories to which the relative paths of a program may refer
	maxProgram = 8 << 10 // bytes of the text of a program
	maxDepth   = 10      // levels of commands in commands
	maxLooked  = 10_000  // paths of all programs
	maxBraces  = 64      // words that braces make of one
)

// Named returns the files that git runs in the worktree at dir because of c, directories of
// hooks, and all other directories that a program names, as absolute paths. It reports false if
// they depend on something that only a shell finds out, and may be any file of the worktree. If c is the user's own
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
	script   input
}

// input says from where the interpreters of a program get their scripts.
type input struct {
	interprets bool // the program starts an interpreter
	fed        bool // one is started without a script, so that it reads or is given one
	named      bool // an argument names a path
	matched    bool // a pattern matches entries of the worktree, and may match others later
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
	text = strings.Map(func(c rune) rune {
		if strings.ContainsRune(marks, c) {
			return -1
		}
		return c
	}, text)
	n.bases, n.assigned, n.moved, n.bare, n.script = []string{n.dir}, assignments(text), false, !v.isHelper(), input{}
	n.candidate(text, false, false)
	n.commandsIn(text, v.Section == "alias" && !strings.HasPrefix(v.Value, "!"))
	if n.script.fed && !n.script.named || n.script.interprets && n.script.matched {
		n.unknown = true
	}
}

// commandsIn collects the files that the text of a script names, or that of arguments of git.
func (n *naming) commandsIn(text string, ofGit bool) {
	if n.depth == maxDepth {
		n.unknown = true
		return
	}
	n.depth++
	defer func() { n.depth-- }()
	text = n.expand(text)
	for _, quoting := range []bool{true, false} {
		words := split(text, quoting)
		if ofGit {
			words = slices.Concat([]string{"git"}, words)
		}
		n.commands(words)
	}
}

// candidate collects a path if it is a file, or if missing is set and it does not exist. If
// all is set, it collects a directory below the worktree. Later paths may refer to a
// directory. It reports whether the path exists.
func (n *naming) candidate(name string, missing, all bool) (found bool) {
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
			if missing {
				n.paths = append(n.paths, path)
			}
		case info.Mode().IsRegular():
			found, n.paths = true, append(n.paths, path)
		case info.IsDir():
			if found = true; len(n.bases) < maxBases && !slices.Contains(n.bases, path) {
				n.bases = append(n.bases, path)
			}
			if all && n.isBelow(path) {
				n.paths = append(n.paths, path)
			}
		}
	}
	return found
}

// isBelow reports whether a directory is in the worktree, is not called .git, and does not
// contain the workspace.
func (n *naming) isBelow(path string) bool {
	real, root := realpath.Of(path), realpath.Of(n.dir)
	return root != filepath.Dir(root) && real != root && (realpath.Inside(real, root) || realpath.Inside(path, n.dir)) &&
		filepath.Base(path) != ".git" && (n.reader.Workspace == "" || !realpath.Inside(realpath.Of(n.reader.Workspace), real))
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

// pattern collects the entries of directories that a pattern matches up to its first element
// with a wildcard. A directory in front of that is collected as a whole, since commands can add
// files to it.
func (n *naming) pattern(text string, run bool) {
	dir := text[:strings.LastIndexByte(text[:strings.IndexAny(text, wildcards)], '/')+1]
	element, _, _ := strings.Cut(text[len(dir):], "/")
	if run && dir != "" {
		n.below(dir)
		return
	}
	n.candidate(dir, false, true)
	for _, base := range slices.Clone(n.bases) {
		path, _ := n.reader.Path(base, dir)
		if !realpath.Inside(path, n.dir) || path != n.dir && dir != "" {
			continue
		}
		entries, err := os.ReadDir(path)
		if err != nil {
			continue
		}
		for _, e := range entries {
			if ok, _ := filepath.Match(element, e.Name()); ok && e.Name() != ".git" { // the error is a malformed pattern
				n.script.matched = true
				n.candidate(filepath.Join(path, e.Name()), false, true)
			}
		}
	}
}

// defaults collects the files that a program reads by default, if the word names one. If
// missing is not set, at least one of them must exist in a directory.
func (n *naming) defaults(word string, missing bool) {
	names := manifest.Files(word)
	for _, base := range n.bases {
		var paths []string
		found := missing
		for _, name := range names {
			path := filepath.Join(base, filepath.FromSlash(name))
			_, err := os.Stat(path)
			paths, found = append(paths, path), found || err == nil
		}
		if found {
			n.paths = append(n.paths, paths...)
		}
	}
}
