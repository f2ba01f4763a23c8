package credentials

import "golang.org/x/sys/unix"

// ProtectMemory protects the API keys in the memory and the environment of this
// process from other processes of the same user, including commands of the model:
// they cannot read /proc/PID/environ or /proc/PID/mem or trace the process, and a
// crash writes no core file. Root still can. Child processes are not protected,
// because execve resets the flag; helper processes hold no keys.
//
// Debuggers cannot attach either: start the program in a debugger as root. SIGQUIT
// still writes the goroutine stacks.
func ProtectMemory() { _ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) }
