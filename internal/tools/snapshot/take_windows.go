package snapshot

import (
	"fmt"
	"io/fs"
)

// nonblock is not needed: no file blocks when it is opened.
const nonblock = 0

// stateOf returns the State of what Lstat described, without Hash, Target and Stamp. Owners
// and hard links are not known.
func stateOf(info fs.FileInfo) State {
	s := State{Kind: Other, Mode: uint32(info.Mode().Perm())}
	switch m := info.Mode(); {
	case m.IsDir():
		s.Kind = Dir
	case m&fs.ModeSymlink != 0:
		s.Kind, s.Mode = Link, 0
	case m.IsRegular():
		s.Kind, s.Size = File, info.Size()
		if s.Size > MaxFile {
			s.Lost = UnsavedSize
		}
	default:
		s.Lost = UnsavedKind
	}
	return s
}

// Inode returns "": hard links are not known.
func Inode(fs.FileInfo) string { return "" }

// stamp returns the State.Stamp of a file.
func stamp(info fs.FileInfo) string {
	return fmt.Sprintf("%d:%d", info.Size(), info.ModTime().UnixNano())
}
