package undo_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"agent/internal/loop/undo"
	"agent/internal/tools/shell/sandbox"
	"agent/internal/tools/snapshot"
)

// watchedSession returns a session whose commands run in the sandbox, in which the supervisor keeps
// removed files. The commands are strict or not.
func watchedSession(t *testing.T, strict bool, files map[string]string) *session {
	t.Helper()
	if r := sandbox.Probe(); r.Form != sandbox.Complete || !r.Notify {
		t.Skipf("commands cannot be watched here: %+v", r)
	}
	s := newSession(t, files)
	s.strict = strict
	return s
}

// inEachOrder runs a test with strict commands and with others.
func inEachOrder(t *testing.T, test func(t *testing.T, strict bool)) {
	for _, strict := range []bool{false, true} {
		t.Run(fmt.Sprintf("strict %v", strict), func(t *testing.T) { test(t, strict) })
	}
}

func (s *session) keptDir() string { return strings.TrimSuffix(s.path, ".undo") + ".kept" }

// kept returns the files that the store keeps as links.
func (s *session) kept() (paths []string) {
	entries, err := os.ReadDir(s.keptDir())
	if err != nil && !os.IsNotExist(err) {
		s.t.Fatal(err)
	}
	for _, e := range entries {
		paths = append(paths, filepath.Join(s.keptDir(), e.Name()))
	}
	return paths
}

func inodeOf(t *testing.T, path string) syscall.Stat_t {
	t.Helper()
	var info syscall.Stat_t
	if err := syscall.Lstat(path, &info); err != nil {
		t.Fatal(err)
	}
	return info
}

// goBack undoes or redoes, and checks that nothing is lost.
func (s *session) goBack(b undo.Back) {
	s.t.Helper()
	if out := s.undo(b); len(out.Lost)+len(out.Conflicts) > 0 {
		s.t.Errorf("%+v: %+v", b, out)
	}
}

func TestRemovedAndReplacedFilesAreKeptWithoutACopy(t *testing.T) {
	inEachOrder(t, func(t *testing.T, strict bool) {
		big := strings.Repeat("0123456789abcdef\n", 1<<16)
		s := watchedSession(t, strict, map[string]string{"gone": "gone\n" + big, "src/deep/b": "b\n" + big, "replaced": "old\n" + big, "edited": "1\n" + big})
		removed := inodeOf(t, s.in("gone")).Ino
		before := s.tree()
		s.turn("1", func() { s.shell("rm -rf gone src; echo new >n; mv n replaced; sed -i s/1/one/ edited") })
		after := s.tree()
		var inodes []uint64
		for _, path := range s.kept() {
			info := inodeOf(t, path)
			inodes = append(inodes, info.Ino)
			if info.Nlink != 1 {
				t.Errorf("a kept file has %d links", info.Nlink)
			}
		}
		if len(inodes) != 4 || !strings.Contains(fmt.Sprint(inodes), fmt.Sprint(removed)) {
			t.Errorf("kept the inodes %v, want 4 with %d", inodes, removed)
		}
		if info, err := os.Stat(s.keptDir()); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("directory of kept files: %v, %v", info, err)
		}
		for range 2 {
			s.open()
			s.goBack(undo.Back{})
			s.same(before, "after undo")
			s.must(os.WriteFile(s.in("gone"), []byte("the user writes to a restored file\n"), 0o644)) // not to the kept one
			s.write("gone", before["gone"][len("-rw-r--r-- "):])
			s.open()
			s.goBack(undo.Back{Redo: true})
			s.same(after, "after redo")
		}
		s.goBack(undo.Back{})
		s.same(before, "at the end")
		if size := s.pack.Size(); size > 3<<20 {
			t.Errorf("the pack has %d bytes", size)
		}
	})
}

