package hooks

import (
	"slices"
	"strconv"
	"sync"

	"agent/internal/loop/part"
	"agent/internal/realpath"
)

// Session makes hooks act on the agents of a session. Before and After are parts of their
// own, because the one comes before that of secrets, and the other after the part that
// records changes. The session itself is the last part, so that the hooks of its end run
// while everything else still works. It does nothing on nil.
type Session struct {
	*Runner

	mu    sync.Mutex
	calls map[int]*calls // of the agents, by number
}

// NewSession returns the parts of r; nil if r is nil.
func NewSession(r *Runner) *Session {
	if r == nil {
		return nil
	}
	return &Session{Runner: r, calls: map[int]*calls{}}
}

// of returns the calls of an agent.
func (s *Session) of(a part.Agent) *calls {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.calls[a.Number] == nil {
		id := ""
		if a.Number > 0 {
			id = strconv.Itoa(a.Number)
		}
		dir := a.Workspace.Dir()
		s.calls[a.Number] = &calls{r: s.Runner, dir: dir, real: realpath.Of(dir), agent: id, seen: map[callKey]decided{}}
	}
	return s.calls[a.Number]
}

func (s *Session) forget(number int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.calls, number)
}

// Before runs the hooks before a call. It is a part.Func.
func (s *Session) Before(a part.Agent) (part.Added, error) {
	if s == nil {
		return part.Added{}, nil
	}
	b := before{s.of(a)}
	return part.Added{Arguments: b, Check: b, Close: func() { s.forget(a.Number) }}, nil
}

// After runs the hooks after a call. It is a part.Func.
func (s *Session) After(a part.Agent) (part.Added, error) {
	if s == nil {
		return part.Added{}, nil
	}
	return part.Added{Around: after{s.of(a)}}, nil
}

// For runs the hooks at other events of the main agent. It implements part.Part.
func (s *Session) For(a part.Agent) (part.Added, error) {
	if s == nil || a.Number > 0 {
		return part.Added{}, nil
	}
	return part.Added{Listen: s.Listen}, nil
}

// Close runs the hooks of the end of the session, and returns their problems.
func (s *Session) Close() []string {
	if s == nil {
		return nil
	}
	var mu sync.Mutex
	var problems []string
	s.Notify(func(text string) {
		mu.Lock()
		defer mu.Unlock()
		problems = append(problems, text)
	})
	s.Runner.Close()
	mu.Lock()
	defer mu.Unlock()
	return slices.Clone(problems)
}
