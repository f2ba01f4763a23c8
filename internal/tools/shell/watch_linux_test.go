package shell_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"agent/internal/sampling"
	"agent/internal/tools/shell"
	"agent/internal/tools/shell/sandbox"
	"agent/internal/tools/snapshot"
	"agent/internal/tools/snapshot/snapshottest"
)

// touched returns what was added to the store of a workspace, by path relative to it.
func (w watched) touched() map[string]snapshot.State {
	w.t.Helper()
	all, err := w.store.Touched()
	if err != nil {
		w.t.Fatal(err)
	}
	out := map[string]snapshot.State{}
	for _, one := range all {
		name, err := filepath.Rel(w.dir, one.Path)
		if err != nil || one.Call != "call 1" {
			w.t.Errorf("%v: %v", one, err)
		}
		if _, found := out[name]; found {
			w.t.Errorf("%s was kept twice", name)
		}
		out[name] = one.Before
	}
	return out
}

// watched is a workspace whose changes are kept.
type watched struct {
	confined
	store snapshottest.Store
	order snapshot.Order
}

// probed is the support of this system.
var probed = sync.OnceValue(sandbox.Probe)

// watch returns a workspace in a sandbox of a form. It skips the test if this system
// cannot watch commands in it.
func watch(t testing.TB, form sandbox.Form) watched {
	t.Helper()
	r := probed()
	if r.Form < form || !r.Notify {
		t.Skipf("commands cannot be watched in the form %q: %+v", form, r)
	}
	w := watched{confined: confineAs(t, form), store: snapshottest.Store(t.TempDir())}
	if err := os.Remove(filepath.Join(w.dir, "tmp")); err != nil {
		t.Fatal(err)
	}
	w.order = snapshot.Order{Call: "call 1", Store: string(w.store), Roots: []string{w.dir}, MaxFile: 1 << 20}
	return w
}

// run runs a line in the workspace.
func (w watched) run(line string) shell.Result {
	w.t.Helper()
	return run(w.t, w.command(line))
}

func (w watched) command(line string) shell.Command {
	line = strings.ReplaceAll(line, "OUTSIDE", w.outside)
	return shell.Command{Line: line, Dir: w.dir, Env: append(os.Environ(), "LC_ALL=C"), Keep: 1 << 20,
		Limits: shell.Limits{Sandbox: &w.profile}, Snapshot: &w.order}
}