func TestLargeRemovedFilesAreRestored(t *testing.T) {
	inEachOrder(t, func(t *testing.T, strict bool) {
		s := watchedSession(t, strict, map[string]string{"big": "begin\n"})
		s.must(os.Truncate(s.in("big"), snapshot.MaxFile+1))
		want := inodeOf(t, s.in("big"))
		s.turn("1", func() { s.shell("rm big") })
		s.goBack(undo.Back{})
		for range 2 {
			got := inodeOf(t, s.in("big"))
			if got.Size != want.Size || got.Mode != want.Mode {
				t.Fatalf("got size %d, want %d", got.Size, want.Size)
			}
			s.open()
			s.goBack(undo.Back{Redo: true})
			if _, err := os.Lstat(s.in("big")); err == nil {
				t.Error("redo did not remove the file")
			}
			s.open()
			s.goBack(undo.Back{})
		}
		f, err := os.Open(s.in("big"))
		s.must(err)
		defer f.Close()
		b := make([]byte, 6)
		if _, err := f.Read(b); err != nil || string(b) != "begin\n" {
			t.Errorf("got %q, %v", b, err)
		}
	})
}

// Each line tries to change a file that it removes, or fails to remove, through another way.
func TestKeptFilesCannotBeChanged(t *testing.T) {
	files := map[string]string{"d/f": "old content\n", "g": "g\n"}
	lines := map[string]string{
		"descriptor for writing":                  "exec 3>>d/f; rm d/f; echo evil >&3",
		"descriptor for reading, opened again":    "exec 3<d/f; rm d/f; { echo evil >/proc/self/fd/3; } 2>/dev/null; true",
		"the same with time restored":             `exec 3<d/f; touch -r d/f t; rm d/f; { echo "old CONTENT" >/proc/self/fd/3 && touch -r t /proc/self/fd/3; } 2>/dev/null; rm t`,
		"time changed by a descriptor":            "exec 3<d/f; rm d/f; touch -d @1 - 1<&3; touch -c -d @2 /proc/self/fd/3; true",
		"time changed after a replacement":        "exec 3<d/f; echo 1 >a; mv a d/f; touch -d @1 - 1<&3",
		"mode changed by a descriptor":            `perl -e 'open my $f, "<", "d/f"; unlink "d/f"; chmod 0, $f' || rm d/f`,
		"mode changed by the path of one":         "exec 3<d/f; rm d/f; chmod 0 /proc/self/fd/3 2>/dev/null; true",
		"linked again by a descriptor":            "exec 3<d/f; rm d/f; ln -L /proc/self/fd/3 h 2>/dev/null && echo evil >h; true",
		"removal fails, then a write":             "chmod 555 d; rm -f d/f 2>/dev/null; echo evil >d/f; chmod 755 d",
		"removal fails, then a write by a link":   "chmod 555 d; rm -f d/f 2>/dev/null; ln d/f h; echo evil >h; chmod 755 d",
		"removal fails, then renamed and written": "chmod 555 d; rm -f d/f 2>/dev/null; mv d e; echo evil >e/f; chmod 755 e",
		"removal fails, then truncated":           "chmod 555 d; rm -f d/f 2>/dev/null; truncate -s 3 d/f; chmod 755 d",
		"removal fails":                           "chmod 555 d; rm -f d/f 2>/dev/null; chmod 755 d",
		"replacing fails":                         "chmod 555 d; mv -f g d/f 2>/dev/null; echo evil >d/f; chmod 755 d",
		"removed twice":                           "chmod 555 d; rm -f d/f 2>/dev/null; chmod 755 d; rm d/f",
		"removed and made again":                  "rm d/f; echo new >d/f; rm d/f; echo newer >d/f",
		"replaced twice":                          "echo 1 >a; mv a d/f; echo 2 >a; mv a d/f",
		"many at once":                            "for i in 1 2 3 4 5 6 7 8; do { rm -f d/f; echo evil$i >>d/f; } & done; wait",
	}
	for name, line := range lines {
		t.Run(name, func(t *testing.T) {
			inEachOrder(t, func(t *testing.T, strict bool) {
				s := watchedSession(t, strict, files)
				before := s.tree()
				s.turn("1", func() { s.shell(line) })
				for _, path := range s.kept() {
					if info := inodeOf(t, path); info.Nlink != 1 {
						t.Errorf("a kept file has %d links", info.Nlink)
					}
				}
				after := s.tree()
				s.open()
				s.goBack(undo.Back{})
				s.same(before, "after undo")
				if got := inodeOf(t, s.in("d/f")).Nlink; got != 1 {
					t.Errorf("the restored file has %d links", got)
				}
				s.open()
				s.goBack(undo.Back{Redo: true})
				s.same(after, "after redo")
			})
		})
	}
}

