package openai

import (
	"bytes"
	"io"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
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
		whole, pieces := decode(bytes.NewReader(body)), decode(&dribble{body: body})
		if !reflect.DeepEqual(whole.deltas, pieces.deltas) {
			t.Errorf("whole, in pieces:\n%s", cmp.Diff(whole.deltas, pieces.deltas))
		}
		if (whole.err == nil) != (pieces.err == nil) {
			t.Errorf("whole %v, in pieces %v", whole.err, pieces.err)
		}
		joined := decodeJoined(bytes.NewReader(body))
		if d := cmp.Diff(joined.messages, whole.messages, madeUp()); d != "" {
			t.Errorf("messages of joined deltas (-got +want):\n%s", d)
		}
		if (whole.err == nil) != (joined.err == nil) || !reflect.DeepEqual(whole.finish, joined.finish) {
			t.Errorf("whole %v %v, joined %v %v", whole.finish, whole.err, joined.finish, joined.err)
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
