package history

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"time"

	"agent/internal/history/blobs"
	"agent/internal/history/filelock"
)

// Create returns the log of a new session. It sets the format of h, and the ID
// and time if they are missing. The first Append creates the file, so that an
// unused session leaves none.
func (s *Store) Create(h Header) *Log {
	h.Format, h.Dir = Format, resolved(h.Dir)
	if h.Time.IsZero() {
		h.Time = time.Now()
	}
	if h.ID == "" {
		h.ID = newID(h.Time)
	}
	return &Log{store: s, header: h}
}

// CreateFrom creates a session from existing records, each as Append expects
// it. The file appears complete and durable or, after an error, not at all. An
// error in bodies stops it.
func (s *Store) CreateFrom(h Header, bodies iter.Seq2[[]byte, error]) (*Log, error) {
	l := s.Create(h)
	if err := l.create(bodies); err != nil {
		return nil, err
	}
	return l, nil
}

// Fork creates a session that begins with the records of another up to and
// including number seq, or all of them if seq is too high. It sets the fields
// of h that Create sets, the parent, and the directory and its place if they are missing.
//
// The other session may be open, damaged or of a newer format; its valid
// records are copied. Records are numbered again. The fork gets its own copy of
// the outputs, and records refer to it, so that the other session may be
// removed. It shares the old contents of files.
func (s *Store) Fork(id string, seq int, h Header) (*Log, error) {
	v, err := s.View(id)
	if err != nil {
		return nil, err
	}
	defer v.Close()
	last := 0
	for r, err := range v.Before(End) {
		if err != nil {
			return nil, fmt.Errorf("fork session %s: %w", v.Header().ID, err)
		}
		last = r.Seq
		break
	}
	seq = max(0, min(seq, last))
	h.Parent, h.ForkSeq = v.Header().ID, seq
	if h.Dir == "" {
		h.Dir, h.Place = v.Header().Dir, v.Header().Place
	}
	l := s.Create(h)
	outputs, err := s.shareOutputs(h.Parent, l.header.ID)
	if err != nil {
		return nil, err
	}
	if err := l.create(outputs.all(bodiesUpTo(v.From(0), seq))); err != nil {
		return nil, errors.Join(err, outputs.undo())
	}
	blobs.Fork(s.dir.path, h.Parent, l.header.ID)
	return l, nil
}

// bodiesUpTo yields the bodies of valid records up to number seq.
func bodiesUpTo(records iter.Seq2[Record, error], seq int) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for r, err := range records {
			if errors.As(err, new(Problem)) {
				continue
			}
			if r.Seq > seq || !yield(r.Body, err) {
				return
			}
		}
	}
}

// noBodies yields nothing.
func noBodies(func([]byte, error) bool) {}

// create creates the file with its header and the bodies. It appears complete,
// durable and locked, or not at all.
func (l *Log) create(bodies iter.Seq2[[]byte, error]) error {
	if !validID(l.header.ID) {
		return fmt.Errorf("%q cannot be the ID of a session: use letters, digits, - and _", l.header.ID)
	}
	err := l.store.dir.prepare()
	if err == nil {
		err = l.publish(bodies)
	}
	if err != nil {
		return fmt.Errorf("create session %s: %w", l.header.ID, err)
	}
	return nil
}

// taken returns the error for a session that another program has created since this one
// decided to.
func (s *Store) taken(id string) error {
	f, err := s.openLocked(id)
	if err != nil {
		return err
	}
	_ = release(f)
	return fmt.Errorf("another program has created session %s; resume it to continue it: %w", id, fs.ErrExist)
}

// publish writes the session's file, locks it, and prepares l for the next
// record.
func (l *Log) publish(bodies iter.Seq2[[]byte, error]) error {
	final := l.Path()
	if _, err := os.Lstat(final); err == nil {
		return l.store.taken(l.header.ID)
	}
	temp := filepath.Join(l.store.dir.path, "."+l.header.ID+tempExtension)
	f, err := os.OpenFile(temp, os.O_RDWR|os.O_CREATE|os.O_TRUNC|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	size, seq, err := fill(f, l.header, bodies)
	if err == nil {
		f, err = renameLocked(f, temp, final)
		if err == nil {
			err = filelock.SyncDir(l.store.dir.path)
		}
		if err != nil {
			err = errors.Join(err, remove(final))
		}
	}
	if err != nil {
		f.Close()
		return errors.Join(err, remove(temp))
	}
	l.f, l.size, l.seq = osFile{f}, size, seq
	return nil
}

// fill writes a complete log to a new file and syncs it. It returns its length
// and the number of the next record.
func fill(f *os.File, h Header, bodies iter.Seq2[[]byte, error]) (size int64, seq int, err error) {
	if err := f.Chmod(0o600); err != nil {
		return 0, 0, err
	}
	head, err := headerBody(h)
	if err != nil {
		return 0, 0, err
	}
	w := bufio.NewWriterSize(f, blockSize)
	size, seq, err = writeLog(w, head, bodies)
	if err == nil {
		err = w.Flush()
	}
	if err == nil {
		err = f.Sync()
	}
	return size, seq, err
}

func writeLog(w io.Writer, head []byte, bodies iter.Seq2[[]byte, error]) (size int64, seq int, err error) {
	text := seal(nil, 0, head)
	if _, err := w.Write(text); err != nil {
		return 0, 0, err
	}
	size, seq = int64(len(text)), 1
	for body, err := range bodies {
		if err != nil {
			return 0, 0, err
		}
		if body, err = checkBody(body); err != nil {
			return 0, 0, err
		}
		text = seal(text[:0], seq, body)
		if _, err := w.Write(text); err != nil {
			return 0, 0, err
		}
		size += int64(len(text))
		seq++
	}
	return size, seq, nil
}

// remove removes a file if it exists.
func remove(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
