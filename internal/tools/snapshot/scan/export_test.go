package scan

import "context"

// LimitCopies sets how many bytes may be copied.
func (s *Scanner) LimitCopies(n int64) { s.left = n }

// LimitEntries sets how many entries each directory may have.
func (s *Scanner) LimitEntries(n int) {
	for _, t := range s.trees {
		t.limit = n
	}
}

// Interrupted calls f once the running Refresh is stopped.
func (s *Scanner) Interrupted(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	stop := s.stop
	s.stop = func() { stop(); f() }
}

// HideChanges makes the last scan have the times that the files have now, as on a system
// whose clock did not move between the scan and later changes.
func (s *Scanner) HideChanges() error {
	for _, t := range s.trees {
		now, err := walk(context.Background(), t.top, t.skip, t.limit)
		if err != nil {
			return err
		}
		for i := range t.index.dirs {
			d := &t.index.dirs[i]
			for j := range d.entries {
				e := &d.entries[j]
				if other := now.find(d.path); other != nil && other.find(e.name) >= 0 {
					o := other.entries[other.find(e.name)]
					e.mtime, e.ctime, e.flags = o.mtime, o.ctime, e.flags|racy
				}
			}
		}
	}
	return nil
}
