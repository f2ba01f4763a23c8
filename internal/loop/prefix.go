package loop

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"agent/internal/loop/event"
	"agent/internal/loop/turn"
)

// prefix returns the part of each request to m that precedes the messages. It must
// not depend on anything that changes during a session, so that providers can cache
// it.
func (a *Agent) prefix(m turn.Model) event.Prefix {
	p := event.Prefix{System: a.o.System}
	if p.System == "" {
		p.System = prompt
	}
	basis := []string{a.o.System, a.o.AppendSystem}
	add := func(paragraph string) {
		if paragraph != "" {
			p.System += "\n" + paragraph
		}
		basis = append(basis, paragraph)
	}
	add(a.o.AppendSystem)
	if a.o.Schema != nil {
		add(a.o.Schema.Request())
	}
	if a.o.Instructions != nil {
		var text string
		text, p.Instructions = a.o.Instructions(m.Context)
		add(text)
	}
	for _, t := range a.tools {
		spec := t.Spec()
		p.Tools = append(p.Tools, spec)
		basis = append(basis, spec.Name)
	}
	p.Hash = hashOf(p.System, p.Tools)
	p.Basis = hashOf(basis)
	return p
}

// hashOf returns a hash of values that can be encoded.
func hashOf(values ...any) string {
	text, _ := json.Marshal(values)
	sum := sha256.Sum256(text)
	return "sha256:" + hex.EncodeToString(sum[:])
}