// states returns what is at every path of the workspace, without git directories.
func (w watched) states() map[string]snapshot.State {
	w.t.Helper()
	out := map[string]snapshot.State{}
	err := filepath.WalkDir(w.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == w.dir {
			return err
		}
		if d.Name() == ".git" {
			return fs.SkipDir
		}
		var info unix.Stat_t
		if err := unix.Lstat(path, &info); err != nil {
			return err
		}
		s := snapshot.State{Kind: snapshot.Other, Mode: info.Mode & 0o7777}
		switch {
		case d.Type().IsRegular():
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			sum := sha256.Sum256(b)
			s.Kind, s.Size, s.Hash = snapshot.File, int64(len(b)), hex.EncodeToString(sum[:])
		case d.IsDir():
			s.Kind = snapshot.Dir
		case d.Type() == fs.ModeSymlink:
			s.Kind, s.Mode = snapshot.Link, 0
			s.Target, err = os.Readlink(path)
		}
		name, _ := filepath.Rel(w.dir, path)
		out[name] = s
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return out
}

// check runs a line. It checks that every path that differs afterwards was kept with its
// state before, and that everything that was kept is right. It returns what was kept.
func (w watched) check(line string) (map[string]snapshot.State, shell.Result) {
	w.t.Helper()
	before := w.states()
	r := w.run(line)
	after := w.states()
	kept := w.touched()
	for _, states := range []map[string]snapshot.State{before, after} {
		for name := range states {
			if _, found := kept[name]; !found && before[name] != after[name] {
				w.t.Errorf("%s changed and was not kept", name)
			}
		}
	}
	for name, got := range kept {
		want, found := before[name]
		if !found {
			want.Kind = snapshot.Absent
		}
		want.Lost, want.Stamp, want.Owner, want.Inode = got.Lost, got.Stamp, got.Owner, got.Inode
		if got.Hash == "" && got.Lost != "" {
			want.Hash = ""
		}
		if d := cmp.Diff(got, want); d != "" {
			w.t.Errorf("%s was kept wrongly:\n%s", name, d)
		}
	}
	if r.Kept.Touched != len(kept) || r.Kept.Problem != "" {
		w.t.Errorf("the result has %+v, but %d paths were kept", r.Kept, len(kept))
	}
	return kept, r
}

// lay creates the files that the commands of the tests change.
func (w watched) lay() {
	w.t.Helper()
	for name, text := range map[string]string{
		"a": "one\ntwo\n", "b": "other\n", "empty": "", "d/one": "1\n", "d/two": "2\n", "d/sub/three": "3\n", "sub/x": "deep\n",
	} {
		write(w.t, filepath.Join(w.dir, name), text)
	}
	for link, to := range map[string]string{"tosub": "sub", "toa": "a", "away": w.outside, "sub/up": "../d", "absolute": filepath.Join(w.dir, "sub")} {
		if err := os.Symlink(to, filepath.Join(w.dir, link)); err != nil {
			w.t.Fatal(err)
		}
	}
}

// watchedLines are commands and some of the paths that they change. needs is a program
// that they need.
var watchedLines = []struct{ name, needs, line, changes string }{
	{"overwrite", "", "echo new >a", "a"},
	{"append", "", "echo new >>a", "a"},
	{"create", "", "echo new >n; echo more >>n", "n"},
	{"read and write", "", "exec 3<>a; echo x >&3", "a"},
	{"move over", "", "mv a b", "a b"},
	{"move", "", "mv a n", "a n"},
	{"move into", "", "mv a d", "a d/a"},
	{"copy over", "", "cp a b", "b"},
	{"copy tree", "", "cp -a d n", "n n/one n/sub n/sub/three"},
	{"truncate", "truncate", "truncate -s 1 a", "a"},
	{"sed -i", "", "sed -i s/one/1/ a d/one", "a d/one"},
	{"python r+", "python3", `python3 -c 'f = open("a", "r+"); f.write("X")'`, "a"},
	{"python truncate", "python3", `python3 -c 'import os; os.truncate("a", 1)'`, "a"},
	{"perl -i", "perl", "perl -pi -e s/one/1/ a", "a"},
	{"remove", "", "rm a toa", "a toa"},
	{"remove tree", "", "rm -rf d", "d d/one d/two d/sub d/sub/three"},
	{"find -delete", "find", "find d -delete", "d d/one d/sub/three"},
	{"make and remove directories", "", "mkdir -p n/m; rmdir d/none; rm -r d/sub; mkdir e && rmdir e", "n n/m d/sub"},
	{"link over", "", "ln -sf b toa; ln -s b n", "toa n"},
	{"link to directory", "", "ln -sfn d tosub", "tosub"},
	{"hard link", "", "ln a n && echo new >n", "a n"},
	{"chmod", "", "chmod 600 a; chmod 700 d; chmod u+x b", "a d b"},
	{"chmod of an open file", "python3", `python3 -c 'import os; os.fchmod(os.open("a", os.O_RDONLY), 0o600)'`, "a"},
	{"rename directory", "", "mv d n", "d d/one d/sub/three n n/one n/sub/three"},
	{"rename directory over", "", "mkdir n; mv -T d n", "d d/one n n/one"},
	{"exchange directories", "python3", `python3 -c 'import ctypes; assert ctypes.CDLL(None).renameat2(-100, b"d", -100, b"sub", 2) == 0'`, "d/one sub/one d/x sub/x d/up"},
	{"tar", "tar", "tar cf d.tar d && rm -r d && echo new >n && tar xf d.tar && rm d.tar", "d.tar n"},
	{"git checkout", "git", "git init -q . && git add a && git -c user.name=x -c user.email=x commit -qm x && echo new >a && git checkout -q -- a && git rm -q a", "a"},
	{"symlinked directory", "", "echo new >tosub/x; echo new >tosub/n; echo new >sub/up/one; rm sub/up/two", "sub/x sub/n d/one d/two"},
	{"absolute link", "", "echo new >absolute/x", "sub/x"},
	{"through a link", "", "echo new >toa; chmod 600 toa", "a"},
	{"chain of as many links as possible", "", "p=a; for i in $(seq 40); do ln -s $p c$i; p=c$i; done; echo new >$p", "a c40"},
	{"link in a directory of the sandbox", "", "ln -s $PWD/a /dev/shm/l$$; echo new >/dev/shm/l$$; rm /dev/shm/l$$", "a"},
	{"link through a directory of the sandbox", "", "ln -s $PWD /dev/shm/l$$; echo new >/dev/shm/l$$/sub/x; rm /dev/shm/l$$", "sub/x"},
	{"path in memory for writing only", "python3", `python3 -c '
import ctypes, mmap
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + [ctypes.c_int] * 3 + [ctypes.c_long]
path = libc.mmap(None, 4096, mmap.PROT_WRITE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, 0)
ctypes.memmove(path, b"a", 2)
assert libc.truncate(ctypes.c_void_p(path), ctypes.c_long(1)) == 0'`, "a"},
	{"dangling link", "", "ln -s sub/n l; echo new >l", "l sub/n"},
	{"/proc/self/fd", "", "exec 3<sub; echo new >/proc/self/fd/3/x; exec 4<a; echo new >/proc/self/fd/4", "sub/x a"},
	{"/dev/fd", "", "exec 3>>b; echo new >/dev/fd/3; exec >a; echo new >/dev/stdout", "a b"},
	{"/proc/self/cwd", "", "cd sub; echo new >/proc/self/cwd/x; echo new >/proc/self/root/$PWD/n; echo new >/proc/thread-self/cwd/../a", "sub/x sub/n a"},
	{"dots", "", "cd d/sub; echo new >../../a; echo new >./../one; mkdir ../../n/; cd ..; chmod 700 .; chmod 750 sub/.", "a d/one n d d/sub"},
	{"relative to a directory", "python3", `python3 -c '
import os
d = os.open("sub", os.O_RDONLY)
os.chdir("/")
os.close(os.open("x", os.O_WRONLY | os.O_TRUNC, dir_fd=d))
os.mkdir("n", dir_fd=d)
os.rename("up", "n/up", src_dir_fd=d, dst_dir_fd=d)
os.unlink("../a", dir_fd=d)'`, "sub/x sub/n sub/up sub/n/up a"},
	{"thread with its own directory", "python3", `python3 -c '
import ctypes, os, threading
def work():
    libc = ctypes.CDLL(None)
    assert libc.unshare(0x200) == 0
    os.chdir("sub")
    open("x", "w").write("new")
t = threading.Thread(target=work)
t.start()
t.join()
open("a", "w").write("new")'`, "sub/x a"},
	{"nameless file", "python3", `python3 -c '
import os
fd = os.open("sub", os.O_TMPFILE | os.O_RDWR)
os.write(fd, b"new")
os.link("/proc/self/fd/%d" % fd, "n", follow_symlinks=True)'`, "n"},
	{"child of a child", "", `sh -c '(sh -c "echo new >a; (setsid sh -c \"echo new >b\") ") & wait'`, "a b"},
	{"device and pipe", "", "mkfifo p; rm p; echo x >/dev/null", ""},
	{"names", "", `echo x >'new
line'; echo x >' "q" '; printf x >ü`, "new\nline ü"},
	{"long path", "", `n=$(printf %0200d 0); for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19; do mkdir $n && cd $n; done; echo x >x; mv x y`, ""},
}

// The state of each path before the first change of a command is kept, however it names
// the path.
func TestWatchKeepsWhatCommandsChange(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs many commands, and runs without -short")
	}
	for k, kind := range []string{"complete", "strict", "writes only"} {
		for i, c := range watchedLines {
			if !sampling.Whole() && i%3 != k {
				continue
			}
			t.Run(kind+"/"+c.name, func(t *testing.T) {
				form := sandbox.Complete
				if kind == "writes only" {
					form = sandbox.WritesOnly
				}
				w := watch(t, form)
				if form == sandbox.WritesOnly && i%6 != 2 {
					t.Skip("the other form is enough")
				}
				w.order.Strict, w.order.Git = kind == "strict", true
				if _, err := exec.LookPath(c.needs); c.needs != "" && err != nil {
					t.Skip(c.needs, " is not installed")
				}
				w.lay()
				kept, r := w.check(c.line)
				for _, name := range strings.Split(c.changes, " ") {
					if _, found := kept[name]; !found && name != "" {
						t.Errorf("%q was not kept", name)
					}
				}
				if t.Failed() {
					t.Logf("%s\n%s\nkept: %v", c.line, r.Output, kept)
				}
			})
		}
	}
}

