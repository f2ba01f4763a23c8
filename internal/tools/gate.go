package tools

import (
	"context"
	"sync"
)

// Gate keeps commands that nobody approved from running beside what they must not change: commands
// that have the network by a rule or a standing permission, and programs of the repository that the
// user has confirmed. These, and such commands of several agents, wait for each other. A job passes
// the gate only to start: see Jobs.Unapproved. A nil Gate lets all through. It is safe for
// concurrent use.
type Gate struct {
	mu      sync.Mutex
	running [2]int        // those that nobody approved, and the others
	ended   chan struct{} // closed when a command ends; nil if nobody waits
}

// pass waits until a command with that access may run, or ctx ends. The caller calls leave when
// the command has ended.
func (g *Gate) pass(ctx context.Context, access Access) (leave func(), err error) {
	switch {
	case access.Network && access.Permitted:
		return g.enter(ctx, 1)
	case access.HideHome || access.Strict:
		return g.enter(ctx, 0)
	}
	return func() {}, nil
}

// Confirmed waits until no command runs that nobody approved, or ctx ends, and keeps such commands
// from starting. The caller calls leave when the program that the user has confirmed has ended.
func (g *Gate) Confirmed(ctx context.Context) (leave func(), err error) { return g.enter(ctx, 1) }

// enter waits until nothing of the other kind runs.
func (g *Gate) enter(ctx context.Context, kind int) (leave func(), err error) {
	if g == nil {
		return func() {}, nil
	}
	for {
		g.mu.Lock()
		if g.running[1-kind] == 0 {
			g.running[kind]++
			g.mu.Unlock()
			return func() { g.leave(kind) }, nil
		}
		if g.ended == nil {
			g.ended = make(chan struct{})
		}
		ended := g.ended
		g.mu.Unlock()
		select {
		case <-ended:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (g *Gate) leave(kind int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.running[kind]--
	if g.ended != nil {
		close(g.ended)
		g.ended = nil
	}
}
