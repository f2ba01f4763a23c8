//go:build amd64 || arm64

package watch

import (
	"crypto/rand"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"agent/internal/tools/gitconfig"
)

// This file puts configuration files of git in place for commands that nobody approved. git
// writes a new file and renames it. The command may have the new file open, or know another name
// of it, so a copy of what was checked takes its place.

// maxConfig is the size limit of a configuration file, in bytes.
const maxConfig = 1 << 20

// configCopy begins the names of copies.
const configCopy = "config.agent-new-"

// config is the content of a configuration file.
type config struct {
	text string
	mode uint32
}

// readConfig reads a file in an open directory. If there is none, the content is empty.
func readConfig(dir int, name string) (f config, err error) {
	fd, err := unix.Openat(dir, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err == unix.ENOENT {
		return config{mode: 0o644}, nil
	}
	if err != nil {
		return f, err
	}
	defer unix.Close(fd)
	var info unix.Stat_t
	if err = unix.Fstat(fd, &info); err != nil {
		return f, err
	}
	text, err := io.ReadAll(io.LimitReader(descriptor(fd), maxConfig+1))
	if err == nil && (info.Mode&unix.S_IFMT != unix.S_IFREG || len(text) > maxConfig) {
		err = errors.New("it is no regular file of at most 1 MB")
	}
	return config{string(text), info.Mode & 0o7777}, err
}

// refuseConfig returns why a configuration file cannot replace another one, because it has settings
// that need approval, or why the list of a rebase cannot; "" if it can. It reports the settings. A
// git directory that the command has just made, or makes with this change, is new.
func (g *gitGuard) refuseConfig(path string, before, after config, isNew bool) (why string) {
	if filepath.Base(path) == filepath.Base(rebaseTodo) {
		return g.refuseTodo(path, before, after)
	}
	names, ok := g.repository(path, isNew).Changed(before.text, after.text)
	if ok && len(names) == 0 {
		return ""
	}
	g.paths.nameSettings(path, strings.Join(names, ", "))
	return "it has settings that need approval"
}

// repository returns the repository of a configuration file.
func (g *gitGuard) repository(path string, isNew bool) gitconfig.Repository {
	dir := filepath.Dir(path)
	isNew = isNew || g.births.isMade(dir) || g.births.isSealed(dir)
	if (gitFile{dir: dir}).isLinked() { // the repository may have existed before
		isNew = false
	}
	return gitconfig.Repository{Dir: dir, New: isNew, Roots: g.order.Roots}
}

// refuseTodo is refuseConfig for the list of a rebase. It refuses programs that are not in the list
// yet.
func (g *gitGuard) refuseTodo(path string, before, after config) (why string) {
	known := programsIn(before.text)
	for _, line := range programsIn(after.text) {
		if !slices.Contains(known, line) {
			g.paths.nameProtected(path)
			return "it makes git run programs"
		}
	}
	return ""
}

// programsIn returns the lines of a list of a rebase that run programs.
func programsIn(todo string) (lines []string) {
	for line := range strings.Lines(todo) {
		if words := strings.Fields(line); len(words) > 0 && (words[0] == "exec" || words[0] == "x") {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines
}

// checkConfig returns why a rename cannot replace a configuration file, or the list of a rebase; ""
// if it can. If act makes the call, it checks that then.
func (g *gitGuard) checkConfig(c *call, to place) (why string) {
	from := to.source
	if !from.file() {
		return g.paths.nameProtected(to.path)
	}
	if c.acts {
		c.act = func() error { return g.replaceConfig(c, from, &to) }
		return ""
	}
	fromDir, err := c.openInside(filepath.Dir(from.path), unix.O_DIRECTORY)
	if err != nil {
		return ""
	}
	defer unix.Close(fromDir)
	toDir, err := c.openInside(filepath.Dir(to.path), unix.O_DIRECTORY)
	if err != nil {
		return ""
	}
	defer unix.Close(toDir)
	before, err := readConfig(toDir, filepath.Base(to.path))
	after, failed := readConfig(fromDir, filepath.Base(from.path))
	if err != nil || failed != nil {
		g.paths.nameSettings(to.path, "")
		return "it cannot be read"
	}
	return g.refuseConfig(to.path, before, after, false)
}

// replaceConfig replaces the file at a path by a copy of the one that is renamed to its path.
func (g *gitGuard) replaceConfig(c *call, from, to *place) error {
	fromDir, fromName, toDir, toName, err := c.bothMoved(from, to)
	if err != nil {
		return err
	}
	defer unix.Close(fromDir)
	defer unix.Close(toDir)
	before, err := readConfig(toDir, toName)
	if err != nil {
		return err
	}
	after, err := readConfig(fromDir, fromName)
	if err != nil {
		return err
	}
	if g.refuseConfig(to.path, before, after, false) != "" {
		return unix.EPERM
	}
	if err = putCopy(toDir, toName, after); err != nil {
		return err
	}
	return unix.Unlinkat(fromDir, fromName, 0)
}

// sealConfig is seal for a configuration file.
func (g *gitGuard) sealConfig(c *call, dir int, path, name string) (why string) {
	var info unix.Stat_t
	err := unix.Fstatat(dir, name, &info, unix.AT_SYMLINK_NOFOLLOW)
	if err != nil || info.Mode&unix.S_IFMT == unix.S_IFDIR {
		return "" // git reads neither
	}
	f, err := readConfig(dir, name)
	if err == nil {
		if why = g.refuseConfig(path+"/"+name, config{}, f, true); why != "" || !c.acts {
			return why
		}
		err = putCopy(dir, name, f)
	}
	if err != nil {
		g.paths.nameSettings(path+"/"+name, "")
		return "it cannot be read or replaced"
	}
	return ""
}

// sealCommonDir is seal for the file commondir, which only linked worktrees have.
func (g *gitGuard) sealCommonDir(c *call, dir int, path string) (why string) {
	var info unix.Stat_t
	if unix.Fstatat(dir, commonDir, &info, unix.AT_SYMLINK_NOFOLLOW) == unix.ENOENT {
		return ""
	}
	f, err := readConfig(dir, commonDir)
	if err == nil && (!gitFile{dir: path}.isLinked() || strings.TrimSpace(f.text) != linkedCommonDir) {
		err = unix.EPERM
	}
	if err == nil && c.acts {
		err = putCopy(dir, commonDir, f)
	}
	if err != nil {
		return g.paths.nameProtected(path + "/" + commonDir)
	}
	return ""
}

// putCopy puts a new file in place of the one of a name in an open directory.
func putCopy(dir int, name string, f config) error {
	temp := configCopy + rand.Text()
	fd, err := unix.Openat(dir, temp, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	for rest := []byte(f.text); len(rest) > 0 && err == nil; {
		var n int
		if n, err = unix.Write(fd, rest); err == unix.EINTR {
			err = nil
		}
		rest = rest[max(n, 0):]
	}
	if err == nil {
		err = unix.Fchmod(fd, f.mode)
	}
	if err == nil {
		err = unix.Renameat(dir, temp, dir, name)
	}
	if err != nil {
		_ = unix.Unlinkat(dir, temp, 0) // the first error counts
	}
	return err
}
