package screen

import (
	"strconv"
	"sync"

	"agent/internal/loop/event"
)

// Answers holds the commands that wait for an answer of the agent, each with the function
// that takes the answer. The zero value holds none. Its methods are safe for concurrent use.
type Answers struct {
	mu    sync.Mutex
	last  int // the last ID
	waits map[event.Ref]func(event.Event)
}

// Await begins the wait for the answer to a command, which must be sent with the Ref that
// Await returns. Take gets the answer if it is an E. An answer of another type, like a
// Notice that says why the command failed, only ends the wait.
func Await[E event.Event](a *Answers, take func(E)) event.Ref {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.waits == nil {
		a.waits = map[event.Ref]func(event.Event){}
	}
	a.last++
	to := event.Ref{CommandID: strconv.Itoa(a.last)}
	a.waits[to] = func(e event.Event) {
		if e, ok := e.(E); ok {
			take(e)
		}
	}
	return to
}

// Take ends the wait that e answers, if any.
func (a *Answers) Take(e event.Event) {
	if take := a.remove(event.RefOf(e)); take != nil {
		take(e)
	}
}

// Forget ends the wait for the answer to a command, which is then ignored. It reports false
// if nothing waits for it.
func (a *Answers) Forget(to event.Ref) bool { return a.remove(to) != nil }

func (a *Answers) remove(to event.Ref) func(event.Event) {
	a.mu.Lock()
	defer a.mu.Unlock()
	take := a.waits[to]
	delete(a.waits, to)
	return take
}

// Waiting reports whether a command waits for its answer.
func (a *Answers) Waiting() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.waits) > 0
}