// keptPaths returns the sorted paths of what was kept.
func keptPaths(kept map[string]snapshot.State) string {
	return strings.Join(slices.Sorted(maps.Keys(kept)), " ")
}

func TestWatchKeepsOnlyTheRoots(t *testing.T) {
	w := watch(t, sandbox.Complete)
	w.lay()
	outside := filepath.Join(w.outside, "more")
	write(t, filepath.Join(outside, "file"), "old\n")
	write(t, filepath.Join(w.dir, "skip/file"), "old\n")
	w.profile.Write = append(w.profile.Write, w.outside)
	w.order.Skip = []string{filepath.Join(w.dir, "skip"), filepath.Join(w.dir, "d/two")}
	kept, r := w.check("git init -q . || mkdir .git; git add a; echo x >.git/x; rm OUTSIDE/more/file; echo >OUTSIDE/new; mv OUTSIDE/new away/newer; chmod 700 .;" +
		"echo x >a; mkdir -p m/.git; echo >m/.git/x; rm -rf m/.git; mv m/../b OUTSIDE/b; mv OUTSIDE/b b")
	same(t, keptPaths(kept), "a b m")
	if r.Code != 0 {
		t.Error(r.Output)
	}
	w.run("echo new >skip/file; echo new >d/two")
	same(t, keptPaths(w.touched()), "a b m")

	// A second root.
	w.order.Roots = append(w.order.Roots, outside)
	write(t, filepath.Join(outside, "file"), "old\n")
	w.run("echo new >OUTSIDE/more/file")
	same(t, keptPaths(w.touched()), "../outside/more/file a b m")
}

