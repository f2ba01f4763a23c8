package history

import (
	"encoding/json"
	"fmt"
	"os"
)

// maxLooked limits how many sessions Last reads, for a directory without
// sessions in a large store.
const maxLooked = 1000

// Last returns the body of the last record of a type in the most recently
// written session of a working directory, or nil if there is none among the
// maxLooked most recent sessions. Sessions of delegates do not count. It reads
// backward and no more than needed.
//
// Records for which skip returns true are ignored. If that leaves none in a
// session, Last continues with the previous session. skip may be nil.
func (s *Store) Last(dir, recordType string, skip func(json.RawMessage) bool) (json.RawMessage, error) {
	files, err := s.dir.files()
	if err != nil {
		return nil, err
	}
	in := InDir(dir)
	for _, i := range files[:min(len(files), maxLooked)] {
		if h := s.headerOf(i.ID); !in(h) || h.Agent != "" {
			continue
		}
		body, skipped, err := lastIn(i, recordType, skip)
		if err != nil {
			return nil, fmt.Errorf("read session %s: %w", i.ID, err)
		}
		if body != nil || !skipped {
			return body, nil
		}
	}
	return nil, nil
}

// lastIn is Last for one session. skipped reports whether it has records of the
// type that were skipped.
func lastIn(i Info, recordType string, skip func(json.RawMessage) bool) (body json.RawMessage, skipped bool, err error) {
	f, err := os.Open(i.Path)
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	for l, err := range backward(f, i.Size) {
		switch {
		case err != nil:
			return nil, false, err
		case !l.hasType(recordType):
		case skip != nil && skip(l.Body):
			skipped = true
		default:
			return l.Body, false, nil
		}
	}
	return nil, skipped, nil
}
