package mcp

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"agent/internal/llm/phrase"
	"agent/internal/tools"
)

// The tools that search and call those of all servers, and the one that reads resources.
const (
	SearchTool   = "tool_search"
	CallTool     = "mcp_call"
	ResourceTool = "mcp_resource"
)

const (
	maxListed     = 20 // tools whose definitions a model gets
	bytesPerToken = 4
	usualWindow   = 32_000 // context window in tokens if it is unknown
	share         = 10     // the definitions use at most the window divided by this
)

// Toolbox offers the tools of the servers to the agents of a session. It decides once how:
// by their definitions, if all servers are ready at the first request and the definitions
// are few and short, and otherwise by the two fixed tools SearchTool and CallTool. So the
// tools of a request never change, and providers can cache it. The fixed tools are also
// offered in addition to the definitions if a server reports changes of its tools. ResourceTool is offered if one
// of the servers may have resources. A Toolbox is safe for concurrent
// use.
type Toolbox struct {
	*Connections
	// Wait is how long the first request waits for servers that are starting.
	Wait time.Duration

	mu      sync.Mutex
	decided bool
	offered []tools.Tool
}

// Offer returns the tools that a model with a context window of that many tokens is
// offered; 0 means unknown. It decides at the first call, for all models. If ctx ends
// first, nothing is decided and there are none.
func (b *Toolbox) Offer(ctx context.Context, window int) []tools.Tool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.decided {
		return b.offered
	}
	b.await(ctx)
	if ctx.Err() != nil {
		return nil
	}
	b.decided, b.offered = true, b.listed(cmp.Or(window, usualWindow))
	if slices.ContainsFunc(b.Servers(), Status.mayHaveResources) {
		b.offered = append(b.offered, b.resourceTool())
	}
	return b.offered
}

// noticeTime is how long the first request waits before the user gets a message.
const noticeTime = 3 * time.Second

// await waits for servers that are starting, at most Wait, and tells the user about it.
func (b *Toolbox) await(ctx context.Context) {
	waiting, stop := context.WithTimeout(ctx, b.Wait)
	defer stop()
	notice := time.AfterFunc(noticeTime, func() {
		if names := b.starting(); names != "" {
			b.report("Waiting for MCP servers to start (at most " + phrase.Count(int(b.Wait/time.Second), "second") + "): " + names + ".")
		}
	})
	defer notice.Stop()
	err := b.Connections.Wait(waiting)
	if names := b.starting(); err != nil && ctx.Err() == nil && b.Wait > 0 && names != "" {
		b.report("These MCP servers have not started yet: " + names + ". Continuing without waiting for them.")
	}
}

// starting returns the names of the servers that are starting.
func (b *Toolbox) starting() string {
	var all []string
	for _, s := range b.Servers() {
		if s.State == Starting {
			all = append(all, s.Name)
		}
	}
	return strings.Join(all, ", ")
}

// listed returns the tools of the servers if their definitions can be listed, and otherwise
// the two fixed tools.
func (b *Toolbox) listed(window int) []tools.Tool {
	used, changes := 0, false
	for _, s := range b.Servers() {
		if s.State == Off {
			continue
		}
		used++
		if s.State != Ready || slices.ContainsFunc(s.Tools, func(t Tool) bool { return !t.Listable() }) {
			return b.Fixed()
		}
		changes = changes || s.Changes
	}
	if used == 0 {
		return nil
	}
	all := b.Callable()
	size := 0
	for _, t := range all {
		s := t.Spec()
		size += len(s.Name) + len(s.Description) + len(s.Schema)
	}
	if len(all) > maxListed || size/bytesPerToken > window/share {
		return b.Fixed()
	}
	if changes {
		all = append(all, b.searchTool(onlyNew), b.callTool())
	}
	return all
}

// Fixed returns SearchTool and CallTool.
func (b *Toolbox) Fixed() []tools.Tool {
	return []tools.Tool{b.searchTool(searchText), b.callTool()}
}

// Callable returns the tools of the servers that are ready, whether a model is offered
// their definitions or not.
func (b *Toolbox) Callable() (all []tools.Tool) {
	for _, t := range b.listable() {
		all = append(all, t)
	}
	return all
}

// listable returns the tools of the servers that are ready.
func (b *Toolbox) listable() (all []tool) {
	for _, s := range b.Servers() {
		for _, t := range s.Tools {
			all = append(all, tool{t, b.Connections, s.Remote()})
		}
	}
	return all
}

// settleTime is how long a call waits for servers that are starting.
const settleTime = 20 * time.Second

// waitReady waits for servers that are starting.
func (b *Toolbox) waitReady(ctx context.Context) {
	ctx, stop := context.WithTimeout(ctx, settleTime)
	defer stop()
	_ = b.Connections.Wait(ctx)
}

// names returns the servers that are used. They are the same in every session with a
// configuration, whether the servers are ready or not.
func (b *Toolbox) names() (all []string) {
	for _, s := range b.Servers() {
		if s.State != Off {
			all = append(all, s.Name)
		}
	}
	return all
}

// problems describes the servers that are not ready, for the model; empty if all are.
func (b *Toolbox) problems() string {
	var all []string
	for _, s := range b.Servers() {
		if s.State != Ready && s.State != Off {
			all = append(all, s.Name+" ("+string(s.State)+")")
		}
	}
	if all == nil {
		return ""
	}
	return ". These servers are not ready: " + strings.Join(all, ", ")
}
