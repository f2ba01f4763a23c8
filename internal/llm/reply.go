package llm

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// The most that one reply may have. What exceeds a limit is no reply that a model
// means: it repeats itself, or the server sends nonsense.
const (
	// MaxReplyBytes is the default limit of a reply's text, thinking and tool
	// arguments together, in bytes.
	MaxReplyBytes = 8 << 20
	// MaxReplyCalls is how many tool calls of a reply are assembled.
	MaxReplyCalls = 256
	// MaxReplyMessages is how many messages a reply may have, calls included.
	MaxReplyMessages = 1024
)

// Limit names a limit of a Reply.
type Limit string

// The limits of a Reply. The zero value stands for none.
const (
	LimitBytes    Limit = "bytes"
	LimitCalls    Limit = "tool calls"
	LimitMessages Limit = "messages"
)

// Reply assembles the deltas of one reply into messages. The zero value is not
// usable; see NewReply. It is not safe for concurrent use.
//
// A reply that exceeds a limit ends there, as one does that reached the model's
// token limit: its Finish has the reason Length, and the messages that were still
// open are Cut. Exceeded names that limit.
type Reply struct {
	ID       string // the Reply of every message
	Finish   Finish // as streamed; the zero value until then
	MaxBytes int    // the limit in bytes; 0 is MaxReplyBytes

	blocks   []*block
	at       map[int]*block // the last block of each index
	calls    int
	size     int
	exceeded Limit
	ended    bool
}

// block is a message under assembly.
type block struct {
	msg   Message
	text  strings.Builder // text, or arguments of a call
	ended bool
}

// NewReply returns an empty reply. An empty id makes one up.
func NewReply(id string) *Reply {
	if id == "" {
		id = "r_" + rand.Text()[:12]
	}
	return &Reply{ID: id, at: map[int]*block{}}
}

// Add takes the next delta and returns what the reply keeps of it: less than all
// where a limit is exceeded, nil for nothing. What comes after a Finish still
// counts, as some providers send text or usage late.
func (r *Reply) Add(d Delta) Delta {
	if r.exceeded != "" {
		return nil
	}
	switch d := d.(type) {
	case TextDelta:
		b := r.block(d.Index, Assistant)
		if b == nil {
			return nil
		}
		d.Text = r.take(b, d.Text)
		return d
	case ThinkingDelta:
		b := r.block(d.Index, Thinking)
		if b == nil {
			return nil
		}
		d.Text = r.take(b, d.Text)
		return d
	case CallDelta:
		return r.addCall(d)
	case BlockEnd:
		return r.endBlock(d)
	case Finish:
		r.Finish, r.ended = d, true
	}
	return d
}

// addCall adds a piece of a call.
func (r *Reply) addCall(d CallDelta) Delta {
	b := r.block(d.Index, ToolCall)
	if b == nil || !r.fits(len(d.ID)+len(d.Name)) {
		return nil
	}
	if b.msg.ID == "" {
		b.msg.ID = d.ID
	}
	if b.msg.Name == "" {
		b.msg.Name = d.Name
	}
	d.Args = r.take(b, d.Args)
	return d
}

// endBlock ends a message.
func (r *Reply) endBlock(d BlockEnd) Delta {
	b := r.at[d.Index]
	if b == nil && d.Opaque == nil {
		return d
	}
	if b == nil { // redacted reasoning has no text at all
		if b = r.block(d.Index, Thinking); b == nil {
			return nil
		}
	}
	if d.Opaque != nil {
		if !r.fits(len(d.Opaque.Data)) {
			return nil
		}
		b.msg.Opaque = d.Opaque
	}
	b.ended = true
	return d
}

// Exceeded returns the limit that the reply exceeded; empty if it did not. What
// follows is not wanted.
func (r *Reply) Exceeded() Limit { return r.exceeded }

// stop ends the reply at a limit.
func (r *Reply) stop(at Limit) {
	r.exceeded = at
	r.Finish.Reason, r.Finish.Raw = Length, "limit of "+string(at)
}

// limit returns the limit in bytes.
func (r *Reply) limit() int {
	if r.MaxBytes > 0 {
		return r.MaxBytes
	}
	return MaxReplyBytes
}

// fits counts n bytes that cannot be divided, and stops the reply where they
// exceed the limit.
func (r *Reply) fits(n int) bool {
	if r.size+n > r.limit() {
		r.stop(LimitBytes)
		return false
	}
	r.size += n
	return true
}

// take adds text to b, as much as the limit leaves, and returns it.
func (r *Reply) take(b *block, text string) string {
	if left := r.limit() - r.size; len(text) > left {
		for left > 0 && !utf8.RuneStart(text[left]) {
			left--
		}
		text = text[:left]
		r.stop(LimitBytes)
	}
	r.size += len(text)
	b.text.WriteString(text)
	return text
}

// Messages returns what was said so far, in order. While no Finish has come,
// or when it says that the reply was cut short, what was still open is Cut. Of
// the arguments of a cut call, which is never run, the beginning is kept.
// Calls get an ID where the provider gave none, and one of their own where it
// gave the same twice; empty text is left out.
func (r *Reply) Messages() []Message {
	var out []Message
	seen := map[string]bool{}
	for i, b := range r.blocks {
		m := b.msg
		last := i == len(r.blocks)-1
		m.Cut = !b.ended && (!r.ended || r.exceeded != "" || r.Finish.Reason == Length && last)
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
			if m.Cut && len(m.Raw) > maxCutRaw {
				m.Raw = strings.ToValidUTF8(m.Raw[:maxCutRaw], "")
			}
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

// maxCutRaw is how much is kept of the arguments of a call that was cut, in bytes.
const maxCutRaw = 64 << 10

// arguments returns a call's arguments as an object, and what the model wrote
// when that is none.
func arguments(s string) (input json.RawMessage, raw string) {
	t := strings.TrimSpace(s)
	if t == "" || t == "null" {
		return json.RawMessage("{}"), ""
	}
	if t[0] != '{' || t[len(t)-1] != '}' { // what was cut in the middle is not copied
		return json.RawMessage("{}"), s
	}
	var compact bytes.Buffer // as the log would write it: what is sent again is the same to the byte
	if json.Compact(&compact, []byte(t)) != nil {
		return json.RawMessage("{}"), s
	}
	return compact.Bytes(), ""
}

// block returns the message under assembly at index, a new one if there is
// none or one of another kind. It is nil where that would exceed a limit.
func (r *Reply) block(index int, kind Kind) *block {
	if b := r.at[index]; b != nil && b.msg.Kind == kind {
		return b
	}
	switch {
	case kind == ToolCall && r.calls == MaxReplyCalls:
		r.stop(LimitCalls)
		return nil
	case len(r.blocks) == MaxReplyMessages:
		r.stop(LimitMessages)
		return nil
	case kind == ToolCall:
		r.calls++
	}
	b := &block{msg: Message{Kind: kind, Reply: r.ID}}
	r.blocks = append(r.blocks, b)
	r.at[index] = b
	return b
}
