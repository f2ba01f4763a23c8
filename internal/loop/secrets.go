package loop

import (
	"agent/internal/llm"
	"agent/internal/loop/event"
	"agent/internal/loop/turn"
)

// Secrets replaces secrets by placeholders. Its methods do not change their arguments.
type Secrets interface {
	turn.Secrets
	// Event returns an event without the secrets that must not be stored.
	Event(event.Event) event.Event
	// Draft returns a draft without its secrets.
	Draft(event.Draft) event.Draft
}

// noSecrets is used if secrets are not replaced.
type noSecrets struct{}

func (noSecrets) Text(s string) string              { return s }
func (noSecrets) Message(m llm.Message) llm.Message { return m }
func (noSecrets) Event(e event.Event) event.Event   { return e }
func (noSecrets) Draft(d event.Draft) event.Draft   { return d }
