package blobs

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Append adds a note: a value that encodes as a JSON object. After an error the pack is
// unchanged, except that a note may remain if the disk is broken.
func (p *Pack) Append(value any) error {
	body, err := json.Marshal(value)
	if err == nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		_, err = p.append(head{kind: noteKind}, body)
	}
	if err != nil {
		return fmt.Errorf("save a note for undo: %w", err)
	}
	return nil
}

// append adds a record and returns its offset.
func (p *Pack) append(h head, payload []byte) (start int64, err error) {
	if len(payload) > maxPayload {
		return 0, fmt.Errorf("a record of %d bytes is too long", len(payload))
	}
	if err := p.lock(); err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, p.unlock()) }()
	n := recordSize(len(payload))
	release, err := p.reserve(n, h.kind == noteKind)
	if err != nil {
		return 0, err
	}
	defer release()
	p.buf = appendRecord(p.buf[:0], p.mark, h, payload)
	if _, err := p.f.WriteAt(p.buf, p.end); err != nil {
		return 0, errors.Join(err, p.f.Truncate(p.end))
	}
	start = p.end
	p.end += n
	if cap(p.buf) > 2*partSize {
		p.buf = nil
	}
	return start, nil
}

// unlock releases what lock locked.
func (p *Pack) unlock() error {
	if p.f == nil {
		return nil
	}
	return p.f.Unlock()
}

// lock creates the file if necessary, locks it, and cuts off what a killed writer left
// at its end. Then the file ends at p.end.
func (p *Pack) lock() error {
	for {
		if err := p.lockFile(); err != nil {
			return err
		}
		size, err := p.open()
		if err == nil && size == 0 {
			return p.begin()
		}
		if err == nil {
			err = p.cut(size)
		}
		if err == nil {
			return nil
		}
		if errors.Is(err, errUnreadable) {
			err = os.Rename(p.path, setAside(p.path))
		}
		_ = p.f.Unlock()
		if err != nil {
			return err
		}
		p.forget()
	}
}

// lockFile locks the file that is at the path now. Another program may have removed the
// open file to make room.
func (p *Pack) lockFile() error {
	if p.closed {
		return fmt.Errorf("%s: %w", p.path, fs.ErrClosed)
	}
	if p.f != nil && p.readOnly {
		p.forget()
	}
	for {
		if p.f == nil {
			f, err := openFile(p.path, os.O_RDWR|os.O_CREATE)
			if errors.Is(err, fs.ErrNotExist) { // files are copied before the first log is written
				if err = os.MkdirAll(filepath.Dir(p.path), 0o700); err == nil {
					f, err = openFile(p.path, os.O_RDWR|os.O_CREATE)
				}
			}
			if err != nil {
				return err
			}
			p.f, p.readOnly = f, false
		}
		if err := p.f.Lock(); err != nil {
			return err
		}
		mine, err := p.f.Stat()
		if err == nil {
			if now, err := os.Stat(p.path); err == nil && os.SameFile(mine, now) {
				return nil
			}
		}
		_ = p.f.Unlock()
		if err != nil {
			return err
		}
		p.forget()
	}
}

// begin writes the header of a new pack, or of one whose header is incomplete.
func (p *Pack) begin() error {
	b := newHeader()
	err := p.f.Truncate(0)
	if err == nil {
		_, err = p.f.WriteAt(b, 0)
	}
	if err != nil {
		return errors.Join(err, p.f.Truncate(0), p.f.Unlock())
	}
	p.mark, p.end, p.dirty = mark(b[len(magic)+1:]), int64(len(b)), true
	return nil
}

// cut cuts off an incomplete end of a locked pack of that size, and sets p.end.
func (p *Pack) cut(size int64) error {
	if size == p.end || size == headerSize {
		p.end = size
		return nil
	}
	if _, ok := lastRecord(p.f, p.mark, size); ok {
		p.end = size
		return nil
	}
	if size < p.end {
		p.end = headerSize // another program has found damage after the last complete record
	}
	s := scanner{f: p.f, mark: p.mark, off: max(p.end, headerSize), end: size}
	for {
		_, _, err := s.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
	}
	p.end = s.off
	return p.f.Truncate(p.end)
}

// reserve returns an ErrFull if n more bytes would exceed a limit. It makes room by
// removing packs of other sessions. The caller calls release after writing the bytes.
func (p *Pack) reserve(n int64, isNote bool) (release func(), err error) {
	limit := forContents
	if isNote {
		limit = func(l int64) int64 { return l }
	}
	if p.end+n > limit(p.limits.Pack) {
		return nil, fmt.Errorf("%w: one session may store %d MB", ErrFull, p.limits.Pack>>20)
	}
	growth := charged(p.end+n) - charged(p.end)
	if growth == 0 {
		return func() {}, nil
	}
	dir := filepath.Dir(p.path)
	unlock, err := lockDirectory(dir)
	if err != nil {
		return nil, err
	}
	if err := makeRoom(dir, p.session(), growth, limit(p.limits.Total)); err != nil {
		unlock()
		return nil, err
	}
	return unlock, nil
}

// forContents returns the part of a limit that contents may use.
func forContents(limit int64) int64 { return limit - limit/64 }

// session returns the ID of the session of the pack.
func (p *Pack) session() string {
	session, _, _ := strings.Cut(filepath.Base(p.path), ".")
	return session
}
