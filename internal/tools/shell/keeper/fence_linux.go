package keeper

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
)

// fence is a control group of one command, which bounds how many processes and
// threads it can have. It is made where this program may make one, and done
// without elsewhere.
//
// The command must be born in it: to move a process costs ten times as much as
// to start it. So in the old form of control groups this thread, which can be
// moved for nothing, is in the fence while it starts the command, and in the new
// one the system puts it there.
type fence struct {
	dir  string
	home string // our own group, in the old form; "" in the new
}

// enclose makes a fence for what is started with attr. It returns nil where that
// cannot be.
func enclose(limit int, attr *syscall.SysProcAttr) *fence {
	above, home := groups()
	if above == "" || limit <= 0 {
		return nil
	}
	f := &fence{dir: above + name(os.Getpid()), home: home}
	if syscall.Mkdir(f.dir, 0o755) != nil {
		return nil
	}
	err := write(f.dir+"/pids.max", strconv.Itoa(limit))
	switch {
	case err != nil:
	case home != "":
		err = write(f.dir+"/tasks", "0")
	default:
		attr.CgroupFD, err = syscall.Open(f.dir, syscall.O_RDONLY|syscall.O_DIRECTORY|syscall.O_CLOEXEC, 0)
		attr.UseCgroupFD = err == nil
	}
	if err != nil {
		f.remove()
		return nil
	}
	return f
}

// forgo has the command started without a fence that the system was to put it
// into. It reports whether there was one.
func forgo(attr *syscall.SysProcAttr) bool {
	was := attr.UseCgroupFD
	attr.UseCgroupFD = false
	return was
}

// leave has this thread go back to where it was: we must not run out of threads
// when the command has used up all that there are.
func (f *fence) leave() {
	if f != nil && f.home != "" {
		_ = write(f.home+"/tasks", "0")
	}
}

// shut sees to it that nothing more is started in the fence.
func (f *fence) shut() {
	if f != nil {
		_ = write(f.dir+"/pids.max", "0")
	}
}

// remove takes the fence away, when nobody is in it.
func (f *fence) remove() {
	if f != nil {
		_ = syscall.Rmdir(f.dir)
	}
}

// Fence returns the directory of the control group that the keeper with this
// number has made, if it has.
func Fence(pid int) string {
	above, _ := groups()
	if above == "" {
		return ""
	}
	return above + name(pid)
}

func name(pid int) string { return "/agent-" + strconv.Itoa(pid) }

// groups returns the directory of the control group in which a fence can stand,
// "" if there is none. In the old form, where each controller has a hierarchy of
// its own, that is our own group, home. In the new form, where home is "", it is
// the one above: no group there has both processes and bounded groups in it.
func groups() (above, home string) {
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
