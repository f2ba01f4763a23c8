package session

import (
	"context"
	"iter"

	"agent/internal/history"
	"agent/internal/loop/event"
)

// Prompts yields the texts of the user's messages in records. It skips damaged records,
// and decodes only the type of others. It ends when ctx ends.
func Prompts(ctx context.Context, records iter.Seq2[history.Record, error]) iter.Seq[string] {
	return func(yield func(string) bool) {
		for s, err := range Events(Undamaged(ctx, records, nil), Only(&event.UserSaid{})) {
			if err != nil {
				continue
			}
			if said := s.Event.(*event.UserSaid); said.Text != "" && !said.Auto && !yield(said.Text) {
				return
			}
		}
	}
}
