//go:build amd64 || arm64

package sandbox

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Command is a command to start in the current directory.
type Command struct {
	Args   []string // path of the program, and its arguments
	Env    []string
	Input  int // descriptors; they are closed in the command, which gets copies
	Output int // standard output
	Errors int // standard error
	Cgroup int // descriptor of a control group of version 2; -1 means none
	// User, Net, IPC and Mounts are descriptors of the namespaces of the session.
	User, Net, IPC, Mounts int
	// Listen makes Start return a Listener, which decides about connections and gets the
	// system calls in Held. Without it the command can connect to no Unix socket.
	Listen bool
	Held   []Held
	// NoAttributes makes changes of extended attributes fail, as on a file system without them.
	// Some of them change the permissions of files.
	NoAttributes bool
}

// stage is a part of the setup that can fail.
type stage byte

const (
	joining stage = iota + 1
	mounting
	hiding
	protecting
	restricting
	dropping
	filtering
	preparing
	executing
)

func (s stage) String() string {
	switch s {
	case joining:
		return "enter the namespaces"
	case mounting:
		return "mount the writable paths"
	case hiding:
		return "hide private paths"
	case protecting:
		return "protect read-only paths"
	case restricting:
		return "restrict writes with Landlock"
	case dropping:
		return "drop capabilities"
	case filtering:
		return "install the filter of system calls"
	case preparing:
		return "prepare the process"
	}
	return "execute the shell"
}

// Error is a failure to set up a sandbox or to execute the command in it.
type Error struct {
	stage stage
	step  int
	errno syscall.Errno
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s: %v (step %d)", e.stage, e.errno, e.step)
}

func (e *Error) Unwrap() error { return e.errno }

// Value packs an error of Start for a report of the supervisor.
func Value(err error) uint32 {
	e := &Error{stage: preparing}
	if !errors.As(err, &e) {
		errors.As(err, &e.errno)
	}
	return uint32(e.stage)<<24 | uint32(e.step&0xfff)<<12 | uint32(e.errno)&0xfff
}

// Unpack returns the error of a value.
func Unpack(v uint32) error {
	return &Error{stage: stage(v >> 24), step: int(v >> 12 & 0xfff), errno: syscall.Errno(v & 0xfff)}
}

// Start starts a command with the words of Profile.Order. The process is the
// leader of a process group and dies with the thread that calls Start. The caller
// serves and closes the listener; it is nil without Command.Listen. An error is
// an *Error if the system refused something.
func Start(words []string, c Command) (pid int, l *Listener, err error) {
	p, err := parse(words)
	if err != nil {
		return 0, nil, err
	}
	socket := -1
	var pair [2]int
	if c.Listen {
		pair, err = unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			return 0, nil, err
		}
		defer unix.Close(pair[0])
		defer unix.Close(pair[1])
		socket = pair[1]
	}
	s, err := p.steps(c, socket)
	if err != nil {
		return 0, nil, err
	}
	pid, err = s.execute(c.Cgroup)
	if err != nil || socket < 0 {
		return pid, nil, err
	}
	if l, err = receiveListener(pair[0], newGate(p, c)); err != nil {
		_ = unix.Kill(pid, unix.SIGKILL)
		await(pid)
		return 0, nil, err
	}
	return pid, l, nil
}

// await waits for the end of a child.
func await(pid int) {
	for _, err := unix.Wait4(pid, nil, 0, nil); err == unix.EINTR; {
		_, err = unix.Wait4(pid, nil, 0, nil)
	}
}

// execute starts the steps and waits until execve has succeeded or a step failed.
func (s *steps) execute(cgroup int) (pid int, err error) {
	var pipe [2]int
	if err := syscall.Pipe2(pipe[:], syscall.O_CLOEXEC); err != nil {
		return 0, err
	}
	defer syscall.Close(pipe[0])
	pid, err = s.start(pipe[1], cgroup)
	syscall.Close(pipe[1])
	if err != nil {
		return 0, err
	}
	if err := s.failure(pipe[0]); err != nil {
		await(pid)
		return 0, err
	}
	return pid, nil
}

