package history

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"time"
)

const (
	// reservedFor is how long a reserved ID can be used.
	reservedFor = 30 * 24 * time.Hour
	// maxReserved limits the reserved IDs. The oldest are dropped first.
	maxReserved = 100
)

// reservation is the ID of a session that another program knows, and that may have no file.
type reservation struct {
	ID   string    `json:"id"`
	Dir  string    `json:"dir"`
	Time time.Time `json:"time"`
}

// Reserve remembers the ID of a new session and its directory, so that another process can
// create the session although it left no file.
func (s *Store) Reserve(id, dir string) error {
	return s.changeReserved(func(all []reservation) []reservation {
		all = append(without(all, id), reservation{id, dir, time.Now().UTC()})
		return all[max(0, len(all)-maxReserved):]
	})
}

// Reserved returns the directory of a reserved session. Prefixes of an ID are not accepted.
func (s *Store) Reserved(id string) (dir string, ok bool) {
	for _, r := range s.reserved() {
		if r.ID == id {
			return r.Dir, true
		}
	}
	return "", false
}

func (s *Store) reservedPath() string { return filepath.Join(filepath.Dir(s.dir), "reserved.json") }

// reserved returns the valid entries of the file, the oldest first. A file that cannot be
// read is empty.
func (s *Store) reserved() (all []reservation) {
	b, err := os.ReadFile(s.reservedPath())
	if err != nil || json.Unmarshal(b, &all) != nil {
		return nil
	}
	return slices.DeleteFunc(all, func(r reservation) bool {
		return !validID(r.ID) || !filepath.IsAbs(r.Dir) || time.Since(r.Time) > reservedFor
	})
}

func (s *Store) changeReserved(change func([]reservation) []reservation) error {
	return Exclusive(s.reservedPath(), func() error {
		b, err := json.Marshal(change(s.reserved()))
		if err != nil {
			return err
		}
		return Replace(s.reservedPath(), b, false)
	})
}

// dropReserved drops the reservation of a session that is removed.
func (s *Store) dropReserved(id string) error {
	if _, ok := s.Reserved(id); !ok {
		return nil
	}
	return s.changeReserved(func(all []reservation) []reservation { return without(all, id) })
}

func without(all []reservation, id string) []reservation {
	return slices.DeleteFunc(all, func(r reservation) bool { return r.ID == id })
}
