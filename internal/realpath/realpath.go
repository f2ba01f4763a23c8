// Package realpath resolves symbolic links in paths. It changes no file and judges no
// path. Start reading at Of.
package realpath

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
)

// maxLinks limits the symbolic links that are followed in one path.
const maxLinks = 40

// Of returns an absolute path without symbolic links. The path need not exist: a link to
// a file that does not exist is followed too. The path of "" is "".
func Of(path string) string {
	if path == "" {
		return ""
	}
	steps := Steps(path)
	return steps[len(steps)-1]
}

// Memo resolves each path only once. It is for the directories of a session, which do not move
// while it runs. A nil Memo remembers nothing. It is safe for concurrent use.
type Memo struct{ paths sync.Map }

// Of is the function Of.
func (m *Memo) Of(path string) string {
	if m == nil {
		return Of(path)
	}
	if real, ok := m.paths.Load(path); ok {
		return real.(string)
	}
	real := Of(path)
	m.paths.Store(path, real)
	return real
}

// Link is a symbolic link, or a directory that a link enters and leaves through "..": a link
// in its place would lead elsewhere.
type Link struct {
	Path   string // absolute, without links above it
	Target string // as the link holds it; "" for a directory
}

// Links returns an absolute path without symbolic links, like Of, and the links that were
// followed, with such directories.
func Links(path string) (links []Link, real string) {
	steps, links := follow(path)
	return links, steps[len(steps)-1]
}

// Steps returns the steps of resolving an absolute path: the path itself, the path after
// each symbolic link, and last the path without links. They need not exist.
func Steps(path string) []string {
	steps, _ := follow(path)
	return steps
}

func follow(path string) (steps []string, followed []Link) {
	path = filepath.Clean(path)
	out := []string{path}
	root := filepath.VolumeName(path) + string(filepath.Separator)
	from := root // the directory of the last link
	done, todo := root, strings.Split(strings.TrimPrefix(path, root), string(filepath.Separator))
	for n := 0; len(todo) > 0; {
		name := todo[0]
		todo = todo[1:]
		if name == ".." {
			if !Inside(from, done) {
				followed = append(followed, Link{Path: done})
			}
			done = filepath.Dir(done)
			continue
		}
		next := filepath.Join(done, name)
		target, err := os.Readlink(next)
		if err != nil || n == maxLinks {
			done = next
			continue
		}
		n++
		from, followed = done, append(followed, Link{next, target})
		if filepath.IsAbs(target) {
			done = filepath.VolumeName(target) + string(filepath.Separator)
			target = strings.TrimPrefix(target, done)
		}
		todo = append(strings.Split(filepath.FromSlash(target), string(filepath.Separator)), todo...)
		out = append(out, filepath.Join(done, filepath.Join(todo...)))
	}
	return append(out, done), followed
}

// Follow returns an absolute path without symbolic links and "..", which applies after a
// link is resolved, as in the system. Of removes ".." first, as a shell's cd does. The
// path need not exist.
func Follow(path string) string {
	root := filepath.VolumeName(path) + string(filepath.Separator)
	done := root
	for _, name := range strings.Split(strings.TrimPrefix(path, root), string(filepath.Separator)) {
		switch name {
		case "", ".":
		case "..":
			done = filepath.Dir(done)
		default:
			done = Of(filepath.Join(done, name))
		}
	}
	return done
}

// Checked returns an absolute path without symbolic links, or an error if they cannot be
// resolved. Names after the last directory that exists are kept, and so is a link to a
// file that does not exist.
func Checked(path string) (string, error) {
	rest := ""
	for dir := filepath.Clean(path); ; dir = filepath.Dir(dir) {
		real, err := filepath.EvalSymlinks(dir)
		if err == nil {
			return filepath.Join(real, rest), nil
		}
		if !errors.Is(err, fs.ErrNotExist) || dir == filepath.Dir(dir) {
			return "", err
		}
		rest = filepath.Join(filepath.Base(dir), rest)
	}
}

// Missing reports whether certainly nothing is at a path. It does not follow a link at its end.
func Missing(path string) bool {
	_, err := os.Lstat(path)
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// Inside reports whether a path is dir or below it. Both are absolute. It compares the paths
// as they are written and follows no links.
func Inside(path, dir string) bool {
	_, in := Rel(path, dir)
	return in
}

// Reaches reports whether path is dir or below it, as they are written or without links.
func Reaches(path, dir string) bool { return Inside(path, dir) || Inside(Of(path), Of(dir)) }

// Shorten returns a path relative to dir if it is Inside dir, and the same path otherwise.
func Shorten(path, dir string) string {
	if rel, in := Rel(path, dir); in {
		return rel
	}
	return path
}

// Rel returns a path relative to dir. It reports false if the path is not Inside dir.
func Rel(path, dir string) (rel string, in bool) {
	path, dir = filepath.Clean(path), filepath.Clean(dir)
	if path == dir {
		return ".", true
	}
	return strings.CutPrefix(path, strings.TrimSuffix(dir, string(filepath.Separator))+string(filepath.Separator))
}
