package tools_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"agent/internal/tools"
	"agent/internal/tools/workspace"
)

// The last step of the commit fails: the file cannot be removed because its
// directory is read-only.
func TestFailedCommitRestoresFiles(t *testing.T) {
	files := map[string]string{"a": "a\n", "b": "b\n", "shut/c": "c\n"}
	ws, dir := newWorkspace(t, files)
	patch := patchOf("*** Update File: a", "-a", "+A", "*** Add File: new/d", "+d", "*** Update File: b", "*** Move to: e", "*** Delete File: shut/c")
	before, err := os.Stat(filepath.Join(dir, "a"))
	if err != nil {
		t.Fatal(err)
	}
	asked, err := prepare(t, ws, "patch", patch)
	if err != nil {
		t.Fatal(err)
	}
	shut := filepath.Join(dir, "shut")
	if err := os.Chmod(shut, 0o555); err != nil {
		t.Fatal(err)
	}
	unprivileged(t, dir, func() {
		_, err = asked.Run(t.Context(), tools.Approved{Changes: asked.Changes})
	})
	if err := os.Chmod(shut, 0o777); err != nil {
		t.Fatal(err)
	}
	if !errors.Is(err, fs.ErrPermission) || !strings.HasPrefix(err.Error(), "remove shut/c: ") || !strings.Contains(err.Error(), "none of the 5 files was changed") {
		t.Errorf("got %v, want that the removal failed and nothing was changed", err)
	}
	if diff := cmp.Diff(contents(t, dir), files); diff != "" {
		t.Errorf("got (-), want (+):\n%s", diff)
	}
	if after, err := os.Stat(filepath.Join(dir, "a")); err != nil || !os.SameFile(before, after) {
		t.Errorf("a is another file now: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "new")); err == nil {
		t.Error("a directory was left behind")
	}
}

// unprivileged calls f as a user whom file modes restrict and who owns the tree at
// dir. Root changes only the file system user ID of one thread, which exits with f.
func unprivileged(t *testing.T, dir string, f func()) {
	t.Helper()
	if os.Geteuid() != 0 {
		f()
		return
	}
	const nobody = 65534
	err := filepath.WalkDir(dir, func(p string, _ fs.DirEntry, err error) error {
		return errors.Join(err, os.Lchown(p, nobody, nobody))
	})
	if err != nil {
		t.Skip(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		if err := syscall.Setfsuid(nobody); err != nil {
			t.Error(err)
			return
		}
		f()
	}()
	<-done
}

// Files of another user and a group keep both, and all mode bits.
func TestOwnersAreKept(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root gives files away")
	}
	ws, dir := newWorkspace(t, map[string]string{"f": "one\n"})
	file := filepath.Join(dir, "f")
	for mode, change := range map[uint32]func() (tools.Result, error){
		0o2664: func() (tools.Result, error) { return call(t, ws, "edit", obj{"path": "f", "old": "one", "new": "two"}) },
		0o6755: func() (tools.Result, error) { return call(t, ws, "write", obj{"path": "f", "content": "two\n"}) },
		0o1640: func() (tools.Result, error) {
			return call(t, ws, "patch", patchOf("*** Update File: f", "-one", "+two"))
		},
		0o0604: func() (tools.Result, error) {
			if err := os.Link(file, filepath.Join(dir, "link")); err != nil {
				t.Fatal(err)
			}
			return call(t, ws, "edit", obj{"path": "f", "old": "one", "new": "two"})
		},
	} {
		if err := errors.Join(os.WriteFile(file, []byte("one\n"), 0o600), os.Chown(file, 1234, 2345), syscall.Chmod(file, mode)); err != nil {
			t.Skip(err)
		}
		if _, err := change(); err != nil {
			t.Fatal(err)
		}
		var st syscall.Stat_t
		if err := syscall.Stat(file, &st); err != nil || st.Uid != 1234 || st.Gid != 2345 || st.Mode&0o7777 != mode {
			t.Errorf("%d:%d %o, %v; want 1234:2345 %o", st.Uid, st.Gid, st.Mode&0o7777, err, mode)
		}
	}
}

// A user who may write to a file of another one changes it in place.
func TestFilesOfOthersAreWrittenInPlace(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root gives files away")
	}
	ws, dir := newWorkspace(t, map[string]string{"f": "one\n"})
	file := filepath.Join(dir, "f")
	unprivileged(t, dir, func() {
		given := make(chan error)
		go func() { given <- errors.Join(os.Chown(file, 1234, 2345), os.Chmod(file, 0o666)) }() // as root
		if err := <-given; err != nil {
			t.Error(err)
		}
		r, err := call(t, ws, "edit", obj{"path": "f", "old": "one", "new": "two"})
		if err != nil || !strings.Contains(r.Text, "written in place, which is not atomic, because a new file would not have its owner") {
			t.Errorf("got %q, %v, want that it was written in place", r.Text, err)
		}
	})
	var st syscall.Stat_t
	if err := syscall.Stat(file, &st); err != nil || st.Uid != 1234 || st.Gid != 2345 || st.Mode&0o7777 != 0o666 {
		t.Errorf("%d:%d %o, %v; want 1234:2345 666", st.Uid, st.Gid, st.Mode&0o7777, err)
	}
	if diff := cmp.Diff(contents(t, dir), map[string]string{"f": "two\n"}); diff != "" {
		t.Errorf("got (-), want (+):\n%s", diff)
	}
}

