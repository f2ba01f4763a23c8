package policy

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"agent/internal/loop/policy/command"
	"agent/internal/realpath"
	"agent/internal/tools"
	"agent/internal/tools/git"
)

// judge judges the command t of a call that runs in dir, which has no symbolic links. It
// also returns the repository that the command reads with git if it is automatic; nil
// if it reads none.
func (p Paths) judge(t tools.Target, dir string) (*command.Command, *git.Repository) {
	env := p.env(dir)
	env.Piped = t.Piped
	repositories := map[string]*git.Repository{}
	if p.Git != nil {
		env.Git = func(dir string) (string, string) {
			r, reads, err := p.Git.Open(p.follow(dir))
			if err != nil {
				return "", err.Error()
			}
			for _, path := range reads {
				if why := env.Readable(path); why != "" {
					return "", "it reads " + path + ": " + why
				}
			}
			name := cmp.Or(r.Root, "none")
			r = r.Hiding(secretPatterns, publicExtensions)
			repositories[name] = &r
			return name, ""
		}
	}
	c := command.Judge(t.Value, env)
	return c, repositories[c.Repository]
}

// env returns the Env of package command for a command that runs in dir, which has no
// symbolic links.
func (p Paths) env(dir string) command.Env {
	in, entries := p.borders(), command.MaxEntries
	return command.Env{
		Temporary: func(path string) bool { return p.freeTemporary(p.follow(path)) },
		Dir:       dir, Home: p.Home, LookPath: lookPath, Look: p.look, Splits: p.splits, Loopback: p.Sandbox == SandboxFull,
		Glob:   func(dir, pattern string) ([]string, error) { return p.glob(dir, pattern, &entries) },
		Inside: func(path string) bool { return in.inside(p.follow(path)) },
		Readable: func(path string) string {
			real := p.follow(path)
			switch {
			case !in.readable(real) && !p.Temp.Holds(real):
				return "it is outside the workspace"
			case SecretFile(path) || SecretFile(real):
				return "its name says that it may hold secrets"
			}
			return ""
		},
	}
}

// follow returns where an absolute path of a command is outside the sandbox, without symbolic
// links.
func (p Paths) follow(path string) string { return realpath.Follow(p.Temp.Real(path)) }

func (p Paths) look(path string) command.Entry { return command.Look(p.Temp.Real(path)) }

func (p Paths) splits(path string, lines bool) bool {
	return command.Splits(p.Temp.Real(path), lines)
}

// glob is command.Glob for a command.
func (p Paths) glob(dir, pattern string, budget *int) ([]string, error) {
	real := p.Temp.Real(pattern)
	found, err := command.Glob(p.Temp.Real(dir), real, budget, false)
	if real != pattern {
		for i, path := range found {
			found[i] = p.Temp.Shown(path)
		}
	}
	return found, err
}

// temporary reports whether a path without symbolic links is in the temporary directory, to
// which commands in the sandbox may write. The directory in it that contains the workspace or
// the home directory is not temporary.
func (p Paths) temporary(real string) bool {
	temp := realpath.Of(os.TempDir())
	rel, err := filepath.Rel(temp, real)
	if err != nil || rel == "." || !filepath.IsLocal(rel) {
		return false
	}
	entry, _, _ := strings.Cut(rel, string(filepath.Separator))
	top := filepath.Join(temp, entry)
	return !slices.ContainsFunc([]string{p.Home, p.Workspace}, func(dir string) bool {
		dir = realpath.Of(dir)
		return dir != "" && (within([]string{top}, dir) || within([]string{dir}, temp))
	})
}

// freeTemporary reports whether a command may write to a path without symbolic links because
// it is temporary: it is not a file that something else has made, such as one of another
// project.
func (p Paths) freeTemporary(real string) bool {
	if p.Temp.Path() != "" || p.systemTemp {
		return p.Temp.Holds(real)
	}
	return p.temporary(real) && (p.Made.has(real) || command.Look(real) != command.File)
}

// MadeFiles are the temporary files that did not exist when the first command of the session
// that writes to them was judged. It is safe for concurrent use.
type MadeFiles struct{ paths sync.Map }

func (m *MadeFiles) has(path string) bool {
	if m == nil {
		return false
	}
	_, ok := m.paths.Load(path)
	return ok
}

func (m *MadeFiles) add(path string) {
	if m != nil {
		m.paths.Store(path, nil)
	}
}

// lookPath returns the file of a program on the PATH of this process, which never
// changes its PATH; empty if there is none. A relative directory of the PATH counts,
// because the shell would use it.
func lookPath(name string) string {
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		file := filepath.Join(dir, name)
		if dir == "" {
			file = "." + string(filepath.Separator) + name
		}
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return file
		}
	}
	return ""
}

// Environment returns the variables of env with which an automatic command runs:
// without those that could make a program run another one.
func (p Paths) Environment(env []string) []string {
	in := p.borders()
	return command.Environment(env, func(dir string) bool { return in.inside(realpath.Follow(dir)) })
}
