package main

import (
	"context"
	"fmt"
	"path/filepath"

	"agent/internal/history"
	"agent/internal/loop/event"
	"agent/internal/loop/session"
	"agent/internal/tui/list"
)

// rows returns what lists the sessions on the screen, or those in which a query
// is found. current is the one that is shown.
func rows(store *history.Store, current string) func(context.Context, string) ([]list.Session, error) {
	return func(ctx context.Context, query string) ([]list.Session, error) {
		all, err := entries(ctx, store, "")
		if err != nil {
			return nil, err
		}
		var found map[string]bool
		if query != "" {
			if found, err = holding(ctx, store, query); err != nil {
				return nil, err
			}
		}
		var rows []list.Session
		for _, e := range all {
			if query == "" || found[e.ID] {
				rows = append(rows, list.Session{
					ID: e.ID, Dir: short(e.Dir), Title: e.Title, Parent: e.Parent, Current: e.ID == current,
					When: e.Modified, Messages: e.Messages,
				})
			}
		}
		return rows, nil
	}
}

// holding returns the IDs of the sessions in which a query is found: words, and
// phrases in quotes. What was taken back would not be found there again.
func holding(ctx context.Context, store *history.Store, query string) (map[string]bool, error) {
	var p pattern
	for _, phrase := range splitQuoted(query) {
		p.add(phrase)
	}
	found, taken := map[string]bool{}, taken{store: store}
	for h, err := range store.Search(ctx, p.query()) {
		if err == nil && !found[h.ID] {
			found[h.ID] = !taken.has(ctx, h)
		}
	}
	return found, ctx.Err()
}

// previewed is how many events a preview shows at least.
const previewed = 40

// preview returns what shows the end of a session.
func preview(store *history.Store) func(id string) ([]event.Event, error) {
	return func(id string) ([]event.Event, error) {
		v, err := store.View(id)
		if err != nil {
			return nil, err
		}
		defer v.Close()
		end, err := session.Ending(context.Background(), v, previewed)
		if err != nil {
			return nil, err
		}
		var last []event.Event
		for _, e := range end.Events {
			last = append(last, e)
		}
		return last, nil
	}
}

// export writes the session to a file in its directory, in the format of that
// name.
func (a *app) export(format string) (string, error) {
	write := exporters()[format]
	if write == nil {
		return "", fmt.Errorf("there is no format %q: use md, html or json", format)
	}
	v, err := a.log.View()
	if err != nil {
		return "", err
	}
	defer v.Close()
	s, err := exported(v, func(error) {}) // what is damaged was told when it was opened
	if err != nil {
		return "", err
	}
	path := filepath.Join(a.dir, "session-"+a.id()+"."+format)
	return path, exportFile(path, s, write)
}
