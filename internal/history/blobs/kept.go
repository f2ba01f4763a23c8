package blobs

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// keptExtension is that of the directory with the kept files of a session, next to its pack.
const keptExtension = ".kept"

// errAltered is a kept file that was written since. A program had it open.
var errAltered = errors.New("a program changed the file after it was removed")

// kept holds what a pack knows of the kept files of its session.
type kept struct {
	mu      sync.Mutex
	added   int64 // bytes that this process added since total was found out
	total   int64 // bytes of all kept files in the directory of the pack; -1 if not known
	full    bool  // no more room can be made
	checked bool  // this process has looked at the free space of the disk
	dropped int   // files that were removed to make room since Dropped
	made    bool  // the directory of kept files exists
	sums    map[hash]keptSum
}

// keptSum is a kept file whose SHA-256 is known.
type keptSum struct {
	name     string
	size     int64
	modified int64 // in nanoseconds; 0 if it is not known
}

// KeptDir returns the directory with the kept files of the session, which may not exist. Nothing may
// change them.
func (p *Pack) KeptDir() string { return strings.TrimSuffix(p.path, extension) + keptExtension }

func (p *Pack) keptPath(name string) string { return filepath.Join(p.KeptDir(), filepath.Base(name)) }

// newName returns a name for a kept file. Names are in the order of time.
func newName(now time.Time) string { return keptBefore(now) + "-" + rand.Text() }

// keptBefore returns a string to which names of kept files compare: earlier ones are less.
func keptBefore(t time.Time) string { return fmt.Sprintf("%016x", max(t.UnixNano(), 0)) }

// Sum returns the SHA-256 of a kept file in hexadecimal, if the file has still that size and time of
// modification, in nanoseconds. From then on Has, Read and Copy find the content by it. If the
// SHA-256 is known, Sum only notes it; then Copy and Read check the content. The error is an
// ErrMissing, or that of reading the file.
func (p *Pack) Sum(name string, size, modified int64, known string) (sum string, err error) {
	h, ok := parseHash(known)
	if !ok {
		if h, err = p.sumKept(name, size, modified); err != nil {
			return "", err
		}
	}
	p.kept.mu.Lock()
	defer p.kept.mu.Unlock()
	if p.kept.sums == nil {
		p.kept.sums = map[hash]keptSum{}
	}
	p.kept.sums[h] = keptSum{name, size, modified}
	return hex.EncodeToString(h[:]), nil
}

func (p *Pack) sumKept(name string, size, modified int64) (h hash, err error) {
	f, err := p.openKept(name)
	if err != nil {
		return h, err
	}
	defer f.Close()
	all := sha256.New()
	_, err = io.Copy(all, f)
	if err != nil {
		return h, err
	}
	info, err := f.Stat()
	if err == nil && (info.Size() != size || info.ModTime().UnixNano() != modified) {
		err = errAltered
	}
	return hash(all.Sum(nil)), err
}

// openKept opens a kept file. The error is an ErrMissing if it was removed.
func (p *Pack) openKept(name string) (*os.File, error) {
	f, err := os.Open(p.keptPath(name))
	if errors.Is(err, fs.ErrNotExist) {
		err = ErrMissing
	}
	return f, err
}

// keptWith returns the name of a kept file with a content. Checked is set if its size and its time of
// modification show that it has not changed.
func (p *Pack) keptWith(h hash) (name string, checked, ok bool) {
	p.kept.mu.Lock()
	sum, ok := p.kept.sums[h]
	p.kept.mu.Unlock()
	if !ok {
		return "", false, false
	}
	info, err := os.Lstat(p.keptPath(sum.name))
	if err != nil {
		return "", false, false
	}
	return sum.name, info.Size() == sum.size && info.ModTime().UnixNano() == sum.modified, true
}

// copyKept writes the content of a kept file to w. The error is as for Copy.
func (p *Pack) copyKept(w io.Writer, name string, want hash) error {
	f, err := p.openKept(name)
	if err != nil {
		return err
	}
	defer f.Close()
	all := sha256.New()
	if _, err := io.Copy(io.MultiWriter(w, all), f); err != nil {
		return err
	}
	if hash(all.Sum(nil)) != want {
		return errAltered
	}
	return nil
}

// Unshare replaces a kept file by a copy of at most limit bytes, so that writes to another link of it
// do not change the content. After an error the kept file is the same as before.
func (p *Pack) Unshare(name string, limit int64) error {
	path := p.keptPath(name)
	err := copyFile(path, path+".tmp", limit)
	if errors.Is(err, fs.ErrNotExist) { // it was removed to make room
		return nil
	}
	if err == nil {
		err = os.Rename(path+".tmp", path)
	}
	if err != nil {
		return errors.Join(err, ignoreMissing(os.Remove(path+".tmp")))
	}
	return nil
}

// Drop removes a kept file.
func (p *Pack) Drop(name string) { _ = os.Remove(p.keptPath(name)) }

