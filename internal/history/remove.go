package history

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"agent/internal/history/blobs"
	"agent/internal/history/filelock"
)

// Remove removes a session and everything that belongs to it, with the sessions
// of its delegates. id may be a unique prefix of an ID. If any program has the
// session open, including this one, the error is an ErrLocked (a *LockedError)
// and nothing is removed. The session also remains if one of its delegates is
// open.
func (s *Store) Remove(id string) error {
	id, err := s.dir.find(id)
	if err != nil {
		return err
	}
	delegates, err := s.delegates()
	if err != nil {
		return err
	}
	return s.remove(id, delegates[id])
}

// RemoveExpired removes the sessions that Expired returns, until ctx ends. It
// returns how many it removed, without those of delegates, and the first error.
func (s *Store) RemoveExpired(ctx context.Context, before time.Time) (removed int, err error) {
	old, err := s.Expired(before)
	if err != nil || len(old) == 0 {
		return 0, err
	}
	delegates, err := s.delegates()
	if err != nil {
		return 0, err
	}
	for _, i := range old {
		if ctx.Err() != nil {
			break
		}
		switch failed := s.remove(i.ID, delegates[i.ID]); {
		case failed == nil:
			removed++
		case err == nil:
			err = failed
		}
	}
	return removed, err
}

// remove removes the session of a complete ID, after the sessions of its
// delegates.
func (s *Store) remove(id string, delegates []string) error {
	f, err := s.openLocked(id)
	if err != nil {
		return err
	}
	for _, d := range delegates {
		if err := s.remove(d, nil); err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, ErrNotFound) {
			release(f)
			return fmt.Errorf("remove a delegate of session %s: %w", id, err)
		}
	}
	// The log is removed last, so that a failed removal can be repeated.
	err = errors.Join(
		os.RemoveAll(s.Outputs(id)),
		remove(s.dir.sibling(id, tornExtension)),
		remove(s.dir.sibling(id, draftExtension)),
		blobs.Remove(s.dir.path, id),
		s.Reservations().drop(id),
	)
	if err != nil {
		release(f)
		return fmt.Errorf("remove session %s: %w", id, err)
	}
	if err := errors.Join(unlink(f), filelock.SyncDir(s.dir.path)); err != nil {
		return fmt.Errorf("remove session %s: %w", id, err)
	}
	return nil
}

// Expired returns the sessions that were last written before a time and are not
// open in any program, the newest first. A session of a delegate expires with
// the session that it belongs to, if that still exists.
func (s *Store) Expired(before time.Time) ([]Info, error) {
	files, err := s.dir.files()
	if err != nil {
		return nil, err
	}
	exists := map[string]bool{}
	for _, i := range files {
		exists[i.ID] = true
	}
	var infos []Info
	for _, i := range files {
		if !i.Modified.Before(before) {
			continue
		}
		i.Header = s.headerOf(i.ID)
		if i.Agent != "" && exists[i.Parent] {
			continue
		}
		if s.isUnlocked(i.ID) {
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
