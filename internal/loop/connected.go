package loop

import (
	"context"
	"slices"

	"agent/internal/loop/delegate"
	"agent/internal/tools"
)

// connected holds the tools of Options.Connected. The goroutine that owns the conversation
// uses it.
type connected struct {
	from      Connected // nil if there are none
	only      []string  // as in DelegateOptions
	delegated bool      // the agent is a delegate; its parent reports the problems
	decided   bool
	offered   []tools.Tool // what models are offered, once decided is set
}

// offer decides what the model is offered, at the first turn. The tools then stay the same,
// so that providers can cache the definitions.
func (c *connected) offer(ctx context.Context, window int) {
	if c.from == nil || c.decided {
		return
	}
	offered := c.from.Offer(ctx, window)
	if ctx.Err() != nil {
		return
	}
	if c.only != nil { // a list selects the tools themselves, and not those that stand for all
		offered = c.allowed(c.from.Callable())
	}
	c.decided, c.offered = true, offered
}

// with returns the tools that can be called: own, those that are offered, and all others of
// which a model may have learned the name.
func (c *connected) with(own []tools.Tool) []tools.Tool {
	if c.from == nil {
		return own
	}
	all := slices.Concat(own, c.offered)
	for _, t := range c.allowed(c.from.Callable()) {
		name := t.Accepts().Name
		if !slices.ContainsFunc(all, func(other tools.Tool) bool { return other.Accepts().Name == name }) {
			all = append(all, t)
		}
	}
	return all
}

// problems returns the messages for the user; nil if there are none to report.
func (c *connected) problems() <-chan string {
	if c.from == nil || c.delegated {
		return nil
	}
	return c.from.Problems()
}

// allowed returns those of all that the agent may have.
func (c *connected) allowed(all []tools.Tool) []tools.Tool {
	if c.only == nil {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), func(t tools.Tool) bool { return !delegate.Selected(c.only, t.Accepts().Name) })
}
