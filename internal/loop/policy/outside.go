package policy

import (
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/loop/policy/command"
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

// namesOutside reports whether a command names files outside the workspace.
func (f Facts) namesOutside() bool {
	return slices.ContainsFunc(f.touched, func(t touched) bool {
		return t.outside && !f.writesTemporary(t.path) && !t.listed && f.paths.look(t.path) != command.Special && !f.runsProgram(t.path)
	})
}

// uncovered returns why standing permissions do not cover what a command reads; empty if they do.
func uncovered(f Facts) string {
	if !f.paths.Disposable && len(f.secretReads()) > 0 {
		return ruleSecret
	}
	return ""
}
