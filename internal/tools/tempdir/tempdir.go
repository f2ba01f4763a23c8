// Package tempdir holds the temporary directory of a session. The complete sandbox mounts it
// at /tmp and /var/tmp, so commands can use these paths as usual, and neither read nor damage
// what other programs keep there. All tools mean the same file by such a path: Dir.Real
// returns where it is outside the sandbox.
//
// The directory is DIR/agent-UID/SESSION, where DIR is that of os.TempDir. Start reading at Dir.
package tempdir

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"agent/internal/realpath"
	"agent/internal/tools/shell/sandbox"
)

// Mounts are the paths at which commands find the directory.
var Mounts = sandbox.TempMounts

// Age is how long the directory of a session that is not used stays.
const Age = 7 * 24 * time.Hour

// Dir is the temporary directory of a session. A nil Dir stands for none: then /tmp is that of
// the system. It is safe for concurrent use.
type Dir struct {
	id     string
	used   func() bool
	stay   []string // real paths that are the same in the sandbox
	mounts []string // real paths of Mounts

	mu     sync.Mutex
	opened bool
	path   string // without links; empty if it cannot be created
	unlock func()
	left   string
}

// New returns the directory of the session id; an empty id stands for a session that is not
// stored. used reports whether commands run in a sandbox that mounts the directory; it may
// block. The directories in stay are the same in the sandbox. Nothing is created before the
// first use. New returns nil if something in stay contains one of Mounts.
func New(id string, used func() bool, stay ...string) *Dir {
	d := &Dir{id: id, used: sync.OnceValue(used)}
	for _, dir := range Mounts {
		d.mounts = append(d.mounts, realpath.Of(dir))
	}
	for _, dir := range stay {
		if dir == "" {
			continue
		}
		real := realpath.Of(dir)
		for _, mount := range d.mounts {
			if realpath.Inside(mount, real) {
				return nil
			}
		}
		d.stay = append(d.stay, real)
	}
	return d
}

