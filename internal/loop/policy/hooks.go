package policy

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// maxGitConfig limits the bytes that are read of a git configuration file.
const maxGitConfig = 1 << 20

// gitConfigs returns the user's git configuration files.
func (p Paths) gitConfigs() []string {
	files := []string{filepath.Join(p.Home, ".gitconfig")}
	for _, dir := range p.Config {
		files = append(files, filepath.Join(dir, "git", "config"))
	}
	return files
}

// hooksOf returns the values of core.hooksPath for the worktree at dir, as absolute
// paths. It does not read files that the configuration includes.
func (ps *places) hooksOf(dir string) []string {
	git := filepath.Join(dir, ".git")
	info, err := os.Stat(git)
	if err != nil {
		return nil
	}
	if !info.IsDir() {
		line, _ := readLines(git, 1)
		to, ok := strings.CutPrefix(strings.Join(line, ""), "gitdir:")
		if !ok {
			return nil
		}
		git = from(dir, strings.TrimSpace(to))
	}
	common := git
	if line, err := readLines(filepath.Join(git, "commondir"), 1); err == nil && len(line) == 1 {
		common = from(git, strings.TrimSpace(line[0]))
	}
	hooks := ps.hooks
	for _, file := range []string{filepath.Join(common, "config"), filepath.Join(git, "config.worktree")} {
		hooks = append(hooks[:len(hooks):len(hooks)], hooksPaths(file)...)
	}
	var out []string
	for _, path := range hooks {
		out = append(out, from(dir, ps.paths.expanded(path)))
	}
	return out
}

// expanded returns path with the home directory in place of ~.
func (p Paths) expanded(path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		return filepath.Join(p.Home, rest)
	}
	return path
}

// from returns path, which is relative to dir unless it is absolute.
func from(dir, path string) string {
	if path = filepath.FromSlash(path); filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// hooksPaths returns the values of core.hooksPath in a git configuration file.
func hooksPaths(file string) (out []string) {
	lines, _ := readLines(file, maxGitConfig)
	core := false
	for _, line := range lines {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			section, rest, _ := strings.Cut(line[1:], "]")
			core, line = strings.EqualFold(strings.TrimSpace(section), "core"), strings.TrimSpace(rest)
		}
		name, value, ok := strings.Cut(line, "=")
		if !core || !ok || !strings.EqualFold(strings.TrimSpace(name), "hooksPath") {
			continue
		}
		if value = unquoted(value); value != "" {
			out = append(out, value)
		}
	}
	return out
}

// unquoted returns a value of a git configuration file without quotes and comment.
func unquoted(value string) string {
	var out []byte
	quoted := false
	value = strings.TrimSpace(value)
	for i := 0; i < len(value); i++ {
		switch c := value[i]; {
		case c == '\\' && i+1 < len(value):
			i++
			out = append(out, value[i])
		case c == '"':
			quoted = !quoted
		case !quoted && (c == '#' || c == ';'):
			return strings.TrimSpace(string(out))
		default:
			out = append(out, c)
		}
	}
	return strings.TrimSpace(string(out))
}

// readLines returns at most limit lines from the first maxGitConfig bytes of a
// regular file.
func readLines(file string, limit int) ([]string, error) {
	f, err := os.OpenFile(file, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, os.ErrInvalid
	}
	var out []string
	s := bufio.NewScanner(io.LimitReader(f, maxGitConfig))
	s.Buffer(nil, maxGitConfig)
	for len(out) < limit && s.Scan() {
		out = append(out, s.Text())
	}
	return out, nil
}
