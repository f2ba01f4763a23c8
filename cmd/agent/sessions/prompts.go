package sessions

import (
	"context"
	"slices"
	"time"

	"agent/internal/history"
	"agent/internal/loop/event"
	"agent/internal/loop/session"
)

const (
	promptSessions = 50              // number of sessions that are searched for earlier prompts
	promptTime     = 2 * time.Second // time limit of the search
)

// Prompts returns a function that finds the earlier prompts of a directory, the
// latest last. Of the session current it returns only the rewound prompts, because
// the screen has the others. It reads the session files, so the prompts of a deleted
// session are gone.
func Prompts(store *history.Store, dir, current string) func(ctx context.Context, limit int) []string {
	return func(ctx context.Context, limit int) []string {
		ctx, stop := context.WithTimeout(ctx, promptTime)
		defer stop()
		all, err := Entries(ctx, store, dir)
		if err != nil {
			return nil // prompt history is optional
		}
		all = slices.DeleteFunc(all, func(e Entry) bool { return e.ID == current })
		slices.SortStableFunc(all, func(a, b Entry) int { return b.Modified.Compare(a.Modified) })
		var latest []string
		for _, e := range all[:min(len(all), promptSessions)] {
			latest = promptsOf(ctx, store, e.ID, latest, limit)
		}
		slices.Reverse(latest)
		if current == "" {
			return latest
		}
		for _, t := range rewound(ctx, store, current) {
			if u, ok := t.Event.(*event.UserSaid); ok && !u.Auto && u.Text != event.ContinuePrompt {
				latest = append(latest, u.Text)
			}
		}
		return latest[max(len(latest)-limit, 0):]
	}
}

// promptsOf appends the prompts of a session to latest, the latest first, until it
// has limit. It skips a prompt that repeats the previous one.
func promptsOf(ctx context.Context, store *history.Store, id string, latest []string, limit int) []string {
	if len(latest) >= limit {
		return latest
	}
	v, err := store.View(id)
	if err != nil {
		return latest
	}
	defer v.Close()
	for text := range session.Prompts(ctx, v.Before(history.End)) {
		if text != event.ContinuePrompt && (len(latest) == 0 || latest[len(latest)-1] != text) {
			latest = append(latest, text)
		}
		if len(latest) >= limit {
			break
		}
	}
	return latest
}
