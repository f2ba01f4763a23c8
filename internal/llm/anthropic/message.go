package anthropic

import (
	"cmp"
	"fmt"
	"strings"

	"agent/internal/llm"
	"agent/internal/llm/wire"
)

// wireMessages returns the messages of req as they are sent.
//
// Thinking, text and calls of one reply make one assistant message; the results
// of its calls, in the calls' order, begin the user message after it, whatever
// stands between them in req, and what the person said follows there. Thinking
// goes back to the model that signed it, and is left out for every other. A call
// that was cut off and its result are left out, a note says so. A call whose
// arguments were no JSON object goes back with what the model wrote as the one
// argument "_raw". A call without a result gets one that says so. What was sent
// for a finished step does not change when more follows.
func wireMessages(req llm.Request) []wireMessage {
	b := builder{model: req.Model, results: llm.Results(req.Messages), out: []wireMessage{}}
	for said := range llm.ByReply(req.Messages) {
		if said[0].Kind == llm.User {
			b.add(roleUser, user(said[0])...)
		} else {
			b.reply(said)
		}
	}
	return b.out
}

// builder collects the messages of a request.
type builder struct {
	model   string
	results map[string]*llm.Message // by call
	out     []wireMessage
}

// add appends blocks to the last message if that is role's, else as a new one:
// the two roles alternate.
func (b *builder) add(role string, blocks ...wireBlock) {
	if len(blocks) == 0 {
		return
	}
	if n := len(b.out); n > 0 && b.out[n-1].Role == role {
		b.out[n-1].Content = append(b.out[n-1].Content, blocks...)
		return
	}
	b.out = append(b.out, wireMessage{Role: role, Content: blocks})
}

// user returns what the person said. Blank text is refused by the provider.
func user(m llm.Message) []wireBlock {
	var blocks []wireBlock
	if !blank(m.Text) {
		blocks = append(blocks, textBlock(m.Text))
	}
	for _, im := range m.Images {
		blocks = append(blocks, image(im))
	}
	return blocks
}

// reply adds what the model said in one go, and the results of its calls.
func (b *builder) reply(msgs []llm.Message) {
	var said, results []wireBlock
	for _, m := range msgs {
		switch {
		case m.Kind == llm.Thinking && !m.Cut:
			said = append(said, b.thinking(m)...)
		case m.Kind == llm.Assistant && !blank(m.Text):
			said = append(said, textBlock(m.Text))
		case m.Kind == llm.ToolCall && m.Cut:
			said = append(said, textBlock(wire.CutCall(m)))
		case m.Kind == llm.ToolCall:
			said = append(said, wireBlock{ID: named(m.ID), Input: wire.Arguments(m), Name: named(m.Name), Type: "tool_use"})
			results = append(results, b.result(m.ID))
		}
	}
	for len(said) > 0 && isThinking(said[len(said)-1]) { // thinking must lead to something
		said = said[:len(said)-1]
	}
	b.add(roleAssistant, said...)
	b.add(roleUser, results...)
}

// thinking returns m as its model wants it back, nothing for another model.
func (b *builder) thinking(m llm.Message) []wireBlock {
	switch o := unpack(m, b.model); {
	case o.Redacted != "":
		return []wireBlock{{Data: o.Redacted, Type: "redacted_thinking"}}
	case o.Signature != "":
		return []wireBlock{{Signature: o.Signature, Thinking: &m.Text, Type: "thinking"}}
	}
	return nil
}

// result returns the result of the call called id.
func (b *builder) result(id string) wireBlock {
	r := cmp.Or(b.results[id], &llm.Message{Text: wire.Interrupted, IsError: true})
	out := wireBlock{ToolUseID: named(id), IsError: r.IsError, Type: "tool_result"}
	text := r.Text
	if r.IsError && blank(text) && len(r.Images) == 0 {
		text = "the call failed and said nothing" // an error must say something
	}
	if !blank(text) {
		out.Content = append(out.Content, textBlock(text))
	}
	for _, im := range r.Images {
		out.Content = append(out.Content, image(im))
	}
	return out
}

// image returns im, or a note where it is of a kind that the provider refuses.
func image(im llm.Image) wireBlock {
	switch im.MediaType {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		return wireBlock{Source: &wireSource{Data: im.Data, MediaType: im.MediaType, Type: "base64"}, Type: "image"}
	}
	return textBlock(fmt.Sprintf("[an image of the type %q, which cannot be shown here]", im.MediaType))
}

// named returns an id or a name as the provider takes it.
func named(s string) string { return wire.Plain(s, 128) }

func blank(s string) bool { return strings.TrimSpace(s) == "" }
