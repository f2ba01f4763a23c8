package responses

import (
	"encoding/base64"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"agent/internal/llm"
	"agent/internal/llm/wire"
)

// maxID is the length of a call's id that a provider takes.
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
	functionCallOutput struct {
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

// input returns the messages of req as the items that are sent.
//
// The items of one reply keep their order: a reasoning item stands before what
// it led to, and is left out where that is. The results of a reply's calls
// follow in the calls' order, whatever stands between them in req. A call that
// was cut off and its result are left out, a note says so. A call whose
// arguments were no JSON object goes back with what the model wrote as the one
// argument "_raw". A call without a result gets one that says so. What was sent
// for a finished step does not change when more follows.
func input(req llm.Request) []any {
	b := builder{model: req.Model, results: llm.Results(req.Messages)}
	for said := range llm.ByReply(req.Messages) {
		if said[0].Kind == llm.User {
			b.add(message{Type: "message", Role: "user", Content: contents(said[0].Text, said[0].Images)})
		} else {
			b.reply(said)
		}
	}
	return b.out
}

// builder collects the items of a request.
type builder struct {
	model   string
	results map[string]*llm.Message // by call
	out     []any
}

func (b *builder) add(item any) { b.out = append(b.out, item) }

// write appends an item as JSON to b.
func write(b []byte, item *any) ([]byte, error) {
	raw, err := wire.Marshal(*item)
	return append(b, raw...), err
}

// same reports whether two items are written the same way.
func same(a, b *any) bool {
	switch a := (*a).(type) {
	case functionCall:
		return any(a) == *b
	case message:
		b, ok := (*b).(message)
		return ok && a.Type == b.Type && a.Role == b.Role && a.Phase == b.Phase && slices.EqualFunc(a.Content, b.Content, content.same)
	case functionCallOutput:
		if _, ok := a.Output.(string); ok {
			return any(a) == *b
		}
	}
	return reflect.DeepEqual(*a, *b)
}

func (c content) same(o content) bool {
	return c.Type == o.Type && c.ImageURL == o.ImageURL &&
		(c.Text == o.Text || c.Text != nil && o.Text != nil && *c.Text == *o.Text)
}

// reply adds what the model said in one go, and the results of its calls.
func (b *builder) reply(msgs []llm.Message) {
	var calls []llm.Message
	for i, m := range msgs {
		switch {
		case m.Kind == llm.Assistant && m.Text != "":
			b.said(m.Text, unpack(m, b.model).Phase)
		case m.Kind == llm.Thinking && !m.Cut && goesOn(msgs[i+1:]):
			if r := unpack(m, b.model).Reasoning; r != nil {
				b.add(r)
			}
		case m.Kind == llm.ToolCall && m.Cut:
			b.said(fmt.Sprintf("[a call of %s was cut off here and not run]", m.Name), "")
		case m.Kind == llm.ToolCall:
			b.add(functionCall{Type: "function_call", CallID: wire.Short(m.ID, maxID), Name: wire.Plain(m.Name, maxID), Arguments: arguments(m)})
			calls = append(calls, m)
		}
	}
	for _, c := range calls {
		b.result(c.ID)
	}
}

// goesOn reports whether what follows some thinking is sent: a provider refuses
// reasoning that led to nothing.
func goesOn(rest []llm.Message) bool {
	for _, m := range rest {
		switch m.Kind {
		case llm.ToolCall:
			return !m.Cut
		case llm.Assistant:
			if m.Text != "" {
				return true
			}
		}
	}
	return false
}

// said adds a message of the model.
func (b *builder) said(text, phase string) {
	b.add(message{Type: "message", Role: "assistant", Phase: phase, Content: []content{{Type: "output_text", Text: &text}}})
}

// result adds the result of a call.
func (b *builder) result(id string) {
	r := b.results[id]
	if r == nil {
		r = &llm.Message{Text: "error: there is no result, the call was interrupted"}
	}
	text := r.Text
	if r.IsError && !strings.HasPrefix(strings.ToLower(text), "error") {
		text = "error: " + text
	}
	out := functionCallOutput{Type: "function_call_output", CallID: wire.Short(id, maxID), Output: text}
	if len(r.Images) > 0 {
		out.Output = contents(text, r.Images)
	}
	b.add(out)
}

// contents returns text and images as a list that is never empty.
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
