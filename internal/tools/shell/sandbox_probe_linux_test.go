package shell_test

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"agent/internal/tools/shell"
	"agent/internal/tools/shell/sandbox"
)

// probe makes the test binary try what its argument names, and prints the results.
func probe(what string) {
	verb, arg, _ := strings.Cut(what, " ")
	switch verb {
	case "calls":
		tryCalls()
	case "escape":
		tryEscape(arg)
	case "exchange":
		fmt.Println(unix.Renameat2(unix.AT_FDCWD, arg, unix.AT_FDCWD, ".git", unix.RENAME_EXCHANGE))
	case "write":
		fmt.Println(os.WriteFile(arg, []byte("new"), 0o644), os.RemoveAll(arg+".d"))
	case "serve":
		serve(arg)
	case "listen":
		tryListen(arg)
	case "sockets":
		trySockets(arg)
	case "accepted":
		tryAccepted(arg)
	case "swap":
		trySwap(arg)
	case "files":
		tryFiles()
	case "open":
		tryOpen(arg)
	case "reopen":
		tryReopen()
	case "proc":
		tryProc()
	case "modes":
		tryModes()
	case "processes":
		tryProcesses(arg)
	case "ipc":
		tryIPC(arg)
	case "make-ipc":
		id, err := makeIPC(arg)
		fmt.Println("made", id, err)
	case "hold":
		_, _ = io.ReadAll(os.Stdin)
	case "race":
		tryRace(arg)
	case "fetch":
		network, address, _ := strings.Cut(arg, "=")
		conn, err := net.DialTimeout(network, address, 10*time.Second)
		if err == nil {
			var text []byte
			text, err = io.ReadAll(conn)
			fmt.Printf("%s", text)
		}
		fmt.Println(err)
	}
}

// tryCalls prints the errors of system calls that the filter refuses.
func tryCalls() {
	call := func(name string, number uintptr, args ...uintptr) {
		var a [6]uintptr
		copy(a[:], args)
		_, _, errno := syscall.RawSyscall6(number, a[0], a[1], a[2], a[3], a[4], a[5])
		fmt.Println(name, unix.ErrnoName(errno))
	}
	page := make([]byte, 4096)
	at := uintptr(unsafe.Pointer(&page[0]))
	call("io_uring_setup", unix.SYS_IO_URING_SETUP, 1, at)
	call("ptrace", unix.SYS_PTRACE, unix.PTRACE_TRACEME)
	call("process_vm_writev", unix.SYS_PROCESS_VM_WRITEV, uintptr(os.Getppid()), at, 0, at, 0)
	call("unshare", unix.SYS_UNSHARE, unix.CLONE_NEWUSER)
	call("clone", unix.SYS_CLONE, unix.CLONE_NEWUSER|uintptr(unix.SIGCHLD))
	call("clone3", unix.SYS_CLONE3, at, 64)
	call("setns", unix.SYS_SETNS, 0)
	call("keyctl", unix.SYS_KEYCTL)
	call("bpf", unix.SYS_BPF)
	call("x32 getpid", 0x40000000|unix.SYS_GETPID)
	call("type into a terminal", unix.SYS_IOCTL, 0, unix.TIOCSTI, at)
	call("vsock", unix.SYS_SOCKET, unix.AF_VSOCK, unix.SOCK_STREAM)
	call("packet", unix.SYS_SOCKET, unix.AF_PACKET, unix.SOCK_RAW)
	call("raw", unix.SYS_SOCKET, unix.AF_INET, unix.SOCK_RAW, 1)
	call("stream", unix.SYS_SOCKET, unix.AF_INET, unix.SOCK_STREAM)
	call("unix", unix.SYS_SOCKET, unix.AF_UNIX, unix.SOCK_STREAM)
}

// serve answers every connection. It writes its address to a file first.
func serve(file string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err == nil {
		err = os.WriteFile(file+".new", []byte(l.Addr().String()), 0o600)
	}
	if err == nil {
		err = os.Rename(file+".new", file)
	}
	fmt.Println("ready", err)
	if err == nil {
		greet(l, "hello")
	}
}

// greet answers every connection with a line until l is closed.
func greet(l net.Listener, line string) {
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		fmt.Fprintln(conn, line)
		conn.Close()
	}
}

