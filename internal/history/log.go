package history

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"time"
)

// Log is a session open for appending, by this program alone. It is not safe
// for concurrent use.
type Log struct {
	store    *Store
	header   Header
	f        file  // nil before the first Append of a new session
	size     int64 // of what is valid in f
	seq      int   // of the next record
	torn     bool  // f may hold more than size
	unsynced bool
	closed   bool
	buf      []byte
}

// file is what a Log needs of its file. Writes go to the end.
type file interface {
	io.ReaderAt
	io.WriteCloser
	Truncate(size int64) error
	// Datasync returns when what was written would survive a power failure.
	Datasync() error
}

// Create returns the log of a new session. It makes up the ID, the time and the
// format of h where they are missing. The file is made by the first Append, so
// a session in which nothing was said leaves nothing.
func (s *Store) Create(h Header) *Log {
	h.Format = Format
	if h.Time.IsZero() {
		h.Time = time.Now()
	}
	if h.ID == "" {
		h.ID = newID(h.Time)
	}
	return &Log{store: s, header: h}
}

// Header returns the session's header. That of a log whose header is damaged
// holds the ID alone.
func (l *Log) Header() Header { return l.header }

// Path returns the name of the file, which may not be there yet.
func (l *Log) Path() string { return l.store.path(l.header.ID) }

// Outputs returns the directory beside the log for what a session keeps outside
// its records: the whole of long outputs. Whoever writes there first makes it.
func (l *Log) Outputs() string { return l.store.outputs(l.header.ID) }

// Records yields what has been appended so far, in this program and before.
// Damaged places are left out: Resume has reported them. An error comes last.
func (l *Log) Records() iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		if l.f == nil {
			return
		}
		for r, err := range records(io.NewSectionReader(l.f, 0, l.size)) {
			if errors.As(err, new(Problem)) {
				continue
			}
			if !yield(r, err) {
				return
			}
		}
	}
}

// Append adds a record: a JSON object whose first field is its type, without
// fields called seq and crc. With sync it returns when the record, and all
// before it, would survive a power failure. After an error the log is what it
// was before, and the same record can be tried again.
func (l *Log) Append(body []byte, sync bool) error {
	body, err := checkBody(body)
	if err != nil {
		return err
	}
	if bytes.HasPrefix(body, []byte(typePrefix+headerType+`"`)) {
		return errors.New("a record must not call itself a header")
	}
	if l.closed {
		return fmt.Errorf("append to session %s: %w", l.header.ID, fs.ErrClosed)
	}
	if l.f == nil {
		if err := l.create(); err != nil {
			return fmt.Errorf("create session %s: %w", l.header.ID, err)
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
	l.buf = seal(l.buf[:0], l.seq, body)
	l.torn = true
	err := writeAll(l.f, l.buf)
	if err == nil && sync {
		err = l.f.Datasync()
	}
	if err != nil {
		return errors.Join(err, l.restore())
	}
	l.torn, l.unsynced = false, !sync
	l.size += int64(len(l.buf))
	l.seq++
	if cap(l.buf) > 1<<20 {
		l.buf = nil
	}
	return nil
}

// restore cuts what a failed write has left, so that it is never in the middle
// of the log. If even that fails, the next write tries again first.
func (l *Log) restore() error {
	if !l.torn {
		return nil
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

// Close gives the session up. What was appended without sync is synced first.
func (l *Log) Close() error {
	if l.closed || l.f == nil {
		l.closed = true
		return nil
	}
	l.closed = true
	var err error
	if l.unsynced {
		err = l.f.Datasync()
	}
	err = errors.Join(l.restore(), err, l.f.Close())
	l.f = nil
	if err != nil {
		return fmt.Errorf("close session %s: %w", l.header.ID, err)
	}
	return nil
}

// create makes the file with its header. It appears under its name complete,
// durable and locked, or not at all.
func (l *Log) create() error {
	if !validID(l.header.ID) {
		return fmt.Errorf("%q cannot be the ID of a session: use letters, digits, - and _", l.header.ID)
	}
	if err := l.store.prepare(); err != nil {
		return err
	}
	body, err := headerBody(l.header)
	if err != nil {
		return err
	}
	text := seal(nil, 0, body)
	f, err := l.store.publish(l.header.ID, text)
	if err != nil {
		return err
	}
	l.f, l.size, l.seq = osFile{f}, int64(len(text)), 1
	return nil
}

// publish makes a new session file that holds text, and locks it.
func (s *Store) publish(id string, text []byte) (*os.File, error) {
	final := s.path(id)
	if _, err := os.Lstat(final); err == nil {
		return nil, fmt.Errorf("%s: %w", final, fs.ErrExist)
	}
	temp := filepath.Join(s.dir, "."+id+".tmp")
	f, err := os.OpenFile(temp, os.O_RDWR|os.O_CREATE|os.O_TRUNC|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	f, err = settle(f, temp, final, text)
	if err != nil {
		f.Close()
		return nil, errors.Join(err, remove(temp), remove(final))
	}
	return f, nil
}

// settle fills a new file and brings it under its name. It returns the file to
// write to from here on, or to close.
func settle(f *os.File, temp, final string, text []byte) (*os.File, error) {
	if err := f.Chmod(0o600); err != nil {
		return f, err
	}
	if err := writeAll(f, text); err != nil {
		return f, err
	}
	if err := f.Sync(); err != nil {
		return f, err
	}
	f, err := renameLocked(f, temp, final)
	if err != nil {
		return f, err
	}
	return f, syncDir(filepath.Dir(final))
}

// remove removes a file that may not be there.
func remove(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
