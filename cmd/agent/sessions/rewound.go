package sessions

import (
	"context"

	"agent/internal/history"
	"agent/internal/loop/session"
)

// rewoundHits reports which search hits were rewound. It caches the offsets of one
// session, because hits are grouped by session.
type rewoundHits struct {
	store   *history.Store
	id      string
	offsets map[int64]bool
}

// contains reports whether the event at an offset of the session id was rewound.
func (r *rewoundHits) contains(ctx context.Context, id string, offset int64) bool {
	if id != r.id {
		r.id, r.offsets = id, map[int64]bool{}
		for _, e := range rewound(ctx, r.store, id) {
			r.offsets[e.Offset] = true
		}
	}
	return r.offsets[offset]
}

// rewound returns the rewound events of a session; none if it cannot be read.
func rewound(ctx context.Context, store *history.Store, id string) []session.Stored {
	v, err := store.View(id)
	if err != nil {
		return nil
	}
	defer v.Close()
	all, _ := session.RemovedEvents(ctx, v)
	return all
}
