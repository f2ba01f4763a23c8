package tools_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"agent/internal/sampling"
	"agent/internal/tools"
)

// A command that nobody approved cannot change or create a protected path while it runs, also
// where no scan of the workspace comes.
func TestProtectedPathsAreRefused(t *testing.T) {
	c := confineCommands(t)
	_, ok := c.keep(true)
	ok.Access, ok.Snapshot.MaxFile = tools.Access{Strict: true}, 1<<20
	for i := range 600 { // a scan finds 500
		c.put(fmt.Sprintf("a%d/f", i), "")
	}
	const deep = "z/d/"
	c.put(deep+".envrc", "mine\n")
	c.put(deep+"old/.vscode/tasks.json", "mine\n")
	c.put(deep+"alt/f", "")
	c.put("z/alt2/f", "")
	for i := range 7 {
		c.put(fmt.Sprintf("z/p%d/f", i), "")
	}
	for i := range 5 {
		c.put(fmt.Sprintf("z/e%d/f", i), "")
	}
	c.put(deep+"w/workflows/ci.yml", "mine\n")
	c.put(deep+"node_modules/p/f", "")
	c.put("z/l/f", "")
	toReadOnly := strings.Repeat("../", 20) + "bin/true"
	if err := os.Symlink(toReadOnly, filepath.Join(c.dir, "z/l/.envrc")); err != nil {
		t.Fatal(err)
	}
	c.git("init", "-q", "--bare", deep+"bare")
	for _, row := range []struct {
		line    string
		refused string // the path that the result names; empty if the command works
	}{
		{"echo evil >z/d/new; mkdir z/d/.VSCODE", deep + ".VSCODE"},
		{"echo evil >z/d/.envrc", deep + ".envrc"},
		{"echo evil >>z/d/.envrc", deep + ".envrc"},
		{"truncate -s 0 z/d/.envrc", deep + ".envrc"},
		{"rm z/d/.envrc", deep + ".envrc"},
		{"mv z/d/.envrc z/d/x", deep + ".envrc"},
		{"chmod 777 z/d/.envrc", deep + ".envrc"},
		{"ln z/d/.envrc z/d/x && echo evil >z/d/x", deep + ".envrc"},
		{"echo evil >z/f && mv z/f z/d/.envrc", deep + ".envrc"},
		{"cp a1/f z/.envrc", "z/.envrc"},
		{"ln -s /bin/true z/.envrc", "z/.envrc"},
		{"ln a1/f z/.envrc", "z/.envrc"},
		{"mkfifo z/.envrc", "z/.envrc"},
		{"echo evil >.envrc", ".envrc"},
		{"echo evil >z/d/old/.vscode/tasks.json", deep + "old/.vscode"},
		{"echo evil >z/d/old/.vscode/new", deep + "old/.vscode"},
		{"rm -r z/d/old/.vscode", deep + "old/.vscode"},
		{"mv z/d/w z/.github", "z/.github/workflows"},
		{"rm z/l/.envrc", "z/l/.envrc"},
		{"echo evil >z/evil && mv z/evil z/l/.envrc", "z/l/.envrc"},
		{"ln -s d/w z/.github", "z/.github"},
		{"ln -s d/w z/l1 && mv -T z/l1 z/.github", "z/.github"},
		{"ln -s d/w z/l2 && ln -P z/l2 z/.github", "z/.github"},
		{"mkdir z/n2 && rmdir z/n2 && mv z/d/alt z/n2 && git init -q z/n2; echo evil >z/n2/.envrc", "z/n2/.envrc"},
		{"echo evil >z/d/bare/hooks/post-checkout", deep + "bare/hooks"},
		{"echo evil >>z/d/bare/config", deep + "bare/config"},
		{"echo evil >z/d/bare/config.worktree", deep + "bare/config.worktree"},
		{"mv z/d/bare z/b", deep + "bare"},
		{"rm z/d/bare/HEAD", deep + "bare/HEAD"},
		{"mv z/e0 z/target && echo evil >z/target/.envrc; mv z/target z/e0", "z/e0/.envrc"},
		{"mkdir z/v && rmdir z/v && mv z/e3 z/v && git init -q z/v && rm -r z/v/.git; mkdir z/v/.git z/v/.git/refs z/v/.git/objects && echo x >z/v/.git/HEAD; echo evil >z/v/.envrc", "z/v/.envrc"},
		{"mv z/d/old z/d/vendor", deep + "old/.vscode"},
		{"mkdir -p z/target/s && echo x >z/target/s/.envrc && git init -q z/n7 && mv z/target/s z/n7/s", "z/n7/s/.envrc"},
		{"mv z/d/old z/d/older", deep + "older/.vscode"},
		{"mv z/e4 z/e5 && mv z/e5 z/e4", ""},
		{"git init -q z/r3 && echo x >z/r3/.envrc && mv z/r3 z/r4", ""},
		{"echo fine >z/d/node_modules/p/.envrc", ""},
		{"git init -q z/r0 && mkdir z/r0/.vscode && echo x >z/r0/.vscode/f && rm -rf z/r0/.git && rm -r z/r0", ""},
		{"git init -q z/r1 && echo x >z/r1/.envrc && mv z/r1 z/r2 && echo y >z/r2/.envrc && mkdir z/r2/.vscode && rm -r z/r2/.vscode z/r2/.envrc", ""},
		{"git init -q z/repo && echo fine >z/repo/.envrc && mkdir -p z/repo/sub/.vscode", ""},
		{"git init -q --bare z/repo.git && git -C z/repo.git config user.name c", ""},
	} {
		call, err := c.prepare("shell", map[string]any{"command": row.line})
		if err != nil {
			t.Fatal(err)
		}
		r, err := call.Run(t.Context(), ok)
		if err != nil {
			t.Fatal(err)
		}
		want := "could not change " + row.refused + ", which is protected ("
		if named := strings.Contains(r.Text, want); named != (row.refused != "") || r.IsError && !named || r.Blocked != nil || !named && strings.Contains(r.Text, "protected") {
			t.Errorf("%s: got %s, %+v:\n%s", row.line, r.Summary, r.Blocked, r.Text)
		}
	}
	// In directories that a command creates, it may, but what is left is renamed.
	const inNew = "mkdir -p z/n/sub z/d/.github z/gone && echo x >z/n/sub/.envrc && mkdir z/n/sub/.vscode z/d/.github/workflows && echo x >z/gone/.envrc && rm -r z/gone && mv z/n z/m"
	for line, renamed := range map[string]int{
		inNew: 3,
		"git init -q z/n5 && echo x >z/n5/.envrc && mv z/n5/.git z/n5/x; mv z/n5 z/e1/n":                                                           1,
		"mkdir z/q1 && echo evil >z/q1/.envrc && mv z/e4/* z/q1/ && rmdir z/e4 && mv z/q1 z/e4 && git init -q z/e4":                                1,
		"mv z/alt2 z/s && echo >z/s/HEAD; rm z/s/HEAD; mv z/s z/alt2; mkdir -p z/n8/s && git init -q z/n8 && echo x >z/n8/s/.envrc; mv z/n8/s z/s": 1,
		"git init -q z/n6 && mkdir -p z/n6/.github/workflows && mv z/n6/.github z/e2/.github":                                                      1,
	} {
		call, err := c.prepare("shell", map[string]any{"command": line})
		if err != nil {
			t.Fatal(err)
		}
		if r, err := call.Run(t.Context(), ok); err != nil || r.IsError || strings.Count(r.Text, "renamed to") != renamed {
			t.Errorf("%s: got %s, %v", line, r.Text, err)
		}
	}
	// Git may, in a command that runs it, but what it creates is renamed.
	const byGit = "git config -f z/.envrc a.b c; git diff --no-index --output=z/d/.github/workflows /dev/null a0/f; git -C z/d/bare config core.fsmonitor evil"
	for _, ok.Snapshot.Git = range []bool{true, false} {
		if err := os.MkdirAll(filepath.Join(c.dir, deep, ".github"), 0o755); err != nil {
			t.Fatal(err)
		}
		call, err := c.prepare("shell", map[string]any{"command": byGit})
		if err != nil {
			t.Fatal(err)
		}
		if r, err := call.Run(t.Context(), ok); err != nil || strings.Contains(r.Text, "renamed to") != ok.Snapshot.Git || !strings.Contains(r.Text, "z/.envrc, which is protected") ||
			strings.Contains(c.git("-C", deep+"bare", "config", "--list"), "evil") {
			t.Errorf("git: got %s, %v", r.Text, err)
		}
		for name := range strings.SplitSeq("z/.envrc.agent-removed "+deep+".github "+deep+"bare/config.agent-removed", " ") {
			os.RemoveAll(filepath.Join(c.dir, name))
		}
	}
	// A repository in a directory that was there before is checked, wherever it is.
	for _, line := range []string{
		"git init -q z/p0; git -C z/p0 config core.fsmonitor /bin/evil",
		"git init -q z/t && git -C z/t config core.fsmonitor /bin/evil; mv z/t/.git z/p1",
		"git init -q --bare z/p2 && git -C z/p2 config core.fsmonitor /bin/evil",
		"(cd z/p3 && mkdir objects refs && printf '[core]\n\tfsmonitor = /bin/evil\n' >config && echo 'ref: refs/heads/x' >HEAD)",
		"git init -q z/q && git -C z/q config core.fsmonitor /bin/evil; mv z/q z/p4/q",
		"git init -q z/q2 && git -C z/q2 config core.fsmonitor /bin/evil; mv z/q2/.git z/p3/gd",
		`python3 -c '
import os, socket
bind = lambda name: socket.socket(socket.AF_UNIX).bind(name)
os.chdir("z/p6"); os.mkdir("objects"); bind("HEAD")
open("h", "w").write("ref: refs/heads/x\n"); os.rename("h", "HEAD")
open("config", "w").write("[core]\n\tfsmonitor = /bin/evil\n")
os.umask(0); bind("refs")'`,
		"mkdir z/p5/n && git init -q z/p5/n && git -C z/p5/n config core.fsmonitor /bin/evil; git init -q z/p5",
	} {
		call, err := c.prepare("shell", map[string]any{"command": line})
		if err != nil {
			t.Fatal(err)
		}
		r, err := call.Run(t.Context(), ok)
		if err != nil || !strings.Contains(r.Text, "core.fsmonitor") && !strings.Contains(r.Text, "could not change z/p6/config") {
			t.Errorf("%s: got %s, %v", line, r.Text, err)
		}
	}
	for _, dir := range []string{"z/p0", "z/p1", "z/p2", "z/p3", "z/p4/q", "z/p3/gd", "z/p5/n", "z/p6"} {
		if text := c.git("-C", dir, "config", "--list"); strings.Contains(text, "evil") {
			t.Errorf("%s: git runs a program of the command:\n%s", dir, text)
		}
	}
	for _, name := range []string{deep + ".envrc", deep + "old/.vscode/tasks.json", deep + "w/workflows/ci.yml"} {
		if text, err := os.ReadFile(filepath.Join(c.dir, name)); string(text) != "mine\n" {
			t.Errorf("%s: got %q, %v", name, text, err)
		}
	}
	for _, name := range []string{".envrc", "z/.envrc", "z/m/sub/.envrc", "z/m/sub/.vscode", "z/n2/.envrc", "z/e0/.envrc", "z/e4/.envrc", "z/s/.envrc", "z/e1/n/.envrc", "z/e2/.github/workflows", deep + ".VSCODE", deep + ".github/workflows", deep + "old/.vscode/new", deep + "bare/hooks/post-checkout", deep + "bare/config.worktree"} {
		if c.exists(name) {
			t.Errorf("%s was created", name)
		}
	}
}

