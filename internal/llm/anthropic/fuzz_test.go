package anthropic

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
	"agent/internal/llm/wire/wiretest"
)

func FuzzDecode(f *testing.F) {
	for name := range recordings() {
		f.Add(recording(f, name))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		whole, pieces := decode(bytes.NewReader(body)), decode(wiretest.Dribble(body))
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
		req, err := NewRequest(llm.Request{Messages: whole.Messages})
		if err != nil || !json.Valid(req) {
			t.Errorf("sent again it is %s, %v", req, err)
		}
	})
}
