package history

import (
	"errors"
	"fmt"
	"os"
	"time"
)

// Remove removes a session and everything that belongs to it. id may be a
// unique prefix of an ID. If any program has the session open, including this
// one, the error is an ErrLocked (a *LockedError) and nothing is removed.
func (s *Store) Remove(id string) error {
	id, err := s.find(id)
	if err != nil {
		return err
	}
	f, err := s.openLocked(id)
	if err != nil {
		return err
	}
	// The log is removed last, so that a failed removal can be repeated.
	err = errors.Join(
		os.RemoveAll(s.Outputs(id)),
		remove(s.sibling(id, tornExtension)),
		remove(s.sibling(id, draftExtension)),
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

// Expired returns the sessions that were last written before a time and are not
// open in any program, the newest first.
func (s *Store) Expired(before time.Time) ([]Info, error) {
	files, err := s.files()
	if err != nil {
		return nil, err
	}
	var infos []Info
	for _, i := range files {
		if i.Modified.Before(before) && s.isUnlocked(i.ID) {
			i.Header = s.headerOf(i.ID)
			infos = append(infos, i)
		}
	}
	return infos, nil
}

// isUnlocked reports whether no program has the session open. It locks the
// session for an instant.
func (s *Store) isUnlocked(id string) bool {
	f, err := s.openLocked(id)
	if err != nil {
		return false
	}
	release(f)
	return true
}
