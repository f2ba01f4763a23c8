package llm

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"
)

// The limits of a reply. A reply beyond them is repetition or garbage.
const (
	// MaxReplyBytes is the default limit of a reply's text, thinking and tool
	// arguments together, in bytes.
	MaxReplyBytes = 8 << 20
	// MaxReplyCalls limits the tool calls of a reply.
	MaxReplyCalls = 256
	// MaxReplyMessages limits the messages of a reply, including calls.
	MaxReplyMessages = 1024
)

// Limit names a limit of a Reply.
type Limit string

// The limits of a Reply. The zero value means none.
const (
	LimitBytes    Limit = "bytes"
	LimitCalls    Limit = "tool calls"
	LimitMessages Limit = "messages"
)

// Reply assembles the deltas of one reply into messages. Create it with
// NewReply. It is not safe for concurrent use.
//
// A reply that exceeds a limit ends there, like one that reached the model's
// token limit: its Finish has the reason Length, and the messages that are
// still open are Cut. Exceeded returns that limit.
type Reply struct {
	ID       string // Reply of every message
	Finish   Finish // as streamed; zero before that
	MaxBytes int    // limit in bytes; 0 for MaxReplyBytes

	blocks   []*block
	byIndex  map[int]*block // the last block of each index
	calls    int
	size     int
	exceeded Limit
	ended    bool
}

// block is a message being assembled.
type block struct {
	msg   Message
	text  strings.Builder // text, or the arguments of a call
	ended bool
}

// NewReply returns an empty reply with the given ID, or a random one if id is
// empty.
func NewReply(id string) *Reply {
	if id == "" {
		id = "r_" + rand.Text()[:12]
	}
	return &Reply{ID: id, byIndex: map[int]*block{}}
}

// Add adds d and returns the part of it that the reply keeps: less than d at a
// limit, nil for nothing. Deltas after a Finish still count, because some
// providers send text or usage late.
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
		d.Text = r.appendLimited(b, d.Text)
		return d
	case ThinkingDelta:
		b := r.block(d.Index, Thinking)
		if b == nil {
			return nil
		}
		d.Text = r.appendLimited(b, d.Text)
		return d
	case CallDelta:
		return r.addCall(d)
	case SearchDelta:
		return r.addSearch(d)
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
	switch {
	case d.Name == "" || b.text.Len() > 0 && b.msg.Name != "": // a repeated name
	case strings.HasPrefix(d.Name, b.msg.Name):
		b.msg.Name = d.Name
	default:
		b.msg.Name += d.Name
	}
	d.Args = r.appendLimited(b, d.Args)
	return d
}

// addSearch replaces the state of a web search.
func (r *Reply) addSearch(d SearchDelta) Delta {
	size := len(d.Search.Query) + len(d.Search.Error)
	for _, s := range d.Search.Results {
		size += len(s.URL) + len(s.Title)
	}
	b := r.block(d.Index, WebSearch)
	if b == nil || !r.fits(size) {
		return nil
	}
	b.msg.Search = &d.Search
	return d
}

// endBlock ends the message at d.Index.
func (r *Reply) endBlock(d BlockEnd) Delta {
	b := r.byIndex[d.Index]
	if b == nil && d.Opaque == nil {
		return d
	}
	if b == nil { // redacted reasoning has no text
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
	b.msg.Sources = d.Sources
	b.ended = true
	return d
}

// Exceeded returns the limit that the reply exceeded, or "". Later deltas are
// dropped.
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

// fits counts n indivisible bytes. If they exceed the limit, it stops the reply
// and returns false.
func (r *Reply) fits(n int) bool {
	if r.size+n > r.limit() {
		r.stop(LimitBytes)
		return false
	}
	r.size += n
	return true
}

// appendLimited appends the part of text that the limit allows to b and returns it.
func (r *Reply) appendLimited(b *block, text string) string {
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

// Messages returns the messages so far, in order. Open messages are Cut if no
// Finish has arrived or the reply was cut short; a cut call keeps the beginning
// of its arguments. Calls without an ID get one, also calls whose ID was
// already used. Messages without text are left out, and calls that repeat
// another one with the same ID.
func (r *Reply) Messages() []Message {
	var out []Message
	seen := map[string]bool{}
	for i, b := range r.blocks {
		m := b.msg
		last := i == len(r.blocks)-1
		m.Cut = !b.ended && (!r.ended || r.exceeded != "" || r.Finish.Reason == Length && last)
		switch m.Kind {
		case ToolCall:
			m.Input, m.Raw = arguments(b.text.String())
			if m.ID != "" && repeats(out, m) {
				continue
			}
			if m.ID == "" || seen[m.ID] {
				if b.msg.ID = "call_" + rand.Text()[:16]; m.ID != "" {
					b.msg.ID = m.ID + "_" + rand.Text()[:8]
				}
				m.ID = b.msg.ID
			}
			seen[m.ID] = true
			if m.Cut && len(m.Raw) > maxCutRaw {
				m.Raw = strings.ToValidUTF8(m.Raw[:maxCutRaw], "")
			}
		default:
			m.Text = b.text.String()
			if m.Text == "" && m.Opaque == nil && m.Search == nil {
				continue
			}
		}
		out = append(out, m)
	}
	return out
}

// maxCutRaw limits the arguments kept of a cut call, in bytes.
const maxCutRaw = 64 << 10

// arguments returns the arguments of a call as an object, and s itself if it is
// not one.
func arguments(s string) (input json.RawMessage, raw string) {
	t := strings.TrimSpace(s)
	if t == "" || t == "null" {
		return json.RawMessage("{}"), ""
	}
	if t[0] != '{' || t[len(t)-1] != '}' { // an incomplete object is not copied
		return json.RawMessage("{}"), s
	}
	var compact bytes.Buffer // the encoding of the log, so that later requests repeat the same bytes
	if json.Compact(&compact, []byte(t)) == nil || json.Compact(&compact, []byte(Once(t))) == nil {
		return compact.Bytes(), ""
	}
	return json.RawMessage("{}"), s
}

// Once returns the first value of s if s is a sequence of at least two equal JSON values,
// otherwise s. Some servers send the arguments of a call in pieces and then all of them
// again.
func Once(s string) string {
	d := json.NewDecoder(strings.NewReader(s))
	var first, next json.RawMessage
	if d.Decode(&first) != nil {
		return s
	}
	once := s[:d.InputOffset()]
	for {
		switch err := d.Decode(&next); {
		case errors.Is(err, io.EOF):
			return once
		case err != nil || !equalJSON(first, next):
			return s
		}
	}
}

// equalJSON reports whether two JSON texts have the same value.
func equalJSON(a, b json.RawMessage) bool {
	if bytes.Equal(a, b) {
		return true
	}
	var values [2]any
	for i, text := range []json.RawMessage{a, b} {
		d := json.NewDecoder(bytes.NewReader(text))
		d.UseNumber()
		if d.Decode(&values[i]) != nil {
			return false
		}
	}
	return reflect.DeepEqual(values[0], values[1])
}

// repeats reports whether said has a call with the ID, tool and arguments of m.
func repeats(said []Message, m Message) bool {
	return slices.ContainsFunc(said, func(o Message) bool {
		return o.Kind == ToolCall && o.ID == m.ID && o.Name == m.Name && o.Raw == m.Raw && equalJSON(o.Input, m.Input)
	})
}

// block returns the block at index, or a new one if there is none of that kind.
// It returns nil if that would exceed a limit.
func (r *Reply) block(index int, kind Kind) *block {
	if b := r.byIndex[index]; b != nil && b.msg.Kind == kind {
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
	r.byIndex[index] = b
	return b
}
