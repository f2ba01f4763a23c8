package strict_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"agent/internal/llm"
	"agent/internal/llm/strict"
)

func TestStrict(t *testing.T) {
	object := func(inner string) string {
		return `{"type":"object","properties":{"a":` + inner + `},"required":["a"],"additionalProperties":false}`
	}
	deep := `{"type":"string"}`
	for range 6 {
		deep = object(deep)
	}
	for schema, want := range map[string]bool{
		object(`{"type":"string","description":"d","enum":["x"]}`):         true,
		object(`{"type":["string","null"]}`):                               true,
		object(`{"type":"array","items":{"type":"integer"},"minItems":1}`): true,
		object(`{"anyOf":[{"type":"string"},{"type":"null"}]}`):            true,
		object(object(`{"type":"boolean"}`)):                               true,
		object(`{"type":"string","format":"date-time"}`):                   true,
		`{"type":"object","properties":{},"additionalProperties":false}`:   true,
		deep:                                 false,
		object(`{}`):                         false,
		object(`true`):                       false,
		object(`{"type":"array"}`):           false,
		object(`{"type":"object"}`):          false,
		object(`{"type":["object","null"]}`): false,
		object(`{"type":"string","default":"x"}`):                                                                          false,
		object(`{"type":"string","format":"uri"}`):                                                                         false,
		object(`{"oneOf":[{"type":"string"}]}`):                                                                            false,
		object(`{"anyOf":[{"type":"object"}]}`):                                                                            false,
		object(`{"type":"array","items":{"type":"object"}}`):                                                               false,
		`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`:                                          false,
		`{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}`:                              false,
		`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":{"type":"string"}}`: false,
		`{"type":"array","items":{"type":"string"}}`:                                                                       false,
		`{`:  false,
		`[]`: false,
	} {
		if got := strict.Fits(json.RawMessage(schema)); got != want {
			t.Errorf("%s: got %v, want %v", schema, got, want)
		}
	}
}

func FuzzStrict(f *testing.F) {
	f.Add([]byte(`{"type":"object","properties":{"a":{"anyOf":[{"type":"array","items":{"$ref":"#"}}]}},"required":["a"],"additionalProperties":false}`))
	f.Fuzz(func(t *testing.T, schema []byte) {
		if strict.Fits(schema) && !bytes.Contains(schema, []byte("object")) && !bytes.Contains(schema, []byte(`\`)) {
			t.Errorf("%s passes for an object", schema)
		}
	})
}

const (
	plainEdit  = `{"type":"object","properties":{"path":{"type":"string"},"all":{"type":"boolean"}},"required":["path"],"additionalProperties":false}`
	strictEdit = `{"type":"object","properties":{"path":{"type":"string"},"all":{"type":["boolean","null"]}},"required":["path","all"],"additionalProperties":false}`
)

func TestTheStrictFormIsSentOnlyWhereItIsSupported(t *testing.T) {
	raw := func(s string) json.RawMessage { return json.RawMessage(s) }
	for name, row := range map[string]struct {
		tool      llm.ToolSpec
		supported bool
		want      string
		enforce   bool
	}{
		"supported":               {llm.ToolSpec{Schema: raw(plainEdit), Strict: raw(strictEdit)}, true, strictEdit, true},
		"not supported":           {llm.ToolSpec{Schema: raw(plainEdit), Strict: raw(strictEdit)}, false, plainEdit, false},
		"a bad strict form":       {llm.ToolSpec{Schema: raw(plainEdit), Strict: raw(plainEdit)}, true, plainEdit, false},
		"a plain one that fits":   {llm.ToolSpec{Schema: raw(strictEdit)}, true, strictEdit, true},
		"no form, optional parts": {llm.ToolSpec{Schema: raw(plainEdit)}, true, plainEdit, false},
		"no schema":               {llm.ToolSpec{}, true, `{"type":"object","properties":{}}`, false},
	} {
		schema, enforce := strict.Parameters(row.tool, row.supported)
		if string(schema) != row.want || enforce != row.enforce {
			t.Errorf("%s: %s, %v", name, schema, enforce)
		}
	}
}

func TestSmallToolsHaveFewOptionalArguments(t *testing.T) {
	form := json.RawMessage(strictEdit)
	for schema, want := range map[string]bool{
		plainEdit:  true,
		strictEdit: true,
		`{"type":"object","properties":{"a":{},"b":{},"c":{},"d":{}},"additionalProperties":false}`:                                                     true,
		`{"type":"object","properties":{"a":{},"b":{},"c":{},"d":{},"e":{}},"additionalProperties":false}`:                                              false,
		`{"type":"object","properties":{"path":{"type":"string"},"n":{"type":"integer","minimum":1}},"required":["path"],"additionalProperties":false}`: false,
		`{`: false,
	} {
		if _, got := strict.Small(llm.ToolSpec{Schema: json.RawMessage(schema), Strict: form}); got != want {
			t.Errorf("%s: got %v, want %v", schema, got, want)
		}
	}
	if _, ok := strict.Small(llm.ToolSpec{Schema: json.RawMessage(plainEdit)}); ok {
		t.Error("a tool without a strict form is small")
	}
	nested := `{"type":"object","properties":{"a":{"type":"array","items":{"type":"object","properties":{"b":{},"c":{}},"required":["b"]}}},"additionalProperties":false}`
	if n, ok := strict.Small(llm.ToolSpec{Schema: json.RawMessage(nested), Strict: form}); n != 2 || !ok {
		t.Errorf("got %d optional arguments, %v, want 2", n, ok)
	}
}