// failure waits until the last step has been executed. It returns the error of
// the step that failed, if any.
func (s *steps) failure(status int) error {
	b := make([]byte, 8)
	n, err := syscall.Read(status, b)
	for err == syscall.EINTR {
		n, err = syscall.Read(status, b)
	}
	if n != len(b) {
		return nil
	}
	i := int(binary.NativeEndian.Uint32(b))
	return &Error{stage: s.list[i].stage, step: i, errno: syscall.Errno(binary.NativeEndian.Uint32(b[4:]))}
}

// steps returns the system calls that turn a child into the command. It sends the
// listener to socket.
func (p plan) steps(c Command, socket int) (*steps, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	s := new(steps)
	s.add(preparing, unix.SYS_SETPGID, 0, 0)
	layout := p.layout()
	if p.form == Complete {
		if err := p.makePoints(layout); err != nil {
			return nil, err
		}
		s.join(c, p)
		s.mount(p, layout)
		s.add(preparing, unix.SYS_CHDIR, s.text(dir)) // the old directory is outside the new mounts
	}
	for fd, from := range []int{c.Input, c.Output, c.Errors} {
		s.add(preparing, unix.SYS_DUP3, uintptr(from), uintptr(fd), 0)
	}
	s.add(preparing, unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1)
	if err := s.restrict(layout, p.form == Complete); err != nil {
		return nil, err
	}
	s.dropCapabilities()
	if p.files > 0 {
		s.limitFiles(p.files)
	}
	// After the changes above, which clear it.
	s.add(preparing, unix.SYS_PRCTL, unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL))
	s.add(preparing, unix.SYS_GETPPID)
	rules := append(refused(p.form != Complete && !p.network), unixSockets(c.Listen)...)
	rules = append(rules, ofProcesses(c.Listen)...)
	if !p.ipc {
		rules = append(rules, ofIPC()...)
	}
	if c.NoAttributes {
		rules = append(rules, ofAttributes()...)
	}
	s.filter(append(rules, held(c.Held)...), socket)
	argv, err := syscall.SlicePtrFromStrings(c.Args)
	if err != nil {
		return nil, err
	}
	envp, err := syscall.SlicePtrFromStrings(c.Env)
	if err != nil {
		return nil, err
	}
	s.add(executing, unix.SYS_EXECVE, s.text(c.Args[0]), pointer(s, &argv[0]), pointer(s, &envp[0]))
	return s, nil
}

// filter installs the filter of system calls. It sends its listener to socket; -1 means
// that no calls are held.
func (s *steps) filter(rules []rule, socket int) {
	filter := compile(rules)
	program := pointer(s, &unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]})
	if socket >= 0 {
		s.sendListener(program, socket)
	} else {
		s.add(filtering, unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, program)
	}
}

// join enters the namespaces of the session and a new mount namespace.
func (s *steps) join(c Command, p plan) {
	s.add(joining, unix.SYS_SETNS, uintptr(c.User), unix.CLONE_NEWUSER)
	if !p.network {
		s.add(joining, unix.SYS_SETNS, uintptr(c.Net), unix.CLONE_NEWNET)
	}
	if p.ipc {
		s.add(joining, unix.SYS_SETNS, uintptr(c.IPC), unix.CLONE_NEWIPC)
	}
	if len(p.overlays) > 0 {
		s.add(joining, unix.SYS_SETNS, uintptr(c.Mounts), unix.CLONE_NEWNS)
	}
	s.add(joining, unix.SYS_UNSHARE, unix.CLONE_NEWNS)
	s.add(joining, unix.SYS_MOUNT, s.text("none"), s.text("/"), 0, unix.MS_REC|unix.MS_PRIVATE, 0)
}

// here is AT_FDCWD as an argument.
const here = ^uintptr(99)

// makePoints creates mount points in the temporary directory of the command. They have no
// permissions, so that they are recognized.
func (p plan) makePoints(layout []entry) error {
	for _, e := range layout {
		if e.above == nil || e.above.access != temp || e.access == temp {
			continue
		}
		dir, err := openPlain(p.part(e.above))
		if err != nil {
			return &Error{stage: mounting, errno: err.(syscall.Errno)}
		}
		err = makePoint(dir, filepath.Base(e.path), e.dir)
		unix.Close(dir)
		if err != nil {
			return &Error{stage: mounting, errno: err.(syscall.Errno)}
		}
	}
	return nil
}

