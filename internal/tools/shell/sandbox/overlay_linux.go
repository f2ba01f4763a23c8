//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// The kernel permits only one mount with the same upper directory, and to mount takes milliseconds.
// The overlays of a session are therefore mounted once, in a mount namespace that belongs to no
// process. The mount namespace of a command begins as a copy of that.

// Mount mounts overlays for the commands of the session, each once. A command uses those of its
// profile. Mounted tells which could be mounted.
func (s *Session) Mount(overlays []Overlay) error {
	if len(overlays) == 0 {
		return nil
	}
	if _, _, err := s.open(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.overlays == nil {
		s.overlays = map[Overlay]bool{}
	}
	for _, o := range overlays {
		s.overlays[o] = false
	}
	files := []*os.File{s.namespaces.User}
	if s.namespaces.Mounts != nil {
		files = append(files, s.namespaces.Mounts)
	}
	text, found, err := ask(request(forMounts, overlays), files...)
	if err != nil {
		return err
	}
	if len(found) != 1 {
		closeAll(found)
		return errors.New(text)
	}
	closeAll(files[1:])
	s.namespaces.Mounts = found[0]
	for i := range text {
		if n := int(text[i]); n < len(overlays) {
			s.overlays[overlays[n]] = true
		}
	}
	return nil
}

// Mounted reports whether commands can use an overlay, and whether Mount has tried to mount it.
func (s *Session) Mounted(o Overlay) (ok, tried bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ok, tried = s.overlays[o]
	return ok, tried
}

// TestOverlays mounts overlays in namespaces that end at once. It returns the first error.
func TestOverlays(overlays []Overlay) error {
	text, _, err := ask(request(forTestMounts, overlays))
	if err == nil && text != ready {
		err = errors.New(text)
	}
	return err
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

// maxOverlays is how many overlays are mounted at a time: each has a number of one byte.
const maxOverlays = 100

// mountOverlays mounts overlays in a mount namespace of a user namespace, which it returns; nil means
// a new one. It also returns the numbers of the overlays that were mounted, and pauseByte. If all is
// set, it fails unless all of them could be mounted.
func mountOverlays(user, mounts *os.File, overlays []Overlay, all bool) (mounted string, in *os.File, err error) {
	err = paused(func(ready, hold int) *steps {
		s := new(steps)
		s.begin()
		s.add(joining, unix.SYS_SETNS, user.Fd(), unix.CLONE_NEWUSER)
		if mounts != nil {
			s.add(joining, unix.SYS_SETNS, mounts.Fd(), unix.CLONE_NEWNS)
		} else {
			s.add(joining, unix.SYS_UNSHARE, unix.CLONE_NEWNS)
			s.add(joining, unix.SYS_MOUNT, s.text("none"), s.text("/"), 0, unix.MS_REC|unix.MS_SLAVE, 0)
		}
		for i, o := range overlays[:min(len(overlays), maxOverlays)] {
			s.overlay(o, all)
			s.say(ready, byte(i))
		}
		s.pause(ready, hold)
		return s
	}, func(pid int, said string) error {
		mounted = said
		in, err = os.Open("/proc/" + strconv.Itoa(pid) + "/ns/mnt")
		return err
	})
	return mounted, in, err
}

// overlay mounts an overlay. If that fails, the step after it is skipped, unless must is set.
func (s *steps) overlay(o Overlay, must bool) {
	flags := uintptr(unix.MS_NOSUID | unix.MS_NODEV)
	var fs unix.Statfs_t
	if unix.Statfs(o.Lower, &fs) == nil && fs.Flags&unix.ST_NOEXEC != 0 {
		flags |= unix.MS_NOEXEC
	}
	// Without volatile, each end of a session would write all changes of the file system to the disk.
	lower := strings.NewReplacer(`\`, `\\`, `:`, `\:`, `,`, `\,`).Replace(o.Lower)
	options := "lowerdir=" + lower + ",upperdir=" + UpperPart + ",workdir=" + WorkPart + ",userxattr,volatile"
	skipTwo, skipOne := 2, 1
	if must {
		skipTwo, skipOne = -1, -1
	}
	s.add(mounting, unix.SYS_CHDIR, s.text(o.Dir)).skip = skipTwo
	s.add(mounting, unix.SYS_MOUNT, s.text("overlay"), s.text(ViewPart), s.text("overlay"), flags, s.text(options)).skip = skipOne
}
