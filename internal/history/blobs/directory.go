package blobs

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"agent/internal/history/filelock"
)

const (
	extension    = ".undo"
	logExtension = ".jsonl" // of the session's log, which is locked while the session is open
	lockName     = ".undo.lock"
)

// setAside returns the new name of an unreadable pack. It has the form ID.PACK.undo, so
// that the file is removed with the session.
func setAside(path string) string {
	dir, name := filepath.Split(path)
	session, _, _ := strings.Cut(name, ".")
	return dir + session + "." + session + "-damaged" + extension
}

// splitName returns the session and the pack in the name of a file, ID.undo or
// ID.PACK.undo.
func splitName(name string) (session, pack string, ok bool) {
	name, ok = strings.CutSuffix(name, extension)
	session, pack, forked := strings.Cut(name, ".")
	if !forked {
		pack = session
	}
	return session, pack, ok && session != "" && pack != "" && !strings.Contains(pack, ".")
}

// packFiles are the names of a pack in a directory.
type packFiles struct {
	id       string
	sessions []string // that need it
	size     int64
	modified time.Time
}

// packs returns the packs in a directory, the oldest first.
func packs(dir string) ([]packFiles, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	byID := map[string]*packFiles{}
	for _, e := range entries {
		session, id, ok := splitName(e.Name())
		if !ok || !e.Type().IsRegular() {
			continue
		}
		info, err := e.Info()
		if err != nil {
			continue // removed in the meantime
		}
		k := byID[id]
		if k == nil {
			k = &packFiles{id: id}
			byID[id] = k
		}
		k.sessions = append(k.sessions, session)
		k.size, k.modified = max(k.size, info.Size()), info.ModTime()
	}
	var all []packFiles
	for _, k := range byID {
		all = append(all, *k)
	}
	slices.SortFunc(all, func(a, b packFiles) int {
		return cmp.Or(a.modified.Compare(b.modified), cmp.Compare(a.id, b.id))
	})
	return all, nil
}

// charged returns what a pack of that size counts toward Limits.Total: the size, rounded
// up by at most about a sixteenth, so that few appends need the sizes of all packs. A
// larger pack never counts less.
func charged(size int64) int64 {
	if size <= headerSize {
		return 0
	}
	step := int64(64 << 10)
	for step < size/16 {
		step *= 2
	}
	return (size + step - 1) / step * step
}

// lockDirectory waits until no other process holds the lock of a directory.
func lockDirectory(dir string) (unlock func(), err error) {
	f, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := filelock.Await(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() {
		_ = filelock.Unlock(f)
		_ = f.Close()
	}, nil
}

// makeRoom removes the oldest packs of sessions that are not open until all packs may
// grow by growth bytes. It removes none that the given session needs. The lock of the
// directory must be held until the pack has grown.
func makeRoom(dir, session string, growth, limit int64) error {
	all, err := packs(dir)
	if err != nil {
		return err
	}
	total := growth
	for _, k := range all {
		total += charged(k.size)
	}
	for _, k := range all {
		if total <= limit {
			break
		}
		if !slices.Contains(k.sessions, session) && k.remove(dir) {
			total -= charged(k.size)
		}
	}
	if total > limit {
		return fmt.Errorf("%w: all sessions together may store %d MB, and those that could be removed have been", ErrFull, limit>>20)
	}
	return nil
}

// remove removes a pack unless a session that needs it is open. It reports whether the
// pack is gone.
func (k packFiles) remove(dir string) bool {
	release, ok := k.lockSessions(dir)
	defer release()
	if !ok {
		return false
	}
	gone := true
	for _, s := range k.sessions {
		if err := os.Remove(filepath.Join(dir, k.name(s))); err != nil && !errors.Is(err, fs.ErrNotExist) {
			gone = false
		}
	}
	if gone {
		_ = os.RemoveAll(filepath.Join(dir, k.id+keptExtension))
	}
	return gone
}

// lockSessions locks the sessions that need a pack until release is called. It reports false if one of
// them is open, or may be about to begin.
func (k packFiles) lockSessions(dir string) (release func(), ok bool) {
	var locked []*os.File
	release = func() {
		for _, f := range locked {
			_ = filelock.Unlock(f)
			_ = f.Close()
		}
	}
	for _, s := range k.sessions {
		f, err := os.OpenFile(filepath.Join(dir, s+logExtension), os.O_RDWR, 0)
		if errors.Is(err, fs.ErrNotExist) {
			if time.Since(k.modified) < 24*time.Hour { // the session may be about to begin
				return release, false
			}
			continue
		}
		if err != nil {
			return release, false
		}
		if free, err := filelock.Try(f); err != nil || !free {
			_ = f.Close()
			return release, false
		}
		locked = append(locked, f)
	}
	return release, true
}

// name returns the name of the pack's file for a session that needs it.
func (k packFiles) name(session string) string {
	if session == k.id {
		return session + extension
	}
	return session + "." + k.id + extension
}

// parents returns the files of the packs of the sessions from which the session of a
// pack was forked.
func parents(path string) (paths []string) {
	dir, name := filepath.Split(path)
	session, own, ok := splitName(name)
	if !ok || own != session {
		return nil
	}
	entries, err := os.ReadDir(cmp.Or(dir, "."))
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if s, pack, ok := splitName(e.Name()); ok && s == session && pack != session {
			paths = append(paths, filepath.Join(dir, e.Name()))
		}
	}
	return paths
}

// Fork lets a new session read the contents that another one stored or can read. The
// contents remain until both sessions are removed. It does nothing on a file system
// without hard links.
func Fork(dir, from, to string) {
	own := Path(dir, from)
	for _, path := range append(parents(own), own) {
		_, id, _ := splitName(filepath.Base(path))
		_ = os.Link(path, filepath.Join(dir, packFiles{id: id}.name(to)))
	}
}

// Remove removes the pack of a session and its kept files. Contents that a fork of it needs remain
// with the fork, which needs no kept files: it only undoes its own changes.
func Remove(dir, session string) error {
	own := Path(dir, session)
	var all error
	for _, path := range append(parents(own), own) {
		if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
			all = errors.Join(all, err)
		}
	}
	return errors.Join(all, os.RemoveAll(strings.TrimSuffix(own, extension)+keptExtension))
}

// Sizes returns the size of the pack of a session, without those that it was forked
// from, and of all packs in the directory, in bytes.
func Sizes(dir, session string) (own, all int64, err error) {
	found, err := packs(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, 0, nil
	}
	for _, k := range found {
		all += k.size
		if k.id == session {
			own = k.size
		}
	}
	files, total := keptFiles(dir)
	for _, f := range files {
		if f.dir == filepath.Join(dir, session+keptExtension) {
			own += f.size
		}
	}
	return own, all + total, err
}
