package openai

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"

	api "github.com/sashabaranov/go-openai"

	"agent/internal/llm"
	"agent/internal/llm/wire"
)

// The maximum lengths that OpenAI accepts, in bytes.
const (
	maxID   = 40
	maxName = 64
)

// WireMessages returns the messages of req in encoded form, one JSON object
// each.
//
// The messages of one reply become one assistant message. The results of its
// calls follow in the order of the calls, regardless of their position in req.
// A call that was cut off is replaced by a note, and its result is left out.
// Arguments that could not be read are sent as an empty object. A call
// without a result gets one that says so. The encoding of a finished step never
// changes, so that providers can cache it.
func WireMessages(req llm.Request) []json.RawMessage {
	body, err := NewRequest(llm.Request{System: req.System, Model: req.Model, Messages: req.Messages}, Quirks{})
	var sent struct{ Messages []json.RawMessage }
	if err := cmp.Or(err, json.Unmarshal(body, &sent)); err != nil {
		// Unreachable: only opaque bytes could be invalid, and they were
		// decoded from JSON.
		panic("openai: write the messages: " + err.Error())
	}
	return sent.Messages
}

// fields are message fields that the library's type lacks or omits when empty.
type fields map[string]any

// set sets a field.
func (f *fields) set(name string, value any) {
	if *f == nil {
		*f = fields{}
	}
	(*f)[name] = value
}

// toolCall is a call with the provider's extra content.
type toolCall struct {
	api.ToolCall
	Extra json.RawMessage `json:"extra_content,omitempty"`
}

// builder adds the messages of a request to a list. It is what they depend on besides the
// conversation.
type builder struct {
	model, system string
	quirks        Quirks
}

// messages adds the messages that list lacks.
func (b builder) messages(list *wire.List[message]) {
	if len(list.Items()) == 0 && b.system != "" {
		list.Add(newMessage(api.ChatCompletionMessage{Role: api.ChatMessageRoleSystem, Content: b.system}, nil))
	}
	for said := range list.Groups() {
		if said[0].Kind == llm.User {
			b.user(list, said[0].Text, said[0].Images)
		} else {
			b.reply(list, said)
		}
	}
	if b.quirks.CacheMarks {
		markPrefixes(list)
	}
}

// newMessage returns a message with more fields, which may be nil. A message without content gets
// an empty one, because many servers require the field.
func newMessage(m api.ChatCompletionMessage, more fields) message {
	content := ""
	switch {
	case m.Content != "" || m.MultiContent != nil:
	case m.Role == api.ChatMessageRoleAssistant:
		content = "null"
	default:
		content = `""`
	}
	return message{m, content, more}
}

// user adds a user message, or extends the last message if that is one: many
// chat templates reject two in a row.
func (b builder) user(list *wire.List[message], text string, images []llm.Image) {
	last, add := message{}, list.Add
	if all := list.Items(); len(all) > 0 {
		last = all[len(all)-1]
	}
	var parts []api.ChatMessagePart
	switch {
	case last.Role == api.ChatMessageRoleUser:
		parts, add = slices.Clip(contentParts(last.ChatCompletionMessage)), list.Replace
	case last.Role == api.ChatMessageRoleTool && b.quirks.Alternate:
		list.Add(newMessage(api.ChatCompletionMessage{Role: api.ChatMessageRoleAssistant, Content: "OK."}, nil))
	}
	if len(images) == 0 && last.MultiContent == nil {
		if len(parts) > 0 {
			text = strings.TrimSuffix(last.Content+"\n\n"+text, "\n\n")
		}
		add(newMessage(api.ChatCompletionMessage{Role: api.ChatMessageRoleUser, Content: text}, nil))
		return
	}
	if text != "" {
		parts = append(parts, api.ChatMessagePart{Type: api.ChatMessagePartTypeText, Text: text})
	}
	for _, im := range images {
		url := "data:" + im.MediaType + ";base64," + base64.StdEncoding.EncodeToString(im.Data)
		parts = append(parts, api.ChatMessagePart{Type: api.ChatMessagePartTypeImageURL, ImageURL: &api.ChatMessageImageURL{URL: url}})
	}
	add(newMessage(api.ChatCompletionMessage{Role: api.ChatMessageRoleUser, MultiContent: parts}, nil))
}

// reply adds a reply of the model, and the results of its calls.
func (b builder) reply(list *wire.List[message], msgs []llm.Message) {
	out := api.ChatCompletionMessage{Role: api.ChatMessageRoleAssistant}
	var more fields
	var text, notes string
	var calls []toolCall
	var results []*llm.Message // of calls
	signed := false
	for i := range msgs {
		m := &msgs[i]
		switch {
		case m.Kind == llm.Assistant:
			text += m.Text
		case m.Kind == llm.Thinking && !m.Cut:
			b.addThinking(&out, &more, *m)
		case m.Kind == llm.WebSearch && m.Search != nil && m.Search.Ended:
			notes += "\n" + m.Search.Note()
		case m.Kind == llm.ToolCall && m.Cut:
			notes += "\n" + wire.CutCall(*m)
		case m.Kind == llm.ToolCall:
			c := toolCall{Extra: unpack(*m, b.model).Extra, ToolCall: api.ToolCall{ID: wire.ShortID(m.ID, maxID), Type: api.ToolTypeFunction,
				Function: api.FunctionCall{Name: wire.SafeName(m.Name, maxName), Arguments: string(wire.Arguments(*m))}}}
			calls, signed = append(calls, c), signed || c.Extra != nil
			results = append(results, list.Result(msgs, m.ID))
			out.ToolCalls = append(out.ToolCalls, c.ToolCall)
		}
	}
	out.Content = strings.TrimPrefix(text+notes, "\n")
	if out.Content == "" && calls == nil {
		return // only thinking
	}
	if signed {
		more.set("tool_calls", calls)
		out.ToolCalls = nil
	}
	if b.quirks.PadThinking && out.ReasoningContent == "" && more["reasoning"] == nil {
		more.set("reasoning_content", " ") // some providers reject an empty one
	}
	list.Add(newMessage(out, more))
	b.results(list, calls, results)
}

// addThinking adds thinking to the field that its model expects.
func (b builder) addThinking(m *api.ChatCompletionMessage, more *fields, t llm.Message) {
	o := unpack(t, b.model)
	if len(o.Details) > 0 {
		before, _ := (*more)["reasoning_details"].([]detail)
		more.set("reasoning_details", append(before, o.Details...))
	}
	field := o.Field
	switch {
	case !b.quirks.KeepThinking:
		return
	case t.Opaque == nil: // it arrived before the provider asked for it
		field = "reasoning_content"
	}
	switch field {
	case "reasoning_content":
		m.ReasoningContent += t.Text
	case "reasoning":
		before, _ := (*more)["reasoning"].(string)
		more.set("reasoning", before+t.Text)
	}
}

// results adds the results of calls and then their images in a user message,
// because a tool message can only hold text.
func (b builder) results(list *wire.List[message], calls []toolCall, results []*llm.Message) {
	var images []llm.Image
	for i, r := range results {
		text := wire.Result(r)
		if r != nil && len(r.Images) > 0 {
			text = strings.TrimPrefix(text+"\n[images follow]", "\n")
			images = append(images, r.Images...)
		}
		list.Add(newMessage(api.ChatCompletionMessage{Role: api.ChatMessageRoleTool, Content: text, ToolCallID: calls[i].ID}, nil))
	}
	if len(images) > 0 {
		b.user(list, "Images of the tool results above:", images)
	}
}
