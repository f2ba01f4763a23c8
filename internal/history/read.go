package history

import (
	"io"
	"os"
)

// readHeader reads the header of a log from its beginning, if it is undamaged.
func readHeader(f io.ReaderAt) (Header, bool) {
	for limit := int64(1 << 10); limit <= blockSize; limit *= 8 {
		p := pieces{r: f, limit: limit}
		first, err := p.read()
		if err != nil || first.off > 0 {
			break
		}
		if r, ok := unseal(first.text); ok {
			return r.header()
		}
	}
	return Header{}, false
}

// List returns the sessions of a working directory, or all if dir is empty, the
// most recently written first. Sessions of delegates are not among them.
func (s *Store) List(dir string) ([]Info, error) {
	files, err := s.dir.files()
	if err != nil {
		return nil, err
	}
	in := InDir(dir)
	infos := files[:0]
	for _, i := range files {
		i.Header = s.headerOf(i.ID)
		if i.Agent == "" && in(i.Header) {
			infos = append(infos, i)
		}
	}
	return infos, nil
}

// headerOf returns a session's header; only the ID if it is damaged.
func (s *Store) headerOf(id string) Header {
	f, err := os.Open(s.dir.log(id))
	if err != nil {
		return Header{ID: id}
	}
	defer f.Close()
	h, _ := readHeader(f)
	h.ID = id
	return h
}
