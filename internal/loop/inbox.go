package loop

import (
	"fmt"
	"sync"

	"agent/internal/loop/event"
	"agent/internal/loop/session"
	"agent/internal/loop/turn"
)

// inbox holds what the model has yet to get from the user and from background
// jobs. It is safe for concurrent use.
type inbox struct {
	rec  *recorder
	jobs Jobs

	mu      sync.Mutex
	prompts []event.Prompt
}

// add takes a prompt that steers the turn.
func (i *inbox) add(p event.Prompt) {
	i.mu.Lock()
	i.prompts = append(i.prompts, p)
	i.mu.Unlock()
	i.rec.do(func() {
		i.rec.draft.wait(p)
		i.rec.saveDraft()
	})
}

// putBack takes prompts that Prompts returned, to be returned again before others.
func (i *inbox) putBack(ps []event.Prompt) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.prompts = append(ps, i.prompts...)
}

// Prompts returns the prompts that came since its last call.
func (i *inbox) Prompts() []event.Prompt {
	i.mu.Lock()
	defer i.mu.Unlock()
	ps := i.prompts
	i.prompts = nil
	return ps
}

// Commands returns the typed commands that have ended and whose output the model
// has yet to get.
func (i *inbox) Commands() (out []turn.UserCommand) {
	i.rec.do(func() {
		for _, end := range i.rec.typed.Untold {
			out = append(out, turn.UserCommand{ID: end.ID, Message: session.ShellMessage(end)})
		}
	})
	return out
}

// News returns the ends of jobs that the model has yet to get.
func (i *inbox) News() (out []string) {
	for _, j := range i.jobs.Ended() {
		out = append(out, fmt.Sprintf("[job %d (%s) ended: %s. Use jobs to read its output]", j.ID, j.Title, j.State))
	}
	return out
}