// A git directory is not kept: its loss is noted.
func TestWatchNotesTheLossOfRepositories(t *testing.T) {
	w := watch(t, sandbox.Complete)
	w.lay()
	write(t, filepath.Join(w.dir, "d/.git/HEAD"), "ref\n")
	write(t, filepath.Join(w.dir, "r/.git/HEAD"), "ref\n")
	w.run("mv d n; rm -r r")
	kept := w.touched()
	same(t, keptPaths(kept), "d d/.git d/one d/sub d/sub/three d/two n n/one n/sub n/sub/three n/two r r/.git r/.git/HEAD")
	for _, name := range []string{"d/.git", "r/.git"} {
		same(t, kept[name].Lost, "git directories are not kept")
	}
}

// What cannot be kept exactly says why.
func TestWatchNotesWhatIsLost(t *testing.T) {
	w := watch(t, sandbox.Complete)
	w.lay()
	write(t, filepath.Join(w.dir, "big"), strings.Repeat("x", 1<<20+1))
	write(t, filepath.Join(w.dir, "full"), "full: the store refuses this\n")
	if err := os.Link(filepath.Join(w.dir, "a"), filepath.Join(w.dir, "second")); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(w.dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	kept, _ := w.check("rm big full second pipe; echo x >b")
	lost := map[string]string{}
	for name, s := range kept {
		lost[name] = s.Lost
	}
	if d := cmp.Diff(lost, map[string]string{
		"big": "it is larger than 1 MB", "full": "the store is full", "second": "it has several hard links",
		"pipe": "it is neither a file nor a directory", "b": "",
	}); d != "" {
		t.Error(d)
	}
	if kept["second"].Hash == "" {
		t.Error("the content of a file with several links was not kept")
	}
}

// A strict order refuses the change of a file that cannot be kept, and allows others.
func TestStrictWatchRefusesWhatItCannotKeep(t *testing.T) {
	for _, c := range []struct{ name, line, why string }{
		{"big", "echo x >>big", "it is larger than 1 MB"},
		{"big", "mv big n", "it is larger than 1 MB"},
		{"big", "rm -f n big", "it is larger than 1 MB"},
		{"big", "mv -T b big", "it is larger than 1 MB"},
		{"d/full", "mv d n", "the store is full"},
		{"d/full", "rm -r d", "the store is full"},
		{"second", "sed -i s/o/x/ second", "it has several hard links"},
		{"r/.git", "mv r n", "git directories are not kept"},
	} {
		t.Run(c.line, func(t *testing.T) {
			w := watch(t, sandbox.Complete)
			w.lay()
			write(t, filepath.Join(w.dir, "big"), strings.Repeat("x", 1<<20+1))
			write(t, filepath.Join(w.dir, "d/full"), "full\n")
			write(t, filepath.Join(w.dir, "r/.git/HEAD"), "ref\n")
			if err := os.Link(filepath.Join(w.dir, "a"), filepath.Join(w.dir, "second")); err != nil {
				t.Fatal(err)
			}
			w.order.Strict = true
			before := w.states()
			r := w.run("echo new >a2; rm a2; mkfifo p; rm p; " + c.line)
			if r.Code == 0 || !strings.Contains(r.Output, "not permitted") {
				t.Errorf("the command ended with %d: %s", r.Code, r.Output)
			}
			same(t, r.Kept.Refused, &shell.Refused{Path: filepath.Join(w.dir, c.name), Why: c.why})
			after := w.states()
			same(t, after[c.name], before[c.name])
			if _, found := w.touched()[c.name]; found {
				t.Errorf("%s was noted as changed", c.name)
			}

			// Without Strict the same command works.
			w.order.Strict = false
			if r := w.run("echo >>b; " + c.line); r.Code != 0 || r.Kept.Refused != nil {
				t.Errorf("the command ended with %d: %s, %+v", r.Code, r.Output, r.Kept)
			}
		})
	}
}

// A strict order refuses changes in git directories, except in those that the command has
// created, or by git if the command runs it.
func TestStrictWatchRefusesChangesInRepositories(t *testing.T) {
	for _, line := range []string{
		"rm -r r/.git/objects", "echo x >r/.git/HEAD", "mv r/.git/objects out", "echo x >r/.git/new", "echo x >r/file/.git", "rm r/file/.git",
	} {
		t.Run(line, func(t *testing.T) {
			w := watch(t, sandbox.Complete)
			write(t, filepath.Join(w.dir, "r/.git/HEAD"), "ref\n")
			write(t, filepath.Join(w.dir, "r/.git/objects/one"), "1\n")
			write(t, filepath.Join(w.dir, "r/file/.git"), "gitdir: x\n")
			w.order.Strict = true
			r := w.run("mkdir -p own/.git/objects; echo x >own/.git/HEAD && mv own/.git/HEAD own/.git/x && rm -r own || exit 0; " + line)
			if r.Code == 0 || r.Kept.Refused == nil || r.Kept.Refused.Why != "git directories are not kept" {
				t.Errorf("the command ended with %d: %s, %+v", r.Code, r.Output, r.Kept.Refused)
			}
			w.order.Git = true // then only git may change them
			if r := w.run(line); r.Code == 0 || r.Kept.Refused == nil {
				t.Errorf("a command that runs git ended with %d: %s, %+v", r.Code, r.Output, r.Kept.Refused)
			}
		})
	}
}

// A program called git that the command could have written is not git, and neither is git with
// code that the command could have written.
func TestStrictWatchKnowsGit(t *testing.T) {
	w := watch(t, sandbox.Complete)
	w.profile.Temp = sessionTemp(t)
	cache := filepath.Join(w.outside, "cache")
	write(t, filepath.Join(w.dir, "r/.git/objects/one"), "1\n")
	write(t, filepath.Join(cache, "x"), "")
	w.profile.Write = append(w.profile.Write, cache)
	w.order.Strict, w.order.Git = true, true
	for _, dir := range []string{w.dir, cache, "/tmp", "/var/tmp", "/dev/shm"} {
		r := w.run("cp $(command -v rm) " + dir + "/git && " + dir + "/git -rf r/.git/objects")
		if r.Code == 0 || !strings.Contains(r.Output, "Operation not permitted") {
			t.Errorf("in %s it ended with %d: %s", dir, r.Code, r.Output)
		}
	}
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("gcc is not installed")
	}
	write(t, filepath.Join(w.dir, "x.c"), `#include <unistd.h>
__attribute__((constructor)) static void begin(void) { _exit(unlink("r/.git/objects/one") == 0); }
`)
	r := w.run("gcc -shared -fPIC -o /tmp/x.so x.c && LD_PRELOAD=/tmp/x.so git version")
	if _, err := os.Stat(filepath.Join(w.dir, "r/.git/objects/one")); err != nil || r.Code != 0 {
		t.Errorf("code in git ended with %d: %s", r.Code, r.Output)
	}
}

