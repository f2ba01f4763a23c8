//go:build amd64 || arm64

package watch

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// maxLinks is how many symbolic links the kernel follows in one path.
const maxLinks = 40

// place is a path that a system call names, and the file there.
type place struct {
	path   string // absolute, without links in its directory
	exists bool
	info   syscall.Stat_t // only if it exists

	link     bool   // set if the call puts a symbolic link there
	source   *place // what a rename puts there; otherwise nil
	dropped  bool   // set if the call takes this name from the file that is there, and gives it no other
	proc     string // link in /proc through which the path leads to the place; usually empty
	dots     string // "." or ".." if the path of the call ends with that
	slash    bool   // set if the path of the call ends with a slash
	nameless string // link in /proc that leads to a file without a path; usually empty
}

func (p *place) is(kind uint32) bool { return p.exists && p.info.Mode&unix.S_IFMT == kind }
func (p *place) file() bool          { return p.is(unix.S_IFREG) }
func (p *place) dir() bool           { return p.is(unix.S_IFDIR) }

// look returns the place at a path without links in its directory.
func look(path string) (place, error) { return task("").look(path) }

// look is the function look for the files that the thread sees: its sandbox has a
// /dev/shm of its own.
func (t task) look(path string) (p place, err error) {
	p.path = path
	err = syscall.Lstat(t.seen(path), &p.info)
	if errors.Is(err, unix.ENOENT) {
		return p, nil
	}
	p.exists = err == nil
	return p, err
}

// task is a thread whose paths are resolved.
type task string // like "/proc/12"; "" for this process

// seen returns the name that this process has for an absolute path of the thread.
func (t task) seen(path string) string {
	if t == "" {
		return path
	}
	return string(t) + "/root" + path
}

// descriptor returns the path of an open file or directory. AT_FDCWD is the working
// directory of the thread.
func (t task) descriptor(fd int32) (string, error) {
	link := string(t) + "/cwd"
	if fd != unix.AT_FDCWD {
		link = string(t) + "/fd/" + strconv.Itoa(int(fd))
	}
	path, err := readlink(link)
	switch {
	case err == nil && path[0] != '/':
		err = errNoFile
	case errors.Is(err, unix.ENOENT) && fd != unix.AT_FDCWD:
		err = unix.EBADF
	case errors.Is(err, unix.EACCES): // the process cannot be inspected
		err = unix.EPERM
	}
	return path, err
}

// find returns the place at a path of the thread, which begins at a descriptor. If follow
// is set and a symbolic link is there, it returns the place to which the link leads.
func (t task) find(fd int32, path string, follow bool) (place, error) {
	if path == "" {
		return place{}, unix.ENOENT
	}
	real := "" // the directory of path if it has no links
	if path[0] != '/' {
		dir, err := t.descriptor(fd)
		if err != nil {
			return place{}, err
		}
		if !strings.Contains(path, "/") {
			real = dir
		}
		path = strings.TrimSuffix(dir, "/") + "/" + path
	}
	// With a slash at its end the path names a directory, which may not exist yet.
	if trimmed := strings.TrimRight(path, "/"); trimmed != path {
		path, follow, real = trimmed, true, ""
	}
	for range maxLinks + 1 {
		dir, name := split(path)
		if name == "" || name == "." || name == ".." {
			dir, name, real = path+"/", "", ""
		}
		if real == "" {
			var err error
			if real, err = t.realDir(dir); err != nil {
				return place{}, err
			}
		}
		if real == "" || real == "/proc" || below(real, "/proc") {
			return t.walk(path, follow)
		}
		p, err := t.look(filepath.Join(real, name))
		if err != nil || !follow || !p.is(unix.S_IFLNK) {
			return p, err
		}
		target, err := readlink(t.seen(p.path))
		if err != nil {
			return place{}, err
		}
		if target[0] != '/' {
			target = real + "/" + target
		}
		path, real = target, ""
	}
	return place{}, unix.ELOOP
}

