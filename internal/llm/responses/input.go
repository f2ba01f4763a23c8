package responses

import (
	"encoding/base64"

	"agent/internal/llm"
	"agent/internal/llm/wire"
)

// maxID limits the ID of a call, in bytes.
const maxID = 64

// The items of a request's input.
type (
	message struct {
		Type    string    `json:"type"`
		Role    string    `json:"role"`
		Phase   string    `json:"phase,omitempty"`
		Content []content `json:"content"`
	}
	functionCall struct {
		Type      string `json:"type"`
		CallID    string `json:"call_id"`
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	}
	customCall struct {
		Type   string `json:"type"`
		CallID string `json:"call_id"`
		Name   string `json:"name"`
		Input  string `json:"input"`
	}
	callOutput struct {
		Type   string `json:"type"`
		CallID string `json:"call_id"`
		Output any    `json:"output"` // text, or a []content with images
	}
	content struct {
		Type     string  `json:"type"`
		Text     *string `json:"text,omitempty"`
		ImageURL string  `json:"image_url,omitempty"`
	}
)

// input adds the input items that list lacks.
//
// The items of one reply keep their order: a reasoning item precedes the output
// that it led to, and is left out together with it. The results of a reply's
// calls follow in the order of the calls, regardless of their position in req.
// A call that was cut off is replaced by a note, and its result is left out.
// Arguments that could not be read are sent as an empty object. A call
// without a result gets one that says so. The encoding of a finished step never
// changes, so that providers can cache it.
func (b builder) input(list *wire.List[any]) {
	b.list = list
	for said := range list.Groups() {
		if said[0].Kind == llm.User {
			list.Add(message{Type: "message", Role: "user", Content: contents(said[0].Text, said[0].Images)})
		} else {
			b.reply(said)
		}
	}
}

// builder adds the items of a request to a list.
type builder struct {
	list   *wire.List[any]
	model  string
	search bool              // the request offers the provider's web search
	custom map[string]string // arguments that are plain text, by tool
}

// reply adds a reply of the model, and the results of its calls.
func (b builder) reply(msgs []llm.Message) {
	var calls []llm.Message
	for i, m := range msgs {
		switch {
		case m.Kind == llm.Assistant && m.Text != "":
			b.assistant(m.Text, unpack(m, b.model).Phase)
		case m.Kind == llm.Thinking && !m.Cut && hasOutput(msgs[i+1:]):
			if r := unpack(m, b.model).Reasoning; r != nil {
				b.list.Add(r)
			}
		case m.Kind == llm.WebSearch && !m.Cut:
			b.webSearch(m)
		case m.Kind == llm.ToolCall && m.Cut:
			b.assistant(wire.CutCall(m), "")
		case m.Kind == llm.ToolCall:
			b.call(m)
			calls = append(calls, m)
		}
	}
	for _, c := range calls {
		b.result(c, b.list.Result(msgs, c.ID))
	}
}

// call adds a call.
func (b builder) call(m llm.Message) {
	id, name := wire.ShortID(m.ID, maxID), wire.SafeName(m.Name, maxID)
	if argument := b.custom[m.Name]; argument != "" {
		b.list.Add(customCall{Type: "custom_tool_call", CallID: id, Name: name, Input: plainText(m, argument)})
		return
	}
	b.list.Add(functionCall{Type: "function_call", CallID: id, Name: name, Arguments: string(wire.Arguments(m))})
}

// hasOutput reports whether msgs, which follow some thinking, are sent: the
// provider rejects reasoning without output.
func hasOutput(msgs []llm.Message) bool {
	for _, m := range msgs {
		switch m.Kind {
		case llm.ToolCall:
			return !m.Cut
		case llm.WebSearch:
			if noted(m) {
				return true
			}
		case llm.Assistant:
			if m.Text != "" {
				return true
			}
		}
	}
	return false
}

// assistant adds a message of the model.
func (b builder) assistant(text, phase string) {
	b.list.Add(message{Type: "message", Role: "assistant", Phase: phase, Content: []content{{Type: "output_text", Text: &text}}})
}

// result adds the result r of a call, which may be nil.
func (b builder) result(call llm.Message, r *llm.Message) {
	text := wire.Result(r)
	out := callOutput{Type: "function_call_output", CallID: wire.ShortID(call.ID, maxID), Output: text}
	if b.custom[call.Name] != "" {
		out.Type = "custom_tool_call_output"
	}
	if r != nil && len(r.Images) > 0 {
		out.Output = contents(text, r.Images)
	}
	b.list.Add(out)
}

// contents encodes text and images as a list that is never empty.
func contents(text string, images []llm.Image) []content {
	var out []content
	if text != "" || len(images) == 0 {
		out = append(out, content{Type: "input_text", Text: &text})
	}
	for _, im := range images {
		out = append(out, content{Type: "input_image", ImageURL: "data:" + im.MediaType + ";base64," + base64.StdEncoding.EncodeToString(im.Data)})
	}
	return out
}