// The repository that contains the workspace is protected as one in it, and nothing is lost whose
// name undo could not write.
func TestStrictWatchRefusesWhatUndoCannotReach(t *testing.T) {
	w := watch(t, sandbox.Complete)
	w.order.Strict, w.order.Roots = true, []string{filepath.Join(w.dir, "sub")}
	for _, file := range []string{".git/objects/one", ".git/modules/m/objects/one", ".git/reftable/t", "sub/gr\xfc.txt", "sub/d/gr\xf6.txt"} {
		write(t, filepath.Join(w.dir, file), "1\n")
	}
	if err := os.Symlink("to\xfc", filepath.Join(w.dir, "sub/link")); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"rm -rf .git", "rm .git/objects/one", "rm -r .git/modules/m/objects", "rm .git/reftable/t", "mv .git x", "rm sub/gr*", "rm -rf sub/d", "mv sub/d sub/e", "rm sub/link", "echo x >sub/gr*"} {
		for _, w.order.Git = range []bool{false, true} {
			if r := w.run(line); r.Code == 0 || r.Kept.Refused == nil {
				t.Errorf("%s (git: %v) ended with %d: %s", line, w.order.Git, r.Code, r.Output)
			}
		}
	}
	if r := w.run("mkdir -p own/.git/objects && echo x >own/.git/HEAD && rm -r own"); r.Code != 0 {
		t.Errorf("an own repository: %s", r.Output)
	}
}

