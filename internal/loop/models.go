package loop

import (
	"sync"

	"agent/internal/loop/event"
	"agent/internal/loop/turn"
)

// models is the choice of the model. It is safe for concurrent use.
type models struct {
	find func(name, effort string) (turn.Model, error) // nil: the model cannot be changed
	rec  *recorder

	mu       sync.Mutex
	current  turn.Model
	recorded address // of the model that the log has
}

// address is a model and where it is: PROVIDER/NAME and a base URL.
type address struct{ model, baseURL string }

// Current returns the model of the next request.
func (m *models) Current() turn.Model {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.current
}

// Announce puts the model on record, unless the log has it.
func (m *models) Announce() error {
	m.mu.Lock()
	now := m.current
	if now.Confirm != nil { // on record its address would count as approved
		now.BaseURL = ""
	}
	at := address{now.Name, now.BaseURL}
	known := m.recorded == at
	m.recorded = at
	m.mu.Unlock()
	if known {
		return nil
	}
	return m.rec.emit(&event.ModelSet{Meta: m.rec.meta(), Model: now.Name, Why: now.Why, Context: now.Context, Effort: now.Effort, BaseURL: now.BaseURL, Host: now.Host})
}

// Confirmed notes that the user approved where the model's requests go.
func (m *models) Confirmed() {
	m.mu.Lock()
	m.current.Confirm = nil
	m.mu.Unlock()
	_ = m.Announce()
}

// loaded notes which model the log has.
func (m *models) loaded(at address) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.recorded = at
}

// choose switches to the model called name, chosen for the reason why, or says why
// that is not possible. It reports whether it switched.
func (m *models) choose(name, effort, why string) bool {
	if m.find == nil {
		m.rec.notify("the model cannot be changed here")
		return false
	}
	next, err := m.find(name, effort)
	if err != nil {
		m.rec.notify(err.Error())
		return false
	}
	if why != "" {
		next.Why = why
	}
	m.mu.Lock()
	m.current, m.recorded = next, address{}
	m.mu.Unlock()
	_ = m.Announce()
	return true
}

// found switches to the model that a search found, unless the session has a prompt
// already.
func (m *models) found(c event.Found) {
	defer m.rec.emit(event.Searched{})
	if m.rec.hasPrompt() {
		return
	}
	if c.Model != "" && m.choose(c.Model, "", c.Why) {
		now := m.Current()
		m.rec.notify(now.Name + " answers now: " + now.Why + ".")
	}
	for _, text := range c.Notices {
		m.rec.notify(text)
	}
}
