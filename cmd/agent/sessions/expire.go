package sessions

import (
	"context"
	"fmt"
	"os"
	"time"

	"agent/internal/history"
	"agent/internal/llm/phrase"
	"agent/internal/scratch"
	"agent/internal/tools/caches"
	"agent/internal/tools/tempdir"
)

// Expire deletes, in the background, sessions that were not used for days, with those of
// their delegates; 0 deletes none. Open sessions are kept. It also removes temporary files and caches. The returned channel gets at most one notice for the
// user and is closed at the end. If ctx ends, the rest is left for the next start.
func Expire(ctx context.Context, store *history.Store, days int, now time.Time) <-chan string {
	notices := make(chan string, 1)
	go func() {
		defer close(notices)
		scratch.Expire(7 * 24 * time.Hour)
		tempdir.Expire()
		if state, err := history.Dir(os.Getenv); err == nil {
			caches.Expire(ctx, state, now)
		}
		if days == 0 {
			return
		}
		removed, err := store.RemoveExpired(ctx, now.AddDate(0, 0, -days))
		switch {
		case removed > 0:
			notices <- fmt.Sprintf("Deleted %[2]s not used for %[1]s (sessions.keep_days in the configuration).", phrase.Count(days, "day"), phrase.Count(removed, "session"))
		case err != nil:
			notices <- "Old sessions could not be deleted: " + err.Error()
		}
	}()
	return notices
}