// Path returns the directory, which it creates if needed. It is empty if commands do not see
// it at Mounts.
func (d *Dir) Path() string {
	if d == nil || !d.used() {
		return ""
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.opened {
		d.opened = true
		if parent, err := private(parentOf(os.TempDir())); err == nil {
			d.create(parent)
		}
	}
	return d.path
}

// parentOf returns the directory with those of all sessions of the user.
func parentOf(temp string) string {
	return filepath.Join(temp, "agent-"+strconv.Itoa(os.Getuid()))
}

// private creates a directory that only the user can use. If somebody else has created it, it
// creates another one.
func private(path string) (string, error) {
	_ = os.Mkdir(path, 0o700) // it may exist
	info, err := os.Lstat(path)
	if err != nil {
		return "", err
	}
	if info.IsDir() && isOwn(info) {
		err = os.Chmod(path, 0o700)
	} else {
		path, err = os.MkdirTemp("", filepath.Base(path)+"-")
	}
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(path)
}

// create creates the directory and locks it.
func (d *Dir) create(parent string) {
	path, err := filepath.Join(parent, d.id), error(nil)
	if d.id == "" {
		path, err = os.MkdirTemp(parent, "unsaved-")
	} else if err = os.Mkdir(path, 0o700); errors.Is(err, fs.ErrExist) {
		if info, e := os.Lstat(path); e == nil && info.IsDir() {
			err = nil
		}
	}
	if err != nil {
		return
	}
	if unlock, ok := lock(path, false); ok {
		now := time.Now()
		_ = os.Chtimes(path, now, now) // for Expire
		d.path, d.unlock = path, unlock
	}
}

// Close ends the use of the directory. It removes that of a session which is not stored, and
// one without files.
func (d *Dir) Close() {
	if d == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.path == "" {
		return
	}
	if d.id == "" {
		_ = os.RemoveAll(d.path)
	}
	_ = removeEmpty(d.path)
	d.unlock()
	if _, err := os.Lstat(d.path); err == nil {
		d.left = d.path
	}
	d.path = ""
}

// Left returns the directory if Close has left it, because it has files; otherwise "".
func (d *Dir) Left() string {
	if d == nil {
		return ""
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.left
}

// maxPoints is how many mount points a directory without files may have.
const maxPoints = 64

// removeEmpty removes a directory if it has no entries except for mount points.
func removeEmpty(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	entries, err := f.ReadDir(maxPoints)
	if err != nil && err != io.EOF {
		return err
	}
	for _, e := range entries {
		if info, err := e.Info(); err != nil || !isPoint(info) {
			return err
		}
	}
	for _, e := range entries {
		if err := os.Remove(filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	return os.Remove(dir)
}

// Remove removes the directory of a session that nobody uses.
func Remove(id string) {
	if id != "" && filepath.IsLocal(id) {
		removeUnused(filepath.Join(parentOf(os.TempDir()), id), os.RemoveAll)
	}
}

// removeUnused calls remove for a directory that no session uses.
func removeUnused(path string, remove func(string) error) {
	if unlock, ok := lock(path, true); ok {
		_ = remove(path) // the next start tries again
		unlock()
	}
}

// emptyAge is how long a directory without files stays that a killed program has left.
const emptyAge = time.Minute

// Expire removes the directories of sessions that were not used for Age, and those without
// files.
func Expire() {
	parent := parentOf(os.TempDir())
	info, err := os.Lstat(parent)
	if err != nil || !info.IsDir() || !isOwn(info) {
		return
	}
	entries, _ := os.ReadDir(parent)
	for _, e := range entries {
		path := filepath.Join(parent, e.Name())
		switch info, err := e.Info(); {
		case err != nil:
		case time.Since(info.ModTime()) > Age:
			removeUnused(path, os.RemoveAll)
		case time.Since(info.ModTime()) > emptyAge:
			removeUnused(path, removeEmpty)
		}
	}
}

// isPoint reports whether a file is only the point at which the sandbox mounts something of the
// system: see MakePoint.
func isPoint(info fs.FileInfo) bool { return info.Mode().Perm() == 0 }

// Real returns where an absolute path of a command is outside the sandbox. A path below Mounts
// is in the directory, unless the first name below them exists only in the system. Links are
// not resolved. Other paths are returned as they are.
func (d *Dir) Real(path string) string {
	if d == nil || !filepath.IsAbs(path) {
		return path
	}
	rest, ok := d.below(path)
	if !ok {
		return path
	}
	top := d.Path()
	if top == "" {
		return path
	}
	first, _, _ := strings.Cut(rest, "/")
	if first != "" {
		info, err := os.Lstat(filepath.Join(top, first))
		if err != nil || isPoint(info) {
			if _, err := os.Lstat(filepath.Join(d.mountOf(path), first)); err == nil {
				return path
			}
		}
	}
	if rest == "" {
		return top
	}
	return top + "/" + rest // ".." applies after links are resolved
}

// mountOf returns the one of Mounts that contains a path.
func (d *Dir) mountOf(path string) string {
	for _, dir := range slices.Concat(Mounts[:], d.mounts) {
		if realpath.Inside(filepath.Clean(path), dir) {
			return dir
		}
	}
	return ""
}

// below returns the rest of a path below Mounts. It reports false for paths that are elsewhere
// and for those that are the same in the sandbox.
func (d *Dir) below(path string) (rest string, ok bool) {
	clean := filepath.Clean(path)
	mount := d.mountOf(clean)
	if mount == "" || slices.ContainsFunc(d.stay, func(dir string) bool { return realpath.Inside(clean, dir) }) {
		return "", false
	}
	prefix := strings.TrimSuffix(mount, "/") + "/"
	if plain, ok := strings.CutPrefix(path, prefix); ok && !climbs(plain) {
		return strings.TrimLeft(plain, "/"), true
	}
	rest, err := filepath.Rel(mount, clean)
	if rest == "." {
		rest = ""
	}
	return rest, err == nil
}

// climbs reports whether a relative path leads out of its directory on the way.
func climbs(path string) bool {
	depth := 0
	for name := range strings.SplitSeq(path, "/") {
		switch name {
		case "", ".":
		case "..":
			if depth--; depth < 0 {
				return true
			}
		default:
			depth++
		}
	}
	return false
}

// Holds reports whether a path without links is the directory or in it. It creates nothing.
func (d *Dir) Holds(real string) bool {
	if d == nil {
		return false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.path != "" && realpath.Inside(real, d.path)
}

// Shown returns the path of a command for a path in the directory, and others as they are.
func (d *Dir) Shown(real string) string {
	if !d.Holds(real) {
		return real
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return Mounts[0] + strings.TrimPrefix(real, d.path)
}

// Covers reports whether commands do not see what the system has at a path without links: it is
// one of Mounts or below it.
func (d *Dir) Covers(real string) bool {
	return d != nil && slices.ContainsFunc(d.mounts, func(mount string) bool { return realpath.Inside(real, mount) })
}