// A mount point cannot be replaced. The other files of the change are replaced.
func TestMountPointsAreWrittenInPlace(t *testing.T) {
	ws, dir := newWorkspace(t, map[string]string{"a": "a\n", "b": "b\n", "shut/c": "c\n"})
	source, point := filepath.Join(t.TempDir(), "source"), filepath.Join(dir, "a")
	if err := os.WriteFile(source, []byte("a\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount(source, point, "", syscall.MS_BIND, ""); err != nil {
		t.Skipf("no permission to mount: %v", err)
	}
	defer syscall.Unmount(point, 0)
	for range 2 { // as the first and as the last file
		r, err := call(t, ws, "edit", obj{"edits": []obj{{"path": "b", "old": "b", "new": "bb"}, {"path": "a", "old": "a", "new": "aa"}}})
		if err != nil || !strings.Contains(r.Text, "written in place, which is not atomic, because it is a mount point") {
			t.Errorf("got %q, %v, want that a was written in place", r.Text, err)
		}
		r, err = call(t, ws, "edit", obj{"edits": []obj{{"path": "a", "old": "aa", "new": "a"}, {"path": "b", "old": "bb", "new": "b"}}})
		if err != nil || !strings.Contains(r.Text, "it is a mount point") {
			t.Errorf("got %q, %v, want that a was written in place", r.Text, err)
		}
	}
	if _, err := call(t, ws, "write", obj{"path": "a", "content": "new\n"}); err != nil {
		t.Error(err)
	}
	if text, err := os.ReadFile(source); err != nil || string(text) != "new\n" {
		t.Errorf("got %q, %v, want the new content", text, err)
	}
	if diff := cmp.Diff(contents(t, dir), map[string]string{"a": "new\n", "b": "b\n", "shut/c": "c\n"}); diff != "" {
		t.Errorf("got (-), want (+):\n%s", diff)
	}
}

// A mount in the workspace shows a name of a file again, or the file at another name. Neither
// is a hard link: the change must not reach the one outside, and reaches those inside.
func TestMountsAreNoHardLinks(t *testing.T) {
	for name, c := range map[string]struct {
		source, point, other string // other is a second name of the file; empty for one outside
		want                 map[string]string
	}{
		"a directory, a link outside": {"d", "sub/m", "", map[string]string{"d/a": "new\n", "sub/m/a": "new\n", "sub/f": ""}},
		"a directory above":           {"d", "above", "", map[string]string{"d/a": "new\n", "above/a": "new\n", "sub/f": ""}},
		"a directory, a link inside":  {"d", "sub/m", "z", map[string]string{"d/a": "new\n", "sub/m/a": "new\n", "sub/f": "", "z": "new\n"}},
		"a file, a link outside":      {"d/a", "sub/f", "", map[string]string{"d/a": "new\n", "sub/f": "old\n"}},
		"a file, a link inside":       {"d/a", "sub/f", "z", map[string]string{"d/a": "new\n", "sub/f": "new\n", "z": "new\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			ws, dir := newWorkspace(t, map[string]string{"d/a": "old\n", "sub/f": ""})
			outside := filepath.Join(t.TempDir(), "outside")
			other, point := outside, filepath.Join(dir, c.point)
			if c.other != "" {
				other = filepath.Join(dir, c.other)
			}
			if err := os.Link(filepath.Join(dir, "d/a"), other); err != nil {
				t.Skip(err)
			}
			if c.source == "d" {
				if err := os.Mkdir(point, 0o777); err != nil {
					t.Fatal(err)
				}
			}
			if err := syscall.Mount(filepath.Join(dir, c.source), point, "", syscall.MS_BIND, ""); err != nil {
				t.Skipf("no permission to mount: %v", err)
			}
			defer syscall.Unmount(point, syscall.MNT_DETACH)
			if _, err := call(t, ws, "edit", obj{"path": "d/a", "old": "old", "new": "new"}); err != nil {
				t.Error(err)
			}
			if text, err := os.ReadFile(outside); c.other == "" && (err != nil || string(text) != "old\n") {
				t.Errorf("outside: got %q, %v, want the old content", text, err)
			}
			if diff := cmp.Diff(contents(t, dir), c.want); diff != "" {
				t.Errorf("got (-), want (+):\n%s", diff)
			}
		})
	}
}

// fullDisk names the directory in which a subprocess writes too much.
const fullDisk = "AGENT_TEST_FULL_DISK"

// TestAFullDisk writes more than fits, in a process with a file size limit.
func TestAFullDisk(t *testing.T) {
	if dir := os.Getenv(fullDisk); dir != "" {
		writeTooMuch(t, dir)
		return
	}
	files := map[string]string{"a": "a\n", "b": strings.Repeat("b\n", 10_000)}
	_, dir := newWorkspace(t, files)
	for _, link := range []string{"", "b2"} { // with two names, b is written in place
		if link != "" {
			if err := os.Link(filepath.Join(dir, "b"), filepath.Join(dir, link)); err != nil {
				t.Fatal(err)
			}
			files[link] = files["b"]
		}
		cmd := exec.Command(os.Args[0], "-test.run=^TestAFullDisk$")
		cmd.Env = append(os.Environ(), fullDisk+"="+dir)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v:\n%s", err, out)
		}
		if diff := cmp.Diff(contents(t, dir), files); diff != "" {
			t.Errorf("got (-), want (+):\n%s", diff)
		}
	}
}

