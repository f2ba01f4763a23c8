package shell_test

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"agent/internal/tools/shell/sandbox"
)

// openQueue opens a POSIX message queue.
func openQueue(name string, flags int) (fd uintptr, errno unix.Errno) {
	text, err := unix.BytePtrFromString(name)
	if err != nil {
		return 0, unix.EINVAL
	}
	fd, _, errno = unix.Syscall6(unix.SYS_MQ_OPEN, uintptr(unsafe.Pointer(text)), uintptr(flags), 0o600, 0, 0, 0)
	return fd, errno
}

// tryIPC prints the errors of system calls on the shared memory that arg names by key and
// ID, and on the message queues of the same number.
func tryIPC(arg string) {
	var key, id int
	_, _ = fmt.Sscan(arg, &key, &id)
	show := func(name string, err error) {
		errno, _ := err.(unix.Errno)
		fmt.Println(name, unix.ErrnoName(errno))
	}
	_, err := unix.SysvShmGet(key, 4096, 0)
	show("shmget", err)
	if text, err := unix.SysvShmAttach(id, 0, unix.SHM_RDONLY); err == nil {
		fmt.Printf("shmat %.6s\n", text)
	} else {
		show("shmat", err)
	}
	_, err = unix.SysvShmCtl(id, unix.IPC_RMID, nil)
	show("shmctl", err)
	_, _, errno := unix.Syscall(unix.SYS_MSGGET, uintptr(key), 0, 0)
	show("msgget", errno)
	_, _, errno = unix.Syscall(unix.SYS_SEMGET, uintptr(key), 1, 0)
	show("semget", errno)
	_, errno = openQueue(strconv.Itoa(key), unix.O_RDONLY)
	show("mq_open", errno)
}

// makeIPC creates what tryIPC tries and prints its ID.
func makeIPC(arg string) (id int, err error) {
	key, err := strconv.Atoi(arg)
	if err != nil {
		return 0, err
	}
	if id, err = unix.SysvShmGet(key, 4096, unix.IPC_CREAT|0o600); err != nil {
		return 0, err
	}
	at, err := unix.SysvShmAttach(id, 0, 0)
	if err != nil {
		return id, err
	}
	copy(at, "secret")
	for _, number := range []uintptr{unix.SYS_MSGGET, unix.SYS_SEMGET} {
		size := uintptr(unix.IPC_CREAT | 0o600) // flags of msgget
		if number == unix.SYS_SEMGET {
			size = 1
		}
		if _, _, errno := unix.Syscall(number, uintptr(key), size, unix.IPC_CREAT|0o600); errno != 0 {
			return id, errno
		}
	}
	_, errno := openQueue(arg, unix.O_CREAT|unix.O_RDONLY)
	if errno != 0 {
		return id, errno
	}
	return id, nil
}

// removeIPC removes what makeIPC has created in this process's namespace.
func removeIPC(key, id int) {
	_, _ = unix.SysvShmCtl(id, unix.IPC_RMID, nil)
	if queue, _, errno := unix.Syscall(unix.SYS_MSGGET, uintptr(key), 0, 0); errno == 0 {
		_, _, _ = unix.Syscall(unix.SYS_MSGCTL, queue, unix.IPC_RMID, 0)
	}
	if set, _, errno := unix.Syscall(unix.SYS_SEMGET, uintptr(key), 1, 0); errno == 0 {
		_, _, _ = unix.Syscall6(unix.SYS_SEMCTL, set, 0, unix.IPC_RMID, 0, 0, 0)
	}
	if name, err := unix.BytePtrFromString(strconv.Itoa(key)); err == nil {
		_, _, _ = unix.Syscall(unix.SYS_MQ_UNLINK, uintptr(unsafe.Pointer(name)), 0, 0)
	}
}

// Commands see no shared memory, semaphores and message queues of other programs. In the
// complete form they have their own, which all commands of a session share.
func TestSandboxHasItsOwnIPC(t *testing.T) {
	if r := sandbox.Probe(); r.Form == sandbox.None {
		t.Skip(r.Reason)
	}
	key := 1<<24 | os.Getpid()
	id, err := makeIPC(strconv.Itoa(key))
	t.Cleanup(func() { removeIPC(key, id) })
	if err != nil {
		t.Fatal(err)
	}
	try := fmt.Sprintf("ipc %d %d", key, id)
	t.Run("writes only", func(t *testing.T) {
		c := confineAs(t, sandbox.WritesOnly)
		same(t, c.probe(try), "shmget ENOSYS\nshmat ENOSYS\nshmctl ENOSYS\nmsgget ENOSYS\nsemget ENOSYS\nmq_open ENOSYS\n")
	})
	t.Run("complete", func(t *testing.T) {
		c := confine(t)
		for _, c.profile.Network = range []bool{false, true} {
			same(t, c.probe(try), "shmget ENOENT\nshmat EINVAL\nshmctl EINVAL\nmsgget ENOENT\nsemget ENOENT\nmq_open ENOENT\n")
		}
		own := key + 1
		var made int
		out := c.probe("make-ipc " + strconv.Itoa(own))
		if _, err := fmt.Sscanf(out, "made %d <nil>", &made); err != nil {
			t.Fatal(out)
		}
		same(t, c.probe(fmt.Sprintf("ipc %d %d", own, made)), "shmget \nshmat secret\nshmctl \nmsgget \nsemget \nmq_open \n")
		if _, err := unix.SysvShmGet(own, 4096, 0); err != unix.ENOENT {
			t.Errorf("the memory of a command is that of the system: %v", err)
		}
		if _, errno := openQueue(strconv.Itoa(own), unix.O_RDONLY); errno != unix.ENOENT {
			t.Errorf("the queue of a command is that of the system: %v", errno)
		}
	})
	if text, err := unix.SysvShmAttach(id, 0, unix.SHM_RDONLY); err != nil || !strings.HasPrefix(string(text), "secret") {
		t.Errorf("the shared memory of this process is changed: %.6s %v", text, err)
	}
}
