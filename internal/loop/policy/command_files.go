package policy

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/bash"
	"agent/internal/loop/policy/command"
	"agent/internal/loop/policy/standing"
	"agent/internal/tools/manifest"
)

// Limits on what a command with a standing permission may name. Other commands need
// approval every time.
const (
	maxWords      = 400
	maxNamedDirs  = 32
	maxNamedFiles = 128
	maxNamedPaths = 1000
	maxNamedBytes = 64 << 20
)

// wordsIn returns the words of a command that may name files: its words, the words of
// quoted text, which may be a script, and the parts of words such as FILE=x.
func wordsIn(c *command.Command) (out []string) {
	add := func(text string) {
		for _, w := range variants(text) {
			if !slices.Contains(out, w) {
				out = append(out, w)
			}
		}
	}
	for i := range c.Parts {
		p := &c.Parts[i]
		texts := slices.Concat(p.Assigns, p.Texts())
		for _, re := range p.Redirs {
			texts = append(texts, re.Target.Text)
		}
		for _, text := range texts {
			add(text)
			if strings.ContainsAny(text, command.Separators) {
				for _, w := range command.Fields(text) {
					add(w)
				}
			}
		}
	}
	return out
}

// allKnown reports whether the value of every word of a command is known before it runs.
func allKnown(c *command.Command) bool {
	for i := range c.Parts {
		p := &c.Parts[i]
		word := func(w command.Word) bool { return w.Kind == bash.Unknown }
		target := func(re bash.Redirect) bool {
			return re.Text == nil && (strings.HasPrefix(re.Op, "<<") || re.Target.Kind == bash.Unknown)
		}
		if slices.ContainsFunc(p.Words, word) || slices.ContainsFunc(p.Redirs, target) {
			return false
		}
	}
	return true
}

// variants returns the file names that a word may contain, as in FILE=x, -fx, @x, a:b, -include/x
// and x/... for all packages below x.
func variants(w string) []string {
	out := []string{w, strings.TrimSuffix(w, "...")}
	for i, c := range w {
		if strings.ContainsRune("=:,@", c) {
			out = append(out, w[i+1:])
		}
	}
	out = append(out, strings.FieldsFunc(w, func(r rune) bool { return strings.ContainsRune("=:,@", r) })...)
	if len(w) > 2 && w[0] == '-' && w[1] != '-' {
		out = append(out, w[2:])
		if i := strings.IndexAny(w[2:], "/."); i > 0 {
			out = append(out, w[2+i:])
		}
	}
	return slices.DeleteFunc(out, func(v string) bool { return v == "" })
}

// naming finds the files that the words of a command name, relative to the directory
// in which it runs and to all directories that it names, because it may cd there.
type naming struct {
	ctx   context.Context
	home  string
	root  string // the workspace
	words []string
	dirs  []string // absolute; the first is that of the command
	paths []string // absolute; existing, or possible meanings of a word with a separator
	// settings are absolute paths of files that the programs read by default without showing
	// their content: a command that names none of them does not count as reading one.
	settings []string
	files    []standing.File
	entries  int // that may still be looked at to expand wildcards; negative if there are more
}

// find fills dirs and paths for a command in dir. It reports false if the command names too much.
func (n *naming) find(dir string) bool {
	if len(n.words) > maxWords {
		return false
	}
	names := n.words
	for _, w := range n.words {
		names = append(names, manifest.Tasks(w)...)
	}
	n.enter(dir)
	all := true
	for i := 0; i < len(n.dirs); i++ {
		for _, name := range names {
			if n.ctx.Err() != nil || n.entries < 0 || len(n.paths) > maxNamedPaths {
				return false
			}
			all = n.add(n.dirs[i], name) && all
		}
		for _, w := range n.words {
			for _, name := range manifest.Settings(w) {
				n.settings = append(n.settings, filepath.Join(n.dirs[i], name))
			}
		}
	}
	return all
}

// add adds the paths that a word means in dir. It reports false at a limit.
func (n *naming) add(dir, word string) bool {
	path := filepath.FromSlash(word) // relative to dir
	for _, home := range []string{"~", "$HOME", "${HOME}"} {
		if rest, ok := strings.CutPrefix(strings.ReplaceAll(word, `"`, ""), home); ok && (rest == "" || rest[0] == '/') {
			path = filepath.Join(n.home, filepath.FromSlash(rest))
		}
	}
	if strings.HasPrefix(word, `\\`) || filepath.VolumeName(path) != "" && strings.HasPrefix(word, "//") {
		return false // a network path: opening it contacts another machine
	}
	found := []string{path}
	if strings.ContainsAny(word, "*?[") {
		matches, err := command.Glob(dir, filepath.ToSlash(path), &n.entries, true)
		if err != nil || len(matches) > maxNamedFiles || strings.Contains(word, "[[") || strings.Contains(word, "[:") {
			return false
		}
		found = append(found, matches...)
	}
	for _, path := range found {
		if !n.name(from(dir, path), strings.ContainsAny(word, `/\.`)) {
			return false
		}
	}
	return true
}

// enter adds a directory, and those above it in the workspace: programs such as npm look
// for their manifest there too. It reports false at a limit.
func (n *naming) enter(dir string) bool {
	for !slices.Contains(n.dirs, dir) {
		if len(n.dirs) == maxNamedDirs {
			return false
		}
		n.dirs = append(n.dirs, dir)
		if above := filepath.Dir(dir); n.root != "" && within([]string{n.root}, above) {
			dir = above
		}
	}
	return true
}

// name adds a path that a word may mean: if it exists, or if the word looks like a
// path. It reports false at a limit.
func (n *naming) name(path string, looksLikePath bool) bool {
	info, err := os.Stat(path)
	if err == nil && info.IsDir() && !n.enter(path) {
		return false
	}
	if (err == nil || looksLikePath) && !slices.Contains(n.paths, path) {
		n.paths = append(n.paths, path)
	}
	return len(n.paths) <= maxNamedPaths
}

// hash fills files with the hashes of the regular files among paths and settings. It
// reports false if they are too many or too large, or if one cannot be read.
func (n *naming) hash() bool {
	all := slices.Concat(n.paths, n.settings)
	slices.Sort(all)
	left := int64(maxNamedBytes)
	for _, path := range slices.Compact(all) {
		if n.ctx.Err() != nil {
			return false
		}
		if pseudo(path) && !strings.HasPrefix(path, "/dev/shm/") { // shared memory holds ordinary files
			continue
		}
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		f, size, ok := standing.Hash(path, left)
		if !ok || len(n.files) == maxNamedFiles {
			return false
		}
		left -= size
		n.files = append(n.files, f)
	}
	return true
}

// pseudo reports whether a path is in a virtual file system, whose files change
// each time they are read.
func pseudo(path string) bool {
	for _, dir := range []string{"/proc/", "/sys/", "/dev/"} {
		if strings.HasPrefix(path, dir) {
			return true
		}
	}
	return false
}
