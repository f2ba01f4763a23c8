package shell_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"agent/internal/sampling"
	"agent/internal/tools/shell/sandbox"
)

// tryFiles prints the results of system calls that change files, in a directory that has
// a file "f", a read-only file "ro", links and a named pipe.
func tryFiles() {
	show := func(name string, err error) {
		text := "ok"
		if errno, ok := err.(syscall.Errno); ok {
			text = unix.ErrnoName(errno)
		} else if err != nil {
			text = err.Error()
		}
		fmt.Println(name, text)
	}
	open := func(path string, flags int, mode uint32) int {
		fd, err := unix.Open(path, flags, mode)
		text := ""
		if err == nil {
			set, _ := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
			onExec, _ := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
			var info unix.Stat_t
			_ = unix.Fstat(fd, &info)
			text = fmt.Sprintf("flags %#x %d mode %o", set&^(unix.O_LARGEFILE|0x8000|unix.O_NOFOLLOW), onExec, info.Mode)
		}
		show(fmt.Sprintf("open %s %#x %s", path, flags, text), err)
		return fd
	}
	const w, create, excl = unix.O_WRONLY, unix.O_WRONLY | unix.O_CREAT, unix.O_WRONLY | unix.O_CREAT | unix.O_EXCL
	for _, path := range []string{
		"f", "ro", "none", "d", ".", "/", "..", "f/", "d/", "none/", "f/x", "tof", "tod", "dangling", "tof/", "tod/", "dangling/", "loop", "",
		"noaccess/f", "noaccess/new", strings.Repeat("n", 256), "/etc/passwd", "/proc/self/comm", "/proc/self/oom_score_adj", "/dev/null", "/dev/kmsg",
		"/dev/tty", "pipe/", "socket", "/proc/1/mem", "/proc/self/fd/99", "/proc/1/fd/0", "/sys/kernel/mm/ksm/run",
	} {
		for _, flags := range []int{w, w | unix.O_NOFOLLOW, w | unix.O_TRUNC | unix.O_APPEND, unix.O_RDWR | unix.O_DIRECTORY, excl} {
			if fd := open(path, flags|unix.O_CLOEXEC, 0o666); fd >= 0 {
				unix.Close(fd)
			}
		}
		for _, one := range []struct {
			name string
			call func() error
		}{
			{"mkdir", func() error { return unix.Mkdir(path, 0o777) }},
			{"symlink", func() error { return unix.Symlink("x", path) }},
			{"mknod", func() error { return unix.Mknod(path, unix.S_IFCHR|0o666, int(unix.Mkdev(1, 3))) }},
			{"link", func() error { return unix.Link("ro", path) }},
			{"link to", func() error { return unix.Link(path, "/proc/none") }},
			{"rename", func() error { return unix.Rename(path, "none/x") }},
			{"onto", func() error { return unix.Rename("missing", path) }},
			{"truncate", func() error { return unix.Truncate(path, 3) }},
			{"chmod", func() error { return unix.Fchmodat(unix.AT_FDCWD, path, 0o750, unix.AT_SYMLINK_NOFOLLOW) }},
			{"times", func() error { return unix.UtimesNano(path, []unix.Timespec{{Sec: 1}, {Sec: 2, Nsec: unix.UTIME_OMIT}}) }},
			{"times of a link", func() error { return unix.UtimesNanoAt(unix.AT_FDCWD, path, nil, unix.AT_SYMLINK_NOFOLLOW) }},
			{"times in microseconds", func() error { return unix.Utimes(path, []unix.Timeval{{Sec: 1}, {Sec: 2, Usec: 1e6}}) }},
			{"times in seconds", func() error { return unix.Utime(path, &unix.Utimbuf{Modtime: 5}) }},
		} {
			if strings.HasPrefix(one.name, "link") || one.name == "rename" || one.name == "onto" {
				if len(path) > unix.NAME_MAX || strings.HasPrefix(path, "noaccess") {
					continue // which of two errors comes first does not matter
				}
			}
			show(one.name+" "+path, one.call())
		}
	}
	for _, umask := range []int{0, 0o027, 0o777} {
		unix.Umask(umask)
		path := fmt.Sprintf("created%o", umask)
		fd := open(path, create|unix.O_APPEND, 0o6666)
		_, err := unix.Write(fd, []byte("x"))
		show("write", err)
		show("mkdir", unix.Mkdir(path+"d", 0o1777))
		show("mkfifo", unix.Mkfifo(path+"p", 0o666))
		unix.Close(open(".", unix.O_TMPFILE|unix.O_RDWR, 0o666))
		for _, p := range []string{path, path + "d", path + "p"} {
			var info unix.Stat_t
			show("stat", unix.Stat(p, &info))
			fmt.Printf("%o %d\n", info.Mode, info.Uid)
		}
	}
	unix.Umask(0o022)
	tryDescriptors(show, open)
}

