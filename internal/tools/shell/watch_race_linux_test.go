package shell_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"agent/internal/tools/shell/sandbox"
)

// races are system calls that destroy or rename the file at a path.
var races = map[string]func(path, other, number uintptr) unix.Errno{
	"open":     raceCall(unix.SYS_OPENAT, here, 0, unix.O_WRONLY|unix.O_TRUNC),
	"create":   raceCall(unix.SYS_OPENAT, here, 0, unix.O_WRONLY|unix.O_TRUNC|unix.O_CREAT, 0o600),
	"openat2":  raceOpen2,
	"truncate": raceCall(unix.SYS_TRUNCATE, 0, 0),
	"unlink":   raceCall(unix.SYS_UNLINKAT, here, 0, 0),
	"rename":   raceRename,
	"replace":  raceReplace,
	"link":     raceLink,
}

const here = ^uintptr(99) // AT_FDCWD

// raceCall returns a function that makes a system call. An argument of 0 before the end
// stands for the path.
func raceCall(number uintptr, args ...uintptr) func(path, other, n uintptr) unix.Errno {
	return func(path, _, _ uintptr) unix.Errno {
		var a [6]uintptr
		copy(a[:], args)
		if a[0] == here {
			a[1] = path
		} else {
			a[0] = path
		}
		fd, _, errno := unix.Syscall6(number, a[0], a[1], a[2], a[3], a[4], a[5])
		if errno == 0 && number == unix.SYS_OPENAT {
			unix.Close(int(fd))
		}
		return errno
	}
}

func raceOpen2(path, _, _ uintptr) unix.Errno {
	how := unix.OpenHow{Flags: unix.O_WRONLY | unix.O_TRUNC}
	fd, _, errno := unix.Syscall6(unix.SYS_OPENAT2, here, path, uintptr(unsafe.Pointer(&how)), unsafe.Sizeof(how), 0, 0)
	if errno == 0 {
		unix.Close(int(fd))
	}
	return errno
}

func raceRename(path, other, _ uintptr) unix.Errno {
	_, _, errno := unix.Syscall6(unix.SYS_RENAMEAT, here, path, here, other, 0, 0)
	return errno
}

func raceReplace(path, other, n uintptr) unix.Errno {
	_ = os.WriteFile(fmt.Sprintf("new%d", n), nil, 0o600)
	_, _, errno := unix.Syscall6(unix.SYS_RENAMEAT, here, other, here, path, 0, 0)
	return errno
}

func raceLink(path, other, n uintptr) unix.Errno {
	_, _, errno := unix.Syscall6(unix.SYS_LINKAT, here, path, here, other, 0, 0)
	if errno == 0 {
		_ = os.Truncate(fmt.Sprintf("new%d", n), 0)
	}
	return errno
}

// tryRace makes a system call many times for the file "a" while another thread changes its
// path in memory to "b" and back. After "notice ", it does so until a call is refused.
func tryRace(name string) {
	name, untilRefused := strings.CutPrefix(name, "notice ")
	path := []byte{'a', 0}
	go func() {
		runtime.LockOSThread()
		for {
			path[0] ^= 'a' ^ 'b'
		}
	}()
	const times = 300
	until := time.Now().Add(20 * time.Second)
	for i := uintptr(0); (untilRefused || i < times) && time.Now().Before(until); i++ {
		if name != "open" && name != "truncate" {
			if fd, err := unix.Open("a", unix.O_WRONLY|unix.O_CREAT, 0o600); err == nil {
				unix.Close(fd)
			}
		}
		other, _ := unix.BytePtrFromString(fmt.Sprintf("new%d", i))
		if errno := races[name](uintptr(unsafe.Pointer(&path[0])), uintptr(unsafe.Pointer(other)), i); untilRefused && errno == unix.EPERM {
			break
		}
	}
	fmt.Println("done")
}

// Where the command makes its calls itself, an attempt to change the path is noticed.
func TestSwappedPathsAreNoticed(t *testing.T) {
	for _, name := range []string{"open", "truncate", "unlink", "rename"} {
		w := watch(t, sandbox.WritesOnly)
		write(t, filepath.Join(w.dir, "a"), "small\n")
		write(t, filepath.Join(w.dir, "b"), "small\n")
		w.order.Strict = true
		r := w.run(probeLine(t, "race notice "+name))
		if r.Kept.Refused == nil || !r.Kept.Refused.Raced() {
			t.Errorf("%s: refused %v: %s", name, r.Kept.Refused, r.Output)
		}
	}
}

// A command that may only make changes that can be undone cannot destroy another file by
// changing the path of a system call while the call waits.
func TestSwappedPathsDestroyNothing(t *testing.T) {
	for name := range races {
		t.Run(name, func(t *testing.T) {
			w := watch(t, sandbox.Complete)
			const size = 1<<20 + 1 // too large to be kept
			big := filepath.Join(w.dir, "b")
			write(t, filepath.Join(w.dir, "a"), "small\n")
			write(t, big, strings.Repeat("x", size))
			var before, after syscall.Stat_t
			if err := syscall.Stat(big, &before); err != nil {
				t.Fatal(err)
			}
			w.order.Strict = true
			r := w.run(probeLine(t, "race "+name))
			if !strings.HasSuffix(r.Output, "done\n") {
				t.Errorf("the race did not run: %q", r.Output)
			}
			if err := syscall.Stat(big, &after); err != nil || after.Size != size || after.Ino != before.Ino || after.Nlink != 1 {
				t.Errorf("the file is lost: %v, %d bytes, %d links", err, after.Size, after.Nlink)
			}
			if _, found := w.touched()["b"]; found {
				t.Error("a change of the file was kept")
			}
		})
	}
}

// A command cannot prevent that a file is kept by changing the mode of a directory above it
// during the check.
func TestChangedModesHideNothing(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("modes do not restrict the superuser")
	}
	w := watch(t, sandbox.Complete)
	for i := range modeFiles {
		write(t, filepath.Join(w.dir, modeFile(i)), "text\n")
	}
	w.order.Strict, w.order.MaxFile = true, 64<<20
	r := w.run(probeLine(t, "modes"))
	_ = os.Chmod(filepath.Join(w.dir, "p"), 0o755)
	kept, removed := w.touched(), 0
	for i := range modeFiles {
		if _, err := os.Stat(filepath.Join(w.dir, modeFile(i))); err == nil {
			continue
		}
		removed++
		if _, is := kept[modeFile(i)]; !is {
			t.Errorf("%s was removed and not kept", modeFile(i))
		}
	}
	if removed == 0 {
		t.Errorf("nothing was removed: %s", r.Output)
	}
}

const modeFiles = 1000

func modeFile(i int) string { return fmt.Sprintf("p/d/f%d", i) }

// tryModes removes files while the mode of a directory above changes. A file whose removal was
// refused stays.
func tryModes() {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for range 2000 {
			_ = unix.Chmod("p", 0)
			_ = unix.Chmod("p", 0o755)
		}
	}()
	for i := range modeFiles {
		for range 20 {
			if unix.Unlink(modeFile(i)) == nil {
				break
			}
		}
	}
	<-ended
	fmt.Println("done")
}
