package wire

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"agent/internal/llm"
)

// Arguments returns the arguments of a call, always a JSON object. It is empty if
// they could not be read; the result of the call says why.
func Arguments(m llm.Message) json.RawMessage {
	if m.Raw != "" || len(m.Input) == 0 {
		return json.RawMessage("{}")
	}
	return m.Input
}

// CutCall is the note for the model that replaces a call that was cut off.
func CutCall(m llm.Message) string {
	return fmt.Sprintf("[a call to %s was cut off here and not run]", m.Name)
}

// Interrupted is the result of a call that has none.
const Interrupted = "there is no result: the call was interrupted"

// Result returns the text of a call's result for dialects that cannot mark
// failures. r is nil if there is no result.
func Result(r *llm.Message) string {
	if r == nil {
		return "error: " + Interrupted
	}
	if !r.IsError || strings.HasPrefix(strings.ToLower(r.Text), "error") || ended().MatchString(r.Text) {
		return r.Text
	}
	return "error: " + r.Text
}

// ended matches the note of a command that says how it ended, and so that it failed.
var ended = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^\[(exit [0-9]|killed|signal|stopped|interrupted|still running|no output for|job [0-9]+ ended)`)
})

// Parameters returns the schema of a tool's arguments, or that of an empty
// object if the tool has none.
func Parameters(t llm.ToolSpec) json.RawMessage {
	if len(t.Schema) == 0 {
		return json.RawMessage(`{"type":"object","properties":{}}`)
	}
	return t.Schema
}

// Pack encodes v as opaque bytes; nil if v is the zero value.
func Pack[T any](dialect, model string, v T) *llm.Opaque {
	data, err := Marshal(v)
	if err != nil || string(data) == "{}" {
		return nil
	}
	return &llm.Opaque{Dialect: dialect, Model: model, Data: data}
}

// Unpack decodes what Pack stored in m, or returns the zero value if it is from
// another dialect or model.
func Unpack[T any](m llm.Message, dialect, model string) T {
	var v, none T
	if m.Opaque == nil || m.Opaque.Dialect != dialect || m.Opaque.Model != model || json.Unmarshal(m.Opaque.Data, &v) != nil {
		return none
	}
	return v
}
