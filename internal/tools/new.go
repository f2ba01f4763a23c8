package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"agent/internal/llm"
	"agent/internal/llm/phrase"
	"agent/internal/tools/intake"
)

// New returns a tool with arguments of type A. The JSON schema is derived from A:
// json tags name the arguments, omitempty makes them optional, jsonschema tags
// describe them; see schemas for further tags. The form is what the tool accepts
// besides its schema. Arguments that do not match are rejected before prepare is
// called. The schema is built on first use, because that is slow; building it
// panics if A has no schema.
func New[A any](name, description string, prepare func(context.Context, A) (Call, error), form ...intake.Form) Tool {
	t := &schemaTool[A]{name: name, description: description, prepare: prepare}
	if len(form) > 0 {
		t.form = form[0]
	}
	t.specOf = sync.OnceValues(func() (llm.ToolSpec, accepted) {
		spec, match, err := schemas[A](llm.ToolSpec{Name: name, Description: description}, t.form.Unoffered)
		t.check(err)
		return spec, match
	})
	return t
}

type schemaTool[A any] struct {
	name        string
	description string
	form        intake.Form
	specOf      func() (llm.ToolSpec, accepted)
	prepare     func(context.Context, A) (Call, error)
}

// Wrapper is a Tool that another one describes.
type Wrapper interface {
	Tool
	Unwrap() Tool
}

// ShareSchema makes t use the schema of the first of others with the same name,
// description, type of arguments and unoffered ones, because building a schema is slow. It must be
// called before t is used.
func ShareSchema(t Tool, others ...Tool) {
	s, ok := unwrap(t).(interface{ share(Tool) bool })
	if !ok {
		return
	}
	for _, other := range others {
		if s.share(unwrap(other)) {
			return
		}
	}
}

func unwrap(t Tool) Tool {
	if w, ok := t.(Wrapper); ok {
		return w.Unwrap()
	}
	return t
}

// share takes the schema of other. It reports false if that is another tool.
func (t *schemaTool[A]) share(other Tool) bool {
	o, ok := other.(*schemaTool[A])
	if !ok || o.name != t.name || o.description != t.description || !slices.Equal(o.form.Unoffered, t.form.Unoffered) {
		return false
	}
	t.specOf = o.specOf
	return true
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

func (t *schemaTool[A]) Accepts() intake.Tool {
	return intake.Tool{Name: t.name, Form: t.form, Schema: func() *jsonschema.Schema {
		_, match := t.specOf()
		return match.schema
	}}
}

func (t *schemaTool[A]) Prepare(ctx context.Context, args json.RawMessage) (Call, error) {
	understood, err := t.Accepts().Read(args)
	if err != nil {
		return Call{}, err
	}
	var a A
	if err := t.decode(understood.Arguments, &a); err != nil {
		return Call{}, fmt.Errorf("the arguments of %s do not match its schema: %s", t.name, phrase.Clip(string(args), maxShown))
	}
	return runContext(ctx, func() (Call, error) { return t.prepare(ctx, a) })
}

// maxShown limits the arguments that an error shows, in bytes.
const maxShown = 100

// decode decodes arguments that match the schema.
func (t *schemaTool[A]) decode(args json.RawMessage, a *A) error {
	_, match := t.specOf()
	schema, err := match.resolved()
	t.check(err)
	var value any
	if err := json.Unmarshal(args, &value); err != nil {
		return err
	}
	if err := schema.Validate(value); err != nil {
		return err
	}
	return json.Unmarshal(args, a)
}

// Accepted returns the descriptions of the calls that ts accept.
func Accepted(ts []Tool) intake.Tools {
	var all intake.Tools
	for _, t := range ts {
		all = append(all, t.Accepts())
	}
	return all
}
