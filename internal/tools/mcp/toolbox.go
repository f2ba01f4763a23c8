package mcp

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"agent/internal/llm/phrase"
	"agent/internal/tools"
	"agent/internal/tools/advice"
	"agent/internal/tools/intake"
)

// The tools that stand for those of all servers, and the one that reads resources.
const (
	SearchTool   = "tool_search"
	CallTool     = "mcp_call"
	ResourceTool = "mcp_resource"
)

const (
	maxListed     = 20 // tools whose definitions a model gets
	bytesPerToken = 4
	usualWindow   = 32_000   // context window in tokens if it is unknown
	share         = 10       // the definitions use at most the window divided by this
	maxFound      = 5        // tools that a search shows with their schemas
	maxFoundLen   = 16 << 10 // bytes of these schemas and descriptions
	maxNamed      = 100      // further names that a search shows
)

var (
	//go:embed tool_search.md
	searchText string
	//go:embed mcp_call.md
	callText string
)

// Toolbox offers the tools of the servers to the agents of a session. It decides once how:
// by their definitions, if all servers are ready at the first request and the definitions
// are few and short, and otherwise by the two fixed tools SearchTool and CallTool. So the
// tools of a request never change, and providers can cache it. ResourceTool is offered if one
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
	if b.mayHaveResources() {
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
	fixed := []tools.Tool{b.searchTool(), b.callTool()}
	used := 0
	for _, s := range b.Servers() {
		if s.State == Off {
			continue
		}
		used++
		if s.State != Ready || slices.ContainsFunc(s.Tools, func(t Tool) bool { return !t.Listable() }) {
			return fixed
		}
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
		return fixed
	}
	return all
}

// Callable returns the tools of the servers that are ready, whether a model is offered
// their definitions or not.
func (b *Toolbox) Callable() (all []tools.Tool) {
	for _, s := range b.Servers() {
		for _, t := range s.Tools {
			all = append(all, tool{t, b.Connections, s.Remote()})
		}
	}
	return all
}

type searchArgs struct {
	Query string `json:"query" jsonschema:"words about what the tool does, or its exact name"`
}

// searchTool returns the tool that finds tools.
func (b *Toolbox) searchTool() tools.Tool {
	return tools.New(SearchTool, searchText+"\nServers: "+strings.Join(b.names(), ", "), func(_ context.Context, a searchArgs) (tools.Call, error) {
		return tools.Call{
			Title: "search tools " + a.Query, Effect: tools.Read,
			Run: func(ctx context.Context, _ tools.Approved) (tools.Result, error) {
				if len(rank(b.Tools(), a.Query)) == 0 {
					b.settle(ctx)
				}
				return b.search(a.Query), ctx.Err()
			},
		}, nil
	}, intake.Form{Names: []string{"toolsearch", "search_tools"}, Aliases: map[string][]string{"query": {"q", "keywords", "pattern", "name"}}, Harmless: []string{"limit", "max_results"}})
}

// settleTime is how long a call waits for servers that are starting.
const settleTime = 20 * time.Second

// settle waits for servers that are starting.
func (b *Toolbox) settle(ctx context.Context) {
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

type callArgs struct {
	Tool      string `json:"tool" jsonschema:"name of the tool, from tool_search"`
	Arguments object `json:"arguments,omitempty" jsonschema:"arguments of the tool, as its schema says"`
}

// object is a JSON object. It keeps the digits of large numbers.
type object map[string]any

// UnmarshalJSON decodes an object.
func (o *object) UnmarshalJSON(b []byte) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	return d.Decode((*map[string]any)(o))
}

// callTool returns the tool that calls any tool.
func (b *Toolbox) callTool() tools.Tool {
	return tools.New(CallTool, callText, func(ctx context.Context, a callArgs) (tools.Call, error) {
		t, err := b.find(a.Tool)
		if err != nil {
			b.settle(ctx)
			t, err = b.find(a.Tool)
		}
		if err != nil {
			return tools.Call{}, err
		}
		args, err := json.Marshal(a.Arguments)
		if err != nil {
			return tools.Call{}, err
		}
		if a.Arguments == nil {
			args = json.RawMessage("{}")
		}
		return t.Prepare(ctx, args)
	}, intake.Form{
		Names:   []string{"call_mcp_tool", "use_mcp_tool", "mcp"},
		Aliases: map[string][]string{"tool": {"name", "tool_name"}, "arguments": {"args", "params", "parameters", "input"}},
	})
}

// find returns the tool that name means: the name of a tool for the model, SERVER/TOOL, or
// the name at the server if only one has it.
func (b *Toolbox) find(name string) (tools.Tool, error) {
	all := b.Callable()
	var same []tools.Tool
	for _, t := range all {
		own := t.(tool)
		switch {
		case own.Name == name, own.Server+"/"+own.Tool.Tool == name:
			return t, nil
		case own.Tool.Tool == name:
			same = append(same, t)
		}
	}
	if len(same) == 1 {
		return same[0], nil
	}
	err := errors.New("no MCP server has the tool " + fmt.Sprintf("%q", clipped(name)))
	if len(same) > 1 {
		err = fmt.Errorf("%d MCP servers have a tool %q", len(same), clipped(name))
	}
	return nil, advice.Add(err, "%s", "Find its name with "+SearchTool+b.problems())
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