// tryDescriptors is the part of tryFiles about files that are open.
func tryDescriptors(show func(string, error), open func(string, int, uint32) int) {
	again := func(fd, flags int) int { return open(fmt.Sprintf("/proc/self/fd/%d", fd), flags, 0) }
	write := func(fd int, text string) {
		_, err := unix.Write(fd, []byte(text))
		show("write", err)
	}
	// Removed files, memory and pipes.
	fd := open("gone", unix.O_RDWR|unix.O_CREAT, 0o600)
	show("unlink", unix.Unlink("gone"))
	second := again(fd, unix.O_WRONLY|unix.O_APPEND)
	write(second, "text")
	text := make([]byte, 9)
	n, err := unix.Pread(fd, text, 0)
	show(string(text[:n]), err)
	show("chmod", unix.Fchmod(fd, 0o640))
	show("times", unix.UtimesNanoAt(fd, "", []unix.Timespec{{Sec: 1}, {Sec: 2, Nsec: 3}}, unix.AT_EMPTY_PATH))
	show("now", unix.Futimes(fd, []unix.Timeval{{Sec: 4}, {Sec: 5, Usec: 6}}))
	var info unix.Stat_t
	show(fmt.Sprint(unix.Fstat(fd, &info), info.Atim, info.Mtim), nil)
	memory, err := unix.MemfdCreate("m", unix.MFD_ALLOW_SEALING)
	show("memory", err)
	unix.Close(again(memory, unix.O_RDWR))
	_, err = unix.FcntlInt(uintptr(memory), unix.F_ADD_SEALS, unix.F_SEAL_WRITE)
	show("seal", err)
	again(memory, unix.O_RDWR|unix.O_TRUNC)
	var pipe [2]int
	show("pipe", unix.Pipe(pipe[:]))
	write(again(pipe[1], unix.O_WRONLY), "pipe")
	n, err = unix.Read(pipe[0], text)
	show(string(text[:n]), err)
	show("chmod of a pipe", unix.Fchmod(pipe[0], 0o600))
	show("chmod of nothing", unix.Fchmod(99, 0o600))
	_, err = unix.Openat(99, "x", unix.O_WRONLY, 0)
	show("openat of nothing", err)
	// A nameless file gets a name.
	nameless := open(".", unix.O_TMPFILE|unix.O_RDWR, 0o644)
	write(nameless, "named")
	show("link", unix.Linkat(unix.AT_FDCWD, fmt.Sprintf("/proc/self/fd/%d", nameless), unix.AT_FDCWD, "named", unix.AT_SYMLINK_FOLLOW))
	show("link of a link", unix.Link("tof", "tof2"))
	to, err := os.Readlink("tof2")
	show(to, err)
	// Pipes with names: each side waits for the other.
	done := make(chan int)
	go func() { fd, _ := unix.Open("pipe", unix.O_RDONLY, 0); done <- fd }()
	write(open("pipe", unix.O_WRONLY, 0), "in")
	n, err = unix.Read(<-done, text)
	show(string(text[:n]), err)
	_, err = unix.Open("pipe2", unix.O_WRONLY|unix.O_NONBLOCK, 0)
	show("pipe without a reader", err)
	// A running program, a full table of descriptors, the limit of sizes.
	self, _ := os.ReadFile("/proc/self/exe")
	_ = os.WriteFile("program", self, 0o755)
	run := exec.Command("./program")
	run.Env = append(os.Environ(), probeVariable+"=hold")
	in, _ := run.StdinPipe()
	show("start", run.Start())
	_, err = unix.Open("program", unix.O_WRONLY, 0)
	show("running program", err)
	in.Close()
	_ = run.Wait()
	low := unix.Rlimit{Cur: uint64(fd) + 1, Max: 4096}
	show("limit", unix.Setrlimit(unix.RLIMIT_NOFILE, &low))
	_, err = unix.Open("f", unix.O_WRONLY, 0)
	for err == nil { // fills the gaps
		_, err = unix.Open("f", unix.O_WRONLY, 0)
	}
	show("many", err)
}

