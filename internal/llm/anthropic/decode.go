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

// Decode yields the deltas of the body of a response, a stream or a single
// message. See wire.Decode. The Model of opaque bytes is left empty.
func Decode(r io.Reader) iter.Seq2[llm.Delta, error] {
	return wire.Decode(wire.NewPayloads(r).SkipDone(), newDecoder(""))
}

// decoder decodes the payloads of one response into deltas.
type decoder struct {
	model string // for opaque bytes

	out     wire.Deltas // deltas to yield next
	id      wire.Word   // ID of the message
	blocks  []*block    // in the order in which they began
	next    int         // the first free delta index
	settled int         // number of leading blocks whose BlockEnd was added

	tokens   tokens
	stop     string // stop reason of the provider
	answered bool   // some of a message arrived
	searched bool   // the provider has searched the web
	calls    bool
	lost     int // events that could not be read
}

// block is a content block of the message.
type block struct {
	at       int      // index of the provider
	index    int      // index of its deltas
	kind     llm.Kind // empty for a block that is skipped
	ended    bool
	input    []byte // arguments of a call that were not streamed; of a search, all arguments
	search   llm.Search
	pending  bool         // a search without its result
	sources  []llm.Source // that the text cites
	opaque   opaque
	streamed strings.Builder // pieces of a signature
}

func newDecoder(model string) *decoder { return &decoder{model: model} }

// Deltas returns the queue of deltas to yield next.
func (d *decoder) Deltas() *wire.Deltas { return &d.out }

// Add decodes a payload. Unreadable payloads are skipped and counted; End
// decides whether they matter.
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
			d.extend(e.Index, e.Delta)
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
	case "":
		if len(e.Content) > 0 { // a whole message without its type
			d.wholeMessage(&e)
			return wire.Complete, nil
		}
	case "message":
		d.wholeMessage(&e)
		return wire.Complete, nil
	}
	return wire.Open, nil
}

// start begins the message. Some proxies repeat message_start; one with another
// ID means that two responses were mixed up.
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

// wholeMessage decodes a message that was not streamed.
func (d *decoder) wholeMessage(e *event) {
	for i := range e.Content {
		d.begin(i, &e.Content[i])
		d.finish(d.find(i))
	}
	d.answered, d.stop = true, string(e.Stop)
	d.tokens.add(e.Usage)
}

// begin opens a block. Other server-side tools and unknown types are skipped.
func (d *decoder) begin(at int, c *content) {
	d.answered = true
	if d.continueText(at, c) {
		return
	}
	d.finishBlocks(len(d.blocks))
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
	case "server_tool_use":
		d.beginSearch(b, c)
	case "web_search_tool_result":
		d.searchResult(b, c)
	}
	d.blocks = append(d.blocks, b)
	if b.kind != "" {
		d.next++
	}
	d.say(b, llm.Assistant, c.Text)
	d.say(b, llm.Thinking, c.Thinking)
	for _, citation := range c.Citations {
		d.cite(b, citation)
	}
}

// find returns the last block with the provider's index at.
func (d *decoder) find(at int) *block {
	for i := len(d.blocks) - 1; i >= 0; i-- {
		if d.blocks[i].at == at {
			return d.blocks[i]
		}
	}
	return nil
}

// extend adds a piece to the block at the provider's index at. Some servers
// omit the start of a text block.
func (d *decoder) extend(at int, piece *delta) {
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
		switch {
		case piece.Input == "":
		case b.kind == llm.ToolCall:
			b.input = nil
			d.out.AddText(llm.ToolCall, b.index, piece.Input)
		case b.kind == llm.WebSearch:
			d.out.Keep(0, len(piece.Input))
			b.streamed.WriteString(piece.Input)
		}
	case "citations_delta":
		d.cite(b, piece.Citation)
	}
}

// say adds text to a block of that kind.
func (d *decoder) say(b *block, kind llm.Kind, text string) {
	if b.kind == kind && text != "" {
		if kind == llm.Assistant {
			b.part().Bytes += len(text)
		}
		d.out.AddText(kind, b.index, text)
	}
}

// finish marks the end of a block. Its BlockEnd is delayed until something
// follows, because the last block of a truncated reply ends the same way.
func (d *decoder) finish(b *block) {
	if b.kind == llm.ToolCall && !b.ended && len(b.input) > 0 && string(b.input) != "null" {
		d.out.Add(llm.CallDelta{Index: b.index, Args: string(b.input)})
	}
	if b.opaque.Use != nil && !b.ended {
		d.nameSearch(b)
	}
	b.ended = true
}

// finishBlocks adds the BlockEnd of the finished blocks among the first n, up to a search
// that has no result yet.
func (d *decoder) finishBlocks(n int) {
	for ; d.settled < n && d.blocks[d.settled].ended && !d.blocks[d.settled].pending; d.settled++ {
		b := d.blocks[d.settled]
		if b.kind == "" {
			continue
		}
		if s := b.streamed.String(); s != "" && b.kind == llm.Thinking {
			b.opaque.Signature = s
		}
		if len(b.sources) == 0 {
			b.opaque.Parts = nil
		}
		d.out.Add(llm.BlockEnd{Index: b.index, Opaque: wire.Pack(dialect, d.model, b.opaque), Sources: b.sources})
	}
}

// End adds the Finish, or returns why the response is incomplete. After a stop
// reason nothing else is needed.
func (d *decoder) End(err error) error {
	switch {
	case err != nil && d.stop == "":
		return d.unfinished(err)
	case d.lost > 0 && d.calls:
		return wire.UnreadableCalls()
	case !d.answered:
		return wire.EmptyAnswer()
	}
	n, why := len(d.blocks), reason(d.stop)
	for _, b := range d.blocks {
		d.finish(b)
		b.pending = false // the next reply has the result
	}
	if why == llm.Length {
		n-- // the last one was cut off
	}
	d.finishBlocks(max(n, 0))
	d.out.Add(llm.Finish{Reason: why, Raw: d.stop, Usage: d.tokens.usage(), Lost: d.lost})
	return nil
}

// unfinished returns the error of a response that err ended too early.
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