// plainPath opens a directory whose path has no links: an earlier command may have been able to
// replace a part of the path.
var plainPath = unix.OpenHow{Flags: unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS}

func openPlain(path string) (fd int, err error) {
	how := plainPath
	for {
		if fd, err = unix.Openat2(unix.AT_FDCWD, path, &how); err != unix.EINTR && err != unix.EAGAIN {
			return fd, err
		}
	}
}

// makePoint creates a mount point in a directory. It replaces a file that is in the way.
func makePoint(dir int, name string, isDir bool) error {
	create := func() error {
		if isDir {
			return unix.Mkdirat(dir, name, 0)
		}
		return unix.Mknodat(dir, name, unix.S_IFREG, 0)
	}
	err := create()
	if err != unix.EEXIST {
		return err
	}
	var info unix.Stat_t
	if err := unix.Fstatat(dir, name, &info, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return err
	}
	switch kind := info.Mode & unix.S_IFMT; {
	case kind == unix.S_IFDIR && isDir, kind == unix.S_IFREG && !isDir:
		return nil
	case kind == unix.S_IFDIR:
		return unix.EISDIR
	}
	if err := unix.Unlinkat(dir, name, 0); err != nil {
		return err
	}
	return create()
}

// mount makes everything read-only, and mounts the entries of a layout.
func (s *steps) mount(p plan, layout []entry) {
	trees, dirs := make([]int32, len(layout)), make([]int32, len(layout))
	everything := false // set if / is writable
	for i, e := range layout {
		if e.access == write && e.path == "/" {
			everything = true
		} else if e.access == temp {
			how := plainPath
			s.add(mounting, unix.SYS_OPENAT2, here, s.text(p.part(&e)), pointer(s, &how), unsafe.Sizeof(how)).save = &dirs[i]
			open := s.add(mounting, unix.SYS_OPEN_TREE, 0, s.text(""), unix.OPEN_TREE_CLONE|unix.AT_EMPTY_PATH|unix.O_CLOEXEC)
			open.load, open.save = &dirs[i], &trees[i]
		} else if e.access == write || e.access == show {
			s.add(mounting, unix.SYS_OPEN_TREE, here, s.text(p.source(e)), unix.OPEN_TREE_CLONE|unix.AT_RECURSIVE|unix.O_CLOEXEC).save = &trees[i]
		}
	}
	if !everything {
		s.setReadOnly(mounting, "/", unix.AT_RECURSIVE)
	}
	for i, e := range layout {
		begun := len(s.list)
		switch {
		case e.path == "/":
		case e.access == write || e.access == show || e.access == temp:
			s.makePlace(e)
			move := s.add(mounting, unix.SYS_MOVE_MOUNT, 0, s.text(""), here, s.text(e.path), unix.MOVE_MOUNT_F_EMPTY_PATH)
			move.load = &trees[i]
			if e.access == show {
				s.setReadOnly(mounting, e.path, unix.AT_RECURSIVE)
			}
		case e.access.hides() && e.dir:
			s.add(hiding, unix.SYS_MOUNT, s.text("none"), s.text(e.path), s.text("tmpfs"), unix.MS_NOSUID|unix.MS_NODEV, s.text("mode=0755,size=1m"))
		case e.access == hide:
			s.add(hiding, unix.SYS_MOUNT, s.text(os.DevNull), s.text(e.path), 0, unix.MS_BIND, 0)
		default:
			s.add(protecting, unix.SYS_MOUNT, s.text(e.path), s.text(e.path), 0, unix.MS_BIND|unix.MS_REC, 0)
			if e.access == readOnly {
				s.setReadOnly(protecting, e.path, unix.AT_RECURSIVE)
			}
		}
		s.permitMissing(p, e, begun)
	}
	for _, e := range layout {
		if begun := len(s.list); e.access.hides() {
			s.setReadOnly(hiding, e.path, 0)
			s.permitMissing(p, e, begun)
		}
	}
	s.mountDevices(p.ipc)
}

