//go:build amd64 || arm64

package watch

import (
	"errors"
	"io"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"agent/internal/llm/phrase"
	"agent/internal/tools/snapshot"
)

// keeper puts the old contents of paths into a store, each once in a turn.
type keeper struct {
	order    *order
	store    snapshot.Store
	refusals *refusals
	paths    *protection
	links    *links

	mu      sync.Mutex
	kept    map[string]*entry // by path
	touched int
	problem string
}

// entry is a path that is kept, or being kept.
type entry struct {
	done  chan struct{} // closed when why is set
	why   string        // why its changes are refused; empty if they are not
	calls int           // that are not answered yet and may change the path; keeper.mu guards it
}

// Touched returns how many paths were added to the store.
func (k *keeper) Touched() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.touched
}

// Problem returns why some changes are not in the store, for the user; "" if all are.
func (k *keeper) Problem() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.problem
}

// keep keeps the state of a path before its first change in this turn. If state is nil, it
// stores nothing, and the path is not kept later either. It returns why the change is
// refused; "" if it is not. It waits if another call is keeping the path.
func (k *keeper) keep(c *call, path string, state func() snapshot.State) (why string) {
	k.mu.Lock()
	e, found := k.kept[path]
	if !found {
		e = &entry{done: make(chan struct{})}
		k.kept[path] = e
	}
	e.calls++
	c.uses = append(c.uses, e)
	k.mu.Unlock()
	if found {
		<-e.done
		return e.why
	}
	defer close(e.done)
	if state != nil {
		e.why = k.add(path, state())
	}
	return e.why
}

// knows reports whether a path is kept, or being kept.
func (k *keeper) knows(path string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.kept[path] != nil
}

// End ends the work of a keeper when the command has ended.
func (k *keeper) End() {
	k.links.unshareAll()
	if n := k.links.dropped(); n > 0 {
		_ = k.store.Add(snapshot.Touched{Call: k.order.Call, Dropped: n}) // it is only told
	}
}

// release notes that the call is answered: it changes nothing more.
func (k *keeper) release(c *call) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, e := range c.uses {
		e.calls--
	}
}

// find returns the entry of a path; nil if it is not kept. It waits if a call is keeping the path.
func (k *keeper) find(path string) *entry {
	k.mu.Lock()
	e := k.kept[path]
	k.mu.Unlock()
	if e != nil {
		<-e.done
	}
	return e
}

// add adds a touched path to the store. It returns why the change is refused.
func (k *keeper) add(path string, before snapshot.State) (why string) {
	// A device, socket or pipe has no content that could be lost.
	isLost := before.Lost != "" && before.Kind != snapshot.Other
	if isLost && before.Lost == snapshot.UnsavedSize && strings.HasSuffix(path, "/index") { // it is only noted
		_, isState := k.order.gitState(path)
		isLost = !isState
	}
	if isLost {
		if why = k.refusals.refuse(path, before.Lost); why != "" {
			return why
		}
	}
	if err := k.put(path, before); err != nil {
		return k.refusals.refuse(path, err.Error())
	}
	if before.Kind != snapshot.Absent {
		k.paths.noteExisting(path)
	}
	return ""
}

// put puts the state of a path into the store.
func (k *keeper) put(path string, before snapshot.State) error {
	err := k.store.Add(snapshot.Touched{Call: k.order.Call, Path: path, Before: before})
	k.mu.Lock()
	defer k.mu.Unlock()
	if err != nil {
		k.problem = err.Error()
	} else {
		k.touched++
	}
	return err
}

// state returns the state of a place, and puts the content of a file into contents.
func (k *keeper) state(p place, contents snapshot.Contents) snapshot.State {
	if !p.exists {
		return snapshot.State{Kind: snapshot.Absent}
	}
	s := snapshot.OfStat(&p.info)
	switch s.Kind {
	case snapshot.Dir:
		if fd, err := unix.Open(p.path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0); err == nil {
			s.Denied = snapshot.DeniedOf(fd)
			_ = unix.Close(fd)
		}
	case snapshot.File:
		if p.dropped && k.links.keep(p, &s) {
			return s
		}
		why := s.Lost
		s.Lost = ""
		k.putContent(p, &s, contents)
		if s.Lost == "" {
			s.Lost = why
		}
		s.Stamp = snapshot.StampOf(&p.info) // what an earlier call left may not have been read
	case snapshot.Link:
		target, err := readlink(p.path)
		if err != nil {
			s.Lost = "it cannot be read: " + err.Error()
		}
		if s.Target = target; !utf8.ValidString(target) {
			s.Lost = "its target is not valid UTF-8"
		}
	}
	return s
}

// putContent puts the content of a regular file into contents. It sets Hash and Size, or
// Lost.
func (k *keeper) putContent(p place, s *snapshot.State, contents snapshot.Contents) {
	if s.Size > k.order.MaxFile {
		s.Lost = snapshot.UnsavedSize
		if k.order.MaxFile != snapshot.MaxFile {
			s.Lost = "it is larger than " + strings.Replace(phrase.Bytes(k.order.MaxFile), ".0 ", " ", 1)
		}
		return
	}
	// If something else is at the path by now, opening it must not wait.
	fd, err := unix.Open(p.path, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		s.Lost = "it cannot be read: " + err.Error()
		return
	}
	defer unix.Close(fd)
	var info unix.Stat_t
	if err = unix.Fstat(fd, &info); err != nil || info.Ino != p.info.Ino || info.Dev != p.info.Dev {
		s.Lost = Raced
		return
	}
	s.Denied = snapshot.DeniedOf(fd)
	hash, size, err := contents.Put(&io.LimitedReader{R: descriptor(fd), N: k.order.MaxFile + 1})
	if err == nil && size > k.order.MaxFile {
		err = errors.New("it grew while it was copied")
	}
	if err != nil {
		s.Lost = err.Error()
		return
	}
	s.Hash, s.Size = hash, size
}

// descriptor reads from a descriptor. Unlike an os.File it needs no finalizer.
type descriptor int

func (d descriptor) Read(b []byte) (int, error) {
	n, err := unix.Read(int(d), b)
	switch {
	case err == unix.EINTR:
		return 0, nil
	case err != nil:
		return 0, err
	case n == 0 && len(b) > 0:
		return 0, io.EOF
	}
	return n, nil
}
