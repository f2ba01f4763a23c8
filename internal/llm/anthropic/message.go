package anthropic

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	api "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

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
func wireMessages(req llm.Request) []api.MessageParam {
	b := builder{model: req.Model, results: map[string]*llm.Message{}, out: []api.MessageParam{}}
	for i, m := range req.Messages {
		if m.Kind == llm.ToolResult && b.results[m.ID] == nil {
			b.results[m.ID] = &req.Messages[i]
		}
	}
	for i := 0; i < len(req.Messages); {
		switch m := req.Messages[i]; m.Kind {
		case llm.User:
			b.add(api.MessageParamRoleUser, user(m)...)
			i++
		case llm.Assistant, llm.Thinking, llm.ToolCall:
			n := replyLen(req.Messages[i:])
			b.reply(req.Messages[i : i+n])
			i += n
		default:
			i++ // a result stands with its call
		}
	}
	return b.out
}

// replyLen returns how many messages belong to the reply that msgs begins with,
// results in between included.
func replyLen(msgs []llm.Message) int {
	for i, m := range msgs {
		if m.Kind == llm.User || m.Kind != llm.ToolResult && m.Reply != msgs[0].Reply {
			return i
		}
	}
	return len(msgs)
}

// builder collects the messages of a request.
type builder struct {
	model   string
	results map[string]*llm.Message // by call
	out     []api.MessageParam
}

// add appends blocks to the last message if that is role's, else as a new one:
// the two roles alternate.
func (b *builder) add(role api.MessageParamRole, blocks ...api.ContentBlockParamUnion) {
	if len(blocks) == 0 {
		return
	}
	if n := len(b.out); n > 0 && b.out[n-1].Role == role {
		b.out[n-1].Content = append(b.out[n-1].Content, blocks...)
		return
	}
	b.out = append(b.out, api.MessageParam{Role: role, Content: blocks})
}

// user returns what the person said. Blank text is refused by the provider.
func user(m llm.Message) []api.ContentBlockParamUnion {
	var blocks []api.ContentBlockParamUnion
	if !blank(m.Text) {
		blocks = append(blocks, api.NewTextBlock(m.Text))
	}
	for _, im := range m.Images {
		picture, note := image(im)
		blocks = append(blocks, api.ContentBlockParamUnion{OfImage: picture, OfText: note})
	}
	return blocks
}

// reply adds what the model said in one go, and the results of its calls.
func (b *builder) reply(msgs []llm.Message) {
	var said, results []api.ContentBlockParamUnion
	for _, m := range msgs {
		switch {
		case m.Kind == llm.Thinking && !m.Cut:
			said = append(said, b.thinking(m)...)
		case m.Kind == llm.Assistant && !blank(m.Text):
			said = append(said, api.NewTextBlock(m.Text))
		case m.Kind == llm.ToolCall && m.Cut:
			said = append(said, api.NewTextBlock(fmt.Sprintf("[a call of %s was cut off here and not run]", m.Name)))
		case m.Kind == llm.ToolCall:
			said = append(said, api.NewToolUseBlock(named(m.ID), arguments(m), named(m.Name)))
			results = append(results, b.result(m.ID))
		}
	}
	for len(said) > 0 && isThinking(said[len(said)-1]) { // thinking must lead to something
		said = said[:len(said)-1]
	}
	b.add(api.MessageParamRoleAssistant, said...)
	b.add(api.MessageParamRoleUser, results...)
}

// thinking returns m as its model wants it back, nothing for another model.
func (b *builder) thinking(m llm.Message) []api.ContentBlockParamUnion {
	switch o := unpack(m, b.model); {
	case o.Redacted != "":
		return []api.ContentBlockParamUnion{api.NewRedactedThinkingBlock(o.Redacted)}
	case o.Signature != "":
		return []api.ContentBlockParamUnion{api.NewThinkingBlock(o.Signature, m.Text)}
	}
	return nil
}

// arguments returns a call's arguments as a JSON object, always.
func arguments(m llm.Message) json.RawMessage {
	if m.Raw != "" {
		raw, err := wire.Marshal(map[string]string{"_raw": m.Raw})
		if err == nil {
			return raw
		}
	}
	if len(m.Input) == 0 {
		return json.RawMessage("{}")
	}
	return m.Input
}

// result returns the result of the call called id.
func (b *builder) result(id string) api.ContentBlockParamUnion {
	r := b.results[id]
	if r == nil {
		r = &llm.Message{Text: "there is no result, the call was interrupted", IsError: true}
	}
	out := api.ToolResultBlockParam{ToolUseID: named(id)}
	if r.IsError {
		out.IsError = param.NewOpt(true)
	}
	text := r.Text
	if r.IsError && blank(text) && len(r.Images) == 0 {
		text = "the call failed and said nothing" // an error must say something
	}
	if !blank(text) {
		out.Content = append(out.Content, api.ToolResultBlockParamContentUnion{OfText: &api.TextBlockParam{Text: text}})
	}
	for _, im := range r.Images {
		picture, note := image(im)
		out.Content = append(out.Content, api.ToolResultBlockParamContentUnion{OfImage: picture, OfText: note})
	}
	return api.ContentBlockParamUnion{OfToolResult: &out}
}

// image returns im, or a note where it is of a kind that the provider refuses.
func image(im llm.Image) (*api.ImageBlockParam, *api.TextBlockParam) {
	switch im.MediaType {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		return api.NewImageBlockBase64(im.MediaType, base64.StdEncoding.EncodeToString(im.Data)).OfImage, nil
	}
	return nil, &api.TextBlockParam{Text: fmt.Sprintf("[an image of the type %q, which cannot be shown here]", im.MediaType)}
}

// named returns an id or a name as the provider takes it.
func named(s string) string { return wire.Plain(s, 128) }

func blank(s string) bool { return strings.TrimSpace(s) == "" }
