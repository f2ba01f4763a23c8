package settings

import (
	"encoding/json"
	"fmt"
	"iter"
	"reflect"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"agent/internal/loop/policy/rule"
)

// JSONSchema returns the schema of the configuration file, for editors.
func JSONSchema() ([]byte, error) {
	s, err := jsonschema.For[Settings](&jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[Command](): {OneOf: []*jsonschema.Schema{{Type: "string"}, {Type: "array", Items: &jsonschema.Schema{Type: "string"}}}},
		reflect.TypeFor[Rule]():    ruleSchema(),
		reflect.TypeFor[Object]():  {Type: "object"},
	}})
	if err != nil {
		return nil, fmt.Errorf("generate the schema: %w", err)
	}
	s.Schema, s.Title = "https://json-schema.org/draft/2020-12/schema", "agent's configuration"
	describe(s, reflect.TypeFor[Settings]())
	b, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode the schema: %w", err)
	}
	return append(b, '\n'), nil
}

// ruleSchema returns the schema of a Rule.
func ruleSchema() *jsonschema.Schema {
	text := func(what string) *jsonschema.Schema {
		return &jsonschema.Schema{Type: "string", Description: what, Pattern: "^(" + strings.Join(rule.Kinds(), "|") + ") *: *[^ ]"}
	}
	object := &jsonschema.Schema{Type: "object", Required: []string{"rule"}, Properties: map[string]*jsonschema.Schema{}, AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}}}
	for f := range fields(reflect.TypeFor[Rule]()) {
		what := f.Tag.Get("what")
		object.Properties[key(f)] = &jsonschema.Schema{Type: "array", Description: what, Items: &jsonschema.Schema{Type: "string"}}
		if key(f) == "rule" {
			object.Properties["rule"] = text(what)
		}
	}
	return &jsonschema.Schema{OneOf: []*jsonschema.Schema{text(""), object}}
}

// Setting describes a setting for the documentation.
type Setting struct {
	Name string // "providers.NAME.key.env"
	What string
}

// All returns all settings, in the order of the structs.
func All() []Setting { return settingsIn(reflect.TypeFor[Settings](), "") }

// fields yields the fields of t that are in the file, with embedded structs flattened.
func fields(t reflect.Type) iter.Seq[reflect.StructField] {
	return func(yield func(reflect.StructField) bool) {
		for _, f := range reflect.VisibleFields(t) {
			if !f.Anonymous && key(f) != "-" && !yield(f) {
				return
			}
		}
	}
}

func settingsIn(t reflect.Type, path string) []Setting {
	var all []Setting
	for f := range fields(t) {
		name := strings.TrimPrefix(path+"."+key(f), ".")
		all = append(all, Setting{Name: name, What: f.Tag.Get("what")})
		elem := f.Type
		switch elem.Kind() {
		case reflect.Map:
			elem, name = elem.Elem(), name+".NAME"
		case reflect.Slice:
			elem, name = elem.Elem(), name+"[]"
		}
		if elem.Kind() == reflect.Pointer {
			elem = elem.Elem()
		}
		// The fields of a model are listed under catalog.NAME, those of a hook once.
		if elem == reflect.TypeFor[Hook]() && name != "hooks.before_tool[]" {
			continue
		}
		if elem.Kind() == reflect.Struct && !written(elem) && name != "providers.NAME.models.NAME" {
			all = append(all, settingsIn(elem, name)...)
		}
	}
	return all
}

// written reports whether a type has a schema of its own.
func written(t reflect.Type) bool {
	return t == reflect.TypeFor[Command]() || t == reflect.TypeFor[Rule]() || t == reflect.TypeFor[Object]()
}

// describe adds the tags of the fields of t to its schema s.
func describe(s *jsonschema.Schema, t reflect.Type) {
	s.Type, s.Types = nonNullType(s), nil
	switch {
	case t.Kind() == reflect.Pointer:
		describe(s, t.Elem())
	case written(t):
	case t.Kind() == reflect.Map:
		describe(s.AdditionalProperties, t.Elem())
	case t.Kind() == reflect.Slice:
		describe(s.Items, t.Elem())
	case t.Kind() == reflect.Struct:
		for f := range fields(t) {
			p := s.Properties[key(f)]
			describe(p, f.Type)
			applyTag(p, f.Tag)
		}
	}
}

// applyTag puts into s what a tag says of the field.
func applyTag(s *jsonschema.Schema, tag reflect.StructTag) {
	s.Description = tag.Get("what")
	switch format := tag.Get("format"); format {
	case "host": // not the format of JSON schema: a port is allowed
	case "variable":
		s.Items.Pattern = `^[^=\s]+$`
	case "glob", "command", "duration": // not formats of JSON schema
		one := 1
		s.MinLength = &one
	default:
		s.Format = format
	}
	if choice := tag.Get("enum"); choice != "" {
		one := s
		if s.Items != nil {
			one = s.Items
		}
		if also := tag.Get("also"); also != "" {
			choice += "," + also
		}
		for _, c := range strings.Split(choice, ",") {
			one.Enum = append(one.Enum, c)
		}
	}
	if names := tag.Get("names"); names != "" {
		s.PropertyNames = &jsonschema.Schema{Pattern: names}
	}
	if least, err := strconv.ParseFloat(tag.Get("min"), 64); err == nil {
		s.Minimum = &least
	}
	if most, err := strconv.ParseFloat(tag.Get("max"), 64); err == nil {
		s.Maximum = &most
	}
}

// nonNullType is the type of s without the null that stands for a field left out.
func nonNullType(s *jsonschema.Schema) string {
	for _, t := range s.Types {
		if t != "null" {
			return t
		}
	}
	return s.Type
}