// sessionTemp returns a directory for Profile.Temp.
func sessionTemp(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range sandbox.TempParts {
		if err := os.Mkdir(filepath.Join(dir, part), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// A failed call where the sandbox hides a directory whose changes are kept is no change of what
// is there.
func TestWatchSeesWhatIsHidden(t *testing.T) {
	w := watch(t, sandbox.Complete)
	hidden := filepath.Join(w.outside, "hidden")
	write(t, filepath.Join(hidden, "d/file"), "old\n")
	w.profile.Hide, w.order.Roots = append(w.profile.Hide, hidden), append(w.order.Roots, hidden)
	r := w.run("echo x >OUTSIDE/hidden/d/file; echo x >OUTSIDE/hidden/new; mkdir OUTSIDE/hidden/d; rm -rf OUTSIDE/hidden/d; echo x >own")
	same(t, keptPaths(w.touched()), "own")
	if r.Code != 0 {
		t.Error(r.Output)
	}
}

// The points at which the sandbox mounts a workspace below /tmp cannot be removed or replaced,
// and a link in the path of the directory for /tmp is not followed.
func TestTemporaryDirectoryOfTheSandbox(t *testing.T) {
	w := watch(t, sandbox.Complete)
	point, rest, ok := strings.Cut(strings.TrimPrefix(w.dir, "/tmp/"), "/")
	if !ok || !strings.HasPrefix(w.dir, "/tmp/") {
		t.Skip("the workspace is not below /tmp")
	}
	write(t, filepath.Join(w.dir, "big"), strings.Repeat("x", 1<<20+1))
	w.profile.Temp, w.order.Strict = sessionTemp(t), true
	for _, line := range []string{
		"mv /tmp/POINT /tmp/moved && : >/tmp/moved/REST/big", "mv /var/tmp/POINT /var/tmp/moved && : >/tmp/moved/REST/big", "rmdir /tmp/POINT", "rmdir /var/tmp/POINT",
		"ln -sfn / /tmp/POINT && rm /tmp/POINT/tmp", "rm -rf /tmp/* /var/tmp/*", ": >big", "cd .. && mv workspace w2",
	} {
		w.run("mkdir -p /tmp/e; " + strings.NewReplacer("POINT", point, "REST", rest).Replace(line))
		if info, err := os.Stat(filepath.Join(w.dir, "big")); err != nil || info.Size() != 1<<20+1 {
			t.Fatalf("%s: %v", line, err)
		}
		if r := w.run("pwd && ls big"); r.Code != 0 || r.Output != w.dir+"\nbig\n" {
			t.Fatalf("after %s: %s", line, r.Output)
		}
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(w.profile.Temp, link); err != nil {
		t.Fatal(err)
	}
	w.profile.Temp = link
	if _, err := shell.Run(t.Context(), w.command("echo x >/tmp/x")); !errors.Is(err, shell.ErrSandbox) {
		t.Errorf("through a link: %v", err)
	}
}

// The workspace cannot be renamed, nor what it is in: changes under another name would not be
// kept.
func TestStrictWatchRefusesToRenameTheWorkspace(t *testing.T) {
	w := watch(t, sandbox.Complete)
	above := filepath.Join(t.TempDir(), "above")
	dir := filepath.Join(above, "workspace")
	write(t, filepath.Join(dir, "big"), strings.Repeat("x", 1<<20+1))
	w.profile.Write = append(w.profile.Write, filepath.Dir(above))
	w.order.Strict, w.order.Roots = true, append(w.order.Roots, dir)
	for _, from := range []string{dir, above} {
		r := w.run(fmt.Sprintf("mv %s %s/moved && : >%s/moved/big", from, filepath.Dir(above), filepath.Dir(above)))
		if r.Code == 0 || r.Kept.Refused == nil {
			t.Errorf("the command ended with %d: %s, %+v", r.Code, r.Output, r.Kept.Refused)
		}
	}
	if info, err := os.Stat(filepath.Join(dir, "big")); err != nil || info.Size() == 0 {
		t.Errorf("the file is lost: %v", err)
	}
}

// A strict order refuses the change of a file whose path is longer than the kernel accepts,
// also if the command names it relative to its directory.
func TestStrictWatchRefusesFilesBelowLongPaths(t *testing.T) {
	w := watch(t, sandbox.Complete)
	w.order.Strict = true
	r := w.run(`n=$(printf %0200d 0); for i in $(seq 30); do mkdir $n && cd -P $n 2>/dev/null || exit 3; done`)
	if r.Code != 3 || r.Kept.Refused == nil {
		t.Errorf("the command ended with %d: %s, %+v", r.Code, r.Output, r.Kept)
	}
}

// Without a store, or without a sandbox, a command runs without keeping files, unless the
// order is strict.
func TestCommandsWithoutAStore(t *testing.T) {
	for _, c := range []struct {
		name, why string
		change    func(*watched)
	}{
		{"store", "no such file or directory", func(w *watched) { w.order.Store += "/missing" }},
		{"sandbox", "the changes of commands outside of the sandbox are not seen", func(w *watched) { w.profile = sandbox.Profile{} }},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := watch(t, sandbox.Complete)
			w.lay()
			c.change(&w)
			command := w.command("echo new >a; cat a")
			if w.profile.Session == nil {
				command.Limits.Sandbox = nil
			}
			r := run(t, command)
			if r.Output != "new\n" || r.Kept.Touched != 0 || !strings.Contains(r.Kept.Problem, c.why) {
				t.Errorf("got %q, %+v", r.Output, r.Kept)
			}
			command.Snapshot.Strict = true
			command.Line = "echo newer >a"
			if _, err := shell.Run(t.Context(), command); !errors.Is(err, shell.ErrNotUndoable) || !strings.Contains(err.Error(), c.why) {
				t.Errorf("the error is %v", err)
			}
			if text, _ := os.ReadFile(filepath.Join(w.dir, "a")); string(text) != "new\n" {
				t.Errorf("the command wrote %q", text)
			}
		})
	}
}

// A program that does not use the C library is watched, too.
func TestWatchKeepsChangesOfGoPrograms(t *testing.T) {
	w := watch(t, sandbox.Complete)
	write(t, filepath.Join(w.dir, "x"), "old\n")
	write(t, filepath.Join(w.dir, "x.d/y"), "old\n")
	kept, _ := w.check(probeLine(t, "write x"))
	same(t, keptPaths(kept), "x x.d x.d/y")
}

// Each of many processes that change the same and other files waits until the old content
// is kept.
func TestWatchServesManyProcesses(t *testing.T) {
	w := watch(t, sandbox.Complete)
	w.lay()
	for i := range 200 {
		write(t, filepath.Join(w.dir, "many", strconv.Itoa(i)), "old "+strconv.Itoa(i))
	}
	kept, r := w.check("for i in $(seq 0 199); do (echo $i >a; echo $i >many/$i; echo $i >b; mv many/$i many/$i.new) & done; wait")
	if r.Code != 0 || len(kept) != 402 {
		t.Errorf("%d paths were kept: %s", len(kept), r.Output)
	}
}

// A command of several turns keeps a file again in each of them.
func TestWatchKeepsFilesInEachTurn(t *testing.T) {
	w := watch(t, sandbox.Complete)
	theirs, ours, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer theirs.Close()
	c := w.command("while read x; do echo $x >a; echo $x >a; echo done; done")
	c.Input = theirs
	r, err := shell.Start(c)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Kill()
	var lines int64
	for _, text := range []string{"1", "2", "3"} {
		if text != "2" { // the second change is in the turn of the first one
			r.NewTurn()
		}
		if _, err := ours.WriteString(text + "\n"); err != nil {
			t.Fatal(err)
		}
		for lines++; r.Lines() < lines; {
			runtime.Gosched()
		}
	}
	ours.Close()
	<-r.Done()
	r.NewTurn() // does not wait for anything
	same(t, r.How().Kept, shell.Kept{Touched: 2, Seen: shell.AttemptWrite | shell.AttemptConnect | shell.AttemptLookup})
	all, err := w.store.Touched()
	if err != nil || len(all) != 2 {
		t.Fatal(all, err)
	}
	sum := sha256.Sum256([]byte("2\n"))
	same(t, []string{string(all[0].Before.Kind), all[1].Before.Hash}, []string{"absent", hex.EncodeToString(sum[:])})
}

// When the supervisor is killed, a command that changes files ends.
func TestCommandEndsWithItsSupervisor(t *testing.T) {
	w := watch(t, sandbox.Complete)
	c := w.command("echo $$ >pid; mv pid ready; while true; do echo x >a; rm a; done")
	r, err := shell.Start(c)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Kill()
	var pid []byte
	for err = fs.ErrNotExist; errors.Is(err, fs.ErrNotExist); runtime.Gosched() {
		pid, err = os.ReadFile(filepath.Join(w.dir, "ready"))
	}
	stat, err := os.ReadFile("/proc/" + strings.TrimSpace(string(pid)) + "/stat")
	if err != nil {
		t.Fatal(err)
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	supervisor, err := strconv.Atoi(fields[1])
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(supervisor, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-r.Done()
	same(t, r.How().Ended, "ended because its supervisor was killed")
}
