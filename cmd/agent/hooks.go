package main

import (
	"fmt"
	"os"
	"slices"
	"sync"

	hookcmd "agent/cmd/agent/hooks"
	"agent/internal/loop/event"
	"agent/internal/loop/hooks"
	"agent/internal/tools/confine"
	"agent/internal/tools/snapshot"
	"agent/internal/tui/ink"
)

// openHooks prepares the hooks of the user and of the repository, if there are any.
func (a *app) openHooks() {
	s := hookcmd.Session{ID: a.stored.ID(), Dir: a.dir, User: a.set.Hooks, Review: a.trust, Limits: shellLimits(a.set)}
	s.Area = sync.OnceValue(func() *confine.Area { return a.sandbox.Area(a.dir, a.options.Paths) })
	s.Record = func() *snapshot.Order {
		if a.changes.recorder == nil {
			return nil
		}
		return a.changes.recorder.HookOrder()
	}
	if a.secrets != nil {
		s.Mask = a.secrets.Text
	}
	r := s.Open()
	if r == nil {
		return
	}
	a.hooks, a.options.Hooks = r, r
	listen := a.options.Listen
	a.options.Listen = func(e event.Event) {
		if listen != nil {
			listen(e)
		}
		r.Listen(e)
	}
}

// callHooks returns the hooks of the tool calls of an agent that works in dir; nil for
// none. ID is the number of a delegate; empty for the main agent.
func (a *app) callHooks(dir, id string) *hooks.Calls {
	if a.hooks == nil {
		return nil
	}
	return a.hooks.Calls(dir, id)
}

// closeHooks runs the hooks of the end of the session.
func (a *app) closeHooks() {
	if a.hooks == nil {
		return
	}
	a.hooks.Notify(func(text string) { fmt.Fprintln(os.Stderr, "agent: "+ink.Sanitize(text)) })
	a.hooks.Close()
}

// withHooks returns interceptors with the one that runs the hooks after a call, which sees
// a result after all of them.
func withHooks(calls *hooks.Calls, all []any) []any {
	if calls == nil {
		return all
	}
	return slices.Insert(all, 0, calls.After())
}
