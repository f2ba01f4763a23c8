package history

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
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

// find returns the session whose ID is prefix, or the only one whose ID begins
// with it.
func (s *Store) find(prefix string) (string, error) {
	ids, err := s.ids()
	if err != nil {
		return "", err
	}
	var found []string
	for _, id := range ids {
		if id == prefix {
			return id, nil
		}
		if strings.HasPrefix(id, prefix) {
			found = append(found, id)
		}
	}
	switch {
	case prefix == "" || len(found) == 0:
		return "", fmt.Errorf("%w: %q", ErrNotFound, prefix)
	case len(found) > 1:
		shown := strings.Join(found[:min(len(found), 5)], ", ")
		return "", fmt.Errorf("%d sessions begin with %q: %s. Use a longer prefix", len(found), prefix, shown)
	}
	return found[0], nil
}

// ids returns the IDs of all sessions.
func (s *Store) ids() ([]string, error) {
	err := s.check()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, e := range entries {
		id, ok := strings.CutSuffix(e.Name(), extension)
		if ok && e.Type().IsRegular() && validID(id) {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// List returns the sessions of a working directory, or all if dir is empty, the
// most recently written first. Sessions of delegates are not among them.
func (s *Store) List(dir string) ([]Info, error) {
	files, err := s.files()
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

// files returns all sessions, the most recently written first. Their headers
// have only the ID.
func (s *Store) files() ([]Info, error) {
	ids, err := s.ids()
	if err != nil {
		return nil, err
	}
	var infos []Info
	for _, id := range ids {
		path := s.path(id)
		st, err := os.Lstat(path)
		if err != nil {
			continue // removed in the meantime
		}
		infos = append(infos, Info{Header: Header{ID: id}, Path: path, Modified: st.ModTime(), Size: st.Size()})
	}
	slices.SortFunc(infos, func(a, b Info) int {
		return cmp.Or(b.Modified.Compare(a.Modified), cmp.Compare(b.ID, a.ID))
	})
	return infos, nil
}

// headerOf returns a session's header; only the ID if it is damaged.
func (s *Store) headerOf(id string) Header {
	f, err := os.Open(s.path(id))
	if err != nil {
		return Header{ID: id}
	}
	defer f.Close()
	h, _ := readHeader(f)
	h.ID = id
	return h
}
