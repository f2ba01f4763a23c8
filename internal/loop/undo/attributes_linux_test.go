package undo_test

import (
	"encoding/binary"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"agent/internal/loop/undo"
)

const (
	accessList  = "system.posix_acl_access"
	defaultList = "system.posix_acl_default"
)

// list returns an access control list that gives permissions to the owner and to user 1234, as the
// mask does, and denies the group and others everything.
func list(permissions uint16) []byte {
	b := binary.LittleEndian.AppendUint32(nil, 2)
	for _, e := range [][2]uint16{{0x01, permissions}, {0x02, permissions}, {0x04, 0}, {0x10, permissions}, {0x20, 0}} {
		b = binary.LittleEndian.AppendUint16(b, e[0])
		b = binary.LittleEndian.AppendUint16(b, e[1])
		id := ^uint32(0)
		if e[0] == 0x02 {
			id = 1234
		}
		b = binary.LittleEndian.AppendUint32(b, id)
	}
	return b
}

// setAttribute sets an extended attribute of a file.
func (s *session) setAttribute(file, name string, value []byte) {
	s.t.Helper()
	if err := unix.Setxattr(s.in(file), name, value, 0); err != nil {
		s.t.Skipf("this file system has no %s: %v", name, err)
	}
}

// attribute returns an extended attribute of a file; empty if it has none.
func (s *session) attribute(file, name string) string {
	b := make([]byte, 1000)
	n, err := unix.Getxattr(s.in(file), name, b)
	if err != nil {
		return ""
	}
	return string(b[:n])
}

// listed returns a session whose file f and directory d have an access control list, and f an
// attribute of the user.
func listed(t *testing.T) *session {
	s := newSession(t, map[string]string{"f": "private\n", "d/g": "x\n"})
	s.must(os.Chmod(s.in("f"), 0o600))
	s.setAttribute("f", accessList, list(6))
	s.setAttribute("f", "user.note", []byte("precious"))
	s.setAttribute("d", accessList, list(7))
	return s
}

// A file that undo and redo replace keeps its extended attributes and access control list.
func TestUndoKeepsAttributes(t *testing.T) {
	s := listed(t)
	before := s.tree()
	s.turn("1", func() { s.run(func(c *command) { c.write("f", "changed\n") }) })
	after := s.tree()
	for _, back := range []undo.Back{{}, {Redo: true}, {}} {
		if out := s.undo(back); len(out.Lost)+len(out.Conflicts) > 0 {
			t.Errorf("%+v: %+v", back, out)
		}
		s.same(map[bool]map[string]string{false: before, true: after}[back.Redo], "contents and modes")
		if got := s.attribute("f", accessList); got != string(list(6)) {
			t.Errorf("%+v: the access control list is %q", back, got)
		}
		if got := s.attribute("f", "user.note"); got != "precious" {
			t.Errorf("%+v: the attribute is %q", back, got)
		}
	}
}

// The mask of an access control list that is gone does not become the permission of the group.
func TestUndoGivesTheGroupNoMoreThanTheAccessControlList(t *testing.T) {
	for name, do := range map[string]func(s *session){
		"removed by a tool":      func(s *session) { s.edit(map[string]*string{"f": nil}) },
		"removed by a command":   func(s *session) { s.run(func(c *command) { c.remove("f") }) },
		"replaced":               func(s *session) { s.run(func(c *command) { c.remove("f"); c.write("f", "2\n") }) },
		"replaced by directory":  func(s *session) { s.run(func(c *command) { c.remove("f"); c.mkdir("f") }) },
		"removed with directory": func(s *session) { s.run(func(c *command) { c.remove("f"); c.remove("d") }) },
	} {
		s := listed(t)
		s.turn("1", func() { do(s) })
		after := s.tree()
		for range 2 {
			out := s.undo(undo.Back{})
			want := "it was restored, but its access control list could not be"
			if len(out.Lost) == 0 || out.Lost[len(out.Lost)-1].Path != "f" || out.Lost[len(out.Lost)-1].Why != want || len(out.Conflicts) > 0 {
				t.Errorf("%s: %+v", name, out)
			}
			for _, file := range []string{"f", "d"} {
				info, err := os.Lstat(s.in(file))
				s.must(err)
				if s.attribute(file, accessList) == "" && info.Mode()&0o070 != 0 {
					t.Errorf("%s: %s has mode %v", name, file, info.Mode())
				}
			}
			if got := s.tree()["f"]; !strings.HasSuffix(got, " private\n") {
				t.Errorf("%s: f is %q", name, got)
			}
			if out := s.undo(undo.Back{Redo: true}); len(out.Lost)+len(out.Conflicts) > 0 {
				t.Errorf("%s: redo: %+v", name, out)
			}
			s.same(after, name)
		}
	}
}

// A change of the mask is a change of the mode, and is undone.
func TestUndoRestoresTheMask(t *testing.T) {
	s := listed(t)
	before := s.tree()
	s.turn("1", func() { s.run(func(c *command) { c.chmod("f", 0o600) }) })
	if out := s.undo(undo.Back{}); len(out.Restored) != 1 {
		t.Errorf("undo: %+v", out)
	}
	s.same(before, "the mode")
	if got := s.attribute("f", accessList); got != string(list(6)) {
		t.Errorf("the access control list is %q", got)
	}
}

// A file without an access control list does not get one from its directory.
func TestUndoAddsNoAccessControlList(t *testing.T) {
	s := newSession(t, map[string]string{"d/g": "x\n"})
	s.setAttribute("d", defaultList, list(7))
	s.turn("1", func() { s.run(func(c *command) { c.write("d/g", "y\n") }) })
	s.undo(undo.Back{})
	if got := s.attribute("d/g", accessList); got != "" {
		t.Errorf("the access control list is %q", got)
	}
}

// An attribute that cannot be copied is named.
func TestUndoNamesAttributesThatItCannotKeep(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root can read all attributes")
	}
	s := listed(t)
	s.turn("1", func() { s.run(func(c *command) { c.write("f", "2\n"); s.must(os.Chmod(s.in("f"), 0)) }) })
	out := s.undo(undo.Back{})
	if len(out.Lost) != 1 || out.Lost[0].Why != "it was restored, but its extended attribute user.note could not be" {
		t.Errorf("undo: %+v", out)
	}
	if got := s.attribute("f", accessList); got != string(list(6)) {
		t.Errorf("the access control list is %q", got)
	}
}
