package policy

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"agent/internal/tools/gitconfig"
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

// hooksOf returns the paths that the git configuration of the worktree at dir, and that of
// the user, names for it, as absolute paths: further configuration files, existing or not,
// and programs that git runs. If git may run any file, dir is among them. It runs nothing.
func (ps *protectedSet) hooksOf(dir string) []string {
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
	reader := ps.paths.gitReader()
	c := reader.Read(filepath.Join(common, "config"), filepath.Join(git, "config.worktree"))
	named, known := reader.Named(c, dir, false)
	if c.Unknown || !known {
		named = append(named, dir)
	}
	user, _ := reader.Named(ps.user, dir, true)
	return slices.Concat(c.Included, named, user)
}

// userNamed returns the absolute paths that the user's git configuration c names for every
// repository. Relative ones, which are of no use here, are taken to be in the root directory.
func (p Paths) userNamed(c gitconfig.Config) []string {
	named, _ := p.gitReader().Named(c, filepath.VolumeName(p.Home)+string(filepath.Separator), true)
	return append(named, c.Included...)
}

// userGit reads the user's git configuration.
func (p Paths) userGit() gitconfig.Config { return p.gitReader().Read(p.gitConfigs()...) }

// gitReader returns a reader of git configuration files.
func (p Paths) gitReader() gitconfig.Reader {
	return gitconfig.Reader{Home: p.Home, Workspace: p.Workspace, Conditions: true, File: readGitConfig}
}

// readGitConfig returns the text of a git configuration file, or false if it is too large.
func readGitConfig(path string) (string, bool) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return "", true
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return "", true
	}
	text, err := io.ReadAll(io.LimitReader(f, maxGitConfig+1))
	return string(text), err == nil && len(text) <= maxGitConfig
}

// from returns path, which is relative to dir unless it is absolute.
func from(dir, path string) string {
	if path = filepath.FromSlash(path); filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// readLines returns at most limit lines from the first maxGitConfig bytes of a
// regular file.
func readLines(file string, limit int) ([]string, error) {
	f, err := os.OpenFile(file, os.O_RDONLY|syscall.O_NONBLOCK, 0)
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
