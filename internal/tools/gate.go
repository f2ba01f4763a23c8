package tools

import (
	"context"
	"sync"
)

// Gate keeps commands that nobody approved and commands that have the network by a rule or a
// standing permission from running at the same time: the former could change what the latter
// run. Such commands of several agents wait for each other. Jobs do not pass it: see
// Jobs.Unapproved. A nil Gate lets all through. It is safe for concurrent use.
type Gate struct {
	mu      sync.Mutex
	running [2]int        // commands of each kind
	ended   chan struct{} // closed when a command ends; nil if nobody waits
}

// pass waits until a command with that access may run, or ctx ends. The caller calls leave when
// the command has ended.
func (g *Gate) pass(ctx context.Context, access Access) (leave func(), err error) {
	kind := 0
	switch {
	case g == nil:
		return func() {}, nil
	case access.Network && access.Permitted:
		kind = 1
	case !access.HideHome && !access.Strict:
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