// The calls that the program makes for a command have the results that they have without.
func TestCallsOfStrictCommands(t *testing.T) {
	results := map[bool]string{}
	for _, strict := range []bool{false, true} {
		w := watch(t, sandbox.Complete)
		write(t, filepath.Join(w.dir, "f"), "text\n")
		write(t, filepath.Join(w.dir, "ro"), "text\n")
		write(t, filepath.Join(w.dir, "noaccess/f"), "text\n")
		write(t, filepath.Join(w.dir, "d/f"), "text\n")
		for link, to := range map[string]string{"tof": "f", "tod": "d", "dangling": "missing", "loop": "loop"} {
			if err := os.Symlink(to, filepath.Join(w.dir, link)); err != nil {
				t.Fatal(err)
			}
		}
		for _, err := range []error{
			os.Chmod(w.dir, 0o750), // as the probe does: a strict command cannot change it
			os.Chmod(filepath.Join(w.dir, "ro"), 0o444), unix.Mkfifo(filepath.Join(w.dir, "pipe"), 0o644), unix.Mkfifo(filepath.Join(w.dir, "pipe2"), 0o644),
			unix.Mknod(filepath.Join(w.dir, "socket"), unix.S_IFSOCK|0o644, 0), os.Chmod(filepath.Join(w.dir, "noaccess"), 0),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
		t.Cleanup(func() { _ = os.Chmod(filepath.Join(w.dir, "noaccess"), 0o755) })
		w.order.Strict, w.order.Git = strict, true
		w.order.MaxFile = 64 << 20
		r := w.run(probeLine(t, "files"))
		results[strict] = r.Output
		if r.Kept.Refused != nil {
			t.Errorf("refused: %v", r.Kept.Refused)
		}
	}
	if !strings.HasSuffix(results[false], "many EMFILE\n") {
		t.Errorf("the calls ended early: %s", results[false])
	}
	same(t, strings.Split(results[true], "\n"), strings.Split(results[false], "\n"))
}

// tryOpen creates files, and prints for which the call did not return a new descriptor of
// the file.
func tryOpen(count string) {
	tries, _ := strconv.Atoi(count)
	var opened, named unix.Stat_t
	for i := range tries {
		name := fmt.Sprintf("file%d", i%100)
		fd, err := unix.Open(name, unix.O_WRONLY|unix.O_CREAT|unix.O_TRUNC|unix.O_CLOEXEC, 0o644)
		if err == nil {
			err = unix.Fstat(fd, &opened)
		}
		if err == nil {
			err = unix.Stat(name, &named)
		}
		if err != nil || opened.Ino != named.Ino {
			fmt.Println(name, fd, err)
			return
		}
		unix.Close(fd)
	}
	fmt.Println("opened", tries)
}

// A command can run a program right after it has written it, and lock a file again after it
// has closed it.
func TestStrictCommandsKeepNoFileOpen(t *testing.T) {
	w := watch(t, sandbox.Complete)
	w.order.Strict, w.order.MaxFile = true, 64<<20
	if r := w.run(probeLine(t, "reopen")); r.Output != "done\n" {
		t.Errorf("the command ended with %d: %s", r.Code, r.Output)
	}
}

// The program opens nothing in procfs for a command: it may read there what the command may not.
func TestStrictCommandsReadNoProcesses(t *testing.T) {
	w := watch(t, sandbox.Complete)
	w.order.Strict, w.order.MaxFile = true, 64<<20
	if r := w.run(probeLine(t, "proc")); r.Output != strings.Repeat("permission denied\n", 5)+"opened\n" {
		t.Errorf("the command ended with %d: %s", r.Code, r.Output)
	}
}

// tryProc opens files in procfs that may be created, and one without that.
func tryProc() {
	open := func(name string, flags int) {
		fd, err := unix.Open(name, flags, 0o600)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println("opened")
		unix.Close(fd)
	}
	for _, name := range []string{"environ", "mem", "maps", "auxv", "task/../environ"} {
		open("/proc/self/"+name, unix.O_RDONLY|unix.O_CREAT)
	}
	open("/proc/self/environ", unix.O_RDONLY)
}

// tryReopen writes programs and runs them, and locks a file with one descriptor after the
// other.
func tryReopen() {
	for i := range 200 {
		name := fmt.Sprintf("./program%d", i%10)
		if err := os.WriteFile(name, []byte("#!/bin/sh\n"), 0o755); err != nil {
			fmt.Println("write", i, err)
		}
		if err := exec.Command(name).Run(); err != nil {
			fmt.Println("run", i, err)
		}
		fd, err := unix.Open("lock", unix.O_RDWR|unix.O_CREAT, 0o600)
		if err == nil {
			err = unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB)
		}
		if err != nil {
			fmt.Println("lock", i, err)
		}
		unix.Close(fd)
	}
	fmt.Println("done")
}

