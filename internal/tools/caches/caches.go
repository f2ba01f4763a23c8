// Package caches holds what commands that nobody approved write to the caches of the user's
// toolchains. Such a command reads a cache of the user, and the kernel puts its changes into a
// directory of this program. Commands without approval in the same workspace see them, and nothing
// merges them into the cache of the user: a program outside the sandbox never runs them.
//
// The directory is STATE/caches/WORKSPACE/CACHE. WORKSPACE is a hash, with a number for each further
// session that works there at the same time. Package sandbox describes what is in CACHE. Start
// reading at Caches; Expire removes what is no longer used.
package caches

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"

	"agent/internal/history/filelock"
	"agent/internal/realpath"
	"agent/internal/tools/shell/sandbox"
)

// Caches are those of the commands of a session and its delegates. Nil stands for none: then commands
// change the caches of the user. It is safe for concurrent use.
type Caches struct {
	dir string // with those of all workspaces, without links

	mu   sync.Mutex
	open map[string]*workspaceCaches // by workspace
}

// workspaceCaches holds the caches of a workspace.
type workspaceCaches struct {
	dir         string
	lock        *os.File
	unsupported map[string]bool // caches of which the system cannot mount overlays
}

// New returns the caches in the state directory of the program, which need not exist; nil if it is
// empty.
func New(state string) *Caches {
	if state == "" {
		return nil
	}
	return &Caches{dir: realpath.Of(Dir(state)), open: map[string]*workspaceCaches{}}
}

// Dir returns the directory of all caches in a state directory.
func Dir(state string) string { return filepath.Join(state, "caches") }

// nameFile holds the path of the workspace.
const nameFile = "workspace"

// maxSessions is how many sessions can have caches of the same workspace at the same time.
const maxSessions = 32

// Overlays returns the overlays of caches of the user that commands in a workspace change instead of
// these. It leaves out those that the system cannot mount, and returns those for which only something
// that can pass is missing, such as space on the disk: commands must not change them. All paths are
// absolute and have no links.
func (c *Caches) Overlays(s *sandbox.Session, workspace string, lower []string) (overlays []sandbox.Overlay, locked []string) {
	if c == nil || s.Form() != sandbox.Complete || len(lower) == 0 {
		return nil, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	p, err := c.reserve(workspace)
	if err != nil {
		if isUnsupported(err) {
			return nil, nil
		}
		return nil, lower
	}
	var missing []sandbox.Overlay
	fail := func(dir string, err error) {
		if p.unsupported[dir] = isUnsupported(err); !p.unsupported[dir] {
			locked = append(locked, dir)
		}
	}
	for _, dir := range lower {
		o := sandbox.Overlay{Lower: dir, Dir: filepath.Join(p.dir, hash(dir))}
		if s.Mounted(o) {
			overlays = append(overlays, o)
		} else if p.unsupported[dir] {
			continue
		} else if err := prepare(o); err != nil {
			fail(dir, err)
		} else {
			missing = append(missing, o)
		}
	}
	for i, err := range s.Mount(missing) {
		o := missing[i]
		if err == nil {
			permit(o)
			overlays = append(overlays, o)
			continue
		}
		fail(o.Lower, err)
		_ = os.RemoveAll(o.Dir) // what is left expires
	}
	return overlays, locked
}

// isUnsupported reports whether an error means that the system cannot mount an overlay or that this
// program cannot write to the state directory. Commands cannot cause these errors.
func isUnsupported(err error) bool {
	return slices.ContainsFunc([]error{syscall.EINVAL, syscall.EPERM, syscall.EACCES, syscall.ENODEV, syscall.ENOSYS, syscall.EOPNOTSUPP, syscall.EROFS, syscall.ELOOP, syscall.ENAMETOOLONG},
		func(e error) bool { return errors.Is(err, e) })
}

// permit gives the user permissions for the directories that the kernel has created.
func permit(o sandbox.Overlay) {
	for _, dir := range []string{"work", "work/incompat", "work/incompat/volatile"} {
		_ = os.Chmod(filepath.Join(o.Dir, sandbox.WorkPart, dir), 0o700)
	}
}

// hash returns the name that stands for a path.
func hash(path string) string {
	sum := sha256.Sum256([]byte(path))
	return hex.EncodeToString(sum[:8])
}

// reserve returns the directory of a workspace that no other session uses. It creates and locks it.
func (c *Caches) reserve(workspace string) (*workspaceCaches, error) {
	if p := c.open[workspace]; p != nil {
		return p, nil
	}
	if err := os.MkdirAll(c.dir, 0o700); err != nil {
		return nil, err
	}
	for n := range maxSessions {
		dir := filepath.Join(c.dir, hash(workspace))
		if n > 0 {
			dir += "." + strconv.Itoa(n)
		}
		_ = os.Mkdir(dir, 0o700) // it may exist
		f := tryLock(dir)
		if f == nil {
			continue
		}
		now := time.Now()
		_ = os.Chtimes(dir, now, now) // for Expire
		if err := os.WriteFile(filepath.Join(dir, nameFile), []byte(workspace), 0o600); err != nil {
			unlock(f)
			return nil, err
		}
		c.open[workspace] = &workspaceCaches{dir: dir, lock: f, unsupported: map[string]bool{}}
		return c.open[workspace], nil
	}
	return nil, errors.New("too many sessions work in the workspace")
}

// tryLock locks a directory. It returns nil if that is in use or was removed.
func tryLock(dir string) *os.File {
	f, err := os.Open(dir)
	if err != nil {
		return nil
	}
	if ok, err := filelock.Try(f); err == nil && ok {
		own, err := f.Stat()
		now, e := os.Lstat(dir)
		if err == nil && e == nil && os.SameFile(own, now) {
			return f
		}
	}
	unlock(f)
	return nil
}

func unlock(f *os.File) {
	_ = filelock.Unlock(f) // closing it also does, unless a child is starting
	f.Close()
}

// prepare creates the parts of an overlay. What an earlier session has written stays.
func prepare(o sandbox.Overlay) error {
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return err
	}
	if err := remove(context.Background(), o.Dir, sandbox.WorkPart); err != nil {
		return err
	}
	for _, part := range []string{sandbox.UpperPart, sandbox.WorkPart, sandbox.ViewPart} {
		if err := os.MkdirAll(filepath.Join(o.Dir, part), 0o700); err != nil {
			return err
		}
	}
	return nil
}

// Test returns which directories the system cannot mount overlays of, and the last error. It changes
// nothing. The directories are those of Overlays.
func Test(state string, lower []string) (failed []string, err error) {
	dir, err := os.MkdirTemp(state, "overlay-")
	if err != nil {
		return lower, err
	}
	parent, name := filepath.Split(dir)
	defer func() { _ = remove(context.Background(), parent, name) }()
	for i, l := range lower {
		o := sandbox.Overlay{Lower: l, Dir: filepath.Join(realpath.Of(dir), strconv.Itoa(i))}
		e := prepare(o)
		if e == nil {
			e = sandbox.TestOverlays([]sandbox.Overlay{o})[0]
		}
		if e != nil {
			failed, err = append(failed, l), e
		}
	}
	return failed, err
}

// Close ends the use of the caches. The commands must have ended.
func (c *Caches) Close() {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range c.open {
		unlock(p.lock)
	}
	c.open = map[string]*workspaceCaches{}
}
