package anthropic

import (
	"bytes"
	"encoding/json"
	"io"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
)

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
		req, err := NewRequest(llm.Request{Messages: whole.messages})
		if err != nil || !json.Valid(req) {
			t.Errorf("sent again it is %s, %v", req, err)
		}
	})
}

// dribble gives a body in pieces of 1 to 7 bytes.
type dribble struct {
	body []byte
	n    int
}

func (d *dribble) Read(b []byte) (int, error) {
	if len(d.body) == 0 {
		return 0, io.EOF
	}
	d.n++
	n := copy(b[:min(len(b), 1+d.n%7)], d.body)
	d.body = d.body[n:]
	return n, nil
}
