package responses

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
	"agent/internal/llm/strict"
)

func FuzzDecode(f *testing.F) {
	for name := range recordings() {
		f.Add(recording(f, name))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		whole, pieces := decode(bytes.NewReader(body)), decode(iotest.OneByteReader(bytes.NewReader(body)))
		if !reflect.DeepEqual(whole.Deltas, pieces.Deltas) {
			t.Errorf("whole, in pieces:\n%s", cmp.Diff(whole.Deltas, pieces.Deltas))
		}
		if (whole.Err == nil) != (pieces.Err == nil) {
			t.Errorf("whole %v, in pieces %v", whole.Err, pieces.Err)
		}
		if whole.Err == nil && whole.Finish.Reason == "" {
			t.Error("neither an error nor a finish")
		}
		if whole.Err != nil && (whole.Err.Kind == "" || whole.Err.Message == "") {
			t.Errorf("an error that says nothing: %#v", whole.Err)
		}
		for _, item := range input(llm.Request{Messages: whole.Messages}) {
			if text := written(t, item); !strings.HasPrefix(text, "{") {
				t.Errorf("item %q", text)
			}
		}
	})
}

func FuzzStrict(f *testing.F) {
	f.Add([]byte(`{"type":"object","properties":{"a":{"anyOf":[{"type":"array","items":{"$ref":"#"}}]}},"required":["a"],"additionalProperties":false}`))
	f.Fuzz(func(t *testing.T, schema []byte) {
		if strict.Fits(schema) && !bytes.Contains(schema, []byte("object")) && !bytes.Contains(schema, []byte(`\`)) {
			t.Errorf("%s passes for an object", schema)
		}
	})
}
