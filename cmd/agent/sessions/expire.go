package sessions

import (
	"context"
	"fmt"
	"time"

	"agent/internal/history"
	"agent/internal/llm/phrase"
)

// Expire removes, in the background, the sessions that were not used for days;
// 0 removes none. A session that is open stays. The channel returned yields at
// most one notice for the user, and is closed at the end. When ctx ends, the
// remaining sessions are left for the next start.
func Expire(ctx context.Context, store *history.Store, days int, now time.Time) <-chan string {
	notices := make(chan string, 1)
	go func() {
		defer close(notices)
		if days == 0 {
			return
		}
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
			notices <- fmt.Sprintf("Not used for %s and removed: %s (sessions.keep_days in the configuration).", phrase.Count(days, "day"), phrase.Count(removed, "session"))
		case err != nil:
			notices <- "Old sessions could not be removed: " + err.Error()
		}
	}()
	return notices
}