// copyFile copies a file with its time of modification.
func copyFile(from, to string, limit int64) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	before, err := in.Stat()
	if err == nil && before.Size() > limit {
		err = fmt.Errorf("%s has %d bytes: too large to copy", from, before.Size())
	}
	if err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err = errors.Join(err, out.Close()); err != nil {
		return err
	}
	after, err := in.Stat()
	if err == nil && (after.Size() != before.Size() || !after.ModTime().Equal(before.ModTime())) {
		err = errAltered
	}
	if err != nil {
		return err
	}
	return os.Chtimes(to, time.Time{}, before.ModTime())
}

// UnshareAll replaces the kept files by copies that have another link: a program was killed before it
// removed that. Larger files than limit are removed. No command of the session may run.
func (p *Pack) UnshareAll(limit int64) {
	entries, _ := os.ReadDir(p.KeptDir())
	for _, e := range entries {
		switch info, err := e.Info(); {
		case strings.HasSuffix(e.Name(), ".tmp"):
			_ = os.Remove(p.keptPath(e.Name()))
		case err == nil && links(info) > 1:
			if p.Unshare(e.Name(), limit) != nil {
				p.Drop(e.Name()) // undo reports the change as lost
			}
		}
	}
	if len(entries) > 0 {
		p.kept.mu.Lock()
		defer p.kept.mu.Unlock()
		_ = p.dropKept(0, time.Now())
	}
}

// Dropped returns how many kept files were removed to make room since the last call.
func (p *Pack) Dropped() (files int) {
	p.kept.mu.Lock()
	defer p.kept.mu.Unlock()
	files, p.kept.dropped = p.kept.dropped, 0
	return files
}

// keptFile is a kept file of any session.
type keptFile struct {
	dir, name string
	size      int64
}

// keptFiles returns the kept files of all sessions in a directory, the oldest first.
func keptFiles(dir string) (all []keptFile, total int64) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if !e.IsDir() || !strings.HasSuffix(e.Name(), keptExtension) {
			continue
		}
		of := filepath.Join(dir, e.Name())
		files, _ := os.ReadDir(of)
		for _, f := range files {
			if info, err := f.Info(); err == nil {
				all = append(all, keptFile{of, f.Name(), info.Size()})
				total += info.Size()
			}
		}
	}
	slices.SortFunc(all, func(a, b keptFile) int { return cmp.Compare(a.name, b.name) })
	return all, total
}

// unscanned is how many bytes of kept files a process adds before it finds out how many there are.
const unscanned = 16 << 20

// reserveKept makes room for a kept file of a size: it removes the oldest ones, but none of this session
// since a time, and none of another session that is open. The error is an ErrFull. The caller holds
// p.kept.mu.
func (p *Pack) reserveKept(size int64, since time.Time) error {
	k, dir := &p.kept, filepath.Dir(p.path)
	isLow := !k.checked && freeSpace(dir) < p.limits.Free
	k.checked = true
	fits := k.total >= 0 && k.total+k.added+size <= p.limits.Kept || k.total < 0 && k.added+size <= unscanned
	if !k.full && (!fits || isLow) {
		k.full = !p.dropKept(size, since)
	}
	if k.full {
		return fmt.Errorf("%w: removed files of all sessions may take %d MB", ErrFull, p.limits.Kept>>20)
	}
	k.added += size
	return nil
}

// dropKept removes kept files for reserveKept. It reports whether there is room then.
func (p *Pack) dropKept(size int64, since time.Time) bool {
	k, dir := &p.kept, filepath.Dir(p.path)
	all, total := keptFiles(dir)
	fits := func() bool { return total+size <= p.limits.Kept }
	if !fits() || freeSpace(dir) < p.limits.Free {
		isOpen := map[string]bool{}
		for _, f := range all {
			if total+size <= p.limits.Kept-p.limits.Kept/16 && freeSpace(dir) >= p.limits.Free {
				break
			}
			if _, known := isOpen[f.dir]; !known {
				isOpen[f.dir] = f.dir != p.KeptDir() && keptIsOpen(f.dir)
			}
			if isOpen[f.dir] || f.dir == p.KeptDir() && f.name >= keptBefore(since) {
				continue
			}
			if os.Remove(filepath.Join(f.dir, f.name)) == nil {
				total -= f.size
				k.dropped++
			}
		}
	}
	k.total, k.added = total, 0
	return fits()
}

// keptIsOpen reports whether the session of a directory of kept files is open, or may be about to begin.
func keptIsOpen(dir string) bool {
	pack := packFiles{sessions: []string{strings.TrimSuffix(filepath.Base(dir), keptExtension)}}
	if info, err := os.Stat(dir); err == nil {
		pack.modified = info.ModTime()
	}
	release, ok := pack.lockSessions(filepath.Dir(dir))
	release()
	return !ok
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