// Signals to the process that makes the calls, such as those of Go's runtime, do not change
// results.
func TestSignalsDuringStrictCalls(t *testing.T) {
	w := watch(t, sandbox.Complete)
	w.order.Strict = true
	ended := make(chan struct{})
	var storm sync.WaitGroup
	storm.Go(func() {
		for {
			select {
			case <-ended:
				return
			default:
				signalChildren(unix.SIGURG)
			}
		}
	})
	count := "2000"
	if sampling.Whole() {
		count = "20000"
	}
	r := w.run(probeLine(t, "open "+count))
	close(ended)
	storm.Wait()
	if r.Output != "opened "+count+"\n" {
		t.Errorf("the command ended with %d: %s", r.Code, r.Output)
	}
}

// signalChildren sends a signal to every thread of the children of this process.
func signalChildren(signal syscall.Signal) {
	lists, _ := filepath.Glob("/proc/self/task/*/children")
	for _, list := range lists {
		children, _ := os.ReadFile(list)
		for _, child := range strings.Fields(string(children)) {
			threads, _ := os.ReadDir("/proc/" + child + "/task")
			for _, thread := range threads {
				pid, _ := strconv.Atoi(child)
				tid, _ := strconv.Atoi(thread.Name())
				_ = unix.Tgkill(pid, tid, signal)
			}
		}
	}
}

// Programs work in a command whose calls the program makes.
func TestProgramsInStrictCommands(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds a program, and runs without -short")
	}
	for _, c := range []struct{ needs, line string }{
		{"go", `printf 'module m\n' >go.mod; printf 'package main\n\nfunc main() { println("works") }\n' >m.go
GOCACHE=$PWD/cache GOPATH=$PWD/path GOFLAGS=-mod=mod go build -o m . && ./m 2>&1`},
		{"git", `git init -q . && git config user.name x && git config user.email x && echo 1 >a && git add a && git commit -qm one && git checkout -qb b &&
echo 2 >a && git commit -qam two && git checkout -q - && git merge -q b && git stash list && git worktree add -q w b~0 --detach && git gc -q && git fsck && git log -1 --format=tformat:works`},
		{"python3", `python3 -c '
import os, sqlite3, subprocess, tempfile
db = sqlite3.connect("db")
db.execute("create table t (x)")
db.execute("pragma journal_mode=wal")
for i in range(20):
    with db: db.execute("insert into t values (?)", (i,))
assert db.execute("select count(*) from t").fetchone()[0] == 20
for i in range(3):
    with open("log", "a") as f: f.write("line\n")
assert open("log").read() == "line\n" * 3
with tempfile.TemporaryFile(dir=".") as f: f.write(b"x")
with tempfile.NamedTemporaryFile(dir=".") as f: f.write(b"x")
os.mkfifo("p")
reader = subprocess.Popen(["cat", "p"], stdout=subprocess.PIPE)
open("p", "w").write("works\n")
print(reader.communicate()[0].decode(), end="")'`},
		{"npm", `npm init -y >/dev/null && npm pkg set scripts.x="echo works" && npm run -s x`},
		{"cc", `printf '#include <stdio.h>\nint main(void) { puts("works"); }\n' >m.c; cc -o m m.c && ./m`},
		{"make", `printf 'all: a b\na b:\n\techo x >$@\n' >Makefile && make -sj4 && cat a b | wc -l && echo works`},
		{"script", `script -qc 'echo works >/dev/tty; echo x >>/dev/pts/0' /dev/null </dev/null | head -1 | tr -d '\r'`},
		{"xz", `echo works >x; xz x && xz -dc x.xz`},
		{"tar", `mkdir d; echo works >d/f; ln -s f d/l; tar czf d.tgz d && rm -r d && tar xf d.tgz && cat d/l`},
	} {
		t.Run(c.needs, func(t *testing.T) {
			if _, err := exec.LookPath(c.needs); err != nil {
				t.Skip(c.needs, " is not installed")
			}
			if c.needs == "go" && !sampling.Whole() {
				t.Skip("make promises runs it: it compiles the standard library")
			}
			w := watch(t, sandbox.Complete)
			w.order.Strict, w.order.Git, w.order.MaxFile = true, true, 64<<20
			w.profile.Write = append(w.profile.Write, os.TempDir())
			if r := w.run(c.line); r.Code != 0 || !strings.HasSuffix(r.Output, "works\n") || r.Kept.Refused != nil {
				t.Errorf("the command ended with %d: %s, %+v", r.Code, r.Output, r.Kept.Refused)
			}
		})
	}
}
