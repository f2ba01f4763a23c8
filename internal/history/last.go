package history

import (
	"encoding/json"
	"fmt"
	"os"
)

// maxLooked is how many sessions Last looks at: in a directory without one it
// would look at all there are, each time.
const maxLooked = 1000

// Last returns the body of the last record of a type in the session of a
// working directory that was written to last; nil if there is none, or if very
// many others were written to since. It reads from the end and no further back
// than it must.
//
// Records that skip reports true for do not count. If a session has no others of
// the type, Last continues in the session before it. skip may be nil.
func (s *Store) Last(dir, recordType string, skip func(json.RawMessage) bool) (json.RawMessage, error) {
	files, err := s.files()
	if err != nil {
		return nil, err
	}
	dir = AsWritten(dir)
	for _, i := range files[:min(len(files), maxLooked)] {
		if s.headerOf(i.ID).Dir != dir {
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
// type, all of which are skipped.
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
