package openai

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"strings"

	api "github.com/sashabaranov/go-openai"

	"agent/internal/llm"
	"agent/internal/llm/wire"
)

// How long an id and a name may be for OpenAI's own servers.
const (
	maxID   = 40
	maxName = 64
)

// WireMessages returns the messages of req as they are sent, one JSON object
// each.
//
// The messages of one reply make one assistant message, followed by the results
// of its calls in the calls' order, whatever stands between them in req. A call
// that was cut off and its result are left out, a note says so. A call whose
// arguments were no JSON object goes back with what the model wrote as the one
// argument "_raw". A call without a result gets one that says so. What was sent
// for a finished step does not change when more follows.
func WireMessages(req llm.Request) []json.RawMessage {
	body, err := NewRequest(llm.Request{System: req.System, Model: req.Model, Messages: req.Messages}, Quirks{})
	var sent struct{ Messages []json.RawMessage }
	if err := cmp.Or(err, json.Unmarshal(body, &sent)); err != nil {
		// Only opaque bytes can be no JSON, and those were read from JSON.
		panic("openai: write the messages: " + err.Error())
	}
	return sent.Messages
}

// fields are fields of a message that the library's type lacks, or leaves out
// when they are empty.
type fields map[string]any

// toolCall is a call with what goes back to the model beside it.
type toolCall struct {
	api.ToolCall
	Extra json.RawMessage `json:"extra_content,omitempty"`
}

// builder collects the messages of a request.
type builder struct {
	*request
	quirks  Quirks
	results map[string]*llm.Message // by the call's id on the wire
}

// messages adds the messages of req to the request.
func (b *builder) messages(req llm.Request) {
	for i, m := range req.Messages {
		if id := wire.Short(m.ID, maxID); m.Kind == llm.ToolResult && b.results[id] == nil {
			b.results[id] = &req.Messages[i]
		}
	}
	if req.System != "" {
		b.add(api.ChatCompletionMessage{Role: api.ChatMessageRoleSystem, Content: req.System}, fields{})
	}
	for said := range llm.ByReply(req.Messages) {
		if said[0].Kind == llm.User {
			b.user(said[0].Text, said[0].Images)
		} else {
			b.reply(said)
		}
	}
}

// add adds a message and the fields that the library does not write: many
// servers reject a message without content, even if it is empty.
func (b *builder) add(m api.ChatCompletionMessage, more fields) {
	switch {
	case m.Content != "" || m.MultiContent != nil:
	case m.Role == api.ChatMessageRoleAssistant:
		more["content"] = nil
	default:
		more["content"] = ""
	}
	if len(more) > 0 {
		b.more[len(b.Messages)] = more
	}
	b.Messages = append(b.Messages, m)
}

// user adds a message of the user.
func (b *builder) user(text string, images []llm.Image) {
	if len(images) == 0 {
		b.add(api.ChatCompletionMessage{Role: api.ChatMessageRoleUser, Content: text}, fields{})
		return
	}
	var parts []api.ChatMessagePart
	if text != "" {
		parts = append(parts, api.ChatMessagePart{Type: api.ChatMessagePartTypeText, Text: text})
	}
	for _, im := range images {
		url := "data:" + im.MediaType + ";base64," + base64.StdEncoding.EncodeToString(im.Data)
		parts = append(parts, api.ChatMessagePart{Type: api.ChatMessagePartTypeImageURL, ImageURL: &api.ChatMessageImageURL{URL: url}})
	}
	b.add(api.ChatCompletionMessage{Role: api.ChatMessageRoleUser, MultiContent: parts}, fields{})
}

// reply adds one reply of the model, and the results of its calls.
func (b *builder) reply(msgs []llm.Message) {
	out, more := api.ChatCompletionMessage{Role: api.ChatMessageRoleAssistant}, fields{}
	var text, notes string
	var calls []toolCall
	signed := false
	for _, m := range msgs {
		switch {
		case m.Kind == llm.Assistant:
			text += m.Text
		case m.Kind == llm.Thinking && !m.Cut:
			handBack(&out, more, m, unpack(m, b.model))
		case m.Kind == llm.ToolCall && m.Cut:
			notes += "\n" + wire.CutCall(m)
		case m.Kind == llm.ToolCall:
			c := toolCall{Extra: unpack(m, b.model).Extra, ToolCall: api.ToolCall{ID: wire.Short(m.ID, maxID), Type: api.ToolTypeFunction,
				Function: api.FunctionCall{Name: wire.Plain(m.Name, maxName), Arguments: string(wire.Arguments(m))}}}
			calls, signed = append(calls, c), signed || c.Extra != nil
			out.ToolCalls = append(out.ToolCalls, c.ToolCall)
		}
	}
	out.Content = strings.TrimPrefix(text+notes, "\n")
	if out.Content == "" && calls == nil {
		return // nothing but thinking
	}
	if signed {
		more["tool_calls"], out.ToolCalls = calls, nil
	}
	if b.quirks.KeepThinking && out.ReasoningContent == "" && calls != nil {
		more["reasoning_content"] = "" // wanted even where nothing was thought
	}
	b.add(out, more)
	b.resultsOf(calls)
}

// handBack puts thinking where the model that thought it looks for it.
func handBack(m *api.ChatCompletionMessage, more fields, t llm.Message, o opaque) {
	if len(o.Details) > 0 {
		before, _ := more["reasoning_details"].([]detail)
		more["reasoning_details"] = append(before, o.Details...)
	}
	switch o.Field {
	case "reasoning_content":
		m.ReasoningContent += t.Text
	case "reasoning":
		before, _ := more["reasoning"].(string)
		more["reasoning"] = before + t.Text
	}
}

// resultsOf adds the results of calls and, after all of them, their images: a
// tool's message holds only text.
func (b *builder) resultsOf(calls []toolCall) {
	var images []llm.Image
	for _, c := range calls {
		r := b.results[c.ID]
		text := wire.Result(r)
		if r != nil && len(r.Images) > 0 {
			text = strings.TrimPrefix(text+"\n[images follow]", "\n")
			images = append(images, r.Images...)
		}
		b.add(api.ChatCompletionMessage{Role: api.ChatMessageRoleTool, Content: text, ToolCallID: c.ID}, fields{})
	}
	if len(images) > 0 {
		b.user("Images of the tool results above:", images)
	}
}
