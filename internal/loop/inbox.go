package loop

import (
	"fmt"
	"sync"

	"agent/internal/loop/event"
	"agent/internal/loop/session"
	"agent/internal/loop/turn"
)

// inbox holds pending messages to the model, from the user and from background jobs.
// It implements turn.Inbox and is safe for concurrent use.
type inbox struct {
	rec  *recorder
	jobs Jobs
	// instructions is Options.InstructionNotes.
	instructions func() (notes, notices []string)

	mu      sync.Mutex
	prompts []event.Prompt
}

// add queues a prompt that steers the turn, and saves it in the draft.
func (i *inbox) add(p event.Prompt) {
	i.mu.Lock()
	i.prompts = append(i.prompts, p)
	i.mu.Unlock()
	i.rec.do(func() {
		i.rec.draft.wait(p)
		i.rec.saveDraft()
	})
}

// putBack puts prompts that Prompts returned back at the front of the queue.
func (i *inbox) putBack(ps []event.Prompt) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.prompts = append(ps, i.prompts...)
}

// Prompts returns the prompts since its previous call.
func (i *inbox) Prompts() []event.Prompt {
	i.mu.Lock()
	defer i.mu.Unlock()
	ps := i.prompts
	i.prompts = nil
	return ps
}

// Commands returns the finished typed commands whose output the model has not
// received.
func (i *inbox) Commands() (out []turn.UserCommand) {
	i.rec.do(func() {
		for _, end := range i.rec.typed.Untold {
			out = append(out, turn.UserCommand{ID: end.ID, Message: session.ShellMessage(end)})
		}
	})
	return out
}

// News returns a note for each job that has ended since its previous call.
func (i *inbox) News() (out []string) {
	for _, j := range i.jobs.Ended() {
		out = append(out, fmt.Sprintf("[Job %d (%s) ended: %s. Read its output with jobs.]", j.ID, j.Title, j.State))
	}
	return out
}

// Instructions returns the notes about instruction files, and reports their notices
// to the user.
func (i *inbox) Instructions() []string {
	if i.instructions == nil {
		return nil
	}
	notes, notices := i.instructions()
	for _, text := range notices {
		i.rec.notify(text)
	}
	return notes
}
