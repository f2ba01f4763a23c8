// Package secrets keeps secrets out of requests to a model and out of stored sessions. It
// puts them back into the arguments of tools that change files or run commands. It finds
// them with package mask. It stores nothing and never asks the user. Start reading at
// Masker.
package secrets

import (
	"agent/internal/llm"
	"agent/internal/llm/mask"
)

// Masker replaces the secrets in messages, events and drafts by placeholders, and as an
// interceptor restores them. All agents of a session share one. It is safe for
// concurrent use.
type Masker struct {
	texts  *mask.Masker
	update func()
}

// New returns a Masker that finds secrets with m. Before the Masker looks at a prompt or the
// result of a tool call, it calls update, which may add secrets to m. Update must be safe for
// concurrent use; it may be nil.
func New(m *mask.Masker, update func()) *Masker {
	if update == nil {
		update = func() {}
	}
	return &Masker{m, update}
}

// Stream returns a new filter of text that arrives in parts.
func (m *Masker) Stream() *mask.Stream { return m.texts.Stream() }

// Text returns s without its secrets.
func (m *Masker) Text(s string) string { return m.texts.Text(s) }

// Message returns msg without its secrets. Signed reasoning is kept, because the provider
// that wrote it rejects changes. In a message of the user, text that looks like a
// placeholder is ordinary text, unless this installation made it.
func (m *Masker) Message(msg llm.Message) llm.Message {
	if msg.Kind == llm.Thinking && msg.Opaque != nil {
		return msg
	}
	if msg.Kind == llm.User {
		m.texts.Note(msg.Text)
	}
	msg.Text, msg.Raw = m.texts.Text(msg.Text), m.texts.Text(msg.Raw)
	if msg.Input != nil {
		msg.Input = m.texts.JSON(msg.Input)
	}
	return msg
}
