package search

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
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

// gitConfig is the relevant part of git's configuration.
type gitConfig struct {
	excludesFile string
	ignoreCase   bool
}

// The limits of git's configuration.
const (
	maxIncludes    = 10      // maximum depth of includes
	maxConfigFiles = 64      // files of one configuration, including includes
	maxConfig      = 1 << 20 // bytes of one file
)

// readGitConfig reads the configuration of the system, the user, and the
// repository git unless it is empty. Conditional includes are ignored.
func readGitConfig(b *budget, git string) gitConfig {
	b.shared.Do(func() { b.base, b.baseLeft = readBaseConfig(b) })
	if git == "" {
		return b.base
	}
	r := configReader{budget: b, home: homeDir(), left: b.baseLeft, config: b.base}
	r.read(filepath.Join(git, "config"))
	return r.config
}

// readBaseConfig reads the configuration of the system and the user. left is how
// many files a repository may add.
func readBaseConfig(b *budget) (c gitConfig, left int) {
	home := homeDir()
	xdg := os.Getenv("XDG_CONFIG_HOME")
	if xdg == "" && home != "" {
		xdg = filepath.Join(home, ".config")
	}
	r := configReader{budget: b, home: home, left: maxConfigFiles}
	if xdg != "" {
		r.config.excludesFile = filepath.Join(xdg, "git", "ignore")
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
	for _, f := range files {
		r.read(f)
	}
	return r.config, r.left
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

// configReader reads configuration files and their includes.
type configReader struct {
	budget *budget
	home   string
	left   int      // files that may still be read
	chain  []string // chain of includes
	config gitConfig
}

func (r *configReader) read(file string) {
	b := r.budget
	if b.ended() || slices.Contains(r.chain, file) {
		return
	}
	if len(r.chain) > maxIncludes || r.left == 0 {
		b.noteRules()
		return
	}
	r.left--
	if !b.take(&b.configs, 1) {
		return
	}
	f := openRegular(file, false)
	if f == nil {
		return
	}
	data := strings.ReplaceAll(b.readAll(f, maxConfig), "\r\n", "\n")
	f.Close()
	r.chain = append(r.chain, file)
	r.lines(file, strings.ReplaceAll(data, "\\\n", ""))
	r.chain = r.chain[:len(r.chain)-1]
}

func (r *configReader) lines(file, data string) {
	section, n := "", 0
	for line := range strings.SplitSeq(data, "\n") {
		if n++; n%linesAtOnce == 0 && r.budget.ended() {
			return
		}
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			name, rest, ok := strings.Cut(line[1:], "]")
			if !ok {
				continue
			}
			section, line = strings.ToLower(strings.TrimSpace(name)), strings.TrimSpace(rest)
		}
		key, value, given := strings.Cut(line, "=")
		switch section + "." + strings.ToLower(strings.TrimSpace(key)) {
		case "core.excludesfile":
			r.config.excludesFile = expand(configValue(value), r.home)
		case "core.ignorecase":
			r.config.ignoreCase = !given || parseBool(configValue(value))
		case "include.path":
			r.read(resolvePath(filepath.Dir(file), expand(configValue(value), r.home)))
		}
	}
}

// configValue removes quotes, escapes and comments from a value.
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

func parseBool(s string) bool {
	switch strings.ToLower(s) {
	case "true", "yes", "on", "1":
		return true
	}
	return false
}
