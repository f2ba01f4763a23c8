// Package tempdir holds the temporary directory of a session. The complete sandbox mounts its
// parts at /tmp and /var/tmp, so commands can use these paths as usual, and neither read nor
// damage what other programs keep there. All tools mean the same file by such a path: Dir.Real
// returns where it is outside the sandbox.
//
// The directory is DIR/agent-UID/SESSION, where DIR is that of os.TempDir, or /tmp if commands
// can change that. Start reading at Dir.
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

// Mounts are the paths at which commands find the parts of the directory.
var Mounts = sandbox.TempMounts

// parts are the names of the parts in the directory.
var parts = sandbox.TempParts

// Age is how long the directory of a session that is not used stays.
const Age = 7 * 24 * time.Hour

// Options describe a Dir.
type Options struct {
	Session string // ID; empty if the session is not stored
	// Used reports whether commands run in a sandbox that mounts the directory. It may block.
	Used func() bool
	// Writable are directories that commands can change; the directory is in none of them. Fixed
	// are others that are the same in the sandbox.
	Writable, Fixed []string
}

// Dir is the temporary directory of a session. A nil Dir stands for none: then /tmp is that of
// the system. It is safe for concurrent use.
type Dir struct {
	id       string
	used     func() bool
	writable []string            // real paths
	stay     []string            // real paths that are the same in the sandbox
	mounts   [len(Mounts)]string // real paths of Mounts

	mu     sync.Mutex
	opened bool
	path   string // without links; empty if it cannot be created
	unlock func()
	left   string
}

// New returns the directory of a session. Nothing is created before the first use. New returns
// nil if a path in the options contains one of Mounts.
func New(o Options) *Dir {
	d := &Dir{id: o.Session, used: sync.OnceValue(o.Used)}
	for i, dir := range Mounts {
		d.mounts[i] = realpath.Of(dir)
	}
	for n, dir := range slices.Concat(o.Writable, o.Fixed) {
		if dir == "" {
			continue
		}
		real := realpath.Of(dir)
		for _, mount := range d.mounts {
			if realpath.Inside(mount, real) {
				return nil
			}
		}
		if d.stay = append(d.stay, real); n < len(o.Writable) {
			d.writable = append(d.writable, real)
		}
	}
	return d
}

// Mounted reports whether commands find the directory at Mounts. Path may still be empty.
func (d *Dir) Mounted() bool { return d != nil && d.used() }

// Path returns the directory, which it creates if needed. It is empty if commands do not see
// it, or if it cannot be created.
func (d *Dir) Path() string {
	if !d.Mounted() {
		return ""
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.opened {
		d.opened = true
		d.create()
	}
	return d.path
}

// Prepare returns Path for a command. An earlier command may have taken permissions away from the
// parts.
func (d *Dir) Prepare() string {
	path := d.Path()
	for _, part := range parts {
		if path != "" {
			_ = os.Chmod(filepath.Join(path, part), 0o700) // the command reports what fails
		}
	}
	return path
}

// temps returns the temporary directories in which directories of sessions may be.
func temps() []string {
	return slices.Compact([]string{filepath.Clean(os.TempDir()), Mounts[0]})
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
		path, err = os.MkdirTemp(filepath.Dir(path), filepath.Base(path)+"-")
	}
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(path)
}

// create creates the directory and locks it.
func (d *Dir) create() {
	for _, temp := range temps() {
		real := realpath.Of(temp)
		if !filepath.IsAbs(temp) || slices.ContainsFunc(d.writable, func(dir string) bool { return realpath.Inside(real, dir) }) {
			continue
		}
		parent, err := private(parentOf(real))
		if err != nil {
			continue
		}
		if d.id != "" && d.open(filepath.Join(parent, d.id)) {
			return
		}
		if path, err := os.MkdirTemp(parent, unsaved); err == nil && d.open(path) {
			return
		}
	}
}

// unsaved begins the names of directories that no session finds again.
const unsaved = "unsaved-"

