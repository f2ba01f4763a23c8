//go:build amd64 || arm64

package sandbox

import "golang.org/x/sys/unix"

// rule is the action of the filter for one system call. A rule without values and
// bits always applies; otherwise it looks at the low 32 bits of an argument. The
// first rule that applies decides; a call without one is allowed.
type rule struct {
	number uintptr
	arg    int
	mask   uint32   // if not 0, only these bits are compared with values and others
	bits   uint32   // applies if one of these bits is set
	values []uint32 // applies if the argument is one of these
	others []uint32 // applies if the argument is none of these
	action uint32   // SECCOMP_RET_…
}

// refuse makes a system call fail with errno.
func refuse(errno unix.Errno) uint32 { return unix.SECCOMP_RET_ERRNO | uint32(errno) }

// ioctls that put text into the input of a terminal.
var typing = [...]uint32{unix.TIOCSTI, 0x541c /* TIOCLINUX */}

// refused returns the rules of every sandbox. unixOnly also refuses sockets of the
// network, for a process that has no network namespace.
func refused(unixOnly bool) []rule {
	rules := []rule{
		// These bypass the filter or reach other processes. clone3 hides its flags
		// in memory; programs fall back to clone.
		{number: unix.SYS_IO_URING_SETUP, action: refuse(unix.ENOSYS)},
		{number: unix.SYS_IO_URING_ENTER, action: refuse(unix.ENOSYS)},
		{number: unix.SYS_IO_URING_REGISTER, action: refuse(unix.ENOSYS)},
		{number: unix.SYS_CLONE3, action: refuse(unix.ENOSYS)},
		{number: unix.SYS_PTRACE, action: refuse(unix.EPERM)},
		{number: unix.SYS_PROCESS_VM_READV, action: refuse(unix.EPERM)},
		{number: unix.SYS_PROCESS_VM_WRITEV, action: refuse(unix.EPERM)},
		{number: unix.SYS_PIDFD_GETFD, action: refuse(unix.EPERM)},
		// New namespaces would give capabilities.
		{number: unix.SYS_CLONE, bits: unix.CLONE_NEWUSER, action: refuse(unix.EPERM)},
		{number: unix.SYS_UNSHARE, bits: unix.CLONE_NEWUSER, action: refuse(unix.EPERM)},
		{number: unix.SYS_SETNS, action: refuse(unix.EPERM)},
		// Keys of the user's session, and parts of the kernel that commands do not need.
		{number: unix.SYS_KEYCTL, action: refuse(unix.ENOSYS)},
		{number: unix.SYS_ADD_KEY, action: refuse(unix.ENOSYS)},
		{number: unix.SYS_REQUEST_KEY, action: refuse(unix.ENOSYS)},
		{number: unix.SYS_BPF, action: refuse(unix.EPERM)},
		{number: unix.SYS_USERFAULTFD, action: refuse(unix.EPERM)},
		{number: unix.SYS_IOCTL, arg: 1, values: typing[:], action: refuse(unix.EPERM)},
	}
	if unixOnly {
		return append(rules,
			rule{number: unix.SYS_SOCKET, values: []uint32{unix.AF_INET, unix.AF_INET6}, action: refuse(unix.EACCES)},
			rule{number: unix.SYS_SOCKET, others: []uint32{unix.AF_UNIX}, action: refuse(unix.EAFNOSUPPORT)})
	}
	// Other families, such as vsock, are not confined by a network namespace.
	families := []uint32{unix.AF_UNIX, unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK}
	return append(rules, rule{number: unix.SYS_SOCKET, others: families, action: refuse(unix.EAFNOSUPPORT)})
}

// unixSockets returns the rules for Unix sockets. If nobody listens, who would decide about
// connections, there are none but pairs. A socket of another type than these two could send
// to any address without connect.
func unixSockets(listen bool) []rule {
	connected := []uint32{unix.SOCK_STREAM, unix.SOCK_SEQPACKET}
	rules := []rule{
		{number: unix.SYS_SOCKETPAIR, others: []uint32{unix.AF_UNIX}, action: refuse(unix.EAFNOSUPPORT)},
		{number: unix.SYS_SOCKETPAIR, arg: 1, mask: 0xf, others: connected, action: refuse(unix.EACCES)},
	}
	if !listen {
		return append(rules, rule{number: unix.SYS_SOCKET, values: []uint32{unix.AF_UNIX}, action: refuse(unix.EACCES)})
	}
	return append(rules,
		rule{number: unix.SYS_SOCKET, others: []uint32{unix.AF_UNIX}, action: unix.SECCOMP_RET_ALLOW},
		rule{number: unix.SYS_SOCKET, arg: 1, mask: 0xf, others: connected, action: refuse(unix.EACCES)},
		rule{number: unix.SYS_CONNECT, action: unix.SECCOMP_RET_USER_NOTIF})
}

