package tools

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// schemas returns the schema that the model gets for arguments of type A, and the
// one that arguments must match. Both have only simple types, because chat
// templates of local models fail on lists of types. Tags of the fields of A:
//
//   - enum:"a,b" lists the values.
//   - schema:"required" makes an argument required for the model only.
//   - schema:"hidden" accepts an argument that the model is not told of.
func schemas[A any]() (shown json.RawMessage, accepted *jsonschema.Resolved, err error) {
	s, err := jsonschema.For[A](nil)
	if err != nil {
		return nil, nil, err
	}
	t := reflect.TypeFor[A]()
	simplify(s, t)
	accepted, err = s.CloneSchemas().Resolve(nil)
	if err != nil {
		return nil, nil, err
	}
	for i := range t.NumField() {
		name := argumentName(t.Field(i))
		switch t.Field(i).Tag.Get("schema") {
		case "hidden":
			delete(s.Properties, name)
			s.PropertyOrder = slices.DeleteFunc(s.PropertyOrder, func(p string) bool { return p == name })
		case "required":
			s.Required = append(s.Required, name)
		}
	}
	shown, err = json.Marshal(s)
	return shown, accepted, err
}

// simplify replaces the lists of types in s, the schema of t, and adds the values
// of enum tags.
func simplify(s *jsonschema.Schema, t reflect.Type) {
	if len(s.Types) > 0 {
		s.Type, s.Types = s.Types[len(s.Types)-1], nil // the others are null
	}
	switch t.Kind() {
	case reflect.Pointer:
		simplify(s, t.Elem())
	case reflect.Slice:
		simplify(s.Items, t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			p := s.Properties[argumentName(f)]
			if p == nil {
				continue
			}
			simplify(p, f.Type)
			if values := f.Tag.Get("enum"); values != "" {
				for v := range strings.SplitSeq(values, ",") {
					p.Enum = append(p.Enum, v)
				}
			}
		}
	}
}

// argumentName returns the name of the argument that a field holds.
func argumentName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}
