package shell_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"agent/internal/tools/shell"
	"agent/internal/tools/shell/sandbox"
	"agent/internal/tools/snapshot"
)

// dirStore is a snapshot.Store in a directory.
type dirStore string

// openDirStore opens a store for the keepers of the tests. Its directory must exist.
func openDirStore(path string) (snapshot.Store, error) {
	_, err := os.Stat(path)
	return dirStore(path), err
}

func (d dirStore) Put(content io.Reader) (hash string, size int64, err error) {
	b, err := io.ReadAll(content)
	if err != nil {
		return "", 0, err
	}
	if bytes.HasPrefix(b, []byte("full")) {
		return "", 0, errors.New("the store is full")
	}
	sum := sha256.Sum256(b)
	hash = hex.EncodeToString(sum[:])
	return hash, int64(len(b)), os.WriteFile(filepath.Join(string(d), hash), b, 0o600)
}

func (d dirStore) Add(t snapshot.Touched) error {
	b, err := json.Marshal(t)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(string(d), "touched"), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.Write(append(b, '\n'))
	return err
}

// touched returns what was added, by path relative to dir.
func (d dirStore) touched(t testing.TB, dir string) map[string]snapshot.State {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(string(d), "touched"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	out := map[string]snapshot.State{}
	for line := range bytes.Lines(text) {
		var one snapshot.Touched
		if err := json.Unmarshal(line, &one); err != nil {
			t.Fatal(err)
		}
		name, err := filepath.Rel(dir, one.Path)
		if err != nil || one.Call != "call 1" {
			t.Errorf("%s: %v", line, err)
		}
		if _, found := out[name]; found {
			t.Errorf("%s was kept twice", name)
		}
		out[name] = one.Before
	}
	return out
}

// watched is a workspace whose changes are kept.
type watched struct {
	confined
	store dirStore
	order snapshot.Order
}

// watch returns a workspace in a sandbox of a form. It skips the test if this system
// cannot watch commands in it.
func watch(t testing.TB, form sandbox.Form) watched {
	t.Helper()
	r := sandbox.Probe()
	if r.Form < form || !r.Notify {
		t.Skipf("commands cannot be watched in the form %q: %+v", form, r)
	}
	w := watched{confined: confineAs(t, form), store: dirStore(t.TempDir())}
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
			s.Kind = snapshot.Link
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
	kept := w.store.touched(w.t, w.dir)
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
		want.Lost = got.Lost
		if got.Kind == snapshot.File && want.Hash != "" {
			if _, err := os.Stat(filepath.Join(string(w.store), got.Hash)); got.Hash != "" && err != nil {
				w.t.Error(err)
			}
			if got.Hash == "" && got.Lost != "" {
				want.Hash = ""
			}
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
	for _, form := range []sandbox.Form{sandbox.Complete, sandbox.WritesOnly} {
		for _, c := range watchedLines {
			t.Run(form.String()+"/"+c.name, func(t *testing.T) {
				w := watch(t, form)
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
