package sessions

import (
	"context"

	"agent/cmd/agent/command"
	"agent/internal/history"
	"agent/internal/loop/event"
	"agent/internal/loop/session"
	"agent/internal/tui/list"
)

// Picker returns the function that lists sessions for the session picker: all of
// them, or those whose text, or that of their delegates, matches a query. current is the ID of the session on the
// screen.
func Picker(store *history.Store, current string) func(ctx context.Context, query string) ([]list.Session, error) {
	return func(ctx context.Context, query string) ([]list.Session, error) {
		all, err := entriesWithDelegates(ctx, store, "")
		if err != nil {
			return nil, err
		}
		var found map[string]bool
		if query != "" {
			if found, err = Find(ctx, store, query); err != nil {
				return nil, err
			}
		}
		for _, e := range all {
			if found[e.ID] {
				found[e.Owner] = true
			}
		}
		var rows []list.Session
		for _, e := range all {
			if e.Agent == "" && (query == "" || found[e.ID]) {
				rows = append(rows, list.Session{
					ID: e.ID, Dir: command.Short(e.Dir), Title: e.Title, Parent: e.Parent, Current: e.ID == current,
					When: e.Modified, Messages: e.Messages,
				})
			}
		}
		return rows, nil
	}
}

// Find returns the IDs of the sessions that match a query of words and quoted
// phrases. It skips rewound turns.
func Find(ctx context.Context, store *history.Store, query string) (map[string]bool, error) {
	var p pattern
	for _, phrase := range splitQuoted(query) {
		p.add(phrase)
	}
	found, rewound := map[string]bool{}, rewoundHits{store: store}
	for h, err := range store.Search(ctx, p.query()) {
		if err == nil && !found[h.ID] {
			found[h.ID] = !rewound.contains(ctx, h.ID, h.Offset)
		}
	}
	return found, ctx.Err()
}

// previewEvents is the minimum number of events of a preview.
const previewEvents = 40

// Preview returns a function that reads the last events of a session.
func Preview(store *history.Store) func(id string) ([]event.Event, error) {
	return func(id string) ([]event.Event, error) {
		v, err := store.View(id)
		if err != nil {
			return nil, err
		}
		defer v.Close()
		end, err := session.Ending(context.Background(), v, previewEvents)
		if err != nil {
			return nil, err
		}
		return Events(end), nil
	}
}

// Events returns the events of s.
func Events(s session.State) []event.Event {
	var all []event.Event
	for _, e := range s.Events {
		all = append(all, e)
	}
	return all
}
