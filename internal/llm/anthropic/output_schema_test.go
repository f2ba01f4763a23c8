package anthropic

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOutputFormat(t *testing.T) {
	for name, row := range map[string]struct{ schema, want string }{
		"no additional properties": {
			`{"type":"object","properties":{"a":{"type":"object"}},"additionalProperties":{"type":"string"}}`,
			`{"additionalProperties":false,"properties":{"a":{"additionalProperties":false,"properties":{},"type":"object"}},"type":"object"}`},
		"additional properties without properties": {
			`{"type":"object","additionalProperties":{"type":"string","maxLength":3}}`,
			`{"additionalProperties":{"description":"{maxLength: 3}","type":"string"},"type":"object"}`},
		"unsupported keywords move to the description": {
			`{"type":"array","description":"Some.","minItems":3,"maxItems":1000000,"default":["<a>"],"items":{"type":"string","format":"uri-reference"}}`,
			`{"description":"Some.\n\n{default: [\"\u003ca\u003e\"], maxItems: 1000000, minItems: 3}","items":{"description":"{format: uri-reference}","type":"string"},"type":"array"}`},
		"supported keywords stay": {
			`{"type":"array","minItems":1,"items":{"type":["string","null"],"title":"t","pattern":"^a","enum":["a",null]}}`,
			`{"items":{"enum":["a",null],"pattern":"^a","title":"t","type":["string","null"]},"minItems":1,"type":"array"}`},
		"a supported format": {`{"type":"string","format":"date"}`, `{"format":"date","type":"string"}`},
		"oneOf": {
			`{"oneOf":[{"description":"anything"},{"type":"null"},{"const":3}]}`,
			`{"anyOf":[{"type":"null"},{"const":3}]}`},
		"allOf": {
			`{"allOf":[{"type":"string","minLength":1},{"title":"t"}]}`,
			`{"allOf":[{"description":"{minLength: 1}","type":"string"},true]}`},
		"$ref drops other keywords": {
			`{"type":"object","properties":{"a":{"$ref":"#/$defs/x","description":"no"},"b":true},"$defs":{"x":{"type":"string","minLength":1}}}`,
			`{"$defs":{"x":{"description":"{minLength: 1}","type":"string"}},"additionalProperties":false,"properties":{"a":{"$ref":"#/$defs/x"},"b":true},"type":"object"}`},
		"no supported keyword": {`{"description":"x"}`, `{"description":"x"}`},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := outputFormat(json.RawMessage(row.schema))
			if err != nil {
				t.Fatal(err)
			}
			got, err := json.Marshal(f.Schema)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(got), row.want); diff != "" {
				t.Errorf("got, want:\n%s", diff)
			}
		})
	}
}
