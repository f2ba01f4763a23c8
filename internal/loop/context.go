package loop

import (
	"context"
	"fmt"

	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
	"agent/internal/loop/window"
)

// listContext answers a command with what fills the context window.
func (a *Agent) listContext(ctx context.Context, to event.Ref) {
	if err := a.load(ctx, a.conv); err != nil {
		a.rec.answer(to, "Cannot list the context: "+err.Error())
		_ = a.rec.emit(event.ContextNow{})
		return
	}
	m, instructions := a.conv.Adapted(a.models.Current()), ""
	if a.o.Prompt.Instructions != nil {
		instructions, _ = a.o.Prompt.Instructions(m.Context)
	}
	now := a.conv.Context(m, a.Prefix(m, a.conv.Prefix), instructions)
	now.Ref = to
	_ = a.rec.emit(now)
}

// editContext changes what the model is sent, at the user's request.
func (a *Agent) editContext(ctx context.Context, c event.EditContext) {
	if err := a.load(ctx, a.conv); err != nil {
		a.rec.answer(c.Ref, "Cannot change the context: "+err.Error())
		return
	}
	c.Text = a.o.Prompt.Secrets.Text(c.Text)
	if a.conv.Edit(c, func(e event.Event) { _ = a.rec.emit(e) }, a.rec.meta) {
		return
	}
	switch c.Step {
	case event.CompactUndo:
		a.rec.answer(c.Ref, "There is no summary to undo.")
	case event.CompactEdit:
		a.rec.answer(c.Ref, "There is no summary to edit, or the new text is empty.")
	default:
		a.rec.answer(c.Ref, "The item is no longer in the context.")
	}
}

// ampleWindow is a context window, in tokens, in which every system prompt and all tools
// fit. A start with such a model does not count their tokens.
const ampleWindow = 128_000

// warnOfWindow warns the user if the context window of the model is too small for the
// system prompt and the tools.
func (a *Agent) warnOfWindow() {
	m := a.models.Current()
	if m.Context == 0 || m.Window != nil || m.Context >= ampleWindow {
		return
	}
	p := a.prompts.prefix(m, nil, func(s string) string { return s }) // only its size matters
	if b := window.NewBudget(window.PrefixTokens(p.System, p.Tools), m.Context, m.MaxTokens); !b.Fits() {
		a.rec.notify(fmt.Sprintf("The context window of %s (%s tokens) is too small: the system prompt and the tools use about %s tokens. Choose a model with a larger context window with /model.",
			m.Name, phrase.Thousands(m.Context), phrase.Thousands(b.Prefix)))
	}
}
