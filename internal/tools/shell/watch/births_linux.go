//go:build amd64 || arm64

package watch

import (
	"maps"
	"sync"

	"golang.org/x/sys/unix"
)

// births holds the directories that a command has created.
type births struct {
	mu     sync.Mutex
	made   map[string]birth // by path
	sealed map[string]birth // directories that the command has turned into git directories
}

// birth identifies a directory. An inode alone does not: file systems use it again. The zero
// value means unknown.
type birth struct {
	inode       uint64
	sec         int64 // when it was created; zero where the file system does not know it
	nanoseconds uint32
}

// birthOf returns the birth of the directory at a path without links; the zero value if there
// is none.
func birthOf(dir string) birth {
	var info unix.Statx_t
	err := unix.Statx(unix.AT_FDCWD, dir, unix.AT_SYMLINK_NOFOLLOW, unix.STATX_TYPE|unix.STATX_INO|unix.STATX_BTIME, &info)
	if err != nil || info.Mode&unix.S_IFMT != unix.S_IFDIR {
		return birth{}
	}
	return birth{info.Ino, info.Btime.Sec, info.Btime.Nsec}
}

// noteMade records that the command creates a directory.
func (bs *births) noteMade(dir string, b birth) {
	bs.mu.Lock()
	defer bs.mu.Unlock()
	bs.made[dir] = b
}

// forgetMade records that a directory was removed.
func (bs *births) forgetMade(dir string) {
	bs.mu.Lock()
	defer bs.mu.Unlock()
	delete(bs.made, dir)
}

// isMade reports whether the command has created the directory at a path.
func (bs *births) isMade(dir string) bool {
	bs.mu.Lock()
	b, made := bs.made[dir]
	bs.mu.Unlock()
	return made && (b == birth{} || b == birthOf(dir))
}

// moveMade updates the paths of the directories that the command has created when a path is
// renamed. If something exists at the new path, the call may fail: then it forgets them.
func (bs *births) moveMade(from, to place) {
	bs.mu.Lock()
	defer bs.mu.Unlock()
	moved := map[string]birth{}
	for dir, b := range bs.made {
		switch {
		case dir == from.path || below(dir, from.path):
			if !to.exists {
				moved[to.path+dir[len(from.path):]] = b
			}
			delete(bs.made, dir)
		case dir == to.path || below(dir, to.path):
			delete(bs.made, dir)
		}
	}
	maps.Copy(bs.made, moved)
}

// noteSealed notes that the command turns a directory into a git directory.
func (bs *births) noteSealed(dir string) {
	b := birthOf(dir)
	bs.mu.Lock()
	defer bs.mu.Unlock()
	bs.sealed[dir] = b
}

// isSealed reports whether the command has turned a directory into a git directory.
func (bs *births) isSealed(dir string) bool {
	bs.mu.Lock()
	b, sealed := bs.sealed[dir]
	bs.mu.Unlock()
	return sealed && b != birth{} && b == birthOf(dir)
}
