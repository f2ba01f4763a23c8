package loop

import (
	"fmt"
	"sync"

	"agent/internal/loop/delegate"
	"agent/internal/loop/event"
	"agent/internal/loop/session"
	"agent/internal/loop/turn"
)

// inbox holds pending messages to the model, from the user and from background jobs.
// It implements turn.Inbox and is safe for concurrent use.
type inbox struct {
	rec       *recorder
	jobs      Jobs
	delegates *delegate.Pool

	// moved is the directory in which the next command ran before the session was
	// resumed; empty if it was the working directory.
	moved string

	mu      sync.Mutex
	prompts []event.Prompt
}

// add queues a prompt that steers the turn, and saves it in the draft.
func (i *inbox) add(p event.Prompt) {
	i.mu.Lock()
	i.prompts = append(i.prompts, p)
	i.mu.Unlock()
	i.rec.wait(p)
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
	for _, end := range i.rec.unsentOutputs() {
		out = append(out, turn.UserCommand{ID: end.ID, Message: session.ShellMessage(end)})
	}
	return out
}

// News returns a note for each job and each background delegate that has ended since
// its previous call, and after a resume one on the directory of commands.
func (i *inbox) News() (out []string) {
	if i.moved != "" {
		out = append(out, fmt.Sprintf("[The session was resumed. The next command runs in the working directory, not in %s.]", i.moved))
		i.moved = ""
	}
	for _, j := range i.jobs.Ended() {
		out = append(out, fmt.Sprintf("[Job %d (%s) ended: %s. Read its output with jobs.]", j.ID, j.Title, j.State))
	}
	for _, n := range i.delegates.Finished() {
		out = append(out, session.DelegateNote(n.End, "", n.Task))
	}
	return out
}
