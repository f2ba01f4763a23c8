// Package access determines what the tools and the commands of a session may access:
// the paths by which policy judges calls, the directories that the user adds to the
// workspace, and the sandbox of commands. It decides nothing about a call: see package
// policy. Start reading at Paths.
package access

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"agent/cmd/agent/settings"
	"agent/internal/history"
	"agent/internal/history/blobs"
	"agent/internal/loop/policy"
	"agent/internal/realpath"
	"agent/internal/tools/git"
	"agent/internal/tools/protect"
	"agent/internal/tools/shell"
	"agent/internal/tools/toolchain"
	"agent/internal/tools/workspace"
)

// KeyFile returns the file with the key that seals standing permissions; empty if there
// is no state directory.
func KeyFile(getenv func(string) string) string { return inState("permissions.key", getenv) }

// credentialsDir returns the directory with the keys and tokens that the user stores in a
// file; empty if there is no state directory.
func credentialsDir(getenv func(string) string) string { return inState("credentials", getenv) }

// Secrets returns the files and directories of this program that no tool and no command of
// the model may read.
func Secrets(getenv func(string) string) []string {
	if key := KeyFile(getenv); key != "" {
		return []string{key, credentialsDir(getenv)}
	}
	return nil
}

// inState returns the path of a file in the state directory; empty if there is none.
func inState(name string, getenv func(string) string) string {
	state, err := history.Dir(getenv)
	if err != nil {
		return ""
	}
	return filepath.Join(state, name)
}

// Paths returns the paths by which calls of a session in dir are judged, without those
// that depend on the session.
func Paths(dir string, getenv func(string) string) policy.Paths {
	p := ProtectedPaths(dir, getenv)
	p.Readable = sync.OnceValue(func() []string {
		dirs := readablePaths(p.Home, getenv)
		if around := RepositoryAround(dir); around != "" {
			dirs = append(dirs, around)
		}
		return dirs
	})
	return p
}

// RepositoryAround returns the directory of the repository of which dir is a subdirectory. It is empty
// if there is none, and if it is not for one project: it contains the home directory or the temporary
// directory.
func RepositoryAround(dir string) string {
	dir = realpath.Of(dir)
	home, err := os.UserHomeDir()
	repository, found := git.Open(dir)
	root := repository.Root
	if !found || root == dir || err == nil && realpath.Inside(realpath.Of(home), root) || realpath.Inside(realpath.Of(os.TempDir()), root) {
		return ""
	}
	return root
}

// ProtectedPaths returns the directories from which policy derives the protected paths
// of a session in dir.
func ProtectedPaths(dir string, getenv func(string) string) policy.Paths {
	p := policy.Paths{Workspace: dir, Git: git.NewReader()}
	if home, err := os.UserHomeDir(); err == nil && filepath.IsAbs(home) {
		p.Home = home
		p.Config, p.Shell.Zsh = []string{filepath.Join(home, ".config")}, []string{home}
	}
	if dir := getenv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) && !slices.Contains(p.Config, dir) {
		p.Config = append(p.Config, dir)
	}
	if dir := getenv("ZDOTDIR"); filepath.IsAbs(dir) && !slices.Contains(p.Shell.Zsh, dir) {
		p.Shell.Zsh = append(p.Shell.Zsh, dir)
	}
	if file, err := settings.Path(getenv); err == nil {
		p.ProgramFiles = append(p.ProgramFiles, filepath.Dir(file), file)
	}
	if state, err := history.Dir(getenv); err == nil {
		p.ProgramFiles = append(p.ProgramFiles, state)
	}
	if program, err := os.Executable(); err == nil {
		p.ProgramFiles = append(p.ProgramFiles, program)
	}
	p.Shell.NoBash = filepath.Base(shell.Program()) != "bash"
	return p
}

// readablePaths returns the directories outside the repository that may be read without
// approval: sources of toolchains, and the user's skills.
func readablePaths(home string, getenv func(string) string) []string {
	dirs := toolchain.Sources(getenv, home)
	if file, err := settings.Path(getenv); err == nil {
		dirs = append(dirs, filepath.Join(filepath.Dir(file), "skills"))
	}
	if home != "" {
		dirs = append(dirs, filepath.Join(home, ".claude", "skills"))
	}
	return dirs
}

// Search returns where the user's shell finds programs, for the workspace of p and the
// directories that the user added to it.
func Search(p policy.Paths, getenv func(string) string) protect.Search {
	return protect.NewSearch(getenv("PATH"), p.Workspace, append([]string{p.Workspace}, p.Added...))
}

// JudgingPaths returns the paths by which `agent permit` judges commands in dir: those
// of a new session there.
func JudgingPaths(dir string, set settings.Settings, version string) policy.Paths {
	p := Paths(dir, os.Getenv)
	if work, err := workspace.Open(dir); err == nil {
		defer work.Close()
		if _, err := AddDirs(work, nil, set.AddDirs); err == nil {
			p.Added = work.Added()
		}
	}
	p.Shell.Search = Search(p, os.Getenv)
	if set.Sandbox == nil || *set.Sandbox {
		s := NewSandbox(version, false)
		p.Sandbox, _ = s.State()
		p.Room = func() int64 {
			if !s.Watches() {
				return 0
			}
			return blobs.Limits{}.Room(0)
		}
		if state, err := history.Dir(os.Getenv); err == nil {
			p.Keeps = func(file fs.FileInfo, bytes int64) bool { return s.Watches() && blobs.Keeps(state, file, bytes) }
		}
	}
	return p
}
