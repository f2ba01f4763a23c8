package shell_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"agent/internal/tools/shell"
	"agent/internal/tools/shell/sandbox"
	"agent/internal/tools/snapshot"
)

// confined is a workspace whose commands run in a sandbox.
type confined struct {
	t       testing.TB
	dir     string // workspace
	outside string // a directory that commands may read
	profile sandbox.Profile

	snapshot *snapshot.Order
}

// confine returns a workspace in the complete sandbox. It skips the test if this system has
// none, and with -short: commands that are watched start the same goroutines.
func confine(t testing.TB) confined {
	t.Helper()
	if testing.Short() {
		t.Skip("make test runs it")
	}
	if r := sandbox.Probe(); r.Form != sandbox.Complete {
		t.Skip("the complete sandbox does not work here: ", r.Reason)
	}
	return confineAs(t, sandbox.Complete)
}

func confineAs(t testing.TB, form sandbox.Form) confined {
	t.Helper()
	session := sandbox.NewSession(form)
	t.Cleanup(session.Close)
	top, err := os.MkdirTemp("/tmp", "sandbox-") // the path of a socket must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(top) })
	c := confined{t: t, dir: filepath.Join(top, "workspace"), outside: filepath.Join(top, "outside")}
	for _, d := range []string{c.outside, filepath.Join(c.dir, "tmp")} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(c.outside, "file"), "outside\n")
	c.profile = sandbox.Profile{Write: []string{c.dir}, Session: session}
	return c
}

// run runs a line in the workspace, without a sandbox if there is no session.
func (c confined) run(line string) shell.Result {
	c.t.Helper()
	line = strings.ReplaceAll(line, "OUTSIDE", c.outside)
	env := append(os.Environ(), "TMPDIR="+filepath.Join(c.dir, "tmp"))
	command := shell.Command{Line: line, Dir: c.dir, Env: env, Keep: 1 << 20, Snapshot: c.snapshot}
	if c.profile.Session != nil {
		command.Limits.Sandbox = &c.profile
	}
	return run(c.t, command)
}

