package desktop

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// Branch returns the checked-out branch of the repository that contains dir, or an
// abbreviated commit. inRepo is false outside of a repository. It reads the files of
// git and does not run git, because a repository can configure programs that git runs.
func Branch(dir string) (name string, inRepo bool) {
	for {
		git := filepath.Join(dir, ".git")
		if fi, err := os.Stat(git); err == nil {
			if !fi.IsDir() { // a worktree: the file names the directory
				b, err := readGitFile(git)
				to, ok := strings.CutPrefix(strings.TrimSpace(string(b)), "gitdir: ")
				if err != nil || !ok {
					return "", true
				}
				if git = to; !filepath.IsAbs(to) {
					git = filepath.Join(dir, to)
				}
			}
			return headName(git), true
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", false
		}
		dir = up
	}
}

// headName returns the branch or the abbreviated commit of a git directory.
func headName(git string) string {
	b, err := readGitFile(filepath.Join(git, "HEAD"))
	if err != nil {
		return ""
	}
	h := strings.TrimSpace(string(b))
	if ref, ok := strings.CutPrefix(h, "ref: refs/heads/"); ok {
		return ref
	}
	return h[:min(len(h), 8)]
}

// readGitFile reads a short file of a git directory. It rejects pipes and devices,
// which could block or be endless.
func readGitFile(name string) ([]byte, error) {
	fi, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	const most = 1 << 16
	if !fi.Mode().IsRegular() || fi.Size() > most {
		return nil, fmt.Errorf("read %s: not a git file", name)
	}
	// The file can have been replaced by a pipe since, or grow.
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if fi, err = f.Stat(); err != nil || !fi.Mode().IsRegular() {
		return nil, fmt.Errorf("read %s: not a regular file", name)
	}
	return io.ReadAll(io.LimitReader(f, most))
}
