package anthropic

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"agent/internal/llm"
	"agent/internal/llm/wire"
)

// Decode yields the deltas of the body of an answer, a stream or a single
// message. See wire.Decode. The Model of opaque bytes is left empty.
func Decode(r io.Reader) iter.Seq2[llm.Delta, error] {
	return wire.Decode(wire.NewPayloads(r).PassDone(), newDecoder(""))
}

// decoder makes deltas of the payloads of one reply.
type decoder struct {
	model string // for opaque bytes

	out    wire.Deltas // to be yielded next
	id     wire.Word   // of the message
	blocks []*block    // in the order in which they began
	next   int         // the first free index of deltas
	told   int         // so many blocks from the first are known to be whole, and that was told

	tokens   tokens
	stop     string // why the reply ended, in the provider's word
	answered bool   // there was anything of a message
	calls    bool
	lost     int // events that could not be read
}

// block is a content block of the message.
type block struct {
	at       int      // the provider's index
	index    int      // that of its deltas
	kind     llm.Kind // empty for what is passed over
	ended    bool
	input    []byte // a call's arguments, where none are streamed
	opaque   opaque
	streamed strings.Builder // pieces of a signature
}

func newDecoder(model string) *decoder { return &decoder{model: model} }

// Deltas returns the queue of the deltas to yield next.
func (d *decoder) Deltas() *wire.Deltas { return &d.out }

// Add decodes a payload. One that cannot be read is passed over: whether that did
// harm shows at the end.
func (d *decoder) Add(data []byte) (wire.State, error) {
	data = bytes.TrimSpace(data)
	if len(data) == 0 || data[0] != '{' {
		return wire.Open, nil
	}
	var e event
	if wire.Unmarshal(data, &e) != nil {
		d.lost++
		return wire.Open, nil
	}
	if f, ok := e.failure(); ok {
		return wire.Open, f.Err(0)
	}
	switch e.Type {
	case "message_start":
		return wire.Open, d.start(e.Message)
	case "content_block_start":
		if e.Block != nil {
			d.begin(e.Index, e.Block)
		}
	case "content_block_delta":
		if e.Delta != nil {
			d.goOn(e.Index, e.Delta)
		}
	case "content_block_stop":
		if b := d.find(e.Index); b != nil {
			d.finish(b)
		}
	case "message_delta":
		if e.Delta != nil && e.Delta.Stop != "" {
			d.stop = string(e.Delta.Stop)
		}
		d.tokens.add(e.Usage)
	case "message_stop":
		return wire.Complete, nil
	case "message":
		d.whole(&e)
		return wire.Complete, nil
	}
	return wire.Open, nil
}

// start takes the beginning of the message. Some proxies tell it twice; that of
// another message means that two answers were mixed up.
func (d *decoder) start(m *message) error {
	d.answered = true
	if m == nil {
		return nil
	}
	if d.id != "" && m.ID != "" && m.ID != d.id {
		return &llm.Error{Kind: llm.ErrProtocol, Retry: true, Message: fmt.Sprintf("message_start of %s inside the answer %s", m.ID, d.id)}
	}
	d.id = m.ID
	d.tokens.add(m.Usage)
	return nil
}

// whole takes a message that was not streamed.
func (d *decoder) whole(e *event) {
	for i := range e.Content {
		d.begin(i, &e.Content[i])
		d.finish(d.find(i))
	}
	d.answered, d.stop = true, string(e.Stop)
	d.tokens.add(e.Usage)
}

// begin opens a block. What the provider did itself is passed over, as is what
// is not known here.
func (d *decoder) begin(at int, c *content) {
	d.settle(len(d.blocks))
	d.answered = true
	d.out.Keep(1, len(c.Signature)+len(c.Data))
	b := &block{at: at, index: d.next, opaque: opaque{Signature: c.Signature}}
	switch c.Type {
	case "text":
		b.kind = llm.Assistant
	case "thinking":
		b.kind = llm.Thinking
	case "redacted_thinking":
		b.kind, b.opaque.Redacted = llm.Thinking, c.Data
	case "tool_use":
		b.kind, b.input = llm.ToolCall, c.Input
		d.calls = true
		d.out.Add(llm.CallDelta{Index: b.index, ID: string(c.ID), Name: string(c.Name)})
	}
	d.blocks = append(d.blocks, b)
	if b.kind != "" {
		d.next++
	}
	d.say(b, llm.Assistant, c.Text)
	d.say(b, llm.Thinking, c.Thinking)
}

