package loop

import (
	"context"
	"slices"

	"agent/internal/loop/delegate"
	"agent/internal/loop/turn"
	"agent/internal/tools"
)

// toolset is the tools of an agent: its own, and those of Options.Connected. The goroutine
// that owns the conversation uses it.
type toolset struct {
	own     []tools.Tool
	from    Connected // nil if none are connected
	only    []string  // as in DelegateOptions
	decided bool
	offered []tools.Tool // the connected tools that models are offered, once decided is set
}

// offer decides which connected tools models are offered, at the first turn. They then stay
// the same, so that providers can cache the definitions.
func (t *toolset) offer(ctx context.Context, window int) {
	if t.from == nil || t.decided {
		return
	}
	offered := t.from.Offer(ctx, window)
	if ctx.Err() != nil {
		return
	}
	if t.only != nil { // a list selects the tools themselves, and not those that stand for all
		offered = t.allowed(t.from.Callable())
	}
	t.decided, t.offered = true, offered
}

// listed returns the tools that models are offered. With fixed, the fixed tools replace
// those of MCP servers, unless a list selects the tools.
func (t *toolset) listed(fixed bool) []tools.Tool {
	offered := t.offered
	if fixed && t.from != nil && t.only == nil {
		offered = slices.DeleteFunc(slices.Clone(offered), func(x tools.Tool) bool { return turn.IsServerTool(x.Accepts().Name) })
		if len(offered) < len(t.offered) {
			offered = withMissing(offered, t.from.Fixed())
		}
	}
	return slices.Concat(t.own, offered)
}

// callable returns the tools that can be called: those that are listed, and all others whose
// names a model may have learned.
func (t *toolset) callable() []tools.Tool {
	all := t.listed(false)
	if t.from == nil {
		return all
	}
	further := t.allowed(t.from.Callable())
	if t.only == nil {
		further = append(further, t.from.Fixed()...)
	}
	return withMissing(all, further)
}

// withMissing appends to all the further tools whose names it does not have.
func withMissing(all, further []tools.Tool) []tools.Tool {
	for _, more := range further {
		name := more.Accepts().Name
		if !slices.ContainsFunc(all, func(other tools.Tool) bool { return other.Accepts().Name == name }) {
			all = append(all, more)
		}
	}
	return all
}

// allowed returns those of all that the agent may have.
func (t *toolset) allowed(all []tools.Tool) []tools.Tool {
	if t.only == nil {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), func(x tools.Tool) bool { return !delegate.Selected(t.only, x.Accepts().Name) })
}
