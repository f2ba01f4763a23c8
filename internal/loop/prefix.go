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
	return a.prompts.prefix(m, before, a.o.Prompt.Secrets.Text)
}

// prompts makes what the model gets besides the messages of the user and the results of
// tools: the prefix of requests, the description of the environment, and the notes about
// instruction files. The goroutine that owns the conversation uses it.
type prompts struct {
	PromptOptions
	schema *turn.Schema // of the last answer; may be nil
	tools  *toolset
	offer  func(model string, window int, all []llm.ToolSpec) []llm.ToolSpec // as in ModelOptions

	situations []string // the descriptions of the environment in the session
	compared   bool     // they were compared with the environment since the program started
}

// prefix is Agent.Prefix. Mask replaces the secrets of a text.
func (p *prompts) prefix(m turn.Model, before *event.Prefix, mask func(string) string) event.Prefix {
	out := event.Prefix{Replaced: mask(p.System), Added: mask(p.AppendSystem)}
	if before != nil {
		out.Replaced, out.Added = cmp.Or(out.Replaced, before.Replaced), cmp.Or(out.Added, before.Added)
	}
	out.System = cmp.Or(out.Replaced, prompt)
	basis := []string{out.Replaced, out.Added}
	add := func(paragraph string) {
		if paragraph != "" {
			out.System += "\n" + paragraph
		}
		basis = append(basis, paragraph)
	}
	add(out.Added)
	if p.schema != nil {
		add(p.schema.Request())
	}
	if p.Instructions != nil {
		var text string
		text, out.Instructions = p.Instructions(m.Context)
		add(mask(text))
	}
	if out.Tools = p.offered(m, m.Unlisted); m.Rejected(out.Tools) {
		out.Tools = p.offered(m, true)
	}
	for _, spec := range out.Tools {
		basis = append(basis, spec.Name)
	}
	if out.WebSearch = m.WebSearch; out.WebSearch {
		basis = append(basis, webSearch)
	}
	out.Hash = hashOf(out.System, out.Tools)
	out.Basis = hashOf(basis)
	return out
}

// offered returns the tools that are offered to m, without the definitions of MCP tools if
// unlisted is set.
func (p *prompts) offered(m turn.Model, unlisted bool) (specs []llm.ToolSpec) {
	for _, t := range p.tools.listed(unlisted) {
		specs = append(specs, t.Spec())
	}
	if p.offer != nil {
		specs = p.offer(m.ID, m.Context, specs)
	}
	return specs
}

// situation returns a description of the environment for a model with a context window of
// window tokens, or of its changes if the model has a description. It is empty if there is
// nothing new.
func (p *prompts) situation(ctx context.Context, window int, mode event.Mode) string {
	if p.Situation == nil || p.compared && len(p.situations) > 0 {
		return ""
	}
	ctx, stop := context.WithTimeout(ctx, situationTime)
	defer stop()
	text := p.Situation(ctx, window, mode, p.situations)
	p.compared = true
	if text != "" {
		p.situations = append(p.situations, text)
	}
	return text
}

// instructionNews returns the notes about instruction files, and passes their notices for
// the user to notify.
func (p *prompts) instructionNews(notify func(string)) []string {
	if p.InstructionNotes == nil {
		return nil
	}
	notes, notices := p.InstructionNotes()
	for _, text := range notices {
		notify(text)
	}
	return notes
}

// hashOf returns a hash of values that can be encoded.
func hashOf(values ...any) string {
	text, _ := json.Marshal(values)
	sum := sha256.Sum256(text)
	return "sha256:" + hex.EncodeToString(sum[:])
}
