//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// The kernel permits only one mount with the same upper directory, and to mount takes milliseconds.
// The overlays of a session are therefore mounted once, in a mount namespace that belongs to no
// process. The mount namespace of a command begins as a copy of that.

// Mount mounts overlays for the commands of the session; none of them may be mounted already. It
// returns the error of each, nil if commands can use it. An error of the kernel is a syscall.Errno.
func (s *Session) Mount(overlays []Overlay) []error {
	if len(overlays) == 0 {
		return nil
	}
	text, err := s.mount(overlays)
	if err != nil {
		return slices.Repeat([]error{err}, len(overlays))
	}
	failed := errnos(text)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.overlays == nil {
		s.overlays = map[Overlay]bool{}
	}
	for i, o := range overlays {
		s.overlays[o] = failed[i] == nil
	}
	return failed
}

// mount lets a helper mount overlays. It returns its answer.
func (s *Session) mount(overlays []Overlay) (answer string, err error) {
	if _, _, err := s.open(); err != nil {
		return "", err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	files := []*os.File{s.namespaces.User}
	if s.namespaces.Mounts != nil {
		files = append(files, s.namespaces.Mounts)
	}
	answer, found, err := ask(request(forMounts, overlays), files...)
	if err == nil && (len(found) != 1 || len(answer) != len(overlays)) {
		err = errors.New(answer)
	}
	if err != nil || s.namespaces.Mounts != nil { // a command may be about to use the file
		closeAll(found)
		return answer, err
	}
	s.namespaces.Mounts = found[0]
	return answer, nil
}

// Mounted reports whether commands of the session can use an overlay.
func (s *Session) Mounted(o Overlay) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.overlays[o]
}

// TestOverlays is Mount in namespaces that end at once.
func TestOverlays(overlays []Overlay) []error {
	text, _, err := ask(request(forTestMounts, overlays))
	if err == nil && len(text) != len(overlays) {
		err = errors.New(text)
	}
	if err != nil {
		return slices.Repeat([]error{err}, len(overlays))
	}
	return errnos(text)
}

// errnos returns the errors of an answer of a helper.
func errnos(text string) (failed []error) {
	for i := range len(text) {
		var err error
		if text[i] != 0 {
			err = syscall.Errno(text[i])
		}
		failed = append(failed, err)
	}
	return failed
}

// request returns a request with overlays.
func request(kind string, overlays []Overlay) string {
	words := []string{kind}
	for _, o := range overlays {
		words = append(words, o.Lower, o.Dir)
	}
	return strings.Join(words, "\x00")
}

// overlaysOf returns the overlays of a request.
func overlaysOf(words []string) (overlays []Overlay) {
	for pair := range slices.Chunk(words, 2) {
		if len(pair) == 2 {
			overlays = append(overlays, Overlay{Lower: pair[0], Dir: pair[1]})
		}
	}
	return overlays
}

// mountOverlays mounts overlays in a mount namespace of a user namespace, which it returns; nil means
// a new one. It also returns the error of each overlay, 0 if it was mounted.
func mountOverlays(user, mounts *os.File, overlays []Overlay) (errnos string, in *os.File, err error) {
	err = paused(len(overlays), func(ready, hold int) *steps {
		s := new(steps)
		s.begin()
		s.add(joining, unix.SYS_SETNS, user.Fd(), unix.CLONE_NEWUSER)
		if mounts != nil {
			s.add(joining, unix.SYS_SETNS, mounts.Fd(), unix.CLONE_NEWNS)
		} else {
			s.add(joining, unix.SYS_UNSHARE, unix.CLONE_NEWNS)
			s.add(joining, unix.SYS_MOUNT, s.text("none"), s.text("/"), 0, unix.MS_REC|unix.MS_SLAVE, 0)
		}
		for _, o := range overlays {
			s.say(ready, s.overlay(o))
		}
		s.pause(ready, hold)
		return s
	}, func(pid int, said string) error {
		errnos = said
		in, err = os.Open("/proc/" + strconv.Itoa(pid) + "/ns/mnt")
		return err
	})
	return errnos, in, err
}

// overlay mounts an overlay. It returns where the error will be; 0 if it succeeds.
func (s *steps) overlay(o Overlay) (errno *byte) {
	flags := uintptr(unix.MS_NOSUID | unix.MS_NODEV)
	var fs unix.Statfs_t
	if unix.Statfs(o.Lower, &fs) == nil && fs.Flags&unix.ST_NOEXEC != 0 {
		flags |= unix.MS_NOEXEC
	}
	// Without volatile, each end of a session would write all changes of the file system to the disk.
	lower := strings.NewReplacer(`\`, `\\`, `:`, `\:`, `,`, `\,`).Replace(o.Lower)
	options := "lowerdir=" + lower + ",upperdir=" + UpperPart + ",workdir=" + WorkPart + ",userxattr,volatile"
	errno = new(byte)
	enter := s.add(mounting, unix.SYS_CHDIR, s.text(o.Dir))
	enter.skip, enter.errno = 1, errno
	mount := s.add(mounting, unix.SYS_MOUNT, s.text("overlay"), s.text(ViewPart), s.text("overlay"), flags, s.text(options))
	mount.skip, mount.errno = 0, errno
	return errno
}
