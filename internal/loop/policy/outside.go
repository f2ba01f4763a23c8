package policy

import (
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/loop/event"
	"agent/internal/loop/policy/command"
	"agent/internal/realpath"
)

// inPlace are programs that write to an existing file without replacing or removing it.
var inPlace = []string{"cp", "tee", "touch", "dd", "echo", "printf", "cat", "truncate"}

// writesOutside returns the paths outside the workspace that a command needs to change
// files, without symbolic links: the file itself if the command only writes to it, or
// the directory in which it creates, replaces or removes the file. It reports false if
// they are not known, or if no sandbox can permit only them.
func (f Facts) writesOutside() (paths []string, known bool) {
	in := f.paths.borders()
	for i := range f.Command.Parts {
		p := &f.Command.Parts[i]
		if p.Traits&command.WritesOutside == 0 {
			continue
		}
		found := false
		for _, path := range p.Writes {
			real := f.paths.follow(path)
			if in.inside(real) || f.paths.Temp.Holds(real) {
				continue
			}
			to := writable(p, real)
			if filepath.Dir(to) == to || pseudo(to+"/") || strings.HasPrefix(to, `\\`) {
				return nil, false
			}
			found = true
			if !slices.Contains(paths, to) {
				paths = append(paths, to)
			}
		}
		if p.WritesUnknown || !found {
			return nil, false
		}
	}
	return paths, true
}

// writable returns the path that p must be able to change to write to real.
func writable(p *command.Part, real string) string {
	kind := command.Look(real)
	if kind == command.Directory && (p.Program() == "git" || p.Traits&command.Destroys == 0 && p.Program() != "mv") || kind == command.File && slices.Contains(inPlace, p.Program()) {
		return real
	}
	for real = filepath.Dir(real); command.Look(real) != command.Directory && filepath.Dir(real) != real; {
		real = filepath.Dir(real)
	}
	return real
}

// namesHidden reports whether a command names files that the sandbox hides from commands that nobody
// approved: those of the home directory outside the workspace, and of the temporary directory of
// the system. It sees the others anyway, whether its text names them or not.
func (f Facts) namesHidden() bool { return slices.ContainsFunc(f.touched, f.isHidden) }

func (f Facts) isHidden(t touched) bool {
	hidden := realpath.Inside(t.real(), f.paths.Resolved.Of(f.paths.Home)) || f.paths.Temp.Covers(t.real())
	return t.outside && hidden && !f.writesTemporary(t.path) && !t.listed && f.paths.look(t.path) != command.Special && !f.runsProgram(t.path) && !f.onlyEnters(t.path)
}

// partNamesHidden reports whether a part names such a file.
func (f Facts) partNamesHidden(p *command.Part) bool {
	var hidden []string
	for _, t := range f.touched {
		if f.isHidden(t) {
			hidden = append(hidden, t.path)
		}
	}
	return slices.ContainsFunc(p.Texts(), func(w string) bool { return names(w, hidden, f.Dirs) })
}

// onlyEnters reports whether only the `cd` of a command names a directory.
func (f Facts) onlyEnters(dir string) bool {
	return f.paths.look(dir) == command.Directory && !slices.ContainsFunc(f.Command.Parts, func(p command.Part) bool {
		at := p.Dirs()
		if at == nil {
			at = f.Dirs
		}
		return p.Program() != "cd" && slices.ContainsFunc(p.Texts(), func(w string) bool { return names(w, []string{dir}, at) })
	})
}

// uncovered returns why a standing permission for the first words of a command does not cover
// what it reads; empty if it does.
func (p *Policy) uncovered(f Facts) string {
	switch {
	case f.paths.Disposable:
	case len(f.secretReads()) > 0:
		return ruleSecret
	case p.Mode != event.ModeAll && f.readsOutside():
		return ruleOutside
	}
	return ""
}

// readsOutside reports whether a command that may change something names a file or a directory
// outside the workspace, whose content it may read or run. It is not enough that a text of several
// words, such as a message, contains a path.
func (f Facts) readsOutside() bool {
	var paths []string
	for _, t := range f.touched {
		kind := f.paths.look(t.path)
		if t.outside && !t.change && !t.listed && !f.writesTemporary(t.path) && (kind == command.File || kind == command.Directory) {
			paths = append(paths, t.path)
		}
	}
	return slices.ContainsFunc(f.Command.Parts, func(p command.Part) bool {
		words := p.Texts()
		return p.Reason != "" && len(words) > 0 && slices.ContainsFunc(words[1:], func(w string) bool {
			return names(w, paths, f.Dirs)
		})
	})
}

// names reports whether a word may name one of the files, in one of the directories where the
// command may run.
func names(w string, files, dirs []string) bool {
	return slices.ContainsFunc(variants(w), func(v string) bool {
		v = filepath.FromSlash(v)
		if filepath.IsAbs(v) {
			return slices.Contains(files, filepath.Clean(v))
		}
		return slices.ContainsFunc(dirs, func(dir string) bool { return slices.Contains(files, filepath.Join(dir, v)) })
	})
}
