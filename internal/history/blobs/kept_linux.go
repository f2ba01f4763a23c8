package blobs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Keep makes the pack hold a link to a file that is about to lose its only name: the path, whose
// directory has no symbolic links. It returns a name for Sum. The file has to be what info describes,
// and no program may have it open for writing. To make room, Keep may remove the kept files of
// earlier turns; this one began at since. After an error nothing is kept, and the content has to be
// copied.
//
// A program that opens the file for writing before its name is gone can still change it. Sum notices
// that. If the name stays, the caller calls Unshare.
func (p *Pack) Keep(path string, info *syscall.Stat_t, since time.Time) (name string, err error) {
	if err := p.mayKeep(path, info); err != nil {
		return "", err
	}
	p.kept.mu.Lock()
	if err = p.makeKeptDir(); err == nil {
		err = p.reserveKept(info.Size, since)
	}
	p.kept.mu.Unlock()
	if err != nil {
		return "", err
	}
	name = newName(time.Now())
	to := p.keptPath(name)
	if err = unix.Linkat(unix.AT_FDCWD, path, unix.AT_FDCWD, to, 0); err != nil {
		return "", fmt.Errorf("link %s: %w", path, err)
	}
	var now syscall.Stat_t
	if err = syscall.Lstat(to, &now); err == nil && (now.Ino != info.Ino || now.Dev != info.Dev || now.Size != info.Size || now.Mtim != info.Mtim || now.Nlink != 2) {
		err = errors.New("another file is at the path")
	}
	if err != nil {
		return "", errors.Join(err, os.Remove(to))
	}
	return name, nil
}

// Keeps reports whether a pack in a directory of sessions can keep a file that a command removes, after
// others with so many bytes in the same turn. Programs that have it open are not considered.
func Keeps(dir string, file fs.FileInfo, bytes int64) bool {
	var store syscall.Stat_t
	info, ok := file.Sys().(*syscall.Stat_t)
	uid := os.Geteuid()
	return ok && file.Mode().IsRegular() && info.Nlink == 1 && (uid == 0 || int(info.Uid) == uid) &&
		bytes+info.Size <= Limits{}.orDefaults().Kept && syscall.Stat(dir, &store) == nil && store.Dev == info.Dev
}

// mayKeep returns an error unless a file may be kept by a link. Only for a file that nobody has open for
// writing does the kernel grant a lease.
func (p *Pack) mayKeep(path string, info *syscall.Stat_t) error {
	if info.Nlink != 1 {
		return errors.New("the file has other links")
	}
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd) // ends the lease
	var now unix.Stat_t
	if err = unix.Fstat(fd, &now); err != nil || now.Ino != info.Ino || now.Dev != info.Dev {
		return errors.Join(err, errors.New("another file is at the path"))
	}
	_, err = unix.FcntlInt(uintptr(fd), unix.F_SETLEASE, unix.F_RDLCK)
	return err
}

// makeKeptDir creates the directory of kept files. The caller holds p.kept.mu.
func (p *Pack) makeKeptDir() error {
	if p.kept.made {
		return nil
	}
	if err := os.Mkdir(p.KeptDir(), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	p.kept.made = true
	return nil
}

// IsShared reports whether a kept file has another link.
func (p *Pack) IsShared(name string) bool {
	var info syscall.Stat_t
	return syscall.Lstat(p.keptPath(name), &info) == nil && info.Nlink > 1
}

// freeSpace returns how many bytes are free on the file system of a directory.
func freeSpace(dir string) int64 {
	var s unix.Statfs_t
	if unix.Statfs(dir, &s) != nil {
		return 1 << 62
	}
	return int64(s.Bavail) * s.Bsize
}
