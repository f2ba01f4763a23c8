package policy

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/loop/policy/command"
	"agent/internal/tools"
	"agent/internal/tools/git"
)

// judge reads the command of a call that runs in dir, which has no symbolic links.
// It also returns the repository that an automatic command reads with git; nil if it
// reads none.
func (p Paths) judge(line, dir string) (*command.Command, *git.Repository) {
	env := p.env(dir)
	repositories := map[string]*git.Repository{}
	if p.Git != nil {
		env.Git = func(dir string) (string, string) {
			r, reads, err := p.Git.Open(followed(dir))
			if err != nil {
				return "", err.Error()
			}
			for _, path := range reads {
				if why := env.Readable(path); why != "" {
					return "", "it reads " + path + ": " + why
				}
			}
			name := cmp.Or(r.Root, "none")
			repositories[name] = &r
			return name, ""
		}
	}
	c := command.Judge(line, env)
	return c, repositories[c.Repository]
}

// env returns the Env of package command for a command that runs in dir.
func (p Paths) env(dir string) command.Env {
	return command.Env{
		Dir: dir, LookPath: lookPath, Inside: p.inside, Glob: command.Glob, Look: look,
		Readable: func(path string) string {
			real := followed(path)
			switch {
			case !p.inside(path):
				return "it is outside of the workspace"
			case secretName(filepath.Base(path)) || secretName(filepath.Base(real)):
				return "its name says that it may hold secrets"
			}
			return ""
		},
	}
}

// inside reports whether a path is in the workspace, or one of the outputs of the
// session, after its symbolic links are resolved.
func (p Paths) inside(path string) bool {
	real := followed(path)
	for _, root := range []string{p.Workspace, p.Outputs} {
		if root == "" {
			continue
		}
		if rel, err := filepath.Rel(physical(root), real); err == nil && filepath.IsLocal(rel) {
			return true
		}
	}
	return false
}

// followed returns an absolute path without symbolic links and "..", which applies
// after a link is resolved. The path need not exist.
func followed(path string) string {
	root := filepath.VolumeName(path) + string(filepath.Separator)
	done := root
	for _, name := range strings.Split(strings.TrimPrefix(path, root), string(filepath.Separator)) {
		switch name {
		case "", ".":
		case "..":
			done = filepath.Dir(done)
		default:
			done = physical(filepath.Join(done, name))
		}
	}
	return done
}

// look returns the kind of file at a path.
func look(path string) command.Entry {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return command.Missing
	case info.IsDir():
		return command.Directory
	case info.Mode().IsRegular():
		return command.File
	}
	return command.Special
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
func (p Paths) Environment(env []string) []string { return command.Environment(env, p.inside) }

// automatic returns the script of a command that only reads what it may read. It
// reports false for every other call.
func (f Facts) automatic(c tools.Call) (script string, ok bool) {
	if f.Command == nil || f.noBash || !f.Command.Automatic() || len(c.Warnings) > 0 {
		return "", false
	}
	return f.Command.Script()
}

// asks reports whether a part of a line needs approval. git always does in a line that
// is not automatic, because it then runs with the configuration of its repository.
func asks(p *command.Part) bool { return p.Reason != "" || p.Git }

// prefixable reports whether a standing permission can cover a command by the first
// words of its parts: a list of simple commands that runs in the workspace.
func (f Facts) prefixable() bool {
	if f.Command == nil || f.noBash || f.Command.Form != "" || len(f.Command.Unreadable) > 0 || f.Rule != "" && f.Rule != ruleLimits {
		return false
	}
	rel, err := filepath.Rel(f.Root, f.Dir)
	return err == nil && filepath.IsLocal(rel)
}

// prefix returns the first words that a standing permission for a command may cover
// with any further arguments: "go test". It is empty if there is none, or if the line
// would need several.
func (f Facts) prefix() string {
	if !f.prefixable() {
		return ""
	}
	prefix := ""
	for i := range f.Command.Parts {
		part := &f.Command.Parts[i]
		if !asks(part) {
			continue
		}
		words := strings.Join(part.Prefix(), " ")
		if _, bound := f.manifests(words); words == "" || prefix != "" && words != prefix || bound && f.Unbound {
			return ""
		}
		prefix = words
	}
	return prefix
}

// coveredBy reports whether standing permissions for prefixes cover all of a command
// that needs approval.
func (f Facts) coveredBy(prefixes [][]string) (script string, ok bool) {
	if !f.prefixable() {
		return "", false
	}
	covered := false
	for i := range f.Command.Parts {
		part := &f.Command.Parts[i]
		if !asks(part) {
			continue
		}
		if !slices.ContainsFunc(prefixes, part.Covered) {
			return "", false
		}
		covered = true
	}
	if !covered {
		return "", false
	}
	return f.Command.Script()
}

// runs reports whether a part of the command begins with prefix.
func (f Facts) runs(prefix []string) bool {
	return f.Command != nil && slices.ContainsFunc(f.Command.Parts, func(p command.Part) bool { return p.Covered(prefix) })
}

// manifests returns the files among f.Files that say what commands beginning with
// prefix do, such as package.json for npm run. It reports false if the program has
// none.
func (f Facts) manifests(prefix string) (files []File, ok bool) {
	program, _, _ := strings.Cut(prefix, " ")
	names := manifests[program]
	for _, file := range f.Files {
		if slices.Contains(names, filepath.Base(file.Path)) {
			files = append(files, file)
		}
	}
	return files, len(names) > 0
}
