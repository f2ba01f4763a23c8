package text

import (
	"fmt"
	"strings"

	"agent/internal/llm"
	"agent/internal/llm/wire"
)

// NewRequest returns req as a conversation of nothing but text: the tools in
// the system prompt, a past call in the words of the form as if the model had
// just written it, its result as what the person says next.
//
// A call that was cut off and its result are left out, a note says so. A call
// without a result gets one that says so. As many templates of open models want
// the speakers to alternate, what the person says right behind results or
// himself is joined to that.
func NewRequest(req llm.Request, form Form) llm.Request {
	w := writer{form: form, results: llm.Results(req.Messages)}
	for said := range llm.ByReply(req.Messages) {
		if said[0].Kind == llm.User {
			w.user(said[0].Text, said[0].Images)
		} else {
			w.reply(said)
		}
	}
	out := req
	out.Messages, out.Tools, out.ToolChoice = w.out, nil, llm.ToolChoice{}
	if calling(req) {
		out.System = strings.TrimPrefix(req.System+"\n\n"+prompt(req, form), "\n\n")
		out.Schema = nil // it would not let the model write a call; the prompt tells it
	}
	return out
}

// writer collects the messages of a request.
type writer struct {
	form    Form
	results map[string]*llm.Message // by call
	out     []llm.Message
}

// user adds what the person said, or what is told in his place.
func (w *writer) user(text string, images []llm.Image) {
	if n := len(w.out); n > 0 && w.out[n-1].Kind == llm.User {
		last := &w.out[n-1]
		last.Text = strings.TrimPrefix(last.Text+"\n\n"+text, "\n\n")
		last.Images = append(append([]llm.Image(nil), last.Images...), images...)
		return
	}
	w.out = append(w.out, llm.Message{Kind: llm.User, Text: text, Images: images})
}

// reply adds what the model said in one go, and the results of its calls.
func (w *writer) reply(msgs []llm.Message) {
	said := llm.Message{Kind: llm.Assistant, Reply: msgs[0].Reply}
	var calls []llm.Message
	for _, m := range msgs {
		switch {
		case m.Kind == llm.Thinking:
			w.out = append(w.out, m)
		case m.Kind == llm.Assistant && len(calls) > 0:
			said.Text, said.Cut = below(said.Text, m.Text), m.Cut
		case m.Kind == llm.Assistant:
			said.Text, said.Cut = said.Text+m.Text, m.Cut
		case m.Kind == llm.ToolCall && m.Cut:
			said.Text = below(said.Text, wire.CutCall(m))
		case m.Kind == llm.ToolCall:
			if len(calls) > 0 && w.form == ReAct { // it knows one call at a time
				w.said(said, calls)
				said, calls = llm.Message{Kind: llm.Assistant, Reply: m.Reply}, nil
			}
			said.Text = below(said.Text, callText(m, w.form))
			calls = append(calls, m)
		}
	}
	w.said(said, calls)
}

// said adds a message of the model, and the results of its calls.
func (w *writer) said(m llm.Message, calls []llm.Message) {
	if m.Text != "" {
		w.out = append(w.out, m)
	}
	var texts []string
	var images []llm.Image
	for _, c := range calls {
		r := w.results[c.ID]
		texts = append(texts, resultText(r, w.form))
		if r != nil {
			images = append(images, r.Images...)
		}
	}
	if len(calls) > 0 {
		w.user(strings.Join(texts, "\n"), images)
	}
}

// below returns text with more on a line of its own.
func below(text, more string) string {
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text + more
}

// callText returns a call as the model wrote it, or would have.
func callText(m llm.Message, form Form) string {
	arguments := string(m.Input)
	if arguments == "" {
		arguments = "{}"
	}
	if m.Raw != "" {
		arguments = strings.TrimSpace(m.Raw)
	}
	if form == ReAct {
		return actionWord + " " + m.Name + "\n" + inputWord + " " + arguments
	}
	body := fmt.Sprintf(`{"name": %s, "arguments": %s}`, quote(m.Name), arguments)
	if m.Raw != "" && nameIn(m.Raw) == m.Name {
		body = arguments // not only the arguments were no JSON
	}
	return openTag + "\n" + body + "\n" + closeTag
}

// resultText returns a result as the model is told it. It cannot end itself
// and go on as the person: its own tags are broken.
func resultText(r *llm.Message, form Form) string {
	text := wire.Result(r)
	if form == ReAct {
		return observationWord + " " + text
	}
	text = strings.ReplaceAll(text, "</tool_response", "< /tool_response")
	return responseTag + "\n" + text + "\n</tool_response>"
}

// quote returns s as a JSON string.
func quote(s string) string {
	b, err := wire.Marshal(s)
	if err != nil {
		return `""` // never: a string always has a JSON form
	}
	return string(b)
}
