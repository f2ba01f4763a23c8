package history

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
)

// Log is a session open for appending, by this program alone. It is not safe
// for concurrent use, but for what says that it is. Whoever wants to read it
// from elsewhere takes a View.
type Log struct {
	store    *Store
	header   Header
	f        file   // nil before the first Append of a new session
	opened   int64  // how long the log was when it was opened, 0 for a new one
	size     int64  // of what is valid in f
	seq      int    // of the next record
	last     int64  // where the record begins that was appended last
	before   []byte // what must be written before the next record
	torn     bool   // f may hold more than size
	tail     int64  // how much of that must be kept before it is cut
	keep     func(io.Reader) error
	unsynced atomic.Bool
	closed   bool
	buf      []byte
	draft    draft
}

// file is what a Log needs of its file. Writes go to the end.
type file interface {
	io.ReaderAt
	io.WriteCloser
	Truncate(size int64) error
	// Datasync returns when what was written would survive a power failure.
	Datasync() error
}

// Header returns the session's header. That of a log whose header is damaged
// holds the ID alone.
func (l *Log) Header() Header { return l.header }

// Path returns the name of the file, which may not be there yet.
func (l *Log) Path() string { return l.store.path(l.header.ID) }

// Outputs returns the directory beside the log for what a session keeps outside
// its records: the whole of long outputs. Whoever writes there first makes it.
func (l *Log) Outputs() string { return l.store.Outputs(l.header.ID) }

// SaveOutput saves a text in the directory of Outputs, readable by the user only,
// unless it is there already: the name is derived from the text.
func (l *Log) SaveOutput(name, text string) error {
	path := filepath.Join(l.Outputs(), name)
	if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() {
		return nil
	}
	if err := os.MkdirAll(l.Outputs(), 0o700); err != nil {
		return err
	}
	return replace(path, []byte(text))
}

// Begun reports whether the session is on the disk: it was there when it was
// opened, or something was appended since.
func (l *Log) Begun() bool { return l.f != nil }

// Last returns the Offset of the record that was appended last. It is of no
// meaning before the first Append.
func (l *Log) Last() int64 { return l.last }

// View opens the session for reading. It is safe for concurrent use, and may
// outlive the log. A session to which nothing was appended is an ErrNotFound.
func (l *Log) View() (*View, error) { return l.store.view(l.header.ID) }

// Append adds a record: a JSON object whose first field is its type, without
// fields called seq and crc. With sync it returns when the record, and all
// before it, would survive a power failure. After an error the log is what it
// was before, and the same record can be tried again.
func (l *Log) Append(body []byte, sync bool) error {
	body, err := checkBody(body)
	if err != nil {
		return err
	}
	if l.closed {
		return fmt.Errorf("append to session %s: %w", l.header.ID, fs.ErrClosed)
	}
	if l.f == nil {
		if err := l.create(nobody); err != nil {
			return err
		}
	}
	if err := l.write(body, sync); err != nil {
		return fmt.Errorf("append to session %s: %w", l.header.ID, err)
	}
	return nil
}

// write appends the line for body, or leaves the file as it was.
func (l *Log) write(body []byte, sync bool) error {
	if err := l.restore(); err != nil {
		return err
	}
	l.buf = seal(append(l.buf[:0], l.before...), l.seq, body)
	l.torn = true
	err := writeAll(l.f, l.buf)
	if err == nil && sync {
		err = l.f.Datasync()
	}
	if err != nil {
		return errors.Join(err, l.restore())
	}
	l.last = l.size + int64(len(l.before))
	l.before, l.torn = nil, false
	l.unsynced.Store(!sync)
	l.size += int64(len(l.buf))
	l.seq++
	if cap(l.buf) > 1<<20 {
		l.buf = nil
	}
	return nil
}

// restore cuts what a failed write has left, so that it is never in the middle
// of the log. If even that fails, the next write tries again first. The end
// that was found torn at opening is kept elsewhere before it is cut.
func (l *Log) restore() error {
	if !l.torn {
		return nil
	}
	if l.tail > 0 {
		if err := l.keep(io.NewSectionReader(l.f, l.size, l.tail)); err != nil {
			return fmt.Errorf("keep the torn end: %w", err)
		}
		l.tail = 0
		l.unsynced.Store(true)
	}
	if err := l.f.Truncate(l.size); err != nil {
		return fmt.Errorf("cut what was half written: %w", err)
	}
	l.torn = false
	return nil
}

// writeAll writes all of b, also to a file that takes less than it is given
// without an error.
func writeAll(w io.Writer, b []byte) error {
	for len(b) > 0 {
		n, err := w.Write(b)
		if err != nil {
			return err
		}
		if n <= 0 {
			return io.ErrShortWrite
		}
		b = b[n:]
	}
	return nil
}

// Sync returns when all that was appended would survive a power failure. After an
// error nobody can tell what would.
func (l *Log) Sync() error {
	if err := l.sync(); err != nil {
		return fmt.Errorf("sync session %s: %w", l.header.ID, err)
	}
	return nil
}

func (l *Log) sync() error {
	if l.closed || !l.Unsynced() {
		return nil
	}
	err := l.f.Datasync()
	if err == nil {
		l.unsynced.Store(false)
	}
	return err
}

// Unsynced reports whether a power failure could take something that was
// appended. It is safe for concurrent use.
func (l *Log) Unsynced() bool { return l.unsynced.Load() }

// Close gives the session up. What was appended without sync is synced first.
func (l *Log) Close() error {
	l.draft.close()
	if l.closed || l.f == nil {
		l.closed = true
		return nil
	}
	err := l.sync()
	l.closed = true
	if l.tail == 0 { // else the next opening tries again to keep it
		err = errors.Join(l.restore(), err)
	}
	err = errors.Join(err, l.f.Close())
	l.f = nil
	if err != nil {
		return fmt.Errorf("close session %s: %w", l.header.ID, err)
	}
	return nil
}
