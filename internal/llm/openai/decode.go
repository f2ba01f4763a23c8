package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"

	"agent/internal/llm"
	"agent/internal/llm/wire"
)

// Decode yields the deltas of the body of a response, a stream or a single
// completion. See wire.Decode. The Model of opaque bytes is left empty.
func Decode(r io.Reader) iter.Seq2[llm.Delta, error] {
	return wire.Decode(wire.NewPayloads(r), newDecoder("", false))
}

// decoder decodes the payloads of one response into deltas.
type decoder struct {
	model        string // for opaque bytes
	keepThinking bool   // thinking must be sent back

	out      wire.Deltas // deltas to yield next
	next     int         // the first free index
	open     int         // index of the message that text is added to
	kind     llm.Kind    // kind of that message; empty if there is none
	thoughts []thought
	details  details
	calls    calls

	usage        llm.Usage
	finish       string // the last finish reason of the provider
	refused      bool
	answered     bool    // there was a choice
	counted      bool    // the last event was the token count that ends a stream
	lost         int     // events that could not be read
	firstUnknown string  // beginning of an event without choices
	elsewhere    *choice // the answer in an event without choices, if it holds one
}

// thought is a Thinking message and the name of its field.
type thought struct {
	index int
	field string
}

func newDecoder(model string, keep bool) *decoder {
	return &decoder{model: model, keepThinking: keep}
}

// Deltas returns the queue of deltas to yield next.
func (d *decoder) Deltas() *wire.Deltas { return &d.out }

// Add decodes a payload. Unreadable events are skipped and counted; End decides
// whether they matter.
func (d *decoder) Add(data []byte) (wire.State, error) {
	data = bytes.TrimSpace(data)
	if len(data) > 0 && data[0] == '[' { // some servers wrap an error in a list
		var list []json.RawMessage
		if json.Unmarshal(data, &list) == nil && len(list) > 0 {
			data = list[0]
		}
	}
	if len(data) == 0 || data[0] != '{' {
		return d.state(), nil // a keep-alive of the server
	}
	var c chunk
	if wire.Unmarshal(data, &c) != nil {
		d.lost++
		return d.state(), nil
	}
	if f, ok := c.failure(data); ok {
		return wire.Open, withHint(f.Err(0))
	}
	d.usage = c.usage(d.usage)
	d.counted = len(c.Choices) == 0 && c.Tokens != nil && d.answered
	if len(c.Choices) == 0 && d.firstUnknown == "" {
		d.firstUnknown = wire.Truncate(wire.Clean(string(data)), 200)
		d.elsewhere = elsewhere(data)
	}
	for i := range c.Choices {
		if ch := &c.Choices[i]; ch.Index == 0 {
			d.choice(ch)
		}
	}
	return d.state(), nil
}

// state returns Ending after a finish reason.
func (d *decoder) state() wire.State {
	if d.finish != "" {
		return wire.Ending
	}
	return wire.Open
}

func (d *decoder) choice(c *choice) {
	d.answered = true
	if c.Finish != "" {
		d.finish = string(c.Finish)
	}
	said := c.Delta
	if said == nil {
		said = c.Message
	}
	if said == nil && len(c.Text) > 0 {
		said = &delta{Content: c.Text}
	}
	if said == nil {
		return
	}
	d.think(said.ReasoningContent.text(), said.Reasoning.text(), d.addDetails(said.ReasoningDetails))
	for _, p := range said.Content {
		if p.thinking {
			d.say(llm.Thinking, p.text, "")
		} else {
			d.say(llm.Assistant, p.text, "")
		}
	}
	if s := said.Refusal.text(); s != "" {
		d.refused = true
		d.say(llm.Assistant, s, "")
	}
	for i := range said.ToolCalls {
		d.call(&said.ToolCalls[i])
	}
	if f := said.FunctionCall; f != nil && f.Name+f.Arguments != "" {
		d.call(&callPart{Index: "0", Function: *f})
	}
}

// addDetails adds the reasoning_details of a piece and returns their text.
func (d *decoder) addDetails(list []detail) (listed string) {
	for _, x := range list {
		listed += x.Text + x.Summary
		if d.details.add(x) {
			d.out.Keep(1, 0)
		}
		d.out.Keep(0, len(x.Signature)+len(x.Data))
	}
	return listed
}

// think adds the thinking of a piece from the first field that has any.
func (d *decoder) think(reasoningContent, reasoning, listed string) {
	switch {
	case reasoningContent != "":
		d.say(llm.Thinking, reasoningContent, "reasoning_content")
	case reasoning != "":
		d.say(llm.Thinking, reasoning, "reasoning")
	default:
		d.say(llm.Thinking, listed, "")
	}
}

