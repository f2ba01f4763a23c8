package supervisor

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
)

// cgroup is a control group that limits the processes and threads of one command.
// It is used if this program can create one. The command must start in the group,
// because moving a running process is ten times as slow as starting one. In
// cgroup v1 this thread, which can be moved cheaply, joins the group while it
// starts the command; in v2 the kernel starts the command in the group.
type cgroup struct {
	dir  string
	home string // our own group in v1; "" in v2
}

// newCgroup creates a control group for the process started with attr. It returns
// nil if that is impossible.
func newCgroup(limit int, attr *syscall.SysProcAttr) *cgroup {
	above, home := parentCgroup()
	if above == "" || limit <= 0 {
		return nil
	}
	c := &cgroup{dir: above + name(os.Getpid()), home: home}
	if syscall.Mkdir(c.dir, 0o755) != nil {
		return nil
	}
	err := write(c.dir+"/pids.max", strconv.Itoa(limit))
	switch {
	case err != nil:
	case home != "":
		err = write(c.dir+"/tasks", "0")
	default:
		attr.CgroupFD, err = syscall.Open(c.dir, syscall.O_RDONLY|syscall.O_DIRECTORY|syscall.O_CLOEXEC, 0)
		attr.UseCgroupFD = err == nil
	}
	if err != nil {
		c.remove()
		return nil
	}
	return c
}

// disableCgroup makes attr start the process without a v2 group. It reports
// whether there was one.
func disableCgroup(attr *syscall.SysProcAttr) bool {
	was := attr.UseCgroupFD
	attr.UseCgroupFD = false
	return was
}

// cgroupOf returns the descriptor of the v2 group in which attr starts a process,
// or -1.
func cgroupOf(attr *syscall.SysProcAttr) int {
	if attr.UseCgroupFD {
		return attr.CgroupFD
	}
	return -1
}

// restoreThread moves this thread back to its group, so that the supervisor can
// create threads when the command has used up the limit.
func (c *cgroup) restoreThread() {
	if c != nil && c.home != "" {
		_ = write(c.home+"/tasks", "0")
	}
}

// freeze prevents new processes in the group.
func (c *cgroup) freeze() {
	if c != nil {
		_ = write(c.dir+"/pids.max", "0")
	}
}

// remove removes the empty group.
func (c *cgroup) remove() {
	if c != nil {
		_ = syscall.Rmdir(c.dir)
	}
}

// Fence returns the directory of the control group of the supervisor with this
// process ID, or "" if control groups are not used.
func Fence(pid int) string {
	above, _ := parentCgroup()
	if above == "" {
		return ""
	}
	return above + name(pid)
}

func name(pid int) string { return "/agent-" + strconv.Itoa(pid) }

// parentCgroup returns the directory in which a group can be created, or "". In
// cgroup v1, with one hierarchy per controller, it is our own group, which is
// also home. In v2, with an empty home, it is the parent of our group, because a
// v2 group cannot contain both processes and limited groups.
func parentCgroup() (above, home string) {
	const root = "/sys/fs/cgroup"
	text, _ := os.ReadFile("/proc/self/cgroup")
	for line := range bytes.Lines(text) {
		f := bytes.SplitN(bytes.TrimSpace(line), []byte(":"), 3)
		if len(f) != 3 {
			continue
		}
		path := bytes.TrimSuffix(f[2], []byte("/"))
		switch {
		case string(f[1]) == "pids":
			home = root + "/pids" + string(path)
			return home, home
		case len(f[1]) == 0 && len(path) > 0:
			above = root + string(path[:bytes.LastIndexByte(path, '/')])
			if able, _ := os.ReadFile(above + "/cgroup.subtree_control"); bytes.Contains(able, []byte("pids")) {
				return above, ""
			}
		}
	}
	return "", ""
}

func write(file, text string) error {
	return os.WriteFile(file, []byte(text), 0)
}