func write(t testing.TB, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// A command in the sandbox works as it does outside.
func TestSandboxLeavesWorkAlone(t *testing.T) {
	c := confine(t)
	c.profile.Show = nil
	for _, line := range []string{
		"echo one >a; cat a; mkdir -p d/e; mv a d/e/b; cat d/e/b; ln d/e/b d/c; rm -r d; ls",
		"cat OUTSIDE/file; echo x >/dev/null; echo err >&2; echo x >/dev/stdout; cat </dev/null",
		"sh -c 'echo child; sh -c \"echo grandchild\"' | tr a-z A-Z; diff <(echo a) <(echo b)",
		"ulimit -n; ulimit -c; umask; pwd; echo $PWD; ls /proc/self/fd | wc -l",
		"exit 3", "kill -SEGV $$", "sh -c 'kill -TERM $$'", "no-such-program",
		"sleep 300 & kill $!; wait $!", "f=$(mktemp) && echo x >$f && cat $f && rm $f",
		"mkdir -p sub && cd sub && pwd", "chmod 700 . && touch -d 2001-01-01 old && ls old",
		"trap '' INT; (trap - TERM; kill -TERM $BASHPID); echo $?", "cat /proc/self/comm; id -u; id -g",
	} {
		got := c.run(line)
		plain := c
		plain.profile.Session = nil
		want := plain.run(line)
		same(t, []any{line, got.Output, got.Ended, got.Left, got.Lost}, []any{line, want.Output, want.Ended, want.Left, want.Lost})
	}
	same(t, c.run("echo shared >/dev/shm/x && cat /dev/shm/x; script -qc 'test -t 0 && echo terminal' /dev/null </dev/null").Output, "shared\nterminal\r\n")
	if _, err := os.Stat("/dev/shm/x"); err == nil {
		t.Error("the command shares memory with other programs")
	}
}

// Whatever a command tries, it changes no file outside the workspace and none
// that is protected. Every line prints "escaped" if it has succeeded in something.
func TestEscapesFromTheSandbox(t *testing.T) {
	testEscapes(t, confine(t))
}

// The program makes the calls of a command that may only make changes that can be undone.
// These change nothing more.
func TestEscapesFromTheSandboxThroughTheWatch(t *testing.T) {
	w := watch(t, sandbox.Complete)
	w.order.Strict, w.order.Git = true, true
	w.snapshot = &w.order
	testEscapes(t, w.confined)
}

func testEscapes(t *testing.T, c confined) {
	t.Helper()
	hooks, private := filepath.Join(c.dir, ".git", "hooks"), filepath.Join(c.outside, "private")
	for _, file := range []string{filepath.Join(hooks, "old"), filepath.Join(c.dir, ".envrc"), filepath.Join(private, "key")} {
		write(t, file, "protected\n")
	}
	if err := os.Symlink(c.outside, filepath.Join(c.dir, "link")); err != nil {
		t.Fatal(err)
	}
	c.profile.ReadOnly, c.profile.Hide = []string{hooks, filepath.Join(c.dir, ".envrc")}, []string{private}
	before := c.state()
	for _, e := range []struct{ name, line string }{
		{"write", "echo >OUTSIDE/new && echo escaped; echo >OUTSIDE/file && echo escaped"},
		{"remove", "rm -rf OUTSIDE/file OUTSIDE && echo escaped"},
		{"create", "mkdir OUTSIDE/d && echo escaped; mkfifo OUTSIDE/f && echo escaped; ln -s x OUTSIDE/l && echo escaped"},
		{"truncate", "truncate -s 0 OUTSIDE/file && echo escaped"},
		{"mode", "chmod 777 OUTSIDE/file && echo escaped; touch OUTSIDE/file && echo escaped"},
		{"symbolic link", "echo >link/file && echo escaped; ln -sfn OUTSIDE l2 && echo >l2/new && echo escaped"},
		{"link swap", "mkdir d; for i in {1..50}; do ln -sfn OUTSIDE s; echo >s/new; rm -f s; mkdir s; echo >s/f; rm -r s; done; true"},
		{"hard link", "ln OUTSIDE/file h && echo x >>h && echo escaped; ln .envrc e && echo x >>e && echo escaped"},
		{"rename out", "echo x >f; mv f OUTSIDE/f && echo escaped; mv .. x && echo escaped; mv ../workspace ../w2 && echo escaped"},
		{"rename in", "mv OUTSIDE/file f && echo escaped; mv OUTSIDE out && echo escaped"},
		{"parent", "echo >../new && echo escaped; echo >../outside/new && echo escaped; (cd .. && echo >new) && echo escaped"},
		{"deep parent", "mkdir -p a/b/c && cd a/b/c && mv ../../b ../../../b2; echo >../../../../outside/new && echo escaped"},
		{"own root", "echo >/proc/self/root/OUTSIDE/new && echo escaped; echo >/proc/self/cwd/../outside/new && echo escaped"},
		{"other root", "for p in /proc/[0-9]*; do [ $p = /proc/$$ ] && continue; echo >$p/root/OUTSIDE/new && echo escaped; echo >$p/cwd/new && echo escaped; done"},
		{"supervisor root", "ls /proc/$PPID/root/ && echo escaped; cat /proc/$PPID/environ && echo escaped; for i in 3 4 5 6; do echo >/proc/$PPID/fd/$i && echo escaped; done"},
		{"memory", "for p in $PPID 1; do dd if=/dev/zero of=/proc/$p/mem bs=1 count=1 seek=4194304 conv=notrunc && echo escaped; done"},
		{"mount", "mount -o remount,rw / && echo escaped; mount --bind OUTSIDE d && echo escaped; umount .git/hooks && echo escaped; mount -t tmpfs x d && echo escaped"},
		{"namespace", "unshare -Urm sh -c 'mount -o remount,rw,bind / && echo escaped; umount .envrc && echo escaped; echo >OUTSIDE/new' && echo escaped"},
		{"join", "nsenter -t 1 -m true && echo escaped; nsenter -t $PPID -U true && echo escaped; nsenter -t $PPID -n true && echo escaped"},
		{"chroot", "chroot OUTSIDE / && echo escaped; chroot / sh -c 'echo >OUTSIDE/new' && echo escaped"},
		{"descriptors", "for f in /proc/self/fd/*; do [ ${f##*/} -gt 3 ] && [ -d $f ] && echo escaped; done; for i in 3 4 5 6 7 8 9; do echo >&$i && echo escaped; done"},
		{"signal", "kill -0 $PPID && echo escaped; kill -STOP $PPID && echo escaped; kill -KILL 1 && echo escaped"},
		{"set-user-ID", "cp /bin/sh s; chmod 4755 s; ./s -p -c 'echo >OUTSIDE/new' && echo escaped; sudo -n true && echo escaped; su -c true && echo escaped"},
		{"device", "for d in /dev/vda /dev/sda /dev/nvme0n1 /dev/mem /dev/kmsg; do [ -e $d ] && (exec 3<>$d) && echo escaped; done; mknod n b 254 0 && echo escaped"},
		{"kernel", "echo 1 >/proc/sys/kernel/sysrq && echo escaped; echo >/proc/sys/kernel/core_pattern && echo escaped; echo x >/sys/kernel/uevent_helper && echo escaped"},
		{"control group", "mkdir /sys/fs/cgroup/pids/x && echo escaped; echo $$ >/sys/fs/cgroup/pids/tasks && echo escaped; mkdir /sys/fs/cgroup/x && echo escaped"},
		{"protected file", "echo >.envrc && echo escaped; rm -f .envrc && echo escaped; mv .envrc e && echo escaped; echo >n; mv -f n .envrc && echo escaped"},
		{"protected directory", "echo >.git/hooks/new && echo escaped; rm -rf .git/hooks && echo escaped; mv .git/hooks h && echo escaped; echo >>.git/hooks/old && echo escaped; chmod 777 .git/hooks/old && echo escaped"},
		{"its parent", "mv .git g && echo escaped; mkdir -p .git/hooks; echo >.git/hooks/new && echo escaped; cp -r .git g2 && rm -rf .git && echo escaped"},
		{"replace by a link", "mkdir -p x/hooks; ln -sfT x .git && echo escaped; mv -T x .git && echo escaped; echo >.git/hooks/new && echo escaped"},
		{"hidden", "cat OUTSIDE/private/key && echo escaped; ls OUTSIDE/private | grep . && echo escaped; cat link/private/key && echo escaped; echo >OUTSIDE/private/new && echo escaped"},
	} {
		t.Run(e.name, func(t *testing.T) {
			if e.name == "signal" && !scopesSignals() {
				t.Skip("this kernel's Landlock does not restrict signals")
			}
			r := c.run(e.line)
			if strings.Contains(r.Output, "escaped\n") {
				t.Errorf("%s", r.Output)
			}
			if d := cmp.Diff(c.state(), before); d != "" {
				t.Errorf("changed: got (-), want (+):\n%s%s", d, r.Output)
			}
		})
	}
}

// scopesSignals reports whether Landlock keeps commands from signaling other
// processes.
func scopesSignals() bool {
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	return errno == 0 && version >= 6
}

// state returns the files that a command must not change, with modes, times and
// contents, as seen from outside.
func (c confined) state() map[string]string {
	c.t.Helper()
	out := map[string]string{}
	for _, dir := range []string{c.outside, filepath.Join(c.dir, ".git"), filepath.Join(c.dir, ".envrc"), filepath.Dir(c.dir)} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err != nil {
				return err
			}
			if path == c.dir {
				return filepath.SkipDir
			}
			text := []byte{}
			info, err := d.Info()
			if err == nil && d.Type().IsRegular() {
				text, err = os.ReadFile(path)
			}
			if err == nil && path != filepath.Dir(c.dir) && path != filepath.Join(c.dir, ".git") {
				out[path] = fmt.Sprintf("%s %s %q", info.Mode(), info.ModTime(), text)
			}
			return err
		})
		if err != nil {
			c.t.Error(err)
		}
	}
	return out
}

