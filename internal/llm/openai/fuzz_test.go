package openai

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
)

func FuzzEvents(f *testing.F) {
	for name := range recordings() {
		f.Add(recording(f, name))
	}
	f.Add([]byte("data: a\r\rdata:b\n\r\nevent: x\ndata\n\n"))
	f.Fuzz(func(t *testing.T, body []byte) {
		whole := allEvents(bytes.NewReader(body))
		pieces := allEvents(&dribble{body: body})
		if strings.Join(whole, "|") != strings.Join(pieces, "|") {
			t.Errorf("whole %q, in pieces %q", whole, pieces)
		}
	})
}

func FuzzDecode(f *testing.F) {
	for name := range recordings() {
		f.Add(recording(f, name))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		whole, pieces := decode(bytes.NewReader(body)), decode(&dribble{body: body})
		if !reflect.DeepEqual(whole.deltas, pieces.deltas) {
			t.Errorf("whole, in pieces:\n%s", cmp.Diff(whole.deltas, pieces.deltas))
		}
		if (whole.err == nil) != (pieces.err == nil) {
			t.Errorf("whole %v, in pieces %v", whole.err, pieces.err)
		}
		if whole.err == nil && whole.finish.Reason == "" {
			t.Error("neither an error nor a finish")
		}
		if whole.err != nil && (whole.err.Kind == "" || whole.err.Message == "") {
			t.Errorf("an error that says nothing: %#v", whole.err)
		}
		for _, m := range WireMessages(llm.Request{Messages: whole.messages}) {
			if len(m) == 0 || m[0] != '{' {
				t.Errorf("message %q", m)
			}
		}
	})
}
