package policy

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
	"slices"
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

// hooksOf returns the paths that the git configuration of the worktree at dir names, as
// absolute paths: see namedBy.
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
	named := slices.Clone(ps.hooks)
	for _, file := range []string{filepath.Join(common, "config"), filepath.Join(git, "config.worktree")} {
		named = append(named, ps.paths.namedBy(file, dir)...)
	}
	var out []string
	for _, path := range named {
		out = append(out, from(dir, ps.paths.expanded(path)))
	}
	return out
}

// maxIncluded is the largest number of git configuration files that are read for a worktree.
const maxIncluded = 50

// namedBy returns the paths that a git configuration file of the worktree dir names: further
// configuration files, existing or not, with the paths that they name, and programs that git
// runs. If there are too many files to read, or one is too large, git may run any file: then
// dir is among them. It runs nothing.
func (p Paths) namedBy(file, dir string) (out []string) {
	files := []string{file}
	for i := 0; i < len(files); i++ {
		if info, err := os.Stat(files[i]); i == maxIncluded || err == nil && info.Size() > maxGitConfig {
			return append(out, dir)
		}
		for _, v := range gitVariables(files[i]) {
			switch {
			case v.key == "path" && (v.section == "include" || strings.HasPrefix(v.section, "includeif")):
				if path := from(filepath.Dir(files[i]), p.expanded(v.value)); !slices.Contains(files, path) {
					files, out = append(files, path), append(out, path)
				}
			case v.section == "core" && v.key == "hookspath":
				out = append(out, v.value)
			case v.runs():
				for _, word := range strings.FieldsFunc(v.value, func(r rune) bool { return strings.ContainsRune(" \t!'\"();&|", r) }) {
					path := from(dir, p.expanded(word))
					if info, err := os.Stat(path); err == nil && !info.IsDir() || err != nil && strings.Contains(word, "/") {
						out = append(out, path)
					}
				}
			}
		}
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
	for _, v := range gitVariables(file) {
		if v.section == "core" && v.key == "hookspath" {
			out = append(out, v.value)
		}
	}
	return out
}

// gitVariable is a variable of a git configuration file.
type gitVariable struct{ section, key, value string } // section and key in lower case

// runs reports whether git runs the value as a command.
func (v gitVariable) runs() bool {
	section := v.section
	if i := strings.IndexAny(section, " .\t\""); i >= 0 {
		section = section[:i]
	}
	switch section {
	case "alias", "filter", "diff", "merge", "credential", "gpg", "difftool", "mergetool", "pager", "trailer", "sequence", "interactive":
		return true
	case "core":
		return slices.Contains([]string{"fsmonitor", "sshcommand", "editor", "pager", "askpass", "gitproxy", "attributesfile"}, v.key)
	}
	return false
}

// gitVariables returns the variables of a git configuration file that have a value.
func gitVariables(file string) (out []gitVariable) {
	lines, _ := readLines(file, maxGitConfig)
	section := ""
	for i := 0; i < len(lines); i++ {
		line := strings.TrimSpace(strings.TrimPrefix(lines[i], "\ufeff"))
		for strings.HasSuffix(line, `\`) && i+1 < len(lines) { // the value continues
			i++
			line = strings.TrimSuffix(line, `\`) + strings.TrimSpace(lines[i])
		}
		if strings.HasPrefix(line, "[") {
			head, rest, _ := strings.Cut(line[1:], "]")
			section, line = strings.ToLower(strings.TrimSpace(head)), strings.TrimSpace(rest)
		}
		name, value, ok := strings.Cut(line, "=")
		if value = unquoted(value); ok && value != "" {
			out = append(out, gitVariable{section, strings.ToLower(strings.TrimSpace(name)), value})
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
