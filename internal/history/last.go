package history

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
)

// Last returns the body of the last record of a type in the session of a
// working directory that was written to last; nil if there is none. It reads
// from the end and no further back than it must.
func (s *Store) Last(dir, recordType string) (json.RawMessage, error) {
	files, err := s.files()
	if err != nil {
		return nil, err
	}
	for _, i := range files {
		if s.headerOf(i.ID).Dir != dir {
			continue
		}
		f, err := os.Open(i.Path)
		if err != nil {
			return nil, fmt.Errorf("read session %s: %w", i.ID, err)
		}
		defer f.Close()
		return last(f, i.Size, recordType)
	}
	return nil, nil
}

// last reads r backwards in blocks.
func last(r io.ReaderAt, size int64, recordType string) (json.RawMessage, error) {
	var rest []byte // the end of a line that began in an earlier block
	for off := size; off > 0; {
		n := min(off, int64(max(64<<10, len(rest))))
		off -= n
		block := make([]byte, n, int(n)+len(rest))
		if _, err := r.ReadAt(block, off); err != nil {
			return nil, err
		}
		rest = append(block, rest...)
		for i := bytes.LastIndexByte(rest, '\n'); i >= 0; i = bytes.LastIndexByte(rest, '\n') {
			if r, _, ok := unsealEnd(rest[i+1:]); ok && r.hasType(recordType) {
				return r.Body, nil
			}
			rest = rest[:i]
		}
		if len(rest) > 2*maxLine {
			return nil, nil
		}
	}
	if r, _, ok := unsealEnd(rest); ok && r.hasType(recordType) {
		return r.Body, nil
	}
	return nil, nil
}
