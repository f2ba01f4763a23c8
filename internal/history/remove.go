package history

import (
	"errors"
	"fmt"
	"os"
	"time"
)

// Remove removes a session with all that belongs to it. The ID may be shortened
// as long as one session alone begins with it. A session that is open in any
// program, this one too, is an ErrLocked (a *LockedError) and stays.
func (s *Store) Remove(id string) error {
	id, err := s.find(id)
	if err != nil {
		return err
	}
	f, err := s.openLocked(id)
	if err != nil {
		return err
	}
	// The log goes last: as long as it is there, removing can be tried again.
	err = errors.Join(
		os.RemoveAll(s.Outputs(id)),
		remove(s.beside(id, tornExtension)),
		remove(s.beside(id, draftExtension)),
	)
	if err != nil {
		release(f)
		return fmt.Errorf("remove session %s: %w", id, err)
	}
	if err := errors.Join(unlink(f), syncDir(s.dir)); err != nil {
		return fmt.Errorf("remove session %s: %w", id, err)
	}
	return nil
}

// Expired returns the sessions that were last written to before a time and are
// open nowhere, the newest first.
func (s *Store) Expired(before time.Time) ([]Info, error) {
	files, err := s.files()
	if err != nil {
		return nil, err
	}
	var infos []Info
	for _, i := range files {
		if i.Modified.Before(before) && s.free(i.ID) {
			i.Header = s.headerOf(i.ID)
			infos = append(infos, i)
		}
	}
	return infos, nil
}

// free reports whether nobody holds a session. It takes it for an instant.
func (s *Store) free(id string) bool {
	f, err := s.openLocked(id)
	if err != nil {
		return false
	}
	release(f)
	return true
}
