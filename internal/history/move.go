package history

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"agent/internal/history/filelock"
)

// Move changes the working directory of a session and its place. id may be a unique
// prefix of an ID. The log is copied with a new header and replaced atomically; all
// other bytes stay. A log with a damaged header has no directory and stays as it is. If
// any program has the session open, including this one, the error is an ErrLocked.
func (s *Store) Move(id, dir, place string) error {
	id, err := s.dir.find(id)
	if err != nil {
		return err
	}
	f, err := s.openLocked(id)
	if err != nil {
		return err
	}
	h, ok := readHeader(f)
	if !ok {
		return release(f)
	}
	if h.Format > Format {
		return errors.Join(fmt.Errorf("move session %s: %w", id, ErrNewer), release(f))
	}
	h.Dir, h.Place = resolved(dir), place
	if err := s.replaceHeader(f, id, h); err != nil {
		return fmt.Errorf("change the directory of session %s: %w", id, err)
	}
	return nil
}

// replaceHeader replaces the log f of a session, whose first line is its header, by a
// copy with the header h. It releases f.
func (s *Store) replaceHeader(f *os.File, id string, h Header) error {
	temp := filepath.Join(s.dir.path, "."+id+tempExtension)
	to, err := copyWithHeader(temp, f, h)
	if err != nil {
		return errors.Join(err, release(f), remove(temp))
	}
	if to, err = supersede(f, to, temp, s.dir.log(id)); err == nil {
		err = filelock.SyncDir(s.dir.path)
	}
	if err = errors.Join(err, release(to)); err != nil {
		return errors.Join(err, remove(temp))
	}
	return nil
}

// copyWithHeader writes a durable copy of a log with the header h.
func copyWithHeader(path string, from *os.File, h Header) (*os.File, error) {
	first, err := (&pieces{r: from, limit: End}).read()
	if err != nil {
		return nil, err
	}
	info, err := from.Stat()
	if err != nil {
		return nil, err
	}
	head, err := headerBody(h)
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	_, err = f.Write(seal(nil, 0, head))
	if rest := int64(len(first.text)) + 1; err == nil && rest < info.Size() {
		_, err = io.Copy(f, io.NewSectionReader(from, rest, info.Size()-rest))
	}
	if err == nil {
		err = f.Sync()
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