// find returns the last block at the provider's index.
func (d *decoder) find(at int) *block {
	for i := len(d.blocks) - 1; i >= 0; i-- {
		if d.blocks[i].at == at {
			return d.blocks[i]
		}
	}
	return nil
}

// goOn adds a piece to the block at the provider's index. Some servers leave out
// where a text begins.
func (d *decoder) goOn(at int, piece *delta) {
	b := d.find(at)
	if b == nil {
		kind, ok := strings.CutSuffix(string(piece.Type), "_delta")
		if !ok || kind != "text" && kind != "thinking" {
			return
		}
		d.begin(at, &content{Type: wire.Word(kind)})
		b = d.find(at)
	}
	switch piece.Type {
	case "text_delta":
		d.say(b, llm.Assistant, piece.Text)
	case "thinking_delta":
		d.say(b, llm.Thinking, piece.Thinking)
	case "signature_delta":
		d.out.Keep(0, len(piece.Signature))
		b.streamed.WriteString(piece.Signature)
	case "input_json_delta":
		if b.kind == llm.ToolCall && piece.Input != "" {
			b.input = nil
			d.out.Say(llm.ToolCall, b.index, piece.Input)
		}
	}
}

// say adds text to a block if that is of kind.
func (d *decoder) say(b *block, kind llm.Kind, text string) {
	if b.kind == kind && text != "" {
		d.out.Say(kind, b.index, text)
	}
}

// finish takes the end of a block. That it is whole is told when something
// follows: the last block of a reply that was cut short ends in the same way.
func (d *decoder) finish(b *block) {
	if b.kind == llm.ToolCall && !b.ended && len(b.input) > 0 && string(b.input) != "null" {
		d.out.Add(llm.CallDelta{Index: b.index, Args: string(b.input)})
	}
	b.ended = true
}

// settle tells of the first n blocks that they are whole, if they ended.
func (d *decoder) settle(n int) {
	for ; d.told < n && d.blocks[d.told].ended; d.told++ {
		b := d.blocks[d.told]
		if b.kind == "" {
			continue
		}
		if s := b.streamed.String(); s != "" {
			b.opaque.Signature = s
		}
		d.out.Add(llm.BlockEnd{Index: b.index, Opaque: wire.Pack(dialect, d.model, b.opaque)})
	}
}

// End adds the Finish, or returns why the answer is incomplete. After a stop
// reason nothing can be missing.
func (d *decoder) End(err error) error {
	switch {
	case err != nil && d.stop == "":
		return d.unfinished(err)
	case d.lost > 0 && d.calls:
		return wire.Untrusted()
	case !d.answered:
		return wire.EmptyAnswer()
	}
	n, why := len(d.blocks), reason(d.stop)
	for _, b := range d.blocks {
		d.finish(b)
	}
	if why == llm.Length {
		n-- // the last one was cut
	}
	d.settle(max(n, 0))
	d.out.Add(llm.Finish{Reason: why, Raw: d.stop, Usage: d.tokens.usage(), Lost: d.lost})
	return nil
}

// unfinished returns the error of an answer that err ended too early.
func (d *decoder) unfinished(err error) error {
	switch {
	case d.lost > 0 && !d.answered:
		return &llm.Error{Kind: llm.ErrProtocol, Message: "the answer could not be read", Retry: true}
	case errors.Is(err, io.EOF) && !d.answered:
		return wire.EmptyAnswer()
	case errors.Is(err, io.EOF):
		return wire.CutOff(nil)
	}
	return err
}
