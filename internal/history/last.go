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
func (s *Store) Last(dir, recordType string) (json.RawMessage, error) {
	files, err := s.files()
	if err != nil {
		return nil, err
	}
	dir = AsWritten(dir)
	for _, i := range files[:min(len(files), maxLooked)] {
		if s.headerOf(i.ID).Dir != dir {
			continue
		}
		f, err := os.Open(i.Path)
		if err != nil {
			return nil, fmt.Errorf("read session %s: %w", i.ID, err)
		}
		defer f.Close()
		for l, err := range backward(f, i.Size) {
			if err != nil || l.hasType(recordType) {
				return l.Body, err
			}
		}
		return nil, nil
	}
	return nil, nil
}
