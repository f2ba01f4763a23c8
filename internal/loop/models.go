package loop

import (
	"sync"

	"agent/internal/loop/event"
	"agent/internal/loop/turn"
)

// models holds the current model. It implements turn.Models and is safe for concurrent use.
type models struct {
	find func(name, effort string) (turn.Model, error) // nil: the model cannot be changed
	rec  *recorder
	// summary is the name of the model that summarizes conversations; empty for the
	// current one.
	summary string

	mu       sync.Mutex
	current  turn.Model
	search   searchChoice
	recorded address // of the model that was recorded last
}

// searchChoice is whether models may use the web search of their providers.
type searchChoice int

const (
	searchUnset  searchChoice = iota // not, because nobody has asked for it
	searchWanted                     // once the user has approved it
	searchOff
	searchOn
)

// address is a model, PROVIDER/NAME, and its base URL.
type address struct{ model, baseURL string }

// Current returns the model of the next request.
func (m *models) Current() turn.Model {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.current
	now.WebSearch = now.WebSearch && (m.search == searchOn || m.search == searchWanted)
	if now.WebSearch && m.search == searchWanted {
		now.ApproveSearch = m.setSearch
	}
	return now
}

// setSearch lets the models use the web search of their providers, or not.
func (m *models) setSearch(on bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.search = searchOff
	if on {
		m.search = searchOn
	}
}

// wantSearch makes the next turn ask for the web search, unless that is decided.
func (m *models) wantSearch() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.search == searchUnset {
		m.search = searchWanted
	}
}

// searchable returns the current model, whether its provider has a web search, and
// whether the user allows it.
func (m *models) searchable() (name string, has bool, choice searchChoice) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.current.Name, m.current.WebSearch, m.search
}

// forSummary returns the model that summarizes conversations.
func (m *models) forSummary() (turn.Model, error) {
	if m.summary == "" || m.find == nil {
		return m.Current(), nil
	}
	return m.find(m.summary, "")
}

// Announce records the model, unless it is recorded already.
func (m *models) Announce() error { return m.announce(event.Ref{}) }

// announce is like Announce. It always records the model if it answers a command.
func (m *models) announce(to event.Ref) error {
	m.mu.Lock()
	now := m.current
	if now.Confirm != nil { // a recorded address counts as approved
		now.BaseURL = ""
	}
	at := address{now.Name, now.BaseURL}
	known := m.recorded == at
	m.recorded = at
	m.mu.Unlock()
	if known && to == (event.Ref{}) {
		return nil
	}
	return m.rec.emit(&event.ModelSet{Meta: m.rec.meta(), Ref: to, Model: now.Name, Why: now.Why, Context: now.Context, Effort: now.Effort, BaseURL: now.BaseURL, Host: now.Host})
}

// Update replaces the current model with the result of change. It announces a new
// context window, and the base URL of a model whose host was approved.
func (m *models) Update(change func(turn.Model) turn.Model) {
	m.mu.Lock()
	was := m.current.Context
	if m.current = change(m.current); m.current.Context != was {
		m.recorded = address{}
	}
	m.mu.Unlock()
	_ = m.Announce()
}

// loaded sets the model that was recorded last.
func (m *models) loaded(at address) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.recorded = at
}

// choose switches to the model of c, for the reason why. It reports whether it switched;
// if not, it emits a notice.
func (m *models) choose(c event.SetModel, why string) bool {
	if m.find == nil {
		m.rec.answer(c.Ref, "The model cannot be changed in this session.")
		return false
	}
	next, err := m.find(c.Model, c.Effort)
	if err != nil {
		m.rec.answer(c.Ref, err.Error())
		return false
	}
	if why != "" {
		next.Why = why
	}
	m.mu.Lock()
	m.current, m.recorded = next, address{}
	m.mu.Unlock()
	_ = m.announce(c.Ref)
	return true
}

// found switches to the model that a search found, unless the session has a prompt. If
// it found none, it emits the notices about that.
func (m *models) found(c event.Found) {
	defer m.rec.emit(event.Searched{})
	if m.rec.prompted() && c.Model != "" {
		return
	}
	if c.Model != "" && m.choose(event.SetModel{Model: c.Model}, c.Why) {
		now := m.Current()
		m.rec.notify("Model: " + now.Name + " (" + now.Why + ").")
	}
	for _, text := range c.Notices {
		m.rec.notify(text)
	}
}
