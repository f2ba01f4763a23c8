package text

import (
	"fmt"
	"strings"

	"agent/internal/llm"
	"agent/internal/llm/phrase"
	"agent/internal/llm/wire"
)

// NewRequest returns req without tools: they are described in the system
// prompt, earlier calls appear in the text of the model's replies, and their
// results in user messages.
//
// A call that was cut off is replaced by a note, and its result is left out. A
// call without a result gets one that says so. User text after results or after
// other user text is joined with it, because the templates of many open models
// require alternating roles.
func NewRequest(req llm.Request, form Form) llm.Request {
	w := writer{form: form, results: llm.Results(req.Messages)}
	for _, said := range llm.ByReply(req.Messages) {
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
		out.Schema = nil // would prevent the model from writing calls; the prompt has the schema
	}
	return out
}

// writer collects the messages of a request.
type writer struct {
	form    Form
	results map[string]*llm.Message // by call
	out     []llm.Message
}

// user adds text to the conversation as a user message.
func (w *writer) user(text string, images []llm.Image) {
	if n := len(w.out); n > 0 && w.out[n-1].Kind == llm.User {
		last := &w.out[n-1]
		last.Text = strings.TrimPrefix(last.Text+"\n\n"+text, "\n\n")
		last.Images = append(append([]llm.Image(nil), last.Images...), images...)
		return
	}
	w.out = append(w.out, llm.Message{Kind: llm.User, Text: text, Images: images})
}

// reply adds a reply of the model, and the results of its calls.
func (w *writer) reply(msgs []llm.Message) {
	said := llm.Message{Kind: llm.Assistant, Reply: msgs[0].Reply}
	var calls []llm.Message
	for _, m := range msgs {
		switch {
		case m.Kind == llm.Thinking:
			w.out = append(w.out, m)
		case m.Kind == llm.Assistant && len(calls) > 0:
			said.Text, said.Cut = appendLine(said.Text, m.Text), m.Cut
		case m.Kind == llm.Assistant:
			said.Text, said.Cut = said.Text+m.Text, m.Cut
		case m.Kind == llm.WebSearch && m.Search != nil && m.Search.Ended:
			said.Text = appendLine(said.Text, m.Search.Note())
		case m.Kind == llm.ToolCall && m.Cut:
			said.Text = appendLine(said.Text, wire.CutCall(m))
		case m.Kind == llm.ToolCall:
			if len(calls) > 0 && w.form == ReAct { // the form allows one call per message
				w.assistant(said, calls)
				said, calls = llm.Message{Kind: llm.Assistant, Reply: m.Reply}, nil
			}
			said.Text = appendLine(said.Text, callText(m, w.form))
			calls = append(calls, m)
		}
	}
	w.assistant(said, calls)
}

// assistant adds a message of the model, and the results of its calls.
func (w *writer) assistant(m llm.Message, calls []llm.Message) {
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

// appendLine returns text with more on a new line.
func appendLine(text, more string) string {
	return phrase.EndLine(text) + more
}

// callText formats a call as the model would write it.
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
		body = arguments // not only the arguments were malformed
	}
	return openTag + "\n" + body + "\n" + closeTag
}

// resultText formats a result for the model. End tags inside it are broken up,
// so that the result cannot pretend to be user text.
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
		return `""` // unreachable: every string has a JSON encoding
	}
	return string(b)
}
