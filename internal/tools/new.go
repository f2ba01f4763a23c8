package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"agent/internal/llm"
)

// New returns a tool whose arguments are an A. The schema comes from A: its
// json tags name the arguments, omitempty makes one optional, a jsonschema tag
// describes it. Arguments that do not fit are refused before prepare is called,
// with the schema in the error. The schema is made when it is first asked for,
// as that takes longer than all else that a tool needs to start; that panics if
// A has none.
func New[A any](name, description string, prepare func(context.Context, A) (Call, error)) Tool {
	t := &typed[A]{name: name, prepare: prepare}
	t.spec = sync.OnceValue(func() llm.ToolSpec {
		text, err := json.Marshal(t.described())
		t.check(err)
		return llm.ToolSpec{Name: name, Description: description, Schema: text}
	})
	t.schema = sync.OnceValue(func() *jsonschema.Resolved {
		schema, err := t.described().Resolve(nil)
		t.check(err)
		return schema
	})
	return t
}

type typed[A any] struct {
	name    string
	spec    func() llm.ToolSpec
	schema  func() *jsonschema.Resolved
	prepare func(context.Context, A) (Call, error)
}

// described returns the schema of A.
func (t *typed[A]) described() *jsonschema.Schema {
	schema, err := jsonschema.For[A](nil)
	t.check(err)
	return schema
}

func (t *typed[A]) check(err error) {
	if err != nil {
		panic(fmt.Sprintf("schema of tool %s: %v", t.name, err))
	}
}

func (t *typed[A]) Spec() llm.ToolSpec { return t.spec() }

func (t *typed[A]) Prepare(ctx context.Context, args json.RawMessage) (Call, error) {
	var value any
	if err := json.Unmarshal(args, &value); err != nil {
		return Call{}, t.misfit(err)
	}
	if err := t.schema().Validate(value); err != nil {
		return Call{}, t.misfit(err)
	}
	var a A
	d := json.NewDecoder(bytes.NewReader(args))
	if err := d.Decode(&a); err != nil {
		return Call{}, t.misfit(err)
	}
	return within(ctx, func() (Call, error) { return t.prepare(ctx, a) })
}

// misfit is the error for arguments that the schema does not allow.
func (t *typed[A]) misfit(err error) error {
	return fmt.Errorf("the arguments do not fit the tool %s: %w. Its schema is %s", t.name, err, t.spec().Schema)
}
