package snapshot

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// MaxFile is the size in bytes above which the content of a file is not kept.
const MaxFile = 64 << 20

// The values of State.Lost that do not depend on the content.
const (
	UnsavedLinks = "it has several hard links"
	UnsavedOwner = "it belongs to another user"
	UnsavedSize  = "it is larger than 64 MB"
	UnsavedKind  = "it is neither a file nor a directory"
)

// Contents keeps contents. A Store is one.
type Contents interface {
	// Put is as in Store.
	Put(content io.Reader) (hash string, size int64, err error)
}

// Hashes computes the hashes of contents without keeping them.
type Hashes struct{}

// Put returns the hash and the size of content.
func (Hashes) Put(content io.Reader) (hash string, size int64, err error) {
	h := sha256.New()
	size, err = io.Copy(h, content)
	return hex.EncodeToString(h.Sum(nil)), size, err
}

// Take returns the state of a path of root. It puts the content of a file of at most
// MaxFile bytes into contents. A problem becomes the Lost of the state.
func Take(root *os.Root, path string, contents Contents) State {
	s, info := Look(root, path)
	if s.Kind == Dir {
		s.Denied = Denied(root, path)
	}
	if s.Kind != File || s.Size > MaxFile {
		return s
	}
	if err := s.read(root, path, info, contents); err != nil && s.Lost == "" {
		s.Lost = err.Error()
	}
	return s
}

// Look is Take without the content of a file: its Hash is empty. The info is nil if
// nothing is there.
func Look(root *os.Root, path string) (State, fs.FileInfo) {
	info, err := root.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return State{Kind: Absent}, nil
	case err != nil:
		return State{Kind: Other, Lost: fmt.Sprintf("it cannot be examined: %v", cause(err))}, nil
	}
	s := stateOf(info)
	s.Stamp = stamp(info)
	if s.Kind == Link {
		if s.Target, err = root.Readlink(path); err != nil {
			s.Lost = fmt.Sprintf("it cannot be read: %v", cause(err))
		}
	}
	return s, info
}

// UnsavedReason returns the reason from info, which Lstat returned, why a path cannot be restored:
// a State.Lost. It is empty if reading the content is all that can still fail.
func UnsavedReason(info fs.FileInfo) string { return stateOf(info).Lost }

// read puts the content of the file at path into contents. Its error is for the user.
func (s *State) read(root *os.Root, path string, info fs.FileInfo, contents Contents) error {
	f, err := root.OpenFile(path, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return fmt.Errorf("it cannot be read: %w", cause(err))
	}
	defer f.Close()
	now, err := f.Stat()
	if err != nil || !os.SameFile(info, now) {
		return errors.New("it was replaced while it was read")
	}
	s.Denied = DeniedOf(int(f.Fd()))
	hash, size, err := contents.Put(io.LimitReader(f, MaxFile+1))
	switch {
	case err != nil:
		return fmt.Errorf("its content could not be kept: %w", err)
	case size > MaxFile:
		return errors.New(UnsavedSize)
	}
	s.Hash, s.Size = hash, size
	return nil
}

// Same reports whether s and o are the same kind with the same mode and content. It
// compares stamps if one of two files was not read.
func (s State) Same(o State) bool {
	if s.Kind != o.Kind || !s.SameMode(o) || s.Target != o.Target {
		return false
	}
	return s.Kind != File || s.SameContent(o)
}

// SameMode reports whether s and o have the same mode. Without its access control list, a file has
// the same mode if the group lacks the bits that the list denied.
func (s State) SameMode(o State) bool {
	return s.Mode == o.Mode || s.Denied != o.Denied && s.Mode&^s.Denied == o.Mode&^o.Denied
}

// SameContent reports whether s and o are files with the same content.
func (s State) SameContent(o State) bool {
	switch {
	case s.Kind != File || o.Kind != File:
		return false
	case s.Hash != "" && o.Hash != "":
		return s.Hash == o.Hash
	}
	return s.Stamp != "" && s.Stamp == o.Stamp
}

// SameUnread reports whether s and o are the same file with the same size, whose content was not
// read. Its times may differ: the removal of another hard link and programs such as touch change
// them, but not the content.
func (s State) SameUnread(o State) bool {
	return s.Kind == File && o.Kind == File && s.Hash == "" && o.Hash == "" && s.Stamp != "" && withoutTimes(s.Stamp) == withoutTimes(o.Stamp)
}

// withoutTimes returns a Stamp without the times of change.
func withoutTimes(stamp string) string {
	const times = 2
	if fields := strings.Split(stamp, ":"); len(fields) > times {
		return strings.Join(fields[:len(fields)-times], ":")
	}
	return stamp
}

// Modified returns the time of modification of a file in its Stamp, in nanoseconds; 0 if it is not known.
func (s State) Modified() int64 {
	const fields, at = 5, 3 // device, inode, size, modified, changed
	all := strings.Split(s.Stamp, ":")
	if len(all) != fields {
		return 0
	}
	modified, _ := strconv.ParseInt(all[at], 10, 64)
	return modified
}

// FileMode returns the mode of s in the form of package os.
func (s State) FileMode() fs.FileMode {
	m := fs.FileMode(s.Mode & 0o777)
	for _, b := range modeBits {
		if s.Mode&b.unix != 0 {
			m |= b.mode
		}
	}
	return m
}

// modeBits are the bits whose values differ between Unix and package os.
var modeBits = [...]struct {
	mode fs.FileMode
	unix uint32
}{{fs.ModeSetuid, 0o4000}, {fs.ModeSetgid, 0o2000}, {fs.ModeSticky, 0o1000}}

// cause returns err without the operation and the path.
func cause(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}
