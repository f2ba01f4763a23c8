package event

import (
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"
)

// Schema returns the JSON schema of a durable event: of a record of the session
// log and a line of stream-json. A record has its number and checksum as well.
func Schema() ([]byte, error) {
	all := &jsonschema.Schema{
		Schema: "https://json-schema.org/draft/2020-12/schema",
		Title:  "a durable event of agent: a line of --output stream-json and a record of a session log",
		Type:   "object",
	}
	for _, r := range durables {
		s, err := jsonschema.ForType(r.typ, &jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
			reflect.TypeFor[json.RawMessage](): {},
			reflect.TypeFor[[]byte]():          {Type: "string", ContentEncoding: "base64"},
		}})
		if err != nil {
			return nil, fmt.Errorf("make the schema of %s: %w", r.name, err)
		}
		var name any = r.name
		s.Properties["type"] = &jsonschema.Schema{Const: &name}
		s.Required = append([]string{"type"}, s.Required...)
		s.AdditionalProperties = nil // a later version may add some
		s.Title = r.name
		all.OneOf = append(all.OneOf, s)
	}
	b, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write the schema: %w", err)
	}
	return append(b, '\n'), nil
}
