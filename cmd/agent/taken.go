package main

import (
	"context"

	"agent/internal/history"
	"agent/internal/loop/session"
)

// taken knows what was taken back in the sessions that something is found in.
type taken struct {
	store *history.Store
	id    string // of the session that was looked at last
	at    map[int64]bool
}

// has reports whether what was found was taken back.
func (t *taken) has(ctx context.Context, h history.Hit) bool {
	if h.ID != t.id {
		t.id, t.at = h.ID, map[int64]bool{}
		for _, e := range takenBack(ctx, t.store, h.ID) {
			t.at[e.Offset] = true
		}
	}
	return t.at[h.Offset]
}

// takenBack is what was taken back in a session; nothing if that cannot be read.
func takenBack(ctx context.Context, store *history.Store, id string) []session.Taken {
	v, err := store.View(id)
	if err != nil {
		return nil
	}
	defer v.Close()
	all, _ := session.TakenBack(ctx, v)
	return all
}
