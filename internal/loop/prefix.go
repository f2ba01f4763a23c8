package loop

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"agent/internal/llm"
	"agent/internal/loop/event"
	"agent/internal/loop/turn"
)

// situationTime limits how long the first turn waits for the description of the
// environment.
const situationTime = time.Second

// Prefix returns the part of each request to m that precedes the messages. It must
// not depend on anything that changes during a session, so that providers can cache
// it. Before is the prefix of the session; nil if there is none. A session keeps the
// user's own system prompt until the user gives another one.
func (a *Agent) Prefix(m turn.Model, before *event.Prefix) event.Prefix {
	return a.prefix(m, before, a.o.Prompt.Secrets.Text)
}

// prefix is Prefix. Mask replaces the secrets of a text.
func (a *Agent) prefix(m turn.Model, before *event.Prefix, mask func(string) string) event.Prefix {
	p := event.Prefix{Replaced: mask(a.o.Prompt.System), Added: mask(a.o.Prompt.AppendSystem)}
	if before != nil {
		p.Replaced, p.Added = cmp.Or(p.Replaced, before.Replaced), cmp.Or(p.Added, before.Added)
	}
	p.System = cmp.Or(p.Replaced, prompt)
	basis := []string{p.Replaced, p.Added}
	add := func(paragraph string) {
		if paragraph != "" {
			p.System += "\n" + paragraph
		}
		basis = append(basis, paragraph)
	}
	add(p.Added)
	if a.o.Schema != nil {
		add(a.o.Schema.Request())
	}
	if a.o.Prompt.Instructions != nil {
		var text string
		text, p.Instructions = a.o.Prompt.Instructions(m.Context)
		add(mask(text))
	}
	if p.Tools = a.offered(m, m.Unlisted); m.Rejected(p.Tools) {
		p.Tools = a.offered(m, true)
	}
	for _, spec := range p.Tools {
		basis = append(basis, spec.Name)
	}
	if p.WebSearch = m.WebSearch; p.WebSearch {
		basis = append(basis, webSearch)
	}
	p.Hash = hashOf(p.System, p.Tools)
	p.Basis = hashOf(basis)
	return p
}

// offered returns the tools that are offered to m, without the definitions of MCP tools if
// unlisted is set.
func (a *Agent) offered(m turn.Model, unlisted bool) (specs []llm.ToolSpec) {
	for _, t := range a.tools.listed(unlisted) {
		specs = append(specs, t.Spec())
	}
	if a.o.Models.Offer != nil {
		specs = a.o.Models.Offer(m.ID, m.Context, specs)
	}
	return specs
}

// situation is what the model knows of the environment.
type situation struct {
	earlier  []string // descriptions in the session
	compared bool     // they were compared with the environment since the program started
}

// describe returns a description of the environment, or of its changes if the model
// has a description. It is empty if there is nothing new.
func (s *situation) describe(ctx context.Context, a *Agent) string {
	if a.o.Prompt.Situation == nil || s.compared && len(s.earlier) > 0 {
		return ""
	}
	ctx, stop := context.WithTimeout(ctx, situationTime)
	defer stop()
	text := a.o.Prompt.Situation(ctx, a.models.Current().Context, a.judge.Mode(), s.earlier)
	s.compared = true
	if text != "" {
		s.earlier = append(s.earlier, text)
	}
	return text
}

// instructionNews returns the notes about instruction files, and reports their
// notices to the user.
func (a *Agent) instructionNews() []string {
	if a.o.Prompt.InstructionNotes == nil {
		return nil
	}
	notes, notices := a.o.Prompt.InstructionNotes()
	for _, text := range notices {
		a.rec.notify(text)
	}
	return notes
}

// hashOf returns a hash of values that can be encoded.
func hashOf(values ...any) string {
	text, _ := json.Marshal(values)
	sum := sha256.Sum256(text)
	return "sha256:" + hex.EncodeToString(sum[:])
}
