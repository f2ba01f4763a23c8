package loop

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"agent/internal/llm"
	"agent/internal/loop/event"
)

const (
	// answerTool is the tool that a model is made to call when its answer did
	// not fit the schema: its arguments are the answer.
	answerTool = "answer"
	// maxForced is how often it is made to: once for the form, once for repair.
	maxForced = 2
)

// Schema is the shape that the last answer of a turn must have.
type Schema struct {
	raw      json.RawMessage
	resolved *jsonschema.Resolved
}

// ParseSchema returns the JSON schema in b.
func ParseSchema(b []byte) (*Schema, error) {
	var s jsonschema.Schema
	if err := json.Unmarshal(b, &s); err != nil {
		return nil, fmt.Errorf("read the schema: %w", err)
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		return nil, fmt.Errorf("read the schema: %w", err)
	}
	return &Schema{raw: append(json.RawMessage(nil), b...), resolved: resolved}, nil
}

// check says what keeps text from being an answer.
func (s *Schema) check(text string) error {
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		return fmt.Errorf("it is not JSON: %w", err)
	}
	return s.resolved.Validate(v)
}

// object returns the schema as that of a tool, whose arguments are always an
// object: another value becomes its one property.
func (s *Schema) object() (schema json.RawMessage, wrapped bool) {
	var o struct {
		Type any `json:"type"`
	}
	if json.Unmarshal(s.raw, &o) == nil && o.Type == "object" {
		return s.raw, false
	}
	b, err := json.Marshal(map[string]any{"type": "object", "properties": map[string]any{"value": s.raw}, "required": []string{"value"}})
	if err != nil {
		return s.raw, false
	}
	return b, true
}

// fitting is how a turn brings its answer into shape.
type fitting struct {
	forced int  // how often the answer was asked for as a call
	plain  bool // the provider takes no schema
}

// request adds to req what asks for an answer that fits.
func (f *fitting) request(s *Schema, req *llm.Request) {
	if s == nil {
		return
	}
	req.System += "\nYour last answer, when the work is done, must be nothing but one JSON value that fits this schema:\n" + string(s.raw) + "\n"
	if f.forced > 0 {
		schema, _ := s.object()
		req.Tools = append(req.Tools, llm.ToolSpec{Name: answerTool, Description: "Gives the answer.", Schema: schema})
		req.ToolChoice = llm.ToolChoice{Mode: llm.ChoiceTool, Name: answerTool}
	} else if !f.plain {
		req.Schema = s.raw
	}
}

// unwrap makes the answer of the call that was asked for, and that of a code
// fence, what the model said.
func (f *fitting) unwrap(s *Schema, said []llm.Message) []llm.Message {
	if s == nil {
		return said
	}
	for i, m := range said {
		switch {
		case f.forced > 0 && m.Kind == llm.ToolCall && m.Name == answerTool && !m.Cut:
			said[i] = llm.Message{Kind: llm.Assistant, Reply: m.Reply, Text: f.argument(s, m)}
		case m.Kind == llm.Assistant && !m.Cut:
			if inner := unfence(m.Text); s.check(inner) == nil {
				said[i].Text = inner
			}
		}
	}
	return said
}

// argument is the answer that a call gives.
func (f *fitting) argument(s *Schema, m llm.Message) string {
	if m.Raw != "" {
		return m.Raw
	}
	if _, wrapped := s.object(); wrapped {
		var o map[string]json.RawMessage
		if json.Unmarshal(m.Input, &o) == nil && o["value"] != nil {
			return string(o["value"])
		}
	}
	return string(m.Input)
}

// unfence returns what stands in the code fence that is all of text.
func unfence(text string) string {
	t := strings.TrimSpace(text)
	inner, ok := strings.CutPrefix(t, "```")
	inner, closed := strings.CutSuffix(inner, "```")
	_, inner, line := strings.Cut(inner, "\n")
	if !ok || !closed || !line {
		return t
	}
	return strings.TrimSpace(inner)
}

// judgeAnswer holds a turn that is done to its schema.
func (t *Turn) judgeAnswer(said []llm.Message) {
	if t.Schema == nil {
		return
	}
	answer := ""
	for _, m := range said {
		if m.Kind == llm.Assistant {
			answer = m.Text
		}
	}
	err := t.Schema.check(answer)
	switch {
	case err == nil:
	case t.fitting.forced < maxForced:
		t.fitting.forced++
		t.end.Reason = ""
		t.auto = fmt.Sprintf("Your answer does not fit the schema: %v. Give it again by calling the tool %s.", err, answerTool)
	default:
		t.end.Reason = event.BadAnswer
		t.end.Error = fmt.Sprintf("the answer does not fit the schema: %v", err)
		t.end.Hint = "the model may be too weak for this schema: simplify it, or choose another model"
	}
}
