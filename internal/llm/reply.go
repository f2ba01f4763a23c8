package llm

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"strings"
)

// Reply assembles the deltas of one reply into messages. The zero value is not
// usable; see NewReply. It is not safe for concurrent use.
type Reply struct {
	ID     string // the Reply of every message
	Finish Finish // as streamed; the zero value until then

	blocks []*block
	ended  bool
}

// block is a message under assembly.
type block struct {
	index int
	msg   Message
	text  strings.Builder // text, or arguments of a call
	ended bool
}

// NewReply returns an empty reply. An empty id makes one up.
func NewReply(id string) *Reply {
	if id == "" {
		id = "r_" + rand.Text()[:12]
	}
	return &Reply{ID: id}
}

// Add takes the next delta. What comes after a Finish still counts, as some
// providers send text or usage late.
func (r *Reply) Add(d Delta) {
	switch d := d.(type) {
	case TextDelta:
		r.block(d.Index, Assistant).text.WriteString(d.Text)
	case ThinkingDelta:
		r.block(d.Index, Thinking).text.WriteString(d.Text)
	case CallDelta:
		b := r.block(d.Index, ToolCall)
		if b.msg.ID == "" {
			b.msg.ID = d.ID
		}
		if b.msg.Name == "" {
			b.msg.Name = d.Name
		}
		b.text.WriteString(d.Args)
	case BlockEnd:
		if b := r.find(d.Index); b != nil {
			b.ended = true
			if d.Opaque != nil {
				b.msg.Opaque = d.Opaque
			}
		} else if d.Opaque != nil { // redacted reasoning has no text at all
			b := r.block(d.Index, Thinking)
			b.msg.Opaque, b.ended = d.Opaque, true
		}
	case Finish:
		r.Finish, r.ended = d, true
	}
}

// Messages returns what was said so far, in order. While no Finish has come,
// or when it says that the reply was cut short, what was still open is Cut.
// Calls get an ID where the provider gave none, and one of their own where it
// gave the same twice; empty text is left out.
func (r *Reply) Messages() []Message {
	var out []Message
	seen := map[string]bool{}
	for i, b := range r.blocks {
		m := b.msg
		last := i == len(r.blocks)-1
		m.Cut = !b.ended && (!r.ended || r.Finish.Reason == Length && last)
		switch m.Kind {
		case ToolCall:
			if m.ID == "" || seen[m.ID] {
				if b.msg.ID = "call_" + rand.Text()[:16]; m.ID != "" {
					b.msg.ID = m.ID + "_" + rand.Text()[:8]
				}
				m.ID = b.msg.ID
			}
			seen[m.ID] = true
			m.Input, m.Raw = arguments(b.text.String())
		default:
			m.Text = b.text.String()
			if m.Text == "" && m.Opaque == nil {
				continue
			}
		}
		out = append(out, m)
	}
	return out
}

// arguments returns a call's arguments as an object, and what the model wrote
// when that is none.
func arguments(s string) (input json.RawMessage, raw string) {
	b := bytes.TrimSpace([]byte(s))
	if len(b) == 0 || string(b) == "null" {
		return json.RawMessage("{}"), ""
	}
	var compact bytes.Buffer // as the log would write it: what is sent again is the same to the byte
	if b[0] != '{' || json.Compact(&compact, b) != nil {
		return json.RawMessage("{}"), s
	}
	return compact.Bytes(), ""
}

func (r *Reply) find(index int) *block {
	for i := len(r.blocks) - 1; i >= 0; i-- {
		if r.blocks[i].index == index {
			return r.blocks[i]
		}
	}
	return nil
}

// block returns the message under assembly at index, a new one if there is
// none or one of another kind.
func (r *Reply) block(index int, kind Kind) *block {
	if b := r.find(index); b != nil && b.msg.Kind == kind {
		return b
	}
	b := &block{index: index, msg: Message{Kind: kind, Reply: r.ID}}
	r.blocks = append(r.blocks, b)
	return b
}
