package openai

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
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
	out := []json.RawMessage{}
	for _, m := range wireMessages(req, Quirks{}) {
		raw, err := write(nil, &m)
		if err != nil {
			// Only opaque bytes can be no JSON, and those were read from JSON.
			panic("openai: write a message: " + err.Error())
		}
		out = append(out, raw)
	}
	return out
}

func wireMessages(req llm.Request, q Quirks) []message {
	b := builder{model: req.Model, quirks: q, results: map[string]*llm.Message{}, out: []message{}}
	for i, m := range req.Messages {
		if id := wire.Short(m.ID, maxID); m.Kind == llm.ToolResult && b.results[id] == nil {
			b.results[id] = &req.Messages[i]
		}
	}
	if req.System != "" {
		b.add(message{Role: api.ChatMessageRoleSystem, Content: req.System})
	}
	for said := range llm.ByReply(req.Messages) {
		if said[0].Kind == llm.User {
			b.user(said[0].Text, said[0].Images)
		} else {
			b.reply(said)
		}
	}
	return b.out
}

// message is a message on the wire. The library's own type leaves out empty
// content, which many servers refuse, and knows nothing of handing back.
type message struct {
	Role             string     `json:"role"`
	Content          any        `json:"content"` // a string, []api.ChatMessagePart, or nil beside calls
	ReasoningContent *string    `json:"reasoning_content,omitempty"`
	Reasoning        string     `json:"reasoning,omitempty"`
	ReasoningDetails []detail   `json:"reasoning_details,omitempty"`
	ToolCalls        []toolCall `json:"tool_calls,omitempty"`
	ToolCallID       string     `json:"tool_call_id,omitempty"`
}

type toolCall struct {
	api.ToolCall
	Extra json.RawMessage `json:"extra_content,omitempty"`
}

// builder collects the messages of a request.
type builder struct {
	model   string
	quirks  Quirks
	results map[string]*llm.Message // by the call's id on the wire
	out     []message
}

func (b *builder) add(m message) { b.out = append(b.out, m) }

// user adds what the person said.
func (b *builder) user(text string, images []llm.Image) {
	if len(images) == 0 {
		b.add(message{Role: api.ChatMessageRoleUser, Content: text})
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
	b.add(message{Role: api.ChatMessageRoleUser, Content: parts})
}

// reply adds what the model said in one go, and the results of its calls.
func (b *builder) reply(msgs []llm.Message) {
	out := message{Role: api.ChatMessageRoleAssistant}
	var text, notes string
	for _, m := range msgs {
		switch {
		case m.Kind == llm.Assistant:
			text += m.Text
		case m.Kind == llm.Thinking && !m.Cut:
			out.handBack(m, unpack(m, b.model))
		case m.Kind == llm.ToolCall && m.Cut:
			notes += fmt.Sprintf("\n[a call of %s was cut off here and not run]", m.Name)
		case m.Kind == llm.ToolCall:
			out.ToolCalls = append(out.ToolCalls, toolCall{
				ToolCall: api.ToolCall{ID: wire.Short(m.ID, maxID), Type: api.ToolTypeFunction,
					Function: api.FunctionCall{Name: wire.Plain(m.Name, maxName), Arguments: arguments(m)}},
				Extra: unpack(m, b.model).Extra,
			})
		}
	}
	if said := strings.TrimPrefix(text+notes, "\n"); said != "" {
		out.Content = said
	}
	if out.Content == nil && out.ToolCalls == nil {
		return // nothing but thinking
	}
	if b.quirks.KeepThinking && out.ReasoningContent == nil && out.ToolCalls != nil {
		out.ReasoningContent = new(string) // wanted even where nothing was thought
	}
	b.add(out)
	b.resultsOf(out.ToolCalls)
}

// handBack puts thinking where the model that thought it looks for it.
func (m *message) handBack(t llm.Message, o opaque) {
	m.ReasoningDetails = append(m.ReasoningDetails, o.Details...)
	switch o.Field {
	case "reasoning_content":
		thought := t.Text
		if m.ReasoningContent != nil {
			thought = *m.ReasoningContent + thought
		}
		m.ReasoningContent = &thought
	case "reasoning":
		m.Reasoning += t.Text
	}
}

// arguments returns a call's arguments as a JSON object, always.
func arguments(m llm.Message) string {
	if m.Raw != "" {
		raw, err := wire.Marshal(map[string]string{"_raw": m.Raw})
		if err == nil {
			return string(raw)
		}
	}
	if len(m.Input) == 0 {
		return "{}"
	}
	return string(m.Input)
}

// resultsOf adds the results of calls and, after all of them, their images: a
// tool's message holds only text.
func (b *builder) resultsOf(sent []toolCall) {
	var images []llm.Image
	for _, c := range sent {
		r := b.results[c.ID]
		if r == nil {
			r = &llm.Message{Text: "error: there is no result, the call was interrupted"}
		}
		text := r.Text
		if r.IsError && !strings.HasPrefix(strings.ToLower(text), "error") {
			text = "error: " + text
		}
		if len(r.Images) > 0 {
			text = strings.TrimPrefix(text+"\n[images follow]", "\n")
			images = append(images, r.Images...)
		}
		b.add(message{Role: api.ChatMessageRoleTool, Content: text, ToolCallID: c.ID})
	}
	if len(images) > 0 {
		b.user("Images of the tool results above:", images)
	}
}
