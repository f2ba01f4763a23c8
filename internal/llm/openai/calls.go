package openai

import "agent/internal/llm/wire"

// calls tracks the tool calls of a reply while their pieces arrive.
//
// A piece belongs to the call with its index. Some servers give two calls the
// same index, so a new ID begins a new call. Others give no index, so a name
// begins one. A piece with neither belongs to the last call.
type calls struct {
	list []*call
	held map[wire.Word]*call // by index
}

// call is a tool call being assembled.
type call struct {
	index int // index of its deltas
	id    string
	extra []byte
}

// find returns the call that p belongs to, or nil if p begins a new one.
func (cs *calls) find(p *callPart) *call {
	if len(cs.list) == 0 {
		return nil
	}
	c := cs.list[len(cs.list)-1]
	if p.Index != "" {
		c = cs.held[p.Index]
	} else if p.Function.Name != "" {
		return nil
	}
	if c != nil && p.ID != "" && c.id != "" && c.id != string(p.ID) {
		return nil
	}
	return c
}

// begin adds the call that p begins.
func (cs *calls) begin(p *callPart, index int) *call {
	c := &call{index: index, id: string(p.ID)}
	cs.list = append(cs.list, c)
	if cs.held == nil {
		cs.held = map[wire.Word]*call{}
	}
	if p.Index != "" {
		cs.held[p.Index] = c
	}
	return c
}