// open creates the directory at path if needed, and locks it. It reports false if something
// else is there.
func (d *Dir) open(path string) bool {
	for _, dir := range append([]string{""}, parts[:]...) {
		dir = filepath.Join(path, dir)
		_ = os.Mkdir(dir, 0o700) // it may exist
		if info, err := os.Lstat(dir); err != nil || !info.IsDir() || !isOwn(info) || os.Chmod(dir, 0o700) != nil {
			return false
		}
	}
	unlock, ok := lock(path, false)
	if !ok {
		return false
	}
	now := time.Now()
	_ = os.Chtimes(path, now, now) // for Expire
	d.path, d.unlock = path, unlock
	return true
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
	if strings.HasPrefix(filepath.Base(d.path), unsaved) {
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

// removeEmpty removes the directory of a session if it has no files, only mount points.
func removeEmpty(dir string) error {
	for _, part := range parts {
		part = filepath.Join(dir, part)
		f, err := os.Open(part)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		entries, err := f.ReadDir(maxPoints)
		f.Close()
		if err != nil && err != io.EOF {
			return err
		}
		for _, e := range entries {
			if info, err := e.Info(); err != nil || !isPoint(info) {
				return err
			}
		}
		for _, e := range entries {
			if err := os.Remove(filepath.Join(part, e.Name())); err != nil {
				return err
			}
		}
		if err := os.Remove(part); err != nil {
			return err
		}
	}
	return os.Remove(dir)
}

// Remove removes the directory of a session that nobody uses.
func Remove(id string) {
	if id == "" || filepath.Base(id) != id {
		return
	}
	for _, temp := range temps() {
		removeUnused(filepath.Join(parentOf(temp), id), os.RemoveAll)
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
// files and those that no session finds again.
func Expire() {
	for _, temp := range temps() {
		parent := parentOf(temp)
		info, err := os.Lstat(parent)
		if err != nil || !info.IsDir() || !isOwn(info) {
			continue
		}
		entries, _ := os.ReadDir(parent)
		for _, e := range entries {
			path := filepath.Join(parent, e.Name())
			info, err := e.Info()
			if err != nil {
				continue
			}
			switch age := time.Since(info.ModTime()); {
			case age > Age, age > emptyAge && strings.HasPrefix(e.Name(), unsaved):
				removeUnused(path, os.RemoveAll)
			case age > emptyAge:
				removeUnused(path, removeEmpty)
			}
		}
	}
}

// isPoint reports whether a file is only the point at which the sandbox mounts something of the
// system: it has no permissions and no content.
func isPoint(info fs.FileInfo) bool {
	return info.Mode().Perm() == 0 && (info.IsDir() || info.Mode().IsRegular() && info.Size() == 0)
}

// Real returns where an absolute path of a command is outside the sandbox. A path below Mounts
// is in the directory, unless the first name below them exists only in the system. Links are
// not resolved. Other paths are returned as they are.
func (d *Dir) Real(path string) string {
	if d == nil || !filepath.IsAbs(path) {
		return path
	}
	part, rest, ok := d.below(path)
	if !ok {
		return path
	}
	top := d.Path()
	if top == "" {
		return path
	}
	top = filepath.Join(top, parts[part])
	if rest == "" {
		return top
	}
	first, _, _ := strings.Cut(rest, "/")
	if info, err := os.Lstat(filepath.Join(top, first)); err != nil || isPoint(info) {
		if _, err := os.Lstat(filepath.Join(d.mounts[part], first)); err == nil {
			return path
		}
	}
	return top + "/" + rest // ".." applies after links are resolved
}

// below returns the rest of a path below one of Mounts, and the number of its part. It reports
// false for paths that are elsewhere and for those that are the same in the sandbox.
func (d *Dir) below(path string) (part int, rest string, ok bool) {
	clean := filepath.Clean(path)
	if slices.ContainsFunc(d.stay, func(dir string) bool { return realpath.Inside(clean, dir) }) {
		return 0, "", false
	}
	for i := range Mounts {
		for _, mount := range []string{Mounts[i], d.mounts[i]} {
			if !realpath.Inside(clean, mount) {
				continue
			}
			part = slices.Index(d.mounts[:], d.mounts[i]) // one may be a link to the other
			if plain, ok := strings.CutPrefix(path, mount+"/"); ok && !climbs(plain) {
				return part, strings.TrimLeft(plain, "/"), true
			}
			return part, strings.TrimPrefix(clean[len(mount):], "/"), true
		}
	}
	return 0, "", false
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

// Holds reports whether a path without links is in a part of the directory, or is one. It
// creates nothing.
func (d *Dir) Holds(real string) bool { return d.Shown(real) != real }

// Shown returns the path of a command for a path in the directory, and others as they are.
func (d *Dir) Shown(real string) string {
	if d == nil {
		return real
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for i, part := range parts {
		if top := filepath.Join(d.path, part); d.path != "" && realpath.Inside(real, top) {
			return Mounts[i] + real[len(top):]
		}
	}
	return real
}

// Parents returns the directories, without links, that hold those of all sessions. They need
// not exist.
func (d *Dir) Parents() (parents []string) {
	for _, temp := range temps() {
		parents = append(parents, realpath.Of(parentOf(temp)))
	}
	if d == nil {
		return parents
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if own := filepath.Dir(d.path); d.path != "" && !slices.Contains(parents, own) {
		parents = append(parents, own)
	}
	return parents
}

// Covers reports whether commands do not see what the system has at a path without links: it is
// one of Mounts or below it.
func (d *Dir) Covers(real string) bool {
	return d != nil && slices.ContainsFunc(d.mounts[:], func(mount string) bool { return realpath.Inside(real, mount) })
}