// What a command has created at a path gives it no right to what others put there later.
func TestRepositoryAtTheSamePath(t *testing.T) {
	c := confineCommands(t)
	_, ok := c.keep(true)
	ok.Access = tools.Access{Strict: true}
	c.put("m/f", "")
	call, err := c.prepare("shell", map[string]any{"command": `mkdir m/.git && rmdir m/.git && touch ready && until [ -e made ]; do sleep 0.02; done
echo evil >m/.git/hooks/post-checkout; echo evil >>m/.git/config; rm -f m/.git/HEAD; mv m/.git m/other; mkdir m/.git2`})
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan tools.Result)
	go func() {
		r, err := call.Run(t.Context(), ok)
		if err != nil {
			t.Error(err)
		}
		done <- r
	}()
	for !c.exists("ready") {
		time.Sleep(5 * time.Millisecond)
	}
	c.git("init", "-q", "m")
	c.put("made", "")
	r := <-done
	if !c.exists("m/.git/HEAD") || c.exists("m/.git/hooks/post-checkout") || !c.exists("m/.git2") || strings.Contains(c.git("-C", "m", "config", "--list"), "evil") {
		t.Errorf("the repository changed: %s", r.Text)
	}
}

// A directory that a command makes unreadable, where no scan gets, is readable after it: what the
// command changed in it can be seen and undone.
func TestUnreadableDirectories(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root reads every directory")
	}
	c := confineCommands(t)
	_, ok := c.keep(true)
	ok.Access = tools.Access{Strict: true}
	for i := range 6000 { // no scan gets to z
		if err := os.Mkdir(filepath.Join(c.dir, fmt.Sprint("a", i)), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	c.put("z/d/f", "mine\n")
	c.put("z/e/f", "mine\n")
	if r := c.runApproved("echo evil >z/d/f; chmod 0 z/d; echo evil >z/e/f; chmod 0300 z/e", ok); r.IsError {
		t.Fatal(r.Text)
	}
	for _, dir := range []string{"z/d", "z/e"} {
		if info, err := os.Stat(filepath.Join(c.dir, dir)); err != nil || info.Mode()&0o500 != 0o500 {
			t.Errorf("the mode of %s is %v, %v", dir, info.Mode(), err)
		}
	}
}

// Two threads rename a directory and what is in it. Each of the two renames is allowed, but not
// both.
func TestProtectedPathsByARace(t *testing.T) {
	if testing.Short() {
		t.Skip("it races until a time limit")
	}
	c := confineCommands(t)
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is not installed")
	}
	_, ok := c.keep(true)
	ok.Access = tools.Access{Strict: true}
	for i := range 6000 { // no scan gets to z
		if err := os.Mkdir(filepath.Join(c.dir, fmt.Sprint("a", i)), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	c.put("z/sub/f", "")
	c.put("race.py", `import os, threading, time
stop = False
def move(a, b):
    try: os.rename(a, b)
    except OSError: pass
def swap():
    while not stop:
        move("z/sub", "z/.github"); move("z/.github", "z/sub")
os.makedirs("z/stage"); open("z/stage/ci.yml", "w").write("evil")
t = threading.Thread(target=swap); t.start()
end = time.time() + 2
while time.time() < end and not os.path.exists("z/.github/workflows/ci.yml"):
    move("z/stage", "z/sub/workflows"); move("z/sub/workflows", "z/stage")
stop = True; t.join()
move("z/sub", "z/.github")
`)
	if r := c.runApproved("python3 race.py", ok); c.exists("z/.github/workflows") {
		t.Errorf("z/.github/workflows was created: %s", r.Text)
	}
}

// A command that nobody approved changes neither owners nor the mode of the workspace itself: undo
// restores neither.
func TestOwnersAreRefused(t *testing.T) {
	c := confineCommands(t)
	_, ok := c.keep(true)
	ok.Access = tools.Access{Strict: true}
	c.put("run.sh", "#!/bin/sh\n")
	script := filepath.Join(c.dir, "run.sh")
	if err := os.Chmod(script, 0o755|os.ModeSetuid); err != nil {
		t.Fatal(err)
	}
	for line, works := range map[string]bool{
		"chown $(id -u):$(id -g) run.sh":    true,
		"chown -h $(id -u) run.sh":          true,
		"chown 12345 run.sh":                false,
		"chgrp 12345 run.sh":                false,
		"chmod 0777 .":                      false,
		"cp -p run.sh copy && chmod 0700 .": true,
		"python3 -c 'import os; os.fchown(os.open(\"run.sh\", os.O_RDONLY), 12345, -1)'": false,
	} {
		if r := c.runApproved(line, ok); strings.Contains(r.Text, "[exit 0]") != works {
			t.Errorf("%s: got %s", line, r.Text)
		}
	}
	if info, err := os.Stat(script); err != nil || info.Mode() != 0o755|os.ModeSetuid {
		t.Errorf("the mode is %v, %v", info.Mode(), err)
	}
}

// A command that nobody approved does not change the flags of files, which undo does not restore.
func TestFlagsOfFilesAreRefused(t *testing.T) {
	c := confineCommands(t)
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is not installed")
	}
	c.put("f", "x")
	r := c.strictly(`python3 -c '
import ctypes, fcntl, os
libc = ctypes.CDLL(None, use_errno=True)
f, zero = os.open("f", os.O_RDONLY), bytes(4096)
for request in 0x40086602, 0x40046602, 0x401c5820, 0x40806685, 0x50009401, 0x5000940e, 0x5000940f, 0x50009417, 0x50009418, 0x5000943f:
    ctypes.set_errno(0)
    libc.ioctl(f, ctypes.c_ulong(request), zero)
    print(hex(request), ctypes.get_errno())
ctypes.set_errno(0)
libc.syscall(469, -100, b"f", zero, 24, 0)
print("file_setattr", ctypes.get_errno())
ctypes.set_errno(0)
libc.ioctl(f, ctypes.c_ulong(0x80086601), ctypes.create_string_buffer(8))
print("get", ctypes.get_errno() != 95)
'`, false)
	if n := strings.Count(r.Text, fmt.Sprintf(" %d\n", int(unix.EOPNOTSUPP))); n != 11 || !strings.Contains(r.Text, "get True\n") {
		t.Errorf("%d calls of 11 are not supported: %s", n, r.Text)
	}
}

// Each call that waits to open a named pipe needs a thread of the supervisor, so their number is
// limited.
func TestManyWaitingPipes(t *testing.T) {
	c := confineCommands(t)
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is not installed")
	}
	_, ok := c.keep(true)
	ok.Access = tools.Access{Strict: true}
	c.put("pipes.py", `import errno, os, threading
os.mkfifo("p")
refused = threading.Semaphore(0)
def write():
    try: os.open("p", os.O_WRONLY)
    except OSError as e:
        if e.errno == errno.ENFILE: refused.release()
for i in range(300): threading.Thread(target=write, daemon=True).start()
for i in range(44): refused.acquire()
print("refused", flush=True)
os._exit(0)
`)
	if r := c.runApproved("python3 pipes.py", ok); !strings.Contains(r.Text, "refused") {
		t.Errorf("got %s", r.Text)
	}
}

// A rename is refused also if its old name appears only after the check.
func TestRenamesOfWhatAppears(t *testing.T) {
	if testing.Short() {
		t.Skip("it races until a time limit")
	}
	c := confineCommands(t)
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is not installed")
	}
	_, ok := c.keep(true)
	ok.Access = tools.Access{Strict: true}
	c.put("z/sub/f", "")
	seconds := "0.3"
	if sampling.Whole() {
		seconds = "2"
	}
	c.put("race.py", strings.Replace(`import os, time
end = time.time() + SECONDS
child = os.fork()
while child == 0 and time.time() < end:
    try:
        os.close(os.open("z/x", os.O_CREAT | os.O_WRONLY)); os.unlink("z/x")
    except OSError: pass
if child == 0: os._exit(0)
while time.time() < end:
    try:
        os.rename("z/x", "z/sub/.envrc"); end = 0
    except OSError: pass
os.kill(child, 9); os.wait()
`, "SECONDS", seconds, 1))
	if r := c.runApproved("python3 race.py", ok); strings.Contains(r.Text, "renamed to") || c.exists("z/sub/.envrc") {
		t.Errorf("a protected file was created: %s", r.Text)
	}
}