// say adds text to the open message if it has that kind, otherwise it begins
// one.
func (d *decoder) say(kind llm.Kind, text, field string) {
	if text == "" {
		return
	}
	if d.kind != kind {
		d.pause()
		d.open, d.kind = d.next, kind
		d.next++
		if kind == llm.Thinking {
			d.thoughts = append(d.thoughts, thought{d.open, field})
		}
	}
	d.out.AddText(kind, d.open, text)
}

// pause ends the open message.
func (d *decoder) pause() {
	if d.kind != "" {
		d.out.Add(llm.BlockEnd{Index: d.open})
	}
	d.kind = ""
}

// call adds a piece of a tool call. Calls stay open until the reply ends,
// because their pieces may alternate.
func (d *decoder) call(p *callPart) {
	c := d.calls.find(p)
	begins := c == nil
	if begins {
		d.pause()
		c = d.calls.begin(p, d.next)
		d.next++
	}
	if c.id == "" {
		c.id = string(p.ID)
	}
	if len(p.Extra) > 0 {
		d.out.Keep(0, len(p.Extra)-len(c.extra))
		c.extra = p.Extra
	}
	if begins || p.ID != "" || p.Function.Name != "" {
		d.out.Add(llm.CallDelta{Index: c.index, ID: string(p.ID), Name: string(p.Function.Name), Args: string(p.Function.Arguments)})
	} else {
		d.out.AddText(llm.ToolCall, c.index, string(p.Function.Arguments))
	}
}

// End adds the Finish, or returns why the response is incomplete. After a
// finish reason only token counts can be missing, and after the token count
// that ends a stream nothing.
func (d *decoder) End(err error) error {
	if d.elsewhere != nil && !d.answered && errors.Is(err, io.EOF) {
		d.choice(d.elsewhere)
	}
	switch e, _ := errors.AsType[*llm.Error](err); {
	case d.finish == "" && !errors.Is(err, io.EOF) && !(d.counted && e != nil && e.Kind == llm.ErrCut):
		return err
	case d.lost > 0 && len(d.calls.list) > 0:
		return wire.UnreadableCalls()
	case d.finish == "" && d.lost > 0:
		return &llm.Error{Kind: llm.ErrProtocol, Message: "the response could not be read", Retry: true}
	case !d.answered && d.firstUnknown != "":
		return &llm.Error{Kind: llm.ErrProtocol, Message: "the response has no choices: " + d.firstUnknown, Retry: true, Tries: 2}
	case !d.answered:
		return wire.EmptyAnswer()
	case gaveUp(d.finish):
		return &llm.Error{Kind: llm.ErrOverloaded, Message: fmt.Sprintf("the provider stopped the answer (%q)", d.finish), Retry: true}
	}
	reason := reason(d.finish)
	if d.refused {
		reason = llm.Filtered
	}
	d.sendBack(reason == llm.Length)
	d.out.Add(llm.Finish{Reason: reason, Raw: d.finish, Usage: d.usage, Lost: d.lost})
	return nil
}

// sendBack ends the messages with the opaque bytes to send back. The last
// message of a truncated reply stays open.
func (d *decoder) sendBack(short bool) {
	for i, t := range d.thoughts {
		var o opaque
		if d.keepThinking && len(d.details.list) == 0 {
			o.Field = t.field
		}
		if i == 0 {
			o.Details = d.details.binding()
		}
		if o.Field != "" || o.Details != nil {
			d.keepWith(t.index, o, short)
		}
	}
	if o := (opaque{Details: d.details.binding()}); len(d.thoughts) == 0 && o.Details != nil {
		d.keepWith(d.next, o, false)
		d.next++
	}
	for _, c := range d.calls.list {
		if c.extra != nil {
			d.keepWith(c.index, opaque{Extra: c.extra}, short)
		}
	}
}

func (d *decoder) keepWith(index int, o opaque, short bool) {
	if short && index == d.next-1 {
		return
	}
	d.out.Add(llm.BlockEnd{Index: index, Opaque: wire.Pack(dialect, d.model, o)})
}

// gaveUp reports whether a finish reason means that the provider failed: words
// of OpenRouter, DeepSeek and Z.ai.
func gaveUp(word string) bool {
	return word == "error" || word == "insufficient_system_resource" || word == "network_error"
}

// reason maps the finish reasons in use.
func reason(word string) llm.Reason {
	switch word {
	case "stop", "end_turn", "eos", "stop_sequence", "complete":
		return llm.Stop
	case "tool_calls", "function_call", "tool_use":
		return llm.Calls
	case "length", "max_tokens", "model_length", "max_output_tokens", "context_length", "model_context_window_exceeded":
		return llm.Length
	case "content_filter", "refusal", "safety", "recitation", "sensitive":
		return llm.Filtered
	}
	return llm.Unknown
}