func writeTooMuch(t *testing.T, dir string) {
	signal.Ignore(syscall.SIGXFSZ)
	const limit = 64 << 10
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: limit, Max: limit}); err != nil {
		t.Skip(err)
	}
	ws, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	much := strings.Repeat("too much\n", limit)
	for tool, args := range map[string]obj{
		"write": {"path": "b", "content": much},
		"edit":  {"edits": []obj{{"path": "a", "old": "a", "new": "A"}, {"path": "b", "old": "b\n", "new": much[:100], "replace_all": true}, {"path": "new/c", "old": "", "new": "c"}}},
		"patch": patchOf("*** Delete File: a", "*** Add File: new/c", "+"+strings.TrimSuffix(strings.ReplaceAll(much, "\n", "\n+"), "\n+")),
	} {
		if _, err := call(t, ws, tool, args); !errors.Is(err, syscall.EFBIG) {
			t.Errorf("%s: got %v, want that there is no room", tool, err)
		}
	}
}

// killed names the directory in which a subprocess writes until it is killed.
const killed = "AGENT_TEST_KILLED"

// A kill during a write leaves the old file or the new one.
func TestAKillWhileWriting(t *testing.T) {
	if dir := os.Getenv(killed); dir != "" {
		writeForever(t, dir)
		return
	}
	one, two := versions()
	_, dir := newWorkspace(t, map[string]string{"f": one})
	kills := 10
	if testing.Short() {
		kills = 3
	}
	for range kills {
		cmd := exec.Command(os.Args[0], "-test.run=^TestAKillWhileWriting$")
		cmd.Env = append(os.Environ(), killed+"="+dir)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		// The process prints a byte after each write. The kill hits a later one.
		if _, err := io.CopyN(io.Discard, out, 1+rand.Int64N(10)); err != nil {
			t.Errorf("the writer ended early: %v", err)
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Error(err)
		}
		_ = cmd.Wait()
		if got := contents(t, dir)["f"]; got != one && got != two {
			t.Fatalf("got %d bytes that are neither the old file nor the new one", len(got))
		}
	}
}

