package event

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
)

// Schema returns the JSON schema of a durable event: of a record of the session
// log and a line of stream-json. A record has its number and checksum as well.
func Schema() ([]byte, error) {
	lines := schemaOf("a durable event of agent: a line of --output stream-json and a record of a session log")
	return lines.add(durables, nil).text()
}

// OutputSchema returns the JSON schema of a line of stream-json: of a durable event, a
// preview, or one of the objects in more, which are not events, by their names.
func OutputSchema(more map[string]any) ([]byte, error) {
	lines := schemaOf("a line that agent run prints with --output stream-json --include-partial, and with --input stream-json")
	lines.add(durables, aboutDurables).add(previews, aboutPreviews)
	var rows []row
	for _, name := range slices.Sorted(maps.Keys(more)) {
		rows = append(rows, row{name: name, typ: reflect.TypeOf(more[name])})
	}
	return lines.add(rows, nil).text()
}

// InputSchema returns the JSON schema of a command that another program can send: of a
// line of --input stream-json.
func InputSchema() ([]byte, error) {
	lines := schemaOf("a line that agent run reads with --input stream-json")
	lines.strict = true
	return lines.add(commands, aboutCommands).text()
}

// schema collects the alternatives of a line.
type schema struct {
	all    *jsonschema.Schema
	strict bool // unknown fields are rejected
	err    error
}

func schemaOf(title string) *schema {
	return &schema{all: &jsonschema.Schema{Schema: "https://json-schema.org/draft/2020-12/schema", Title: title, Type: "object"}}
}

// add adds the types of rows, except internal ones, with their descriptions.
func (s *schema) add(rows []row, about map[string]string) *schema {
	for _, r := range rows {
		if r.internal {
			continue
		}
		one, err := jsonschema.ForType(wireForm(r.typ), &jsonschema.ForOptions{TypeSchemas: typeSchemas(s.strict)})
		if err != nil {
			s.err = fmt.Errorf("make the schema of %s: %w", r.name, err)
			return s
		}
		var name any = r.name
		if one.Properties == nil { // it has no other fields
			one.Properties = map[string]*jsonschema.Schema{}
		}
		one.Properties["type"] = &jsonschema.Schema{Const: &name}
		if one.Required = append([]string{"type"}, slices.DeleteFunc(one.Required, func(name string) bool { return name == "type" })...); !s.strict {
			one.AdditionalProperties = nil // a later version may add some
		}
		one.Title, one.Description = r.name, about[r.name]
		s.all.OneOf = append(s.all.OneOf, one)
	}
	return s
}

func (s *schema) text() ([]byte, error) {
	if s.err != nil {
		return nil, s.err
	}
	b, err := json.MarshalIndent(s.all, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write the schema: %w", err)
	}
	return append(b, '\n'), nil
}

// wireForm returns the type whose fields an event has as JSON, if it writes them itself.
func wireForm(t reflect.Type) reflect.Type {
	switch t {
	case reflect.TypeFor[Streamed]():
		return reflect.TypeFor[delta]()
	case reflect.TypeFor[Delegated]():
		return reflect.TypeFor[delegatedJSON]()
	}
	return t
}

// typeSchemas are the schemas of types that reflection does not describe. With values,
// they also list the values of commands.
func typeSchemas(values bool) map[reflect.Type]*jsonschema.Schema {
	out := map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[json.RawMessage](): {},
		reflect.TypeFor[[]byte]():          {Type: "string", ContentEncoding: "base64"},
	}
	if values {
		out[reflect.TypeFor[Decision]()] = enum(Decisions())
		out[reflect.TypeFor[Mode]()] = enum(Modes)
	}
	return out
}

func enum[T any](all []T) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "string"}
	for _, v := range all {
		s.Enum = append(s.Enum, v)
	}
	return s
}