// ofIPC returns the rules for a command without an IPC namespace of its own: it has neither
// shared memory and semaphores of System V nor message queues. To refuse new ones is not
// enough, because the ID of one that exists can be guessed.
func ofIPC() (rules []rule) {
	for _, number := range []uintptr{
		unix.SYS_SHMGET, unix.SYS_SHMAT, unix.SYS_SHMCTL, unix.SYS_SEMGET, unix.SYS_SEMOP, unix.SYS_SEMTIMEDOP, unix.SYS_SEMCTL,
		unix.SYS_MSGGET, unix.SYS_MSGSND, unix.SYS_MSGRCV, unix.SYS_MSGCTL,
		unix.SYS_MQ_OPEN, unix.SYS_MQ_UNLINK, unix.SYS_MQ_TIMEDSEND, unix.SYS_MQ_TIMEDRECEIVE, unix.SYS_MQ_NOTIFY, unix.SYS_MQ_GETSETATTR,
	} {
		rules = append(rules, rule{number: number, action: refuse(unix.ENOSYS)})
	}
	return rules
}

// changesInodes are the lowest 16 bits of ioctls that change the flags of files, and of those that
// change subvolumes of Btrfs.
var changesInodes = [...]uint32{
	0x6602 /* FS_IOC_SETFLAGS, FS_IOC32_SETFLAGS */, 0x5820 /* FS_IOC_FSSETXATTR */, 0x6685, /* FS_IOC_ENABLE_VERITY */
	0x9401 /* BTRFS_IOC_SNAP_CREATE */, 0x940e /* BTRFS_IOC_SUBVOL_CREATE */, 0x940f, /* BTRFS_IOC_SNAP_DESTROY */
	0x9417 /* BTRFS_IOC_SNAP_CREATE_V2 */, 0x9418 /* BTRFS_IOC_SUBVOL_CREATE_V2 */, 0x943f, /* BTRFS_IOC_SNAP_DESTROY_V2 */
}

// ofAttributes returns the rules for a command that cannot change extended attributes and the flags
// of files. Programs that copy files continue without them.
func ofAttributes() (rules []rule) {
	for _, number := range []uintptr{
		unix.SYS_SETXATTR, unix.SYS_LSETXATTR, unix.SYS_FSETXATTR, unix.SYS_SETXATTRAT,
		unix.SYS_REMOVEXATTR, unix.SYS_LREMOVEXATTR, unix.SYS_FREMOVEXATTR, unix.SYS_REMOVEXATTRAT,
		unix.SYS_FILE_SETATTR,
	} {
		rules = append(rules, rule{number: number, action: refuse(unix.EOPNOTSUPP)})
	}
	return append(rules, rule{number: unix.SYS_IOCTL, arg: 1, mask: 0xffff, values: changesInodes[:], action: refuse(unix.EOPNOTSUPP)})
}

// held returns the rules that send system calls to a listener.
func held(calls []Held) (rules []rule) {
	for _, c := range calls {
		rules = append(rules, rule{number: c.Number, arg: c.Arg, bits: c.Bits, action: unix.SECCOMP_RET_USER_NOTIF})
	}
	return rules
}

// Offsets in the seccomp_data of a system call.
const (
	numberAt = 0
	archAt   = 4
	argsAt   = 16 // each argument has 8 bytes, in little-endian order
)

const (
	load  = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
	equal = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
	atMin = unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K
	anyOf = unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K
	ret   = unix.BPF_RET | unix.BPF_K
)

// compile returns the filter of the rules. System calls of other architectures,
// and those of x32 on amd64, fail with ENOSYS.
func compile(rules []rule) []unix.SockFilter {
	missing := refuse(unix.ENOSYS)
	filter := []unix.SockFilter{
		{Code: load, K: archAt},
		{Code: equal, Jt: 1, K: architecture},
		{Code: ret, K: missing},
		{Code: load, K: numberAt},
		{Code: atMin, Jf: 1, K: foreignCalls},
		{Code: ret, K: missing},
	}
	for _, r := range rules {
		block := r.compile()
		filter = append(filter, unix.SockFilter{Code: equal, Jf: uint8(len(block)), K: uint32(r.number)})
		filter = append(filter, block...)
	}
	return append(filter, unix.SockFilter{Code: ret, K: unix.SECCOMP_RET_ALLOW})
}

// compile returns the instructions for a call whose number is that of the rule.
// If the rule does not apply, they reload the number for the next rule.
func (r rule) compile() []unix.SockFilter {
	decide := unix.SockFilter{Code: ret, K: r.action}
	reload := unix.SockFilter{Code: load, K: numberAt}
	out := []unix.SockFilter{{Code: load, K: uint32(argsAt + 8*r.arg)}}
	if r.mask != 0 {
		out = append(out, unix.SockFilter{Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: r.mask})
	}
	switch {
	case r.bits != 0:
		return append(out, unix.SockFilter{Code: anyOf, Jf: 1, K: r.bits}, decide, reload)
	case r.values != nil:
		for i, v := range r.values {
			out = append(out, unix.SockFilter{Code: equal, Jt: uint8(len(r.values) - i), K: v})
		}
		skip := unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JA, K: 1}
		return append(out, skip, decide, reload)
	case r.others != nil:
		for i, v := range r.others {
			out = append(out, unix.SockFilter{Code: equal, Jt: uint8(len(r.others) - i), K: v})
		}
		return append(out, decide, reload)
	}
	return []unix.SockFilter{decide}
}
