package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"agent/internal/llm"
	"agent/internal/tools/advice"
)

// New returns a tool with arguments of type A. The JSON schema is derived from A:
// json tags name the arguments, omitempty makes them optional, jsonschema tags
// describe them; see schemas for further tags. Arguments that do not match the
// schema are rejected before prepare is called. The schema is built on first use, because that is slow;
// building it panics if A has no schema.
func New[A any](name, description string, prepare func(context.Context, A) (Call, error)) Tool {
	t := &schemaTool[A]{name: name, prepare: prepare}
	t.specOf = sync.OnceValues(func() (llm.ToolSpec, *jsonschema.Resolved) {
		spec, accepted, err := schemas[A](llm.ToolSpec{Name: name, Description: description})
		t.check(err)
		return spec, accepted
	})
	return t
}

type schemaTool[A any] struct {
	name    string
	specOf  func() (llm.ToolSpec, *jsonschema.Resolved)
	prepare func(context.Context, A) (Call, error)
}

func (t *schemaTool[A]) check(err error) {
	if err != nil {
		panic(fmt.Sprintf("schema of tool %s: %v", t.name, err))
	}
}

func (t *schemaTool[A]) Spec() llm.ToolSpec {
	spec, _ := t.specOf()
	return spec
}

func (t *schemaTool[A]) Prepare(ctx context.Context, args json.RawMessage) (Call, error) {
	spec, schema := t.specOf()
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
		return Call{}, advice.Add(fmt.Errorf("invalid arguments for %s: %w", t.name, err), "The schema of %s is %s", t.name, spec.Schema)
	}
	return runContext(ctx, func() (Call, error) { return t.prepare(ctx, a) })
}
