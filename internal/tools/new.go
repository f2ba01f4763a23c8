package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"

	"agent/internal/llm"
)

// New returns a tool whose arguments are an A. The schema comes from A: its
// json tags name the arguments, omitempty makes one optional, a jsonschema tag
// describes it. Arguments that do not fit are refused before prepare is called,
// with the schema in the error. It panics if A has no schema.
func New[A any](name, description string, prepare func(context.Context, A) (Call, error)) Tool {
	schema, err := jsonschema.For[A](nil)
	if err != nil {
		panic(fmt.Sprintf("schema of tool %s: %v", name, err))
	}
	text, err := json.Marshal(schema)
	if err != nil {
		panic(fmt.Sprintf("schema of tool %s: %v", name, err))
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		panic(fmt.Sprintf("schema of tool %s: %v", name, err))
	}
	return &typed[A]{
		spec:    llm.ToolSpec{Name: name, Description: description, Schema: text},
		schema:  resolved,
		prepare: prepare,
	}
}

type typed[A any] struct {
	spec    llm.ToolSpec
	schema  *jsonschema.Resolved
	prepare func(context.Context, A) (Call, error)
}

func (t *typed[A]) Spec() llm.ToolSpec { return t.spec }

func (t *typed[A]) Prepare(ctx context.Context, args json.RawMessage) (Call, error) {
	var value any
	if err := json.Unmarshal(args, &value); err != nil {
		return Call{}, t.misfit(err)
	}
	if err := t.schema.Validate(value); err != nil {
		return Call{}, t.misfit(err)
	}
	var a A
	d := json.NewDecoder(bytes.NewReader(args))
	if err := d.Decode(&a); err != nil {
		return Call{}, t.misfit(err)
	}
	return t.prepare(ctx, a)
}

// misfit is the error for arguments that the schema does not allow.
func (t *typed[A]) misfit(err error) error {
	return fmt.Errorf("the arguments do not fit the tool %s: %w. Its schema is %s", t.spec.Name, err, t.spec.Schema)
}