// versions returns two contents for a file.
func versions() (one, two string) {
	return strings.Repeat("one\n", 50_000), strings.Repeat("two\n", 60_000)
}

func writeForever(t *testing.T, dir string) {
	ws, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	one, two := versions()
	for {
		next := one
		if content, err := os.ReadFile(filepath.Join(dir, "f")); err == nil && string(content) == one {
			next = two
		}
		if _, err := call(t, ws, "write", obj{"path": "f", "content": next}); err != nil {
			t.Fatal(err)
		}
		fmt.Println()
	}
}

func TestAttributesAreKept(t *testing.T) {
	ws, dir := newWorkspace(t, map[string]string{"f": "a\n"})
	file := filepath.Join(dir, "f")
	if err := unix.Setxattr(file, "user.note", []byte("mine"), 0); err != nil {
		t.Skipf("the file system keeps no attributes: %v", err)
	}
	if _, err := call(t, ws, "edit", obj{"path": "f", "old": "a", "new": "b"}); err != nil {
		t.Fatal(err)
	}
	value := make([]byte, 16)
	n, err := unix.Getxattr(file, "user.note", value)
	if err != nil || string(value[:n]) != "mine" {
		t.Errorf("got %q, %v, want mine", value[:max(n, 0)], err)
	}
}

// The removal of a hard link needs approval if undo cannot link it again, because other names
// are outside the workspace.
func TestRemovalOfHardLinksWarns(t *testing.T) {
	ws, dir := newWorkspace(t, map[string]string{"f": "1\n", "i": "1\n"})
	if err := os.Link(filepath.Join(dir, "f"), filepath.Join(dir, "g")); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(filepath.Join(dir, "i"), filepath.Join(t.TempDir(), "i")); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]int{"f": 0, "i": 1} {
		for _, lines := range [][]string{{"*** Delete File: " + name}, {"*** Update File: " + name, "*** Move to: moved", "@@", "-1", "+2"}} {
			c, err := prepare(t, ws, "patch", patchOf(lines...))
			if err != nil || len(c.Warnings) != want || want > 0 && !strings.Contains(c.Warnings[0], "i has 2 hard links, not all of them in the workspace, so undo cannot restore this one") {
				t.Errorf("%s: warnings %q, %v", name, c.Warnings, err)
			}
			if i := slices.IndexFunc(c.Changes, func(ch tools.Change) bool { return ch.Path == name }); i < 0 || c.Changes[i].Unlinks != (want > 0) {
				t.Errorf("%s: changes %+v", name, c.Changes)
			}
		}
	}
}
