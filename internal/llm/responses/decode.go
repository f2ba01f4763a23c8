package responses

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"iter"
	"strings"

	"agent/internal/llm"
	"agent/internal/llm/wire"
)

// Decode yields the deltas of the body of a response, a stream or a whole one.
// See wire.Decode. The Model of opaque bytes is left empty.
func Decode(r io.Reader) iter.Seq2[llm.Delta, error] {
	return wire.Decode(wire.NewPayloads(r), newDecoder("", nil))
}

// decoder decodes the payloads of one response into deltas.
type decoder struct {
	outputs
	status  string // final status of the response, "" before that
	usage   llm.Usage
	failure error // reported by an event that may not be the last
	known   bool  // something of this dialect arrived
	lost    int   // events that could not be read
}

// newDecoder returns a decoder. Custom holds the arguments that are plain text, by
// tool.
func newDecoder(model string, custom map[string]string) *decoder {
	return &decoder{outputs: outputs{model: model, custom: custom}}
}

// Deltas returns the queue of deltas to yield next.
func (d *decoder) Deltas() *wire.Deltas { return &d.out }

// finished reports whether the final status has arrived. Later events are
// ignored.
func (d *decoder) finished() bool { return d.status != "" }

// Add decodes a payload. Unreadable events are skipped and counted; End decides
// whether they matter.
func (d *decoder) Add(data []byte) (wire.State, error) {
	data = bytes.TrimSpace(data)
	if len(data) == 0 || data[0] != '{' || d.finished() {
		return d.state(), nil
	}
	var e event
	if wire.Unmarshal(data, &e) != nil {
		d.lost++
		return d.state(), nil
	}
	switch {
	case e.Object == "response", e.Type == "" && isSet(e.Output):
		r := &response{}
		if wire.Unmarshal(data, r) == nil {
			r.Status = cmp.Or(r.Status, "completed")
			d.finishReply(r)
		}
	case e.Type == "error" || isSet(e.Error):
		d.known, d.failure = true, failed(data)
	default:
		d.event(&e)
	}
	return d.state(), nil
}

// state returns Ending once the reply is complete.
func (d *decoder) state() wire.State {
	if d.finished() || d.failure != nil {
		return wire.Ending
	}
	return wire.Open
}

func (d *decoder) event(e *event) {
	d.known = d.known || e.Type != ""
	switch e.Type {
	case "response.output_item.added":
		if e.Item != nil {
			d.announce(e.At, e.Item)
		}
	case "response.output_text.delta":
		d.say(e.At, string(e.Delta))
	case "response.refusal.delta":
		d.refused = true
		d.say(e.At, string(e.Delta))
	case "response.reasoning_summary_text.delta":
		d.think(e.At, thought{summary: true, part: e.Summary}, string(e.Delta))
	case "response.reasoning_text.delta":
		d.think(e.At, thought{part: e.Content}, string(e.Delta))
	case "response.function_call_arguments.delta":
		d.arguments(e.At, string(e.Delta))
	case "response.function_call_arguments.done":
		if o := d.at(e.At, "function_call"); !o.hasContent {
			d.arguments(e.At, string(e.Arguments))
		}
	case "response.custom_tool_call_input.delta":
		d.plainText(d.at(e.At, customType), string(e.Delta))
	case "response.custom_tool_call_input.done":
		d.closeText(d.at(e.At, customType), string(e.Input))
	case "response.output_item.done":
		if e.Item != nil {
			d.done(e.At, e.Item)
		}
	case "response.completed", "response.incomplete", "response.failed", "response.cancelled":
		r := cmp.Or(e.Response, &response{})
		r.Status = cmp.Or(r.Status, strings.TrimPrefix(e.Type, "response."))
		d.finishReply(r)
	}
}

// finishReply takes the final status. Its copy of the output is only used if none of
// it was streamed.
func (d *decoder) finishReply(r *response) {
	d.known = true
	if d.usage = r.Usage.neutral(); len(d.items) == 0 {
		for i := range r.Output {
			d.done(i, &r.Output[i])
		}
	}
	switch r.Status {
	case "completed":
		d.status = r.Status
	case "incomplete":
		d.status = r.Status + ":" + r.Incomplete.Reason
		if d.reason() == llm.Unknown {
			d.failure = &llm.Error{Kind: llm.ErrCut, Retry: true, Message: strings.TrimSuffix("the server ended the answer as incomplete: "+r.Incomplete.Reason, ": ")}
		}
	case "failed", "cancelled":
		d.status = r.Status
		if isSet(r.Error) || d.failure == nil {
			d.failure = failed(r.Error)
		}
	}
}

// reason returns why the reply ended.
func (d *decoder) reason() llm.Reason {
	switch {
	case d.refused || d.status == "incomplete:content_filter":
		return llm.Filtered
	case d.status == "completed" && d.called:
		return llm.Calls
	case d.status == "completed":
		return llm.Stop
	case d.status == "incomplete:max_output_tokens":
		return llm.Length
	}
	return llm.Unknown
}

// End adds the Finish, or returns why the response is incomplete. The reply may
// be complete although err ended the body.
func (d *decoder) End(err error) error {
	switch {
	case d.failure != nil:
		return d.failure
	case d.finished() && d.lost > 0 && d.called:
		return wire.UnreadableCalls()
	case d.finished():
		d.usage.Searches = d.searches
		d.out.Add(llm.Finish{Reason: d.reason(), Raw: d.status, Usage: d.usage, Lost: d.lost})
		return nil
	case errors.Is(err, io.EOF) && !d.known:
		return &llm.Error{Kind: llm.ErrProtocol, Message: "the server did not answer in the format of the Responses API",
			Hint: "Check the base URL, and whether the server supports /responses."}
	case errors.Is(err, io.EOF):
		return wire.CutOff(nil)
	}
	return err
}