// probe runs the test binary in the workspace and returns its output.
func (c confined) probe(what string) string {
	c.t.Helper()
	return c.run(probeLine(c.t, what)).Output
}

func probeLine(t testing.TB, what string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%s='%s' '%s'", probeVariable, what, self)
}

func TestSandboxRefusesSystemCalls(t *testing.T) {
	c := confine(t)
	want := `io_uring_setup ENOSYS
ptrace EPERM
process_vm_writev EPERM
unshare EPERM
clone EPERM
clone3 ENOSYS
setns EPERM
keyctl ENOSYS
bpf EPERM
x32 getpid ENOSYS
type into a terminal EPERM
vsock EAFNOSUPPORT
packet EAFNOSUPPORT
raw EPERM
stream 
unix 
`
	same(t, c.probe("calls"), want)
	c.profile.Network = true
	same(t, c.probe("calls"), want)
}

func TestSandboxKeepsNamesOfProtectedPaths(t *testing.T) {
	c := confine(t)
	write(t, filepath.Join(c.dir, ".git/hooks/old"), "")
	c.profile.ReadOnly = []string{filepath.Join(c.dir, ".git/hooks")}
	if err := os.Mkdir(filepath.Join(c.dir, "other"), 0o755); err != nil {
		t.Fatal(err)
	}
	same(t, c.probe("exchange other"), "device or resource busy\n")
}

