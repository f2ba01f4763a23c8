package policy

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"agent/internal/loop/policy/command"
	"agent/internal/loop/policy/rule"
	"agent/internal/loop/policy/standing"
	"agent/internal/realpath"
	"agent/internal/tools"
	"agent/internal/tools/git"
)

// Facts are what Policy.Judge needs to know about a call from the file system.
type Facts struct {
	standing.Named // the files that a command names

	Protected []Protected      // files that the call changes and that always need approval
	Dir       string           // the directory of a command; empty if it does not exist
	Root      string           // the workspace without symbolic links
	Command   *command.Command // what a command does; nil for other calls
	Warning   string           // what the user must know before approving a command; may be empty

	// below are files that may hold secrets and that an automatic command would read, as
	// grep -r does. A complete sandbox hides them.
	below []string
	// endings are words of a command, such as "$PWD/.env", whose values are not known but which
	// end in the name of a file that may hold secrets.
	endings []string
	// unsearched is set if the command reads more directories than can be searched for them, or if
	// its wildcards name too many files.
	unsearched  bool
	contents    []string // git prints contents of files at or below these paths, absolute; see Paths.printed
	touched     []touched
	missing     []string // paths that a command names and that do not exist, absolute
	spelled     []string // the protected files that a command changes, by all their names, absolute
	paths       Paths
	at          rule.Roots
	requested   *requested // access that the model asks for; nil for none
	changes     changes
	environment func([]string) []string // of automatic commands
	repository  *git.Repository         // that an automatic command reads with git
}

// touched is a file that a call reads or changes, or that a command names.
type touched struct {
	path  string   // as in the call
	names []string // absolute, as written, after each symbolic link, and last without links
	// change is set if the call changes the file, read if it reads it. Neither is set
	// for a file that a command only names.
	change, read bool
	directory    bool
	outside      bool // of the workspace and, for a read, of the readable directories
	secret       bool // it may hold secrets
	listed       bool // only its name is read, or the names in it
}

// real returns the path of the file without symbolic links.
func (t touched) real() string { return t.names[len(t.names)-1] }

// Look returns the facts about c. If ctx ends, they are incomplete.
func (p Paths) Look(ctx context.Context, c tools.Call) Facts {
	f := Facts{Protected: p.protected(c), Root: p.Resolved.Of(p.Workspace), paths: p, at: p.roots()}
	in := p.borders()
	switch c.Effect {
	case tools.Read, tools.Write:
		if c.Effect == tools.Write {
			f.Dir = f.Root
		}
		for _, t := range c.Targets {
			if t.Kind == tools.Path {
				f.touched = append(f.touched, p.touch(t, f.Root, c.Effect == tools.Write, in))
			}
		}
	case tools.Execute:
		f.Unbound, f.changes.recorded = true, p.room() > 0
		if len(c.Targets) == 1 && c.Targets[0].Kind == tools.Command && c.Targets[0].Dir != "" {
			p.lookAtCommand(ctx, c.Targets[0], &f, in)
			f.requested = p.requested(c.Request, in)
			if p.Temp.Path() != "" && slices.ContainsFunc(f.touched, func(t touched) bool { return t.change && t.outside && p.Temp.Covers(t.real()) }) {
				p.Temp, p.systemTemp = nil, true // it runs with that of the system: see Access.SystemTemp
				f = p.Look(ctx, c)
			}
		}
	}
	return f
}

// touch returns the facts about a path of a call.
func (p Paths) touch(t tools.Target, root string, change bool, in borders) touched {
	out := touched{path: t.Value, change: change, read: !change}
	for _, name := range append(slices.Clone(t.Spelled), t.Value) {
		if path := from(root, name); filepath.IsAbs(path) {
			out.names = append(out.names, realpath.Steps(p.Temp.Real(path))...)
		} else {
			out.names = append(out.names, path) // the workspace is unknown
		}
	}
	p.locate(&out, in)
	if out.outside && out.read && !out.secret {
		out.secret = p.protectedSet().private(out.real())
	}
	return out
}

// private reports whether an absolute path without links is in ~/.ssh or another place
// that may hold secrets.
func (ps *protectedSet) private(real string) bool {
	reason := ps.protection(real, nil)
	return reason == credentials || reason == sshFiles || reason == gnupgFiles || reason == ownFiles
}

// locate fills in where a file is.
func (p Paths) locate(t *touched, in borders) {
	t.secret = slices.ContainsFunc(t.names, SecretFile)
	if real := t.real(); filepath.IsAbs(real) {
		t.outside = !in.inside(real) && (t.change || !in.readable(real)) && !p.Temp.Holds(real)
		t.secret = t.secret || t.outside && within(p.Temp.Parents(), real) // of another session
		if info, err := os.Stat(real); err == nil {
			t.directory = info.IsDir()
		}
	}
}

