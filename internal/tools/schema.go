package tools

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"agent/internal/llm"
)

// accepted is the schema that arguments must match. resolved prepares it for that on first
// use, because that is slow.
type accepted struct {
	schema   *jsonschema.Schema
	resolved func() (*jsonschema.Resolved, error)
}

// schemas returns spec with the schemas that the model gets for arguments of type
// A, and the one that arguments must match. Except in strict mode they have only
// simple types, because chat templates of local models fail on lists of types.
// Tags of the fields of A:
//
//   - enum:"a,b" lists the values.
//   - schema:"required" makes an argument required for the model only.
//   - schema:"hidden" accepts an argument but hides it from the model, as for all of unoffered.
func schemas[A any](spec llm.ToolSpec, unoffered []string) (llm.ToolSpec, accepted, error) {
	s, err := jsonschema.For[A](nil)
	if err != nil {
		return spec, accepted{}, err
	}
	t := reflect.TypeFor[A]()
	eachField(s, t, simplify)
	eachField(s, t, addValues)
	all := s.CloneSchemas()
	match := accepted{all, sync.OnceValues(func() (*jsonschema.Resolved, error) { return all.Resolve(nil) })}
	for i := range t.NumField() {
		name := argumentName(t.Field(i))
		switch tag := t.Field(i).Tag.Get("schema"); {
		case tag == "hidden", slices.Contains(unoffered, name):
			delete(s.Properties, name)
			s.PropertyOrder = slices.DeleteFunc(s.PropertyOrder, func(p string) bool { return p == name })
		case tag == "required":
			s.Required = append(s.Required, name)
		}
	}
	if spec.Schema, err = json.Marshal(s); err != nil {
		return spec, accepted{}, err
	}
	requireAll(s)
	spec.Strict, err = json.Marshal(s)
	return spec, match, err
}

// requireAll makes all properties of s and of the schemas inside it required. The
// optional ones may be null.
func requireAll(s *jsonschema.Schema) {
	if s.Items != nil {
		requireAll(s.Items)
	}
	for name, p := range s.Properties {
		requireAll(p)
		if slices.Contains(s.Required, name) {
			continue
		}
		p.Types, p.Type = []string{p.Type, "null"}, ""
		if p.Enum != nil {
			p.Enum = append(p.Enum, nil)
		}
	}
	s.Required = s.PropertyOrder
}

// eachField calls do for the schema of every field in t, at every level. The
// schema of t is s.
func eachField(s *jsonschema.Schema, t reflect.Type, do func(*jsonschema.Schema, reflect.StructField)) {
	switch t.Kind() {
	case reflect.Pointer:
		eachField(s, t.Elem(), do)
	case reflect.Slice:
		eachField(s.Items, t.Elem(), do)
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			if p := s.Properties[argumentName(f)]; p != nil {
				do(p, f)
				eachField(p, f.Type, do)
			}
		}
	}
}

// simplify replaces a list of types with the one that is not null.
func simplify(s *jsonschema.Schema, _ reflect.StructField) {
	if n := len(s.Types); n > 0 {
		s.Type, s.Types = s.Types[n-1], nil
	}
}

// addValues adds the values of the enum tag.
func addValues(s *jsonschema.Schema, f reflect.StructField) {
	if values := f.Tag.Get("enum"); values != "" {
		for v := range strings.SplitSeq(values, ",") {
			s.Enum = append(s.Enum, v)
		}
	}
}

// argumentName returns the name of the argument that a field holds.
func argumentName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}
