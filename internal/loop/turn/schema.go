package turn

import (
	"encoding/json"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"

	"agent/internal/llm"
	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
	"agent/internal/tools/schema"
)

const (
	// answerTool is the tool that the model must call after its answer did not match
	// the schema. Its arguments are the answer.
	answerTool = "answer"
	// maxForced limits these calls: one to get the form right, one to repair errors.
	maxForced = 2
)

// Schema is a JSON schema for the last answer of a turn.
type Schema struct {
	raw      json.RawMessage
	resolved *jsonschema.Resolved
}

// ParseSchema returns the JSON schema in b.
func ParseSchema(b []byte) (*Schema, error) {
	resolved, err := schema.Parse(b)
	if err != nil {
		return nil, fmt.Errorf("read the schema: %w", err)
	}
	return &Schema{raw: append(json.RawMessage(nil), b...), resolved: resolved}, nil
}

// Request is the paragraph of the system prompt that asks for an answer that matches
// the schema.
func (s *Schema) Request() string {
	return "Your last answer, when the work is done, must be exactly one JSON value that matches this schema:\n" + string(s.raw) + "\n"
}

// check returns why text does not match the schema.
func (s *Schema) check(text string) error {
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		return fmt.Errorf("it is not JSON: %w", err)
	}
	return s.resolved.Validate(v)
}

// object returns the schema for the arguments of a tool, which must be an object. A
// schema of another type is wrapped as the property "value".
func (s *Schema) object() (object json.RawMessage, wrapped bool) {
	var root any
	if json.Unmarshal(s.raw, &root) != nil {
		return s.raw, false
	}
	if o, ok := root.(map[string]any); !ok || o["type"] != "object" {
		root, wrapped = map[string]any{"type": "object", "properties": map[string]any{"value": root}, "required": []any{"value"}}, true
	}
	portable, _, err := schema.Portable(root)
	if err != nil {
		return s.raw, false
	}
	b, err := json.Marshal(portable)
	if err != nil {
		return s.raw, false
	}
	return b, wrapped
}

// answerFitter makes the last answer of a turn match a schema. Without a schema it
// does nothing.
type answerFitter struct {
	schema *Schema
	forced int  // how often the answer was requested as a call
	plain  bool // the provider does not support schemas
}

// require adds the schema to req.
func (f *answerFitter) require(req *llm.Request) {
	if f.schema == nil {
		return
	}
	if f.forced > 0 {
		schema, _ := f.schema.object()
		req.Tools = append(req.Tools, llm.ToolSpec{Name: answerTool, Description: "Submit the answer.", Schema: schema})
		req.ToolChoice = llm.ToolChoice{Mode: llm.ChoiceTool, Name: answerTool}
	} else if !f.plain {
		req.Schema = f.schema.raw
	}
}

// unwrap extracts the answer from a call of answerTool or from a code fence.
func (f *answerFitter) unwrap(said []llm.Message) []llm.Message {
	if f.schema == nil {
		return said
	}
	for i, m := range said {
		switch {
		case f.forced > 0 && m.Kind == llm.ToolCall && m.Name == answerTool && !m.Cut:
			said[i] = llm.Message{Kind: llm.Assistant, Reply: m.Reply, Text: f.argument(m)}
		case m.Kind == llm.Assistant && !m.Cut:
			if inner := phrase.Unfence(m.Text); f.schema.check(inner) == nil {
				said[i].Text = inner
			}
		}
	}
	return said
}

// argument returns the answer in the arguments of a call.
func (f *answerFitter) argument(m llm.Message) string {
	if m.Raw != "" {
		return m.Raw
	}
	if _, wrapped := f.schema.object(); wrapped {
		var o map[string]json.RawMessage
		if json.Unmarshal(m.Input, &o) == nil && o["value"] != nil {
			return string(o["value"])
		}
	}
	return string(m.Input)
}

// Answer returns the part of a final answer that matches the schema: all of it, or
// its last message. If none matches, it returns all of it and why. A code fence
// around the part is removed.
func (s *Schema) Answer(a *llm.Answer) (string, error) {
	err := s.check(phrase.Unfence(a.Text()))
	if err == nil {
		return phrase.Unfence(a.Text()), nil
	}
	last := phrase.Unfence(a.Last())
	if s.check(last) == nil {
		return last, nil
	}
	return a.Text(), err
}

// judge checks the final answer of a turn. It returns how the turn ends, or a note
// for the model if it must answer again.
func (f *answerFitter) judge(answer *llm.Answer) (end ending, note string) {
	if f.schema == nil {
		return ending{reason: event.Done}, ""
	}
	_, err := f.schema.Answer(answer)
	switch {
	case err == nil:
		return ending{reason: event.Done}, ""
	case f.forced < maxForced:
		f.forced++
		return ending{}, fmt.Sprintf("Your answer does not match the schema: %v. Submit it again by calling the tool %s.", err, answerTool)
	}
	return ending{event.BadAnswer, fmt.Sprintf("the answer does not match the schema: %v", err),
		"The schema may be too hard for this model. Simplify it, or choose another model."}, ""
}
