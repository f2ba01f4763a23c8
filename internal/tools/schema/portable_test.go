package schema_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agent/internal/tools/schema"
)

// Each schema becomes one that all providers accept. The last column names the keywords that
// no version of JSON Schema permits.
func TestPortableSchemas(t *testing.T) {
	object := func(properties string) string { return `{"type":"object","properties":` + properties + `}` }
	for _, c := range []struct{ name, schema, want, invalid string }{
		{"none", `null`, object(`{}`), ""},
		{"empty", `{}`, object(`{}`), ""},
		{"true", `true`, object(`{}`), ""},
		{"an empty object of PHP", `[]`, object(`{}`), ""},
		{"properties of PHP", `{"type":"object","properties":[]}`, object(`{}`), ""},
		{"inner properties of PHP", object(`{"a":{"type":"object","properties":[],"additionalProperties":[]}}`), object(`{"a":{"type":"object","properties":{},"additionalProperties":{}}}`), ""},
		{"properties that are null", `{"type":"object","properties":null,"required":null}`, object(`{}`), ""},
		{"no type", `{"properties":{"q":{"type":"string"}}}`, object(`{"q":{"type":"string"}}`), ""},
		{"a list of types", `{"type":["object","null"]}`, object(`{}`), ""},
		{"a list of one type", object(`{"a":{"type":["string"]}}`), object(`{"a":{"type":"string"}}`), ""},
		{"types of other languages", object(`{"a":{"type":"int"},"b":{"type":"String"},"c":{"type":"list"}}`), object(`{"a":{"type":"integer"},"b":{"type":"string"},"c":{"type":"array","items":{}}}`), ""},
		{"an unknown type", object(`{"a":{"type":"any","description":"x"}}`), object(`{"a":{"description":"x"}}`), "properties.a.type"},
		{"the version and the name", `{"$schema":"http://json-schema.org/draft-07/schema#","$id":"x","type":"object"}`, object(`{}`), ""},
		{"no items", object(`{"l":{"type":"array"}}`), object(`{"l":{"type":"array","items":{}}}`), ""},
		{"no items in items", object(`{"l":{"type":"array","items":{"type":["array","null"]}}}`), object(`{"l":{"type":"array","items":{"type":["array","null"],"items":{}}}}`), ""},
		{"no items in an alternative", object(`{"l":{"anyOf":[{"type":"array"},{"type":"null"}]}}`), object(`{"l":{"anyOf":[{"type":"array","items":{}},{"type":"null"}]}}`), ""},
		{"items that are true", object(`{"l":{"type":"array","items":true}}`), object(`{"l":{"type":"array","items":{}}}`), ""},
		{"items that are null", object(`{"l":{"type":"array","items":null}}`), object(`{"l":{"type":"array","items":{}}}`), ""},
		{"items that are text", object(`{"l":{"type":"array","items":"string"}}`), object(`{"l":{"type":"array","items":{}}}`), "properties.l.items"},
		{"a tuple of draft 7", object(`{"l":{"type":"array","items":[{"type":"string"},{"type":"number"}],"additionalItems":false}}`),
			object(`{"l":{"type":"array","items":{"anyOf":[{"type":"string"},{"type":"number"}]},"maxItems":2}}`), ""},
		{"an open tuple", object(`{"l":{"type":"array","items":[{"type":"number"},{"type":"number"}]}}`), object(`{"l":{"type":"array","items":{"type":"number"}}}`), ""},
		{"an empty tuple", object(`{"l":{"type":"array","items":[]}}`), object(`{"l":{"type":"array","items":{}}}`), ""},
		{"a tuple of draft 2020", object(`{"l":{"type":"array","prefixItems":[{"type":"string"},true],"items":false}}`), object(`{"l":{"type":"array","items":{},"maxItems":2}}`), ""},
		{"the rest of a tuple", object(`{"l":{"type":"array","items":[{"type":"string"}],"additionalItems":{"type":"number"}}}`),
			object(`{"l":{"type":"array","items":{"anyOf":[{"type":"string"},{"type":"number"}]}}}`), ""},
		{"exclusive limits of draft 4", object(`{"n":{"type":"number","minimum":0,"exclusiveMinimum":true,"maximum":9,"exclusiveMaximum":false}}`),
			object(`{"n":{"type":"number","exclusiveMinimum":0,"maximum":9}}`), ""},
		{"an exclusive limit without a limit", object(`{"n":{"exclusiveMinimum":true}}`), object(`{"n":{}}`), ""},
		{"required properties of draft 3", object(`{"a":{"type":"string","required":true},"b":{"type":"string","required":false}}`),
			`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"required":["a"]}`, ""},
		{"required twice", `{"type":"object","properties":{"a":{}},"required":["a","a"]}`, `{"type":"object","properties":{"a":{}},"required":["a"]}`, ""},
		{"required that is text", `{"type":"object","properties":{"a":{}},"required":"a"}`, object(`{"a":{}}`), "required"},
		{"properties that are true and false", `{"type":"object","properties":{"a":true,"b":false},"required":["a","b"]}`, `{"type":"object","properties":{"a":{}},"required":["a"]}`, ""},
		{"an enumeration with duplicates, and an empty one", object(`{"a":{"enum":["x","x","y"]},"b":{"enum":[]}}`), object(`{"a":{"enum":["x","y"]},"b":{}}`), "properties.b.enum"},
		{"no alternatives", object(`{"a":{"anyOf":[]}}`), object(`{"a":{}}`), "properties.a.anyOf"},
		{"a pattern of one language", object(`{"a":{"pattern":"^(?!x)[a-z]+\\z"},"b":{"pattern":"\\p{L}+"},"c":{"pattern":"^[a-z]{2}-\\d+$"}}`), object(`{"a":{},"b":{},"c":{"pattern":"^[a-z]{2}-\\d+$"}}`), ""},
		{"limits that are text", object(`{"a":{"minLength":"1","maximum":"5","title":7,"description":["x"]}}`), object(`{"a":{}}`),
			"properties.a.description properties.a.maximum properties.a.minLength properties.a.title"},
		{"properties with the names of keywords", object(`{"type":{"type":"string"},"items":{"type":"array"},"required":{"type":"boolean"},"$schema":{"type":"string"},"enum":{"type":"string"}}`),
			object(`{"type":{"type":"string"},"items":{"type":"array","items":{}},"required":{"type":"boolean"},"$schema":{"type":"string"},"enum":{"type":"string"}}`), ""},
		{"a default that looks like a schema", object(`{"a":{"type":"object","default":{"type":"array"},"enum":[{"type":"array"}]}}`), object(`{"a":{"type":"object","default":{"type":"array"},"enum":[{"type":"array"}]}}`), ""},
		{"references", `{"type":"object","definitions":{"l":{"type":"array"}},"properties":{"a":{"$ref":"#/definitions/l"}}}`,
			`{"type":"object","definitions":{"l":{"type":"array","items":{}}},"properties":{"a":{"$ref":"#/definitions/l"}}}`, ""},
	} {
		var given, want any
		if err := errors.Join(json.Unmarshal([]byte(c.schema), &given), json.Unmarshal([]byte(c.want), &want)); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		got, invalid, err := schema.Portable(given)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if diff := cmp.Diff(want, any(got)); diff != "" || strings.Join(invalid, " ") != c.invalid {
			t.Errorf("%s: invalid: %q\n%s", c.name, invalid, diff)
		}
		again, _, err := schema.Portable(got)
		if diff := cmp.Diff(got, again); diff != "" || err != nil {
			t.Errorf("%s: normalized twice: %v\n%s", c.name, err, diff)
		}
	}
	for _, given := range []any{"string", 7.0, []any{1.0}, map[string]any{"type": "string"}, map[string]any{"type": []any{"array", "null"}}} {
		if got, _, err := schema.Portable(given); err == nil {
			t.Errorf("%v becomes %v", given, got)
		}
	}
}

// The time for a long schema is proportional to its length.
func TestPortableLongSchemas(t *testing.T) {
	const length = 300_000
	tuple, properties := []any{}, map[string]any{}
	for i := range length {
		tuple = append(tuple, map[string]any{"const": float64(i / 2)}) // each one twice
		properties[fmt.Sprintf("p%d", i)] = map[string]any{"required": true}
	}
	properties["tuple"] = map[string]any{"type": "array", "items": tuple}
	done := make(chan map[string]any, 1)
	go func() {
		got, _, _ := schema.Portable(map[string]any{"properties": properties})
		done <- got
	}()
	select {
	case got := <-done:
		items, _ := got["properties"].(map[string]any)["tuple"].(map[string]any)["items"].(map[string]any)
		kinds, _ := items["anyOf"].([]any)
		required, _ := got["required"].([]any)
		if len(kinds) != length/2 || len(required) != length {
			t.Errorf("got %d alternatives and %d required properties", len(kinds), len(required))
		}
	case <-time.After(3 * time.Minute):
		t.Fatal("the schema takes very long")
	}
}
