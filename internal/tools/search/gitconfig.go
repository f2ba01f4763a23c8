package search

import (
	"os"
	"path/filepath"
	"strings"
)

// findRepository looks from dir upwards for a git repository. It returns the
// directory that holds its files and the one that holds git's data.
func findRepository(dir string) (top, git string, ok bool) {
	for {
		if git, ok := repositoryAt(dir); ok {
			return dir, git, true
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", "", false
		}
		dir = parent
	}
}

// repositoryAt returns git's data of the repository whose files are in dir. Of
// a linked worktree or a submodule that is what its .git file names.
func repositoryAt(dir string) (git string, ok bool) {
	git = filepath.Join(dir, gitDir)
	info, err := os.Stat(git)
	if err != nil {
		return "", false
	}
	if !info.IsDir() {
		name, ok := strings.CutPrefix(readRules(git, false), "gitdir: ")
		if !ok {
			return "", false
		}
		git = within(dir, strings.TrimRight(name, "\r\n"))
	}
	if _, err := os.Stat(filepath.Join(git, "HEAD")); err != nil {
		return "", false
	}
	if common := strings.TrimRight(readRules(filepath.Join(git, "commondir"), false), "\r\n"); common != "" {
		git = within(git, common)
	}
	return git, true
}

// within is name, taken from dir if it is relative.
func within(dir, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(dir, name)
}

// gitConfig is what of git's configuration matters here.
type gitConfig struct {
	excludesFile string
	ignoreCase   bool
}

// maxIncludes is how deep configuration files may include each other.
const maxIncludes = 10

// readGitConfig reads the configuration of the system, of the person and of the
// repository with the data in git, if there is one. Conditional includes are
// not followed.
func readGitConfig(git string) gitConfig {
	home, _ := os.UserHomeDir()
	home = envOr("HOME", home) // git looks there first on Windows, too
	xdg := os.Getenv("XDG_CONFIG_HOME")
	if xdg == "" && home != "" {
		xdg = filepath.Join(home, ".config")
	}
	var c gitConfig
	if xdg != "" {
		c.excludesFile = filepath.Join(xdg, "git", "ignore")
	}
	var files []string
	if os.Getenv("GIT_CONFIG_NOSYSTEM") == "" {
		files = append(files, envOr("GIT_CONFIG_SYSTEM", "/etc/gitconfig"))
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
	if git != "" {
		files = append(files, filepath.Join(git, "config"))
	}
	for _, f := range files {
		c.read(f, home, maxIncludes)
	}
	return c
}

func envOr(name, otherwise string) string {
	if v := os.Getenv(name); v != "" {
		return v
	}
	return otherwise
}

func (c *gitConfig) read(file, home string, depth int) {
	section := ""
	data := strings.ReplaceAll(readRules(file, false), "\r\n", "\n")
	for line := range strings.SplitSeq(strings.ReplaceAll(data, "\\\n", ""), "\n") {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			name, rest, ok := strings.Cut(line[1:], "]")
			if !ok {
				continue
			}
			section, line = strings.ToLower(strings.TrimSpace(name)), strings.TrimSpace(rest)
		}
		key, value, given := strings.Cut(line, "=")
		value = configValue(value)
		switch section + "." + strings.ToLower(strings.TrimSpace(key)) {
		case "core.excludesfile":
			c.excludesFile = expand(value, home)
		case "core.ignorecase":
			c.ignoreCase = !given || truth(value)
		case "include.path":
			if depth > 0 {
				c.read(within(filepath.Dir(file), expand(value, home)), home, depth-1)
			}
		}
	}
}

// configValue takes quotes, escapes and comments out of a value.
func configValue(s string) string {
	s = strings.TrimSpace(s)
	var b strings.Builder
	quoted := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			quoted = !quoted
		case c == '\\' && i+1 < len(s):
			i++
			b.WriteByte(s[i])
		case !quoted && (c == '#' || c == ';'):
			return strings.TrimRight(b.String(), " \t")
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

func expand(file, home string) string {
	if rest, ok := strings.CutPrefix(file, "~/"); ok && home != "" {
		return filepath.Join(home, rest)
	}
	return file
}

func truth(s string) bool {
	switch strings.ToLower(s) {
	case "true", "yes", "on", "1":
		return true
	}
	return false
}
