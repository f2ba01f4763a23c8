//go:build amd64 || arm64

package watch

import (
	"maps"
	"sync"
	"syscall"
	"time"

	"agent/internal/tools/snapshot"
)

// linkStore is a snapshot.Store that can hold links to files instead of copies.
type linkStore interface {
	// Keep links a file, and returns a name of the link. An error means that the file has to be copied.
	Keep(path string, info *syscall.Stat_t, began time.Time) (name string, err error)
	// Unshare replaces the link by a copy. After an error the link is still there.
	Unshare(name string, limit int64) error
	// Drop removes a link or its copy.
	Drop(name string)
	// IsShared reports whether the file has another name than the link.
	IsShared(name string) bool
	// Dropped returns how many links of earlier turns were removed to make room since its last call.
	Dropped() int
}

// links keeps files that a call is about to drop from the tree, because it removes or replaces their
// only name: it links them into the store. Usually the link is the only name after the call. If the
// call fails, the file stays in the tree. Therefore links remembers each one, and replaces the link by
// a copy before another call changes the file by any name, or at the end.
type links struct {
	store  linkStore // nil if the store cannot hold links
	began  time.Time
	limit  int64 // size in bytes of the largest file that is copied
	strict bool  // changes of files that cannot be copied are refused

	mu      sync.Mutex
	linked  map[inode]string // names in the store
	copying sync.Mutex

	linking sync.RWMutex // see apart
}

// inode identifies a file.
type inode struct{ device, number uint64 }

func newLinks(o *order, s snapshot.Store) *links {
	ls := &links{began: time.Unix(0, o.Began), limit: o.MaxFile, strict: o.Strict, linked: map[inode]string{}}
	ls.store, _ = s.(linkStore)
	return ls
}

// keep links the file at a place, and sets the Kept and the Stamp of its state. It reports false if the
// content has to be copied. Undo can restore no file of another user, and links a file with further
// hard links to one of these.
func (ls *links) keep(p place, s *snapshot.State) bool {
	if ls.store == nil || s.Size == 0 || s.Lost != "" && s.Lost != snapshot.UnsavedSize {
		return false
	}
	id := inode{p.info.Dev, p.info.Ino}
	ls.mu.Lock()
	_, found := ls.linked[id]
	ls.mu.Unlock()
	if found {
		return false
	}
	ls.linking.RLock()
	defer ls.linking.RUnlock()
	name, err := ls.store.Keep(p.path, &p.info, ls.began)
	if err != nil {
		return false
	}
	ls.mu.Lock()
	ls.linked[id] = name
	ls.mu.Unlock()
	s.Kept, s.Lost, s.Denied, s.Stamp = name, "", snapshot.DeniedAt(p.path), snapshot.StampOf(&p.info)
	return true
}

// unshare makes the stored content of a file independent of the file, if it is linked. It reports
// whether it was. After an error the change of the file has to be refused, if the order is strict;
// otherwise the content is no longer stored.
func (ls *links) unshare(device, number uint64) (done bool, err error) {
	id := inode{device, number}
	find := func() (string, bool) {
		ls.mu.Lock()
		defer ls.mu.Unlock()
		name, found := ls.linked[id]
		return name, found
	}
	if _, found := find(); !found {
		return false, nil
	}
	ls.copying.Lock()
	defer ls.copying.Unlock()
	name, found := find()
	if !found { // another call has done it
		return true, nil
	}
	if err = ls.store.Unshare(name, ls.limit); err != nil {
		if ls.strict {
			return true, err
		}
		ls.store.Drop(name)
	}
	ls.mu.Lock()
	defer ls.mu.Unlock()
	delete(ls.linked, id)
	return true, err
}

// apart makes a change of a file in /proc/self/fd, while no call links the file into the store.
func (ls *links) apart(file string, change func() error) error {
	ls.linking.Lock()
	defer ls.linking.Unlock()
	var info syscall.Stat_t
	if err := syscall.Stat(file, &info); err != nil {
		return err
	}
	if _, err := ls.unshare(info.Dev, info.Ino); err != nil && ls.strict {
		return syscall.EPERM
	}
	return change()
}

// unshareAll makes the stored contents independent of all files that are still in the tree, because the
// calls have failed.
func (ls *links) unshareAll() {
	ls.mu.Lock()
	linked := maps.Clone(ls.linked)
	ls.mu.Unlock()
	for id, name := range linked {
		if ls.store.IsShared(name) {
			if _, err := ls.unshare(id.device, id.number); err != nil {
				ls.store.Drop(name) // the file was not changed; what changes it later is recorded
			}
		}
	}
}

// dropped returns how many links of earlier turns were removed to make room.
func (ls *links) dropped() int {
	if ls.store == nil {
		return 0
	}
	return ls.store.Dropped()
}