// permitMissing lets the steps from a number on fail if e is in a directory of which the command
// changes a copy: an earlier command may have removed what is there. Then there is nothing to protect.
func (s *steps) permitMissing(p plan, e entry, from int) {
	for above := e.above; above != nil; above = above.above {
		if p.source(*above) == above.path {
			continue
		}
		for i := from; i < len(s.list); i++ {
			s.list[i].skip = max(s.list[i].skip, 0)
		}
		return
	}
}

// makePlace creates an empty file or directory as the mount point of e if e is
// below a hidden path.
func (s *steps) makePlace(e entry) {
	above := e.above
	for above != nil && above.access == pin {
		above = above.above
	}
	if above == nil || !above.access.hides() {
		return
	}
	names := strings.Split(strings.TrimPrefix(e.path, above.path+"/"), "/")
	dir := above.path
	for i, name := range names {
		dir = filepath.Join(dir, name)
		if i == len(names)-1 && !e.dir {
			s.add(hiding, unix.SYS_MKNODAT, here, s.text(dir), unix.S_IFREG|0o444, 0).skip = 0
		} else {
			s.add(hiding, unix.SYS_MKDIRAT, here, s.text(dir), 0o755).skip = 0
		}
	}
}

// setReadOnly makes the mount at a path read-only.
func (s *steps) setReadOnly(at stage, path string, flags uintptr) {
	attr := &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}
	s.add(at, unix.SYS_MOUNT_SETATTR, here, s.text(path), flags, pointer(s, attr), unix.MOUNT_ATTR_SIZE_VER0)
}

// mountDevices gives the command terminals and shared memory of its own, and the message
// queues of its IPC namespace if there is one.
func (s *steps) mountDevices(ipc bool) {
	const queues = 0x19800202 // MQUEUE_MAGIC
	var info unix.Statfs_t
	if ipc && unix.Statfs("/dev/mqueue", &info) == nil && info.Type == queues {
		s.add(mounting, unix.SYS_MOUNT, s.text("none"), s.text("/dev/mqueue"), s.text("mqueue"), unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, 0)
	}
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() {
		s.add(mounting, unix.SYS_MOUNT, s.text("none"), s.text("/dev/shm"), s.text("tmpfs"), unix.MS_NOSUID|unix.MS_NODEV, s.text("mode=1777"))
	}
	if info, err := os.Stat("/dev/pts"); err == nil && info.IsDir() {
		s.add(mounting, unix.SYS_MOUNT, s.text("none"), s.text("/dev/pts"), s.text("devpts"), unix.MS_NOSUID|unix.MS_NOEXEC, s.text("newinstance,ptmxmode=0666,mode=0600"))
		if _, err := os.Stat("/dev/ptmx"); err == nil {
			s.add(mounting, unix.SYS_MOUNT, s.text("/dev/pts/ptmx"), s.text("/dev/ptmx"), 0, unix.MS_BIND, 0)
		}
	}
}

// dropCapabilities drops all capabilities for good, even those that user 0 gains
// by executing a program.
func (s *steps) dropCapabilities() {
	const noRoot = 1<<0 | 1<<1 | 1<<2 | 1<<3 // SECBIT_NOROOT, SECBIT_NO_SETUID_FIXUP, both locked
	s.add(dropping, unix.SYS_PRCTL, unix.PR_SET_SECUREBITS, noRoot).skip = 0
	for c := range uintptr(unix.CAP_LAST_CAP + 1) {
		s.add(dropping, unix.SYS_PRCTL, unix.PR_CAPBSET_DROP, c).skip = 0
	}
	s.add(dropping, unix.SYS_PRCTL, unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL).skip = 0
	header := &unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	s.add(dropping, unix.SYS_CAPSET, pointer(s, header), pointer(s, new([2]unix.CapUserData)))
}

// limitFiles restores the soft limit of open files, which every Go program raises
// for itself.
func (s *steps) limitFiles(soft uint64) {
	limit := new(unix.Rlimit)
	if unix.Getrlimit(unix.RLIMIT_NOFILE, limit) != nil {
		return
	}
	limit.Cur = min(soft, limit.Max)
	s.add(preparing, unix.SYS_PRLIMIT64, 0, unix.RLIMIT_NOFILE, pointer(s, limit), 0)
}