// lookAtCommand fills in the facts about a command.
func (p Paths) lookAtCommand(ctx context.Context, t tools.Target, f *Facts, in borders) {
	dir := realpath.Of(t.Dir)
	if isDirectory(dir) {
		f.Dir = dir
	}
	f.environment = p.Environment
	f.Command, f.repository = p.judge(t, dir)
	var ps *protectedSet
	add := func(path string, change, read, listed bool) {
		touched := touched{path: path, names: append(realpath.Steps(p.Temp.Real(path)), p.follow(path)), change: change, read: read, listed: listed}
		p.locate(&touched, in)
		if change && p.freeTemporary(touched.real()) {
			touched.outside = false
			if p.look(path) == command.Missing {
				p.Made.add(touched.real())
			}
		}
		if touched.outside && !change && !touched.secret && p.look(path) == command.File && within([]string{p.Resolved.Of(p.Home)}, touched.real()) {
			if ps == nil {
				ps = p.protectedSet()
			}
			touched.secret = ps.private(touched.real())
		}
		f.touched = append(f.touched, touched)
	}
	for i := range f.Command.Parts {
		part := &f.Command.Parts[i]
		for _, path := range part.Reads {
			add(path, false, true, slices.Contains(listers, part.Program()))
		}
		for _, path := range part.Writes {
			add(path, true, false, false)
		}
	}
	f.contents = p.printed(f.Command, f.repository, dir)
	p.lookAtChanges(ctx, f, dir, in)
	f.Warning = warning(f.Command, dir, f.changes.removal.sizes)
	if f.Command.Automatic() && !p.Shell.NoBash {
		f.below, f.unsearched = p.secretsOf(f.Command)
		if p.Sandbox != SandboxFull {
			for _, path := range f.below {
				add(path, false, true, false)
			}
		}
		return
	}
	p.nameFiles(ctx, f, dir, func(path string) { add(path, false, false, false) })
	f.Protected, f.spelled = p.protectedFiles(f.touched, dir)
}

// nameFiles fills in the files that a command in dir names, and calls add for each that exists.
func (p Paths) nameFiles(ctx context.Context, f *Facts, dir string, add func(path string)) {
	f.endings = secretEndings(f.Command)
	n := naming{ctx: ctx, home: p.Home, root: f.Root, words: wordsIn(f.Command), entries: command.MaxEntries}
	found := n.find(dir)
	f.unsearched = n.entries < 0 || ctx.Err() != nil
	f.Unbound = !found || !allKnown(f.Command) || !n.hash()
	f.Files, f.Dirs = n.files, n.dirs
	if f.Unbound {
		f.Files = nil
	}
	for _, path := range n.paths {
		if exists(path) {
			add(path)
		} else {
			f.missing = append(f.missing, path)
		}
	}
}

// printed returns the paths at or below which git prints contents of files for a command in dir. It
// leaves out regular files that the command names: those are known as all files that it reads.
func (p Paths) printed(c *command.Command, r *git.Repository, dir string) (paths []string) {
	if r != nil && r.Root != "" {
		dir = r.Root
	}
	for i := range c.Parts {
		switch part := &c.Parts[i]; part.Shows.Contents {
		case command.AnyContents:
			paths = append(paths, dir)
		case command.NamedContents:
			for _, path := range part.Reads {
				if p.look(path) != command.File {
					paths = append(paths, p.follow(path))
				}
			}
		}
	}
	return paths
}

// secretsOf returns the files that may hold secrets below the directories that a command
// reads. Unsearched is set if some may be missing.
func (p Paths) secretsOf(c *command.Command) (files []string, unsearched bool) {
	if !slices.ContainsFunc(c.Parts, func(part command.Part) bool { return part.Shows.Below }) {
		return nil, false
	}
	var dirs []string
	for _, path := range c.Reads {
		dirs = append(dirs, p.follow(path))
	}
	files, all := secretsBelow(dirs)
	return files, !all
}

// listers are programs that read the names of files, not their contents.
var listers = []string{"ls", "cd", "find", "fd", "fdfind", "tree", "pwd", "stat", "du", "df", "test", "[", "basename", "dirname", "realpath", "readlink", "git"}

// protectedFiles returns the protected files that a command in dir changes, and all
// their names.
func (p Paths) protectedFiles(files []touched, dir string) (out []Protected, names []string) {
	var ps *protectedSet
	for _, t := range files {
		if !t.change {
			continue
		}
		if ps == nil {
			ps = p.protectedSet()
		}
		for _, name := range t.names {
			if reason := ps.protection(name, nil); reason != "" {
				if one := (Protected{realpath.Shorten(t.path, dir), reason}); !slices.Contains(out, one) {
					out = append(out, one)
				}
				names = append(names, t.names...)
				break
			}
		}
	}
	return out, names
}

func isDirectory(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// borders holds the directories that calls may read or change without approval, with
// symbolic links resolved.
type borders struct {
	workspace []string        // and the directories that the user added to it
	others    func() []string // directories that calls may only read
}

// borders resolves the directories of p.
func (p Paths) borders() (b borders) {
	for _, dir := range append([]string{p.Workspace}, p.Added...) {
		if dir != "" {
			b.workspace = append(b.workspace, p.Resolved.Of(dir))
		}
	}
	b.others = sync.OnceValue(func() (real []string) {
		for _, dir := range append([]string{p.Outputs}, p.AlsoReadable().Readable()...) {
			if dir != "" {
				real = append(real, p.Resolved.Of(dir))
			}
		}
		return real
	})
	return b
}

// inside reports whether a path without symbolic links is in the workspace.
func (b borders) inside(real string) bool { return within(b.workspace, real) }

// readable reports whether a path without symbolic links is in a directory that may be
// read without approval.
func (b borders) readable(real string) bool { return b.inside(real) || within(b.others(), real) }

// within reports whether path is one of dirs or below one.
func within(dirs []string, path string) bool {
	return slices.ContainsFunc(dirs, func(dir string) bool {
		return realpath.Inside(path, dir)
	})
}