// A strict command cannot change a removed file that is too large to copy, and its attempt loses nothing.
func TestLargeRemovedFilesCannotBeChanged(t *testing.T) {
	for _, line := range []string{
		"{ echo evil >/proc/self/fd/3; } 2>/dev/null", "chmod 0 /proc/self/fd/3 2>/dev/null", "truncate -s 0 /proc/self/fd/3 2>/dev/null", "touch -d @1 - 1<&3 2>/dev/null",
	} {
		t.Run(line, func(t *testing.T) {
			s := watchedSession(t, true, map[string]string{"big": "begin\n"})
			s.must(os.Truncate(s.in("big"), snapshot.MaxFile+1))
			want := inodeOf(t, s.in("big"))
			s.turn("1", func() { s.shell("exec 3<big; rm big; " + line + "; true") })
			s.goBack(undo.Back{})
			if got := inodeOf(t, s.in("big")); got.Size != want.Size || got.Mode != want.Mode {
				t.Errorf("got size %d and mode %o, want %d and %o", got.Size, got.Mode, want.Size, want.Mode)
			}
		})
	}
}

// A file that the user has open for writing is copied, because the user can write to it after its
// removal.
func TestAFileThatIsOpenElsewhereIsCopied(t *testing.T) {
	inEachOrder(t, func(t *testing.T, strict bool) {
		s := watchedSession(t, strict, map[string]string{"f": "old\n", "g": "old\n"})
		before := s.tree()
		f, err := os.OpenFile(s.in("f"), os.O_WRONLY, 0)
		s.must(err)
		defer f.Close()
		s.turn("1", func() { s.shell("rm f; echo new >n; mv n g") })
		_, err = f.WriteString("evil\n")
		s.must(err)
		if n := len(s.kept()); n != 1 {
			t.Errorf("%d files are kept as links, want that of g", n)
		}
		s.goBack(undo.Back{})
		s.same(before, "after undo")
	})
}

// A kept file that was changed nevertheless is lost, not restored with another content.
func TestAChangedKeptFileIsLost(t *testing.T) {
	s := watchedSession(t, true, map[string]string{"f": "old\n", "g": "kept\n"})
	s.turn("1", func() { s.shell("rm f g") })
	changed := 0
	for _, path := range s.kept() {
		if b, err := os.ReadFile(path); err == nil && string(b) == "old\n" {
			s.must(os.WriteFile(path, []byte("new\n"), 0o644))
			changed++
		}
	}
	out := s.undo(undo.Back{})
	if changed != 1 || len(out.Lost) != 1 || out.Lost[0].Path != "f" || len(out.Restored) != 1 {
		t.Errorf("%d changed: %+v", changed, out)
	}
	if _, err := os.Lstat(s.in("f")); err == nil {
		t.Error("undo restored a file with another content")
	}
}

// After a kill between the link and the removal, the file has two links. Later changes do not change
// what is kept.
func TestAKillBeforeTheRemovalLosesNothing(t *testing.T) {
	for _, noted := range []bool{false, true} {
		t.Run(fmt.Sprintf("noted %v", noted), func(t *testing.T) {
			s := newSession(t, map[string]string{"f": "old\n"})
			before := s.tree()
			func() {
				defer func() { _ = recover() }()
				s.turn("1", func() {
					s.run(func(c *command) {
						info := inodeOf(t, s.in("f"))
						name, err := s.pack.Keep(s.in("f"), &info, time.Now())
						s.must(err)
						if noted {
							state := snapshot.OfStat(&info)
							state.Kept, state.Stamp = name, snapshot.StampOf(&info)
							s.must(s.pack.Append(snapshot.Touched{Call: c.id, Path: s.in("f"), Before: state}))
						}
						panic("killed")
					})
				})
			}()
			s.open()
			if _, err := s.restorer().Recover(); err != nil {
				t.Fatal(err)
			}
			if n := inodeOf(t, s.in("f")).Nlink; n != 1 {
				t.Errorf("the file has %d links", n)
			}
			if p := s.plan(undo.Back{}); len(p.Items)+len(p.Conflicts)+len(p.Lost) > 0 {
				t.Errorf("undo has something to do: %+v", p)
			}
			s.turn("2", func() { s.run(func(c *command) { c.write("f", "new\n") }) })
			s.goBack(undo.Back{Turns: 2})
			s.same(before, "after undo")
		})
	}
}

