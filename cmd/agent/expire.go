package main

import (
	"context"
	"fmt"
	"time"

	"agent/internal/history"
	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
)

// expire removes, in the background, the sessions that were not used for so
// many days, and says how many it were. One that is open anywhere stays. What
// it says is closed when it is done; when ctx ends, it leaves the rest for the
// next time.
func expire(ctx context.Context, store *history.Store, days int, now time.Time) <-chan string {
	said := make(chan string, 1)
	go func() {
		defer close(said)
		if days == 0 {
			return
		}
		if text := removeExpired(ctx, store, days, now); text != "" {
			said <- text
		}
	}()
	return said
}

func removeExpired(ctx context.Context, store *history.Store, days int, now time.Time) string {
	old, err := store.Expired(now.AddDate(0, 0, -days))
	removed := 0
	for _, s := range old {
		if ctx.Err() != nil {
			break
		}
		if err = store.Remove(s.ID); err == nil {
			removed++
		}
	}
	switch {
	case removed > 0:
		return fmt.Sprintf("Not used for %s and removed: %s (sessions.keep_days in the configuration).", phrase.Count(days, "day"), phrase.Count(removed, "session"))
	case err != nil:
		return "Old sessions could not be removed: " + err.Error()
	}
	return ""
}

// among returns what comes of events until they end, and what is said
// meanwhile. It ends when nobody takes them any more, which gone tells.
func among(events <-chan event.Event, said <-chan string, gone <-chan struct{}) <-chan event.Event {
	out := make(chan event.Event)
	go func() {
		defer close(out)
		for {
			var e event.Event
			select {
			case next, ok := <-events:
				if !ok {
					return
				}
				e = next
			case text, ok := <-said:
				if !ok {
					said = nil
					continue
				}
				e = event.Notice{Text: text}
			}
			select {
			case out <- e:
			case <-gone:
				return
			}
		}
	}()
	return out
}
