package anthropic

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"agent/internal/llm"
	"agent/internal/llm/wire"
)

// addMessages adds the messages of req to list, and marks them for the cache.
//
// Thinking, text and calls of one reply become one assistant message. The
// results of its calls, in the order of the calls, begin the following user
// message, regardless of their position in req, and user text follows there.
// Thinking is sent only to the model that signed it. A call that was cut off is
// replaced by a note, and its result is left out. Arguments that
// could not be read are sent as an empty object. A call without a result gets one
// that says so. The encoding of a finished step never changes, so that
// providers can cache it.
func addMessages(list *wire.List[wireMessage], req llm.Request) {
	b := builder{list: list, model: req.Model, search: req.WebSearch, used: map[string]bool{}}
	if b.search {
		b.current, b.continued = currentReplies(req.Messages), continuedSearches(req.Messages, req.Model)
	}
	for said := range list.Groups() {
		if said[0].Kind == llm.User {
			list.Hold(false)
			b.add(roleUser, user(said[0])...)
		} else {
			b.reply(said)
		}
	}
	markLastMessages(list)
}

// builder adds the messages of a request to a list.
type builder struct {
	list      *wire.List[wireMessage]
	model     string
	search    bool            // the request offers the provider's web search
	used      map[string]bool // searches whose use was sent, by ID
	current   map[string]bool // replies that no message of the user follows, by ID
	continued map[string]bool // searches of which a later reply has the result, by ID
}

// add appends blocks to the last message if it has the same role, otherwise as
// a new message: the roles must alternate.
func (b *builder) add(role string, blocks ...wireBlock) {
	if len(blocks) == 0 {
		return
	}
	if all := b.list.Items(); len(all) > 0 && all[len(all)-1].Role == role {
		b.list.Replace(wireMessage{Role: role, Content: slices.Concat(all[len(all)-1].Content, blocks)})
		return
	}
	b.list.Add(wireMessage{Role: role, Content: blocks})
}

// user encodes a user message. Blank text is left out because the provider
// rejects it.
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

// reply adds a reply of the model, and the results of its calls.
func (b *builder) reply(msgs []llm.Message) {
	var said, results []wireBlock
	var late lateResults
	for _, m := range msgs {
		switch {
		case m.Kind == llm.Thinking && !m.Cut:
			said = late.insert(said, b.thinking(m))
		case m.Kind == llm.Assistant && !blank(m.Text):
			said = late.insert(said, b.text(m))
		case m.Kind == llm.WebSearch && !m.Cut:
			b.list.Hold(true) // later messages say whether it was continued
			blocks, result := b.webSearch(m)
			if said = late.insert(said, blocks); result != nil {
				late = append(late, result)
			}
		case m.Kind == llm.ToolCall && m.Cut:
			said = late.insert(said, []wireBlock{textBlock(wire.CutCall(m))})
		case m.Kind == llm.ToolCall:
			said = late.insert(said, []wireBlock{{ID: safeName(m.ID), Input: wire.Arguments(m), Name: safeName(m.Name), Type: "tool_use"}})
			results = append(results, result(m.ID, b.list.Result(msgs, m.ID)))
		}
	}
	said = append(said, late.rest()...)
	for len(said) > 0 && isThinking(said[len(said)-1]) { // the provider rejects thinking that nothing follows
		said = said[:len(said)-1]
	}
	b.add(roleAssistant, said...)
	b.add(roleUser, results...)
}

// thinking encodes m for the model that produced it; nil for another model.
func (b *builder) thinking(m llm.Message) []wireBlock {
	switch o := unpack(m, b.model); {
	case o.Redacted != "":
		return []wireBlock{{Data: o.Redacted, Type: "redacted_thinking"}}
	case o.Signature != "":
		return []wireBlock{{Signature: o.Signature, Thinking: &m.Text, Type: "thinking"}}
	}
	return nil
}

// result encodes the result r of a call, which may be nil.
func result(id string, r *llm.Message) wireBlock {
	r = cmp.Or(r, &llm.Message{Text: wire.Interrupted, IsError: true})
	out := wireBlock{ToolUseID: safeName(id), IsError: r.IsError, Type: "tool_result"}
	text := r.Text
	if r.IsError && blank(text) && len(r.Images) == 0 {
		text = "the call failed without output" // an error needs text
	}
	var content []wireBlock
	if !blank(text) {
		content = append(content, textBlock(text))
	}
	for _, im := range r.Images {
		content = append(content, image(im))
	}
	if len(content) > 0 {
		out.Content = content
	}
	return out
}

// image encodes im, or a note if the provider does not accept its type.
func image(im llm.Image) wireBlock {
	switch im.MediaType {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		return wireBlock{Source: &wireSource{Data: im.Data, MediaType: im.MediaType, Type: "base64"}, Type: "image"}
	}
	return textBlock(fmt.Sprintf("[an image of type %q, which is not supported here]", im.MediaType))
}

// safeName returns an ID or name in the characters that the provider accepts.
func safeName(s string) string { return wire.SafeName(s, 128) }

func blank(s string) bool { return strings.TrimSpace(s) == "" }