func TestFilesAreCopiedToAnotherFileSystem(t *testing.T) {
	dir, err := os.MkdirTemp("/dev/shm", "undo")
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	inEachOrder(t, func(t *testing.T, strict bool) {
		s := watchedSession(t, strict, map[string]string{"d/f": "old\n", "g": "g\n"})
		if inodeOf(t, dir).Dev == inodeOf(t, s.dir).Dev {
			t.Skip("this is the same file system")
		}
		s.path = filepath.Join(dir, fmt.Sprintf("%v.undo", strict))
		s.open()
		before := s.tree()
		s.turn("1", func() { s.shell("rm -r d; echo new >n; mv n g") })
		if kept := s.kept(); len(kept) > 0 {
			t.Errorf("%q are on another file system", kept)
		}
		s.goBack(undo.Back{})
		s.same(before, "after undo")
	})
}

// The oldest kept files are dropped when there are too many, and the turn says so. Those of the current
// turn are not.
func TestOldKeptFilesAreDropped(t *testing.T) {
	s := watchedSession(t, true, nil)
	s.must(os.WriteFile(s.path+limitSuffix, []byte(fmt.Sprint(40<<20)), 0o600))
	large := strings.Repeat("x", 18<<20)
	s.write("a", large)
	s.write("b", large)
	s.write("c", large)
	s.turn("1", func() { s.shell("rm a") })
	s.turn("2", func() { s.shell("rm b") })
	if n := len(s.kept()); n != 2 {
		t.Fatalf("%d files are kept", n)
	}
	var lost string
	s.turn("3", func() { lost = fmt.Sprint(s.shell("rm c").Lost) })
	if n := len(s.kept()); n != 2 || !strings.Contains(lost, "1 file of earlier turns") {
		t.Errorf("%d files are kept: %s", n, lost)
	}
	out := s.undo(undo.Back{Turns: 3})
	if len(out.Lost) != 1 || out.Lost[0].Path != "a" || len(out.Restored) != 2 {
		t.Errorf("%+v", out)
	}
}

// Undo restores what the kept file itself has.
func TestUndoRestoresAttributesOfRemovedFiles(t *testing.T) {
	inEachOrder(t, func(t *testing.T, strict bool) {
		s := watchedSession(t, strict, map[string]string{"f": "x\n", "g": "x\n"})
		s.must(os.Chmod(s.in("f"), 0o755|fs.ModeSetuid))
		for _, name := range []string{"f", "g"} {
			s.setAttribute(name, "user.note", []byte("precious"))
			s.setAttribute(name, accessList, list(6))
		}
		before, was := s.tree(), s.attribute("g", accessList)
		s.turn("1", func() { s.shell("rm f; echo new >n; mv n g") })
		s.goBack(undo.Back{})
		s.same(before, "after undo")
		for _, name := range []string{"f", "g"} {
			if got := s.attribute(name, "user.note"); got != "precious" {
				t.Errorf("%s has the attribute %q", name, got)
			}
		}
		if got := s.attribute("g", accessList); got != was {
			t.Errorf("got the list %q, want %q", got, was)
		}
		if mode := inodeOf(t, s.in("f")).Mode; mode&unix.S_ISUID == 0 {
			t.Errorf("got the mode %o", mode)
		}
	})
}
