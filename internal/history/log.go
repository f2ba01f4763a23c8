package history

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"

	"agent/internal/history/filelock"
)

// Log is a session that this program has open for appending. Except for methods
// that say otherwise, it is not safe for concurrent use; other goroutines read
// through a View.
type Log struct {
	store    *Store
	header   Header
	f        file   // nil before the first Append of a new session
	opened   int64  // length of the log when opened, 0 for a new one
	size     int64  // length of the valid part of f
	seq      int    // number of the next record
	last     int64  // offset of the last appended record
	prefix   []byte // bytes to write before the next record
	torn     bool   // f may be longer than size
	tail     int64  // bytes after size to keep in another file before they are cut off
	saveTail func(io.Reader) error
	unsynced atomic.Bool
	closed   bool
	buf      []byte
	draft    draft
}

// file is the file of a Log. Writes append.
type file interface {
	io.ReaderAt
	io.WriteCloser
	Truncate(size int64) error
	// Datasync returns when the written data would survive a power failure.
	Datasync() error
}

// osFile is the file of a log that this program has locked.
type osFile struct{ *os.File }

// Close also releases the lock.
func (f osFile) Close() error { return release(f.File) }

func (f osFile) Datasync() error { return filelock.Datasync(f.File) }

// Header returns the session's header. If the header of the log is damaged, it
// has only the ID.
func (l *Log) Header() Header { return l.header }

// Path returns the name of the file, which may not exist yet.
func (l *Log) Path() string { return l.store.dir.log(l.header.ID) }

// Outputs returns the directory next to the log for long outputs of a session.
// It may not exist yet.
func (l *Log) Outputs() string { return l.store.Outputs(l.header.ID) }

// UndoPath is Store.UndoPath for the session.
func (l *Log) UndoPath() string { return l.store.UndoPath(l.header.ID) }

// SaveOutput saves text in the directory of Outputs, readable only by the user.
// If the file exists, nothing is written: the name is derived from the text.
func (l *Log) SaveOutput(name, text string) error {
	path := filepath.Join(l.Outputs(), name)
	if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() {
		return nil
	}
	if err := os.MkdirAll(l.Outputs(), 0o700); err != nil {
		return err
	}
	return replace(path, []byte(text), false)
}

// Begun reports whether the session has a file, because it was resumed or
// something was appended.
func (l *Log) Begun() bool { return l.f != nil }

// Last returns the Offset of the last appended record. It is meaningless before
// the first Append.
func (l *Log) Last() int64 { return l.last }

// View opens the session for reading. It is safe for concurrent use, and the
// View may outlive the log. If nothing was appended yet, the error is an
// ErrNotFound.
func (l *Log) View() (*View, error) { return l.store.view(l.header.ID) }

// Append adds a record: a JSON object whose first field is "type", without
// fields "seq" and "crc". With sync it returns when this and all earlier
// records would survive a power failure. After an error the log is unchanged,
// and the record can be appended again.
func (l *Log) Append(body []byte, sync bool) error {
	body, err := checkBody(body)
	if err != nil {
		return err
	}
	if l.closed {
		return fmt.Errorf("append to session %s: %w", l.header.ID, fs.ErrClosed)
	}
	if l.f == nil {
		if err := l.create(noBodies); err != nil {
			return err
		}
	}
	if err := l.write(body, sync); err != nil {
		return fmt.Errorf("append to session %s: %w", l.header.ID, err)
	}
	return nil
}

// write appends the line for body, or leaves the file unchanged.
func (l *Log) write(body []byte, sync bool) error {
	if err := l.truncate(); err != nil {
		return err
	}
	l.buf = seal(append(l.buf[:0], l.prefix...), l.seq, body)
	l.torn = true
	err := writeAll(l.f, l.buf)
	if err == nil && sync {
		err = l.f.Datasync()
	}
	if err != nil {
		return errors.Join(err, l.truncate())
	}
	l.last = l.size + int64(len(l.prefix))
	l.prefix, l.torn = nil, false
	l.unsynced.Store(!sync)
	l.size += int64(len(l.buf))
	l.seq++
	if cap(l.buf) > 1<<20 {
		l.buf = nil
	}
	return nil
}

// truncate cuts off what a failed write left. If it fails, the next write tries
// again first. An incomplete end found when the log was opened is saved to
// another file before it is cut off.
func (l *Log) truncate() error {
	if !l.torn {
		return nil
	}
	if l.tail > 0 {
		if err := l.saveTail(io.NewSectionReader(l.f, l.size, l.tail)); err != nil {
			return fmt.Errorf("save the incomplete end: %w", err)
		}
		l.tail = 0
		l.unsynced.Store(true)
	}
	if err := l.f.Truncate(l.size); err != nil {
		return fmt.Errorf("cut off an incomplete write: %w", err)
	}
	l.torn = false
	return nil
}

// writeAll writes all of b, even if w writes less without an error.
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

// Sync returns when all appended records would survive a power failure. After
// an error it is unknown which of them would.
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

// Unsynced reports whether a power failure could lose appended records. It is
// safe for concurrent use.
func (l *Log) Unsynced() bool { return l.unsynced.Load() }

// Close syncs the records and releases the session.
func (l *Log) Close() error {
	l.draft.close()
	if l.closed || l.f == nil {
		l.closed = true
		return nil
	}
	err := l.sync()
	l.closed = true
	if l.tail == 0 { // otherwise the next program tries again to save it
		err = errors.Join(l.truncate(), err)
	}
	err = errors.Join(err, l.f.Close())
	l.f = nil
	if err != nil {
		return fmt.Errorf("close session %s: %w", l.header.ID, err)
	}
	return nil
}
