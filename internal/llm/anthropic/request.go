package anthropic

import (
	"cmp"
	"fmt"
	"slices"

	"agent/internal/llm"
	"agent/internal/llm/strict"
	"agent/internal/llm/wire"
)

// NewRequest returns the body of a streaming request.
func NewRequest(req llm.Request) ([]byte, error) { return newEncoder().request(req) }

// request is NewRequest, but reuses the encodings of earlier requests.
func (e encoder) request(req llm.Request) ([]byte, error) {
	traits := traitsOf(req.Model)
	req.MaxTokens = cmp.Or(req.MaxTokens, traits.limit)
	p := wireRequest{Model: req.Model}
	if req.System != "" {
		p.System = []wireBlock{textBlock(req.System)}
		p.System[0].Mark = newCacheMark()
	}
	if len(req.Tools) > 0 || req.WebSearch {
		p.ToolChoice = toolChoice(req.ToolChoice)
	}
	if len(req.Schema) > 0 {
		format, err := outputFormat(req.Schema)
		if err != nil {
			return nil, fmt.Errorf("write the request: %w", err)
		}
		p.output().Format = format
	}
	return e.body(p, req, traits)
}

// output returns p.Output, which it creates if necessary.
func (p *wireRequest) output() *wireOutput {
	if p.Output == nil {
		p.Output = &wireOutput{}
	}
	return p.Output
}

// The limits of the schemas that the provider enforces in a request. It allows 24 optional
// arguments, and would reject a request with more.
const (
	maxStrict   = 20
	maxOptional = 20
)

// tools encodes the tools and marks the last one for the cache. If enforced is
// set, the provider is asked to enforce the small schemas, within its limits. It would
// reject a request that asks to enforce complex ones. The provider's web search comes
// last, if search is set.
func tools(specs []llm.ToolSpec, enforced, search bool) []wireTool {
	var out []wireTool
	count, optional := 0, 0
	for _, t := range specs {
		n, small := strict.Small(t)
		small = small && enforced && count < maxStrict && optional+n <= maxOptional
		if small {
			count, optional = count+1, optional+n
		}
		out = append(out, wireTool{Schema: wire.Parameters(t), Name: t.Name, Description: t.Description, Strict: small})
	}
	if search {
		out = append(out, wireTool{Name: searchTool, Type: searchType, MaxUses: maxSearches})
	}
	if len(out) > 0 {
		out[len(out)-1].Mark = newCacheMark()
	}
	return out
}

// toolChoice encodes c; nil if the model decides.
func toolChoice(c llm.ToolChoice) *wireChoice {
	switch c.Mode {
	case llm.ChoiceTool:
		return &wireChoice{Name: c.Name, Type: "tool"}
	case llm.ChoiceRequired:
		return &wireChoice{Type: "any"}
	case llm.ChoiceNone:
		return &wireChoice{Type: "none"}
	}
	return nil
}

// newCacheMark returns a cache mark. There are four, the provider's maximum:
// after the tools, after the system prompt, and two set by mark.
func newCacheMark() *cacheMark { return &cacheMark{Type: "ephemeral"} }

// markLastMessages sets a cache mark on the last two user messages. The first
// of these is where the previous request ended.
func markLastMessages(list *wire.List[wireMessage]) {
	var users []int
	for i, m := range slices.Backward(list.Items()) {
		if m.Role != roleUser {
			continue
		}
		if users = append(users, i); len(users) == 2 {
			break
		}
	}
	for _, i := range slices.Backward(users) {
		list.Mark(i)
	}
}
