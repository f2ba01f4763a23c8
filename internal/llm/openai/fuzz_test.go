package openai

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
	"agent/internal/llm/wire/wiretest"
)

// madeUp leaves out what differs from one decoding to the next.
func madeUp() cmp.Option {
	return cmp.FilterPath(func(p cmp.Path) bool { return p.String() == "ID" }, cmp.Ignore())
}

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
		joined := decodeJoined(bytes.NewReader(body))
		if d := cmp.Diff(joined.Messages, whole.Messages, madeUp()); d != "" {
			t.Errorf("messages of joined deltas (-got +want):\n%s", d)
		}
		if (whole.Err == nil) != (joined.Err == nil) || !reflect.DeepEqual(whole.Finish, joined.Finish) {
			t.Errorf("whole %v %v, joined %v %v", whole.Finish, whole.Err, joined.Finish, joined.Err)
		}
		if whole.Err == nil && whole.Finish.Reason == "" {
			t.Error("neither an error nor a finish")
		}
		if whole.Err != nil && (whole.Err.Kind == "" || whole.Err.Message == "") {
			t.Errorf("an error that says nothing: %#v", whole.Err)
		}
		for _, m := range WireMessages(llm.Request{Messages: whole.Messages}) {
			if len(m) == 0 || m[0] != '{' {
				t.Errorf("message %q", m)
			}
		}
	})
}
