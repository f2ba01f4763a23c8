package tools

import (
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
	t.made = sync.OnceValues(func() (llm.ToolSpec, *jsonschema.Resolved) {
		schema, err := jsonschema.For[A](nil)
		t.check(err)
		text, err := json.Marshal(schema)
		t.check(err)
		resolved, err := schema.Resolve(nil)
		t.check(err)
		return llm.ToolSpec{Name: name, Description: description, Schema: text}, resolved
	})
	return t
}

type typed[A any] struct {
	name    string
	made    func() (llm.ToolSpec, *jsonschema.Resolved)
	prepare func(context.Context, A) (Call, error)
}

func (t *typed[A]) check(err error) {
	if err != nil {
		panic(fmt.Sprintf("schema of tool %s: %v", t.name, err))
	}
}

func (t *typed[A]) Spec() llm.ToolSpec {
	spec, _ := t.made()
	return spec
}

func (t *typed[A]) Prepare(ctx context.Context, args json.RawMessage) (Call, error) {
	spec, schema := t.made()
	var value any
	var a A
	err := json.Unmarshal(args, &value)
	if err == nil {
		err = schema.Validate(value)
	}
	if err == nil {
		err = json.Unmarshal(args, &a)
	}
	if err != nil {
		return Call{}, fmt.Errorf("the arguments do not fit the tool %s: %w. Its schema is %s", t.name, err, spec.Schema)
	}
	return within(ctx, func() (Call, error) { return t.prepare(ctx, a) })
}
