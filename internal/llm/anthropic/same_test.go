package anthropic

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"

	"agent/internal/llm/wire/wiretest"
)

// What is kept of the requests before changes none that follows, nor itself.
func TestRequestsAreKept(t *testing.T) {
	var w writer
	wiretest.Kept(t, w.request, NewRequest)
}

// Two blocks that differ in anything that is written are not the same.
func TestSameBlock(t *testing.T) {
	empty := wireBlock{}
	plain, err := json.Marshal(empty)
	if err != nil {
		t.Fatal(err)
	}
	if !sameBlock(empty, empty) {
		t.Error("a block is not the same as itself")
	}
	text, other := "x", "y"
	for i := range reflect.TypeFor[wireBlock]().NumField() {
		var b wireBlock
		switch f := reflect.ValueOf(&b).Elem().Field(i); v := f.Addr().Interface().(type) {
		case *string:
			*v = text
		case **string:
			*v = &text
		case *bool:
			*v = true
		case *json.RawMessage:
			*v = json.RawMessage("{}")
		case **wireSource:
			*v = &wireSource{Data: []byte(text)}
		case **wireMark:
			*v = here()
		case *[]wireBlock:
			*v = []wireBlock{{Text: text}}
		default:
			t.Fatalf("a field of the type %T", v)
		}
		written, err := json.Marshal(b)
		if err != nil {
			t.Fatal(err)
		}
		name := reflect.TypeFor[wireBlock]().Field(i).Name
		if bytes.Equal(written, plain) || sameBlock(b, empty) || sameBlock(empty, b) || !sameBlock(b, b) {
			t.Errorf("%s does not count", name)
		}
	}
	if a, b := (wireBlock{Thinking: &text}), (wireBlock{Thinking: &other}); sameBlock(a, b) {
		t.Error("another thought is the same")
	}
}