// A user finds the home directory empty except for what a profile shows.
func TestSandboxHidesHome(t *testing.T) {
	c := confine(t)
	home := c.outside
	work := filepath.Join(home, "src", "work")
	for _, file := range []string{".ssh/id", ".gitconfig", "go/bin/tool", "go/pkg/mod/m", "notes", ".state/agent/log", "src/other/f", "src/work/f"} {
		write(t, filepath.Join(home, file), file+"\n")
	}
	c.dir = work
	c.profile.Home, c.profile.NoHome = home, true
	c.profile.Write = []string{work, filepath.Join(home, "go/pkg/mod")}
	c.profile.Show = []string{filepath.Join(home, "go"), filepath.Join(home, ".gitconfig")}
	got := c.run("cd OUTSIDE && find . | sort; cat .gitconfig src/work/f; echo x >>.gitconfig; echo >go/bin/tool; echo >new; echo new >src/work/new; echo new >go/pkg/mod/new; true")
	want := `.
./.gitconfig
./file
./go
./go/bin
./go/bin/tool
./go/pkg
./go/pkg/mod
./go/pkg/mod/m
./src
./src/work
./src/work/f
.gitconfig
src/work/f
`
	want = strings.Replace(want, "./file\n", "", 1)
	text, refused, _ := strings.Cut(got.Output, "/usr/bin/bash")
	same(t, text, want)
	if n := strings.Count(refused, "Read-only file system") + strings.Count(refused, "Permission denied"); n != 3 {
		t.Errorf("%d writes are refused, want 3: %s", n, got.Output)
	}
	for _, file := range []string{"src/work/new", "go/pkg/mod/new"} {
		if text, err := os.ReadFile(filepath.Join(home, file)); string(text) != "new\n" {
			t.Errorf("%s: %q, %v", file, text, err)
		}
	}
}
