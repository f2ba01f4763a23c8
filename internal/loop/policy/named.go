package policy

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/loop/policy/command"
	"agent/internal/tools"
	"agent/internal/tools/git"
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

// manifests lists the files that programs read by default.
var manifests = map[string][]string{
	"make": makefiles, "gmake": makefiles, "bmake": makefiles,
	"npm": packageFiles, "npx": packageFiles, "pnpm": packageFiles, "yarn": packageFiles, "bun": packageFiles,
	"just":     {"justfile", "Justfile", ".justfile"},
	"task":     {"Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "taskfile.yaml", "Taskfile.dist.yml", "Taskfile.dist.yaml"},
	"rake":     {"Rakefile", "rakefile", "Rakefile.rb", "rakefile.rb"},
	"ninja":    {"build.ninja"},
	"tox":      {"tox.ini", "pyproject.toml", "setup.cfg"},
	"mvn":      {"pom.xml"},
	"gradle":   {"build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"},
	"gradlew":  {"build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"},
	"composer": {"composer.json"},
}

var (
	makefiles    = []string{"GNUmakefile", "makefile", "Makefile"}
	packageFiles = []string{"package.json"}
)

// Facts are what Policy.Judge needs to know about a call from the file system.
type Facts struct {
	Protected []Protected // targets that always need approval
	Dir       string      // the directory of the Scope that c may get; empty if that is unknown
	Root      string      // the workspace without symbolic links
	Files     []File      // named by a command, sorted by path
	// Unbound is set if a command needs approval every time: it deletes or overwrites,
	// it names protected paths, or its files are unknown.
	Unbound bool
	Rule    string           // why a command is Unbound, as a clause; may be empty
	Command *command.Command // what a command does; nil for other calls

	environment func([]string) []string // of automatic commands
	repository  *git.Repository         // that an automatic command reads with git
	noBash      bool                    // see Paths
	Warning     string                  // what the user must know before approving a command
}

// standing reports whether standing permissions can apply to c.
func (f Facts) standing(c tools.Call) bool {
	removes := slices.ContainsFunc(c.Changes, func(ch tools.Change) bool { return ch.After == nil && ch.Before != nil })
	return len(c.Warnings) == 0 && len(f.Protected) == 0 && !f.Unbound && !removes
}

// Look returns the facts about c. If ctx ends, they are incomplete.
func (p Paths) Look(ctx context.Context, c tools.Call) Facts {
	f := Facts{Protected: p.protected(c), Root: physical(p.Workspace)}
	switch c.Effect {
	case tools.Write:
		f.Dir = f.Root
	case tools.Execute:
		p.lookAtCommand(ctx, c, &f)
	}
	return f
}

// lookAtCommand fills in the facts of a call that runs one command.
func (p Paths) lookAtCommand(ctx context.Context, c tools.Call, f *Facts) {
	f.Unbound = true
	if len(c.Targets) != 1 || c.Targets[0].Kind != tools.Command || c.Targets[0].Dir == "" {
		return
	}
	dir, err := filepath.EvalSymlinks(c.Targets[0].Dir)
	if err != nil {
		f.Rule = ruleGone
		return
	}
	f.Dir = dir
	f.environment, f.noBash = p.Environment, p.NoBash
	if f.Command, f.repository = p.judge(c.Targets[0].Value, dir); f.Command.Automatic() && !p.NoBash {
		return
	}
	command := parse(c.Targets[0].Value)
	d := command.danger()
	f.Rule = d.rule
	warnings := []string{d.warning, command.overwrites(dir)}
	n := naming{ctx: ctx, home: p.Home, words: command.words[:min(len(command.words), maxWords)], dirs: []string{dir}}
	all := n.find() && len(command.words) <= maxWords
	if named := p.namesProtected(n.paths); named.Path != "" {
		f.Rule = cmp.Or(f.Rule, ruleProtected)
		warnings = append(warnings, n.show(named.Path)+" is protected: "+named.Reason)
	}
	f.Warning = strings.Join(slices.DeleteFunc(warnings, func(w string) bool { return w == "" }), "; ")
	switch {
	case f.Rule != "":
	case !n.runsFiles(command):
		f.Rule = ruleCode
	case !all || !n.hash():
		f.Rule = ruleLimits
	default:
		f.Files, f.Unbound = n.files, false
	}
}

// overwrites describes which existing files the redirections of a command in dir
// overwrite; empty if there are none.
func (p parsed) overwrites(dir string) string {
	var names []string
	for _, line := range p.lines {
		for _, name := range line.overwritten() {
			path := filepath.FromSlash(name)
			if !filepath.IsAbs(path) {
				path = filepath.Join(dir, path)
			}
			if exists(path) && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "overwrites " + strings.Join(names, ", ")
}

// namesProtected returns the first protected path of paths; the zero value if none is.
func (p Paths) namesProtected(paths []string) Protected {
	ps := p.places()
	for _, path := range paths {
		if reason := ps.protection(path, nil); reason != "" {
			return Protected{path, reason}
		}
	}
	return Protected{}
}

// naming finds the files that the words of a command name, relative to the directory
// in which it runs and to all directories that it names, because it may cd there.
type naming struct {
	ctx   context.Context
	home  string
	words []string
	dirs  []string // absolute
	paths []string // absolute; existing, or possible meanings of a word with a separator
	files []File
}

// find fills dirs and paths. It reports false if the command names too much.
func (n *naming) find() bool {
	names := n.words
	for _, w := range n.words {
		names = append(names, manifests[programOf(w)]...)
	}
	for i := 0; i < len(n.dirs); i++ {
		for _, name := range names {
			if n.ctx.Err() != nil || !n.add(n.dirs[i], name) {
				return false
			}
		}
	}
	return true
}

// runsFiles reports whether the scripts that the interpreters in a command run are
// regular files. A directory or a name without its extension stands for files that
// the command does not name.
func (n *naming) runsFiles(command parsed) bool {
	for _, line := range command.lines {
		for _, c := range line.commands {
			files, _ := c.scripts()
			for _, file := range files {
				if !slices.ContainsFunc(n.dirs, func(dir string) bool { return regular(from(dir, file)) }) {
					return false
				}
			}
		}
	}
	return true
}

func regular(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// show returns a path relative to the directory of the command if it is below it.
func (n *naming) show(path string) string { return Grant{Scope: Scope{Dir: n.dirs[0]}}.show(path) }

// add adds the paths that a word means in dir. It reports false at a limit.
func (n *naming) add(dir, word string) bool {
	path := filepath.FromSlash(word)
	if rest, ok := strings.CutPrefix(word, "~/"); ok || word == "~" {
		path = filepath.Join(n.home, filepath.FromSlash(rest))
	}
	if strings.HasPrefix(word, `\\`) || filepath.VolumeName(path) != "" && strings.HasPrefix(word, "//") {
		return false // a network path: opening it contacts another machine
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	found := []string{filepath.Clean(path)}
	if strings.ContainsAny(word, "*?[") {
		matches, err := filepath.Glob(strings.ReplaceAll(path, "[!", "[^"))
		if err != nil || len(matches) > maxNamedFiles || strings.Contains(word, "[[") || strings.Contains(word, "[:") {
			return false
		}
		found = append(found, matches...)
	}
	for _, path := range found {
		if !n.name(path, strings.ContainsAny(word, `/\.`)) {
			return false
		}
	}
	return true
}

// name adds a path that a word may mean: if it exists, or if the word looks like a
// path. It reports false at a limit.
func (n *naming) name(path string, looksLikePath bool) bool {
	info, err := os.Stat(path)
	if err == nil && info.IsDir() && !slices.Contains(n.dirs, path) {
		if len(n.dirs) == maxNamedDirs {
			return false
		}
		n.dirs = append(n.dirs, path)
	}
	if (err == nil || looksLikePath) && !slices.Contains(n.paths, path) {
		n.paths = append(n.paths, path)
	}
	return len(n.paths) <= maxNamedPaths
}

// hash fills files with the hashes of the regular files among paths. It reports
// false if they are too many or too large, or if one cannot be read.
func (n *naming) hash() bool {
	slices.Sort(n.paths)
	left := int64(maxNamedBytes)
	for _, path := range n.paths {
		if n.ctx.Err() != nil {
			return false
		}
		if pseudo(path) {
			continue
		}
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		sum, size, ok := hashFile(path, left)
		if !ok || len(n.files) == maxNamedFiles {
			return false
		}
		left -= size
		n.files = append(n.files, File{Path: path, Sum: sum})
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

// hashFile hashes a regular file of at most limit bytes.
func hashFile(path string, limit int64) (sum string, size int64, ok bool) {
	f, err := os.OpenFile(path, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return "", 0, false
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return "", 0, false
	}
	h := sha256.New()
	size, err = io.Copy(h, io.LimitReader(f, limit+1))
	if err != nil || size > limit {
		return "", 0, false
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil)), size, true
}
