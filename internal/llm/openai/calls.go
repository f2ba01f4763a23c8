package openai

import "agent/internal/llm/wire"

// calls keeps the tool calls of a reply while their pieces come in.
//
// A piece belongs to the call that its index names. Some servers give two calls
// one index, so that a new id begins a new call; some give none, so that a name
// does; a piece with neither belongs to the call begun last.
type calls struct {
	list []*call
	held map[wire.Word]*call // by index
}

// call is one of them.
type call struct {
	index int // of its deltas
	id    string
	extra []byte
}

// find returns the call that p goes on with, nil if it begins one.
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