// A command reaches the server that a job of its session has started, but neither
// the host's servers nor those of another session. With network it is the other
// way round.
func TestSandboxSharesNetwork(t *testing.T) {
	c := confine(t)
	address := filepath.Join(c.dir, "address")
	job, err := shell.Start(shell.Command{
		Line: probeLine(t, "serve "+address), Dir: c.dir, Env: os.Environ(), Limits: shell.Limits{Sandbox: &c.profile},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer job.Finish()
	c.run("until [ -e address ]; do sleep 0.01; done")
	text, err := os.ReadFile(address)
	if err != nil {
		t.Fatal(err)
	}
	fetch := "fetch tcp=" + string(text)
	same(t, c.probe(fetch), "hello\n<nil>\n")

	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	abstract, err := net.Listen("unix", fmt.Sprintf("@agent-test-%d", os.Getpid()))
	if err != nil {
		t.Fatal(err)
	}
	defer abstract.Close()
	named, err := net.Listen("unix", filepath.Join(c.outside, "socket"))
	if err != nil {
		t.Fatal(err)
	}
	defer named.Close()
	c.profile.Hide = []string{named.Addr().String()}
	go greet(l, "host")
	ofHost := "fetch tcp=" + l.Addr().String()
	refused := func(name, got string, words ...string) {
		t.Helper()
		for _, w := range words {
			if strings.Contains(got, w) && !strings.Contains(got, "hello") && !strings.Contains(got, "host\n") {
				return
			}
		}
		t.Errorf("%s: %s", name, got)
	}
	refused("the host's server", c.probe(ofHost), "connection refused")
	refused("an abstract socket", c.probe("fetch unix="+abstract.Addr().String()), "connection refused", "operation not permitted")
	refused("a hidden socket", c.probe("fetch unix="+named.Addr().String()), "connection refused")
	refused("another host", c.probe("fetch tcp=192.0.2.1:80"), "network is unreachable")
	refused("a name server", c.probe("fetch udp=192.0.2.1:53"), "network is unreachable")

	other := confine(t)
	refused("a server of another session", other.probe(fetch), "connection refused")
	c.profile.Network = true
	same(t, c.probe(ofHost), "host\n<nil>\n")
	refused("the job, with network", c.probe(fetch), "connection refused")
}

// The first commands of a session may start at the same time.
func TestSandboxStartsInParallel(t *testing.T) {
	if r := sandbox.Probe(); r.Form != sandbox.Complete {
		t.Skip("the complete sandbox does not work here: ", r.Reason)
	}
	c := confineAs(t, sandbox.Complete)
	done := make(chan string)
	for range 8 {
		go func() {
			r, err := shell.Run(t.Context(), shell.Command{
				Line: "readlink /proc/self/ns/net", Dir: c.dir, Env: os.Environ(), Limits: shell.Limits{Sandbox: &c.profile},
			})
			done <- fmt.Sprint(r.Output, err)
		}()
	}
	seen := map[string]bool{}
	for range 8 {
		seen[<-done] = true
	}
	host, err := os.Readlink("/proc/self/ns/net")
	if err != nil {
		t.Fatal(err)
	}
	if len(seen) != 1 || seen[host+"\n<nil>"] {
		t.Errorf("the commands are in the network namespaces %v; the host's is %s", seen, host)
	}
}

// The supervisor ends every process of a command, as it does without a sandbox.
func TestSandboxLeavesNoProcesses(t *testing.T) {
	c := confine(t)
	for _, line := range []string{
		"%[1]s & echo ready; wait", "setsid %[1]s & echo ready; %[1]s", "(setsid nohup %[1]s &) ; echo ready; %[1]s",
		"trap '' TERM INT; echo ready; %[1]s; %[1]s", "kill -STOP $PPID; echo ready; %[1]s",
	} {
		sleep := longSleep(t)
		cancel(t, shell.Command{
			Line: fmt.Sprintf(line, sleep), Dir: c.dir, Grace: 10 * time.Millisecond, Limits: shell.Limits{Sandbox: &c.profile},
		})
		wantGone(t, sleep)
	}
	sleep := longSleep(t)
	got := c.run("setsid " + sleep + " & echo started")
	same(t, []any{got.Output, got.Ended, got.Left, got.Lost}, []any{"started\n", "exit 0", true, false})
	wantGone(t, sleep)
	if !scopesSignals() {
		return
	}
	// The command cannot reach its supervisor, whose death would leave processes.
	got = c.run("kill -KILL $PPID 2>/dev/null || echo refused")
	same(t, []any{got.Output, got.Ended, got.Lost}, []any{"refused\n", "exit 0", false})
}

func TestSandboxRunsGitAndGo(t *testing.T) {
	c := confine(t)
	for _, program := range []string{"git", "go"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(program, " is not installed")
		}
	}
	home, err := os.UserHomeDir()
	if err != nil {
		t.Skip(err)
	}
	c.profile.Write = append(c.profile.Write, sandbox.UserPaths{Home: home, Env: os.Getenv}.Caches()...)
	same(t, c.run("git init -q . 2>&1").Output, "")
	c.profile.ReadOnly = []string{filepath.Join(c.dir, ".git/hooks")}
	write(t, filepath.Join(c.dir, "main.go"), "package main\n\nimport \"fmt\"\n\nfunc main() { fmt.Println(\"built\") }\n")
	write(t, filepath.Join(c.dir, "go.mod"), "module example\n\ngo 1.21\n")
	got := c.run(`set -e; export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
git add . && git commit -qm first && git status --short && echo '// more' >>main.go && git diff --stat | tail -1
git stash -q && git stash pop -q && git commit -qam second && git log --oneline | wc -l && git gc -q && git checkout -q -b side`)
	same(t, got.Output, " 1 file changed, 1 insertion(+)\n2\n")
	got = c.run("GOFLAGS=-mod=mod GOTOOLCHAIN=local go build -o program . && ./program && go vet . && go run .")
	same(t, got.Output, "built\nbuilt\n")
}

// What remains where namespaces are refused: writes are limited, there is no
// network.
func TestSandboxWithoutNamespaces(t *testing.T) {
	r := sandbox.Probe()
	if r.Form == sandbox.None {
		t.Skip(r.Reason)
	}
	if testing.Short() {
		t.Skip("make test runs it")
	}
	c := confineAs(t, sandbox.WritesOnly)
	before := c.state()
	same(t, c.run("echo a >f && sh -c 'cat f' >/dev/null && cat f; mkdir d && mv f d && ls d").Output, "a\nf\n")
	got := c.run("echo >OUTSIDE/new && echo escaped; rm OUTSIDE/file && echo escaped; ln OUTSIDE/file h && echo x >h && echo escaped; truncate -s 0 OUTSIDE/file && echo escaped")
	if strings.Contains(got.Output, "escaped\n") {
		t.Error(got.Output)
	}
	same(t, c.state(), before)
	calls := c.probe("calls")
	for _, want := range []string{"ptrace EPERM\n", "io_uring_setup ENOSYS\n", "stream EACCES\n", "raw EACCES\n", "vsock EAFNOSUPPORT\n", "unix \n"} {
		if !strings.Contains(calls, want) {
			t.Errorf("%q is missing in %s", want, calls)
		}
	}
	paths, connections := socketPlaces(t, c)
	for _, c.profile.Network = range []bool{false, true} {
		if got := c.probe("sockets " + c.dir); strings.Count(got, " hello\n") != 9 {
			t.Errorf("its own sockets: %s", got)
		}
		for _, path := range paths {
			c.probe("fetch unix=" + path)
		}
		c.probe("swap " + swaps() + " " + paths[0])
	}
	if n := connections.Load(); n != 0 {
		t.Errorf("%d connections to sockets of other programs", n)
	}
	if calls := c.probe("calls"); !strings.Contains(calls, "stream \n") {
		t.Errorf("with network: %s", calls)
	}
}

// The sandbox needs no privileges, and the program that starts it may protect its
// memory.
func TestSandboxOfAnotherUser(t *testing.T) {
	confine(t)
	if os.Getuid() != 0 {
		t.Skip("needs root to become another user")
	}
	const nobody = 65534
	dir, err := os.MkdirTemp("/var/tmp", "shell") // readable by user nobody
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	self, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	plain, work := filepath.Join(dir, "plain"), filepath.Join(dir, "work")
	for _, err := range []error{
		os.WriteFile(plain, self, 0o700), os.Chmod(plain, 0o755), os.Mkdir(work, 0o755), os.Chown(work, nobody, nobody), os.Chmod(dir, 0o777),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	sockets, connections := socketPlaces(t, confined{t: t, dir: dir, outside: dir})
	dial := ""
	for _, path := range sockets {
		dial += "; " + probeVariable + "='fetch unix=" + path + "' " + plain
	}
	cmd := program(t, "id -u; echo x >in && cat in; echo x >../out || echo refused; chmod 700 . && readlink /proc/self/ns/user"+dial)
	cmd.Path, cmd.file = plain, filepath.Join(dir, "result")
	cmd.Env = append(cmd.Env, resultVariable+"="+cmd.file, sandboxVariable+"="+work)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s, %v", out, err)
	}
	host, err := os.Readlink("/proc/self/ns/user")
	if err != nil {
		t.Fatal(err)
	}
	text := cmd.result().Output
	if !strings.HasPrefix(text, "65534\nx\n") || !strings.Contains(text, "refused\nuser:[") || strings.Contains(text, host) {
		t.Errorf("output %q", text)
	}
	if n := connections.Load(); n > 0 || strings.Contains(text, "escaped") || !strings.Contains(text, "permission denied") {
		t.Errorf("%d connections to Unix sockets: %s", n, text)
	}
}

func BenchmarkSandbox(b *testing.B) {
	dir := b.TempDir()
	for _, form := range []sandbox.Form{sandbox.None, sandbox.WritesOnly, sandbox.Complete} {
		b.Run(form.String(), func(b *testing.B) {
			c := shell.Command{Line: "true", Dir: dir, Env: os.Environ()}
			if form != sandbox.None {
				session := sandbox.NewSession(form)
				defer session.Close()
				home, _ := os.UserHomeDir()
				places := sandbox.UserPaths{Home: home, Env: os.Getenv}
				c.Limits.Sandbox = &sandbox.Profile{
					Write: append(places.Caches(), dir, os.TempDir()), ReadOnly: places.Programs(), Hide: places.Private(), Show: places.Toolchains(),
					NoHome: true, Home: home, Session: session,
				}
			}
			least, before := time.Hour, childrenCPU(b)
			for b.Loop() {
				began := time.Now()
				if r, err := shell.Run(b.Context(), c); err != nil || r.Code != 0 {
					b.Fatal(r, err)
				}
				least = min(least, time.Since(began))
			}
			b.ReportMetric(float64(least.Microseconds())/1000, "least-ms")
			b.ReportMetric(float64((childrenCPU(b)-before).Microseconds())/1000/float64(b.N), "cpu-ms/op")
		})
	}
}

// childrenCPU returns the CPU time of processes that have ended. Unlike the time
// of the clock it does not depend on other work of the machine.
func childrenCPU(b *testing.B) time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_CHILDREN, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
