package search

import (
	"os"
	"path/filepath"
	"strings"

	"agent/internal/tools/gitconfig"
)

// findRepository searches dir and its parents for a git repository. It returns
// the top directory of its files and its git directory.
func findRepository(b *budget, dir string) (top, git string, ok bool) {
	for !b.ended() {
		if git, ok := repositoryAt(b, dir); ok {
			return dir, git, true
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			break
		}
		dir = parent
	}
	return "", "", false
}

// repositoryAt returns the git directory of the repository with its files in dir.
// For linked worktrees and submodules, .git is a file that names it.
func repositoryAt(b *budget, dir string) (git string, ok bool) {
	if b.ended() {
		return "", false
	}
	git = filepath.Join(dir, gitDir)
	info, err := os.Stat(git)
	if err != nil {
		return "", false
	}
	if !info.IsDir() {
		name, ok := strings.CutPrefix(readLine(git), "gitdir: ")
		if !ok {
			return "", false
		}
		git = resolvePath(dir, name)
	}
	if _, err := os.Stat(filepath.Join(git, "HEAD")); err != nil {
		return "", false
	}
	if common := readLine(filepath.Join(git, "commondir")); common != "" {
		git = resolvePath(git, common)
	}
	return git, true
}

// resolvePath returns name, relative to dir unless it is absolute.
func resolvePath(dir, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(dir, name)
}

// maxConfig is the size limit of a file of git's configuration, in bytes.
const maxConfig = 1 << 20

// gitConfig is the relevant part of git's configuration.
type gitConfig struct {
	excludesFile string // as git understands it: see gitconfig.Reader.Path
	ignoreCase   bool
}

// readGitConfig reads the configuration of the system, the user, and the
// repository git unless it is empty. Conditional includes are ignored.
func readGitConfig(b *budget, git string) gitConfig {
	b.shared.Do(func() { b.base = readBaseConfig(b) })
	if git == "" {
		return b.base
	}
	return b.base.with(b, filepath.Join(git, "config"))
}

// readBaseConfig reads the configuration of the system and the user.
func readBaseConfig(b *budget) (c gitConfig) {
	home := homeDir()
	xdg := os.Getenv("XDG_CONFIG_HOME")
	if xdg == "" && home != "" {
		xdg = filepath.Join(home, ".config")
	}
	if xdg != "" {
		c.excludesFile = filepath.Join(xdg, "git", "ignore")
	}
	var files []string
	if os.Getenv("GIT_CONFIG_NOSYSTEM") == "" {
		files = append(files, getenv("GIT_CONFIG_SYSTEM", "/etc/gitconfig"))
	}
	if global := os.Getenv("GIT_CONFIG_GLOBAL"); global != "" {
		files = append(files, global)
	} else {
		if xdg != "" {
			files = append(files, filepath.Join(xdg, "git", "config"))
		}
		if home != "" {
			files = append(files, filepath.Join(home, ".gitconfig"))
		}
	}
	return c.with(b, files...)
}

// with returns c with the variables of configuration files.
func (c gitConfig) with(b *budget, files ...string) gitConfig {
	read := gitconfig.Reader{Home: homeDir(), File: b.configFile}.Read(files...)
	if read.Unknown {
		b.noteRules()
	}
	for _, v := range read.Variables {
		switch v.Name() {
		case "core.excludesfile":
			c.excludesFile = v.Value
		case "core.ignorecase":
			c.ignoreCase = v.Bare || parseBool(v.Value)
		}
	}
	return c
}

// configFile returns the text of a configuration file; empty for one that is not a regular
// file. Limits are noted.
func (b *budget) configFile(file string) (text string, ok bool) {
	if b.ended() || !b.subtract(&b.configs, 1) {
		return "", true
	}
	f := openRegular(file, false)
	if f == nil {
		return "", true
	}
	defer f.Close()
	return b.readAll(f, maxConfig), true
}

func homeDir() string {
	home, _ := os.UserHomeDir()
	return getenv("HOME", home) // like git on Windows
}

func getenv(name, fallback string) string {
	if v := os.Getenv(name); v != "" {
		return v
	}
	return fallback
}

func parseBool(s string) bool {
	switch strings.ToLower(s) {
	case "true", "yes", "on", "1":
		return true
	}
	return false
}
