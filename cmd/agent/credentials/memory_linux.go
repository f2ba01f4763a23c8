package credentials

import "golang.org/x/sys/unix"

// ProtectMemory keeps the memory and the environment of this process, where API
// keys are, from other processes of the same user, the commands of the model
// among them: they cannot read /proc/PID/environ and /proc/PID/mem any more,
// nor trace the process, and a crash writes no core file. The kernel lets root
// do so all the same. A program that this one starts is not affected, because
// execve resets the flag: the helper processes hold no keys.
//
// Debuggers cannot attach to the process for the same reason. Start the program
// in the debugger as root instead. SIGQUIT still writes what it is doing.
func ProtectMemory() { _ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) }