// split separates the last name of an absolute path from its directory. Both are empty
// for the root.
func split(path string) (dir, name string) {
	i := strings.LastIndexByte(path, '/')
	return path[:i+1], path[i+1:]
}

// realDir returns a directory without links; "" if it cannot be resolved at once, because
// it depends on the process.
func (t task) realDir(dir string) (string, error) {
	root, err := unix.Open(t.seen("/"), unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.EACCES) { // the process cannot be inspected
		err = unix.EPERM
	}
	if err != nil {
		return "", err
	}
	defer unix.Close(root)
	how := &unix.OpenHow{Flags: unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_MAGICLINKS | unix.RESOLVE_IN_ROOT}
	fd, err := unix.Openat2(root, dir, how)
	switch {
	case err == nil:
	case harmless(err) && !errors.Is(err, unix.ELOOP):
		return "", err
	default: // a link of /proc, or a kernel or container without this call
		return "", nil
	}
	defer unix.Close(fd)
	return readlink("/proc/self/fd/" + strconv.Itoa(fd))
}

// walk is find for an absolute path that leads through /proc, where links depend on the
// process. It follows link by link.
func (t task) walk(path string, follow bool) (place, error) {
	real, rest, link := "/", path, ""
	for links := 0; rest != ""; {
		name, after, _ := strings.Cut(strings.TrimLeft(rest, "/"), "/")
		rest = after
		next := filepath.Join(real, name) // handles "." and ".."
		switch next {
		case "/proc/self", "/proc/thread-self":
			real = string(t)
			continue
		}
		if after == "" && !follow {
			real = next
			break
		}
		target, err := readlink(t.seen(next))
		if err == nil && after == "" && below(next, "/proc") && filepath.Base(real) == "fd" {
			link = next
		}
		switch {
		case errors.Is(err, unix.EINVAL), errors.Is(err, unix.ENOENT) && after == "":
			real = next
			continue
		case err != nil:
			return place{}, err
		case target[0] != '/' && below(next, "/proc") && strings.Contains(target, ":["):
			return place{nameless: link, proc: link}, errNoFile // "pipe:[123]"
		}
		if links++; links > maxLinks {
			return place{}, unix.ELOOP
		}
		if target[0] == '/' {
			real = "/"
		}
		rest = target + "/" + after
		if after == "" {
			rest = target
		}
	}
	p, err := t.look(real)
	p.nameless, p.proc = link, link
	return p, err
}

// terminal returns the place of the terminal that /dev/tty is for the thread.
func (t task) terminal() (place, error) {
	stat, err := os.ReadFile(string(t) + "/stat")
	if err != nil {
		return place{}, err
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(fields) < 5 {
		return place{}, unix.ENXIO
	}
	device, _ := strconv.Atoi(fields[4])
	if major := device >> 8 & 0xfff; major < 136 || major > 143 { // not a pseudoterminal
		return place{}, unix.ENXIO
	}
	return t.look("/dev/pts/" + strconv.Itoa(device&0xff|device>>12&0xfff00))
}

// withUmask calls f with the umask of the thread. It needs a thread of ownThread.
func (t task) withUmask(f func() error) error {
	text, err := os.ReadFile(string(t) + "/status")
	if err != nil {
		return err
	}
	_, rest, found := bytes.Cut(text, []byte("\nUmask:\t"))
	value, _, _ := bytes.Cut(rest, []byte("\n"))
	mask, err := strconv.ParseUint(string(value), 8, 12)
	if !found || err != nil {
		return unix.EPERM
	}
	defer unix.Umask(unix.Umask(int(mask)))
	return f()
}

// readlink returns the target of a symbolic link; it is not empty.
func readlink(path string) (string, error) {
	b := make([]byte, unix.PathMax)
	n, err := unix.Readlink(path, b)
	if err == nil && n == 0 {
		err = unix.ENOENT
	}
	if err != nil {
		return "", err
	}
	return string(b[:n]), nil
}
