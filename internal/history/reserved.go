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

// Reservations are the IDs of new sessions that another program knows, such as an editor.
// A session without records has no file, so another process of this program finds its
// directory only here. They are in one file, which processes change one at a time.
type Reservations struct {
	path string
}

// reservation is an entry of the file.
type reservation struct {
	ID   string    `json:"id"`
	Dir  string    `json:"dir"`
	Time time.Time `json:"time"`
}

// Reservations returns the reserved IDs of the store.
func (s *Store) Reservations() Reservations {
	return Reservations{filepath.Join(filepath.Dir(s.dir.path), "reserved.json")}
}

// Add reserves the ID of a new session in a directory. It replaces an earlier reservation of
// the ID. The error is that of locking or writing the file.
func (r Reservations) Add(id, dir string) error {
	return r.change(func(all []reservation) []reservation {
		all = append(without(all, id), reservation{id, dir, time.Now().UTC()})
		return all[max(0, len(all)-maxReserved):]
	})
}

// Dir returns the directory of a reserved session. Prefixes of an ID are not accepted.
func (r Reservations) Dir(id string) (dir string, ok bool) {
	for _, v := range r.valid() {
		if v.ID == id {
			return v.Dir, true
		}
	}
	return "", false
}

// drop drops the reservation of a session that is removed, if there is one.
func (r Reservations) drop(id string) error {
	if _, ok := r.Dir(id); !ok {
		return nil
	}
	return r.change(func(all []reservation) []reservation { return without(all, id) })
}

// valid returns the valid entries of the file, the oldest first. A file that cannot be
// read is empty.
func (r Reservations) valid() (all []reservation) {
	b, err := os.ReadFile(r.path)
	if err != nil || json.Unmarshal(b, &all) != nil {
		return nil
	}
	return slices.DeleteFunc(all, func(v reservation) bool {
		return !validID(v.ID) || !filepath.IsAbs(v.Dir) || time.Since(v.Time) > reservedFor
	})
}

func (r Reservations) change(change func([]reservation) []reservation) error {
	return Exclusive(r.path, func() error {
		b, err := json.Marshal(change(r.valid()))
		if err != nil {
			return err
		}
		return Replace(r.path, b, false)
	})
}

func without(all []reservation, id string) []reservation {
	return slices.DeleteFunc(all, func(r reservation) bool { return r.ID == id })
}
