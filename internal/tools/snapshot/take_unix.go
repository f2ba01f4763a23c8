//go:build unix

package snapshot

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// nonblock makes opening a named pipe return immediately.
const nonblock = syscall.O_NONBLOCK

// OfStat returns the State of what stat or lstat described, without Hash, Target and Stamp.
// The superuser can give a file back to its owner.
func OfStat(st *syscall.Stat_t) State {
	s := State{Kind: Other, Mode: uint32(st.Mode) & 0o7777, Owner: fmt.Sprintf("%d:%d", st.Uid, st.Gid)}
	switch uint32(st.Mode) & syscall.S_IFMT {
	case syscall.S_IFDIR:
		s.Kind = Dir
	case syscall.S_IFLNK:
		s.Kind, s.Mode = Link, 0
	case syscall.S_IFREG:
		s.Kind, s.Size = File, st.Size
		switch uid := os.Geteuid(); {
		case st.Nlink > 1:
			s.Lost, s.Inode = UnsavedLinks, inodeOf(st)
		case uid != 0 && int(st.Uid) != uid:
			s.Lost = UnsavedOwner
		case st.Size > MaxFile:
			s.Lost = UnsavedSize
		}
	default:
		s.Lost = UnsavedKind
	}
	return s
}

// StampOf returns the State.Stamp of a file.
func StampOf(st *syscall.Stat_t) string {
	return fmt.Sprintf("%d:%d:%d:%d:%d", st.Dev, st.Ino, st.Size, modified(st), changed(st))
}

func inodeOf(st *syscall.Stat_t) string { return fmt.Sprintf("%d:%d", st.Dev, st.Ino) }

// Inode returns what State.Inode is for the file that Lstat described, also if it has one
// hard link.
func Inode(info fs.FileInfo) string { return inodeOf(info.Sys().(*syscall.Stat_t)) }

func stateOf(info fs.FileInfo) State { return OfStat(info.Sys().(*syscall.Stat_t)) }
func stamp(info fs.FileInfo) string  { return StampOf(info.Sys().(*syscall.Stat_t)) }
