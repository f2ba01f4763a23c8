package history

// Owner returns the header of the session that a delegate belongs to: its parent, or
// the parent of that if that is a delegate. It is h itself if h is not of a delegate,
// or if the parent is not in all, which maps IDs to headers.
func Owner(h Header, all map[string]Header) Header {
	for range all {
		parent, ok := all[h.Parent]
		if h.Agent == "" || !ok {
			break
		}
		h = parent
	}
	return h
}

// ListWithDelegates is List with the sessions of delegates. They are in the working
// directory of the session that they belong to, even if they worked in another one.
func (s *Store) ListWithDelegates(dir string) ([]Info, error) {
	infos, headers, err := s.all()
	if err != nil {
		return nil, err
	}
	belongs := InDir(dir)
	in := infos[:0]
	for _, i := range infos {
		if belongs(Owner(i.Header, headers)) {
			in = append(in, i)
		}
	}
	return in, nil
}

// all returns all sessions, the most recently written first, and their headers by ID.
func (s *Store) all() ([]Info, map[string]Header, error) {
	infos, err := s.dir.files()
	headers := map[string]Header{}
	for n, i := range infos {
		infos[n].Header = s.headerOf(i.ID)
		headers[i.ID] = infos[n].Header
	}
	return infos, headers, err
}

// delegates returns the IDs of the sessions of the delegates of each session, also of
// the delegates of its delegates.
func (s *Store) delegates() (map[string][]string, error) {
	infos, headers, err := s.all()
	of := map[string][]string{}
	for _, i := range infos {
		h := i.Header
		for range infos { // ends in spite of a cycle
			if h.Agent == "" || h.Parent == i.ID {
				break
			}
			of[h.Parent] = append(of[h.Parent], i.ID)
			h = headers[h.Parent]
		}
	}
	return of, err
}
