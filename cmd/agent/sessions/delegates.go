package sessions

import "agent/internal/history"

// delegateHits returns the headers of sessions with search hits. It caches the header
// of one session, because hits are grouped by session.
type delegateHits struct {
	store *history.Store
	last  history.Header
}

// header returns the header of the session id; only the ID if it cannot be read.
func (d *delegateHits) header(id string) history.Header {
	if id == d.last.ID {
		return d.last
	}
	d.last = history.Header{ID: id}
	if v, err := d.store.View(id); err == nil {
		d.last = v.Header()
		_ = v.Close()
	}
	return d.last
}
