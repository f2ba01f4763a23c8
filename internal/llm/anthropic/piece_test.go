package anthropic

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
	"agent/internal/llm/wire"
	"agent/internal/llm/wire/wiretest"
)

// samePiece holds that a payload means the same whether it is scanned or parsed,
// and reports whether it can be scanned.
func samePiece(t *testing.T, data []byte) bool {
	p, ok := scanPiece(data)
	if !ok {
		return false
	}
	got := event{Type: "content_block_delta", Index: p.index, Delta: &p.delta}
	if want, err := parseEvent(data); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%q: got %+v, want %+v, %v", data, got, want, err)
	}
	return true
}

func TestScanPiece(t *testing.T) {
	all, scanned := 0, 0
	for name := range recordings() {
		p := wire.NewPayloads(bytes.NewReader(recording(t, name)))
		for data, err := p.Next(); err == nil; data, err = p.Next() {
			if all++; samePiece(t, data) {
				scanned++
			}
		}
	}
	if scanned < all/5 {
		t.Errorf("only %d of %d payloads can be scanned", scanned, all)
	}
}

func FuzzScanPiece(f *testing.F) {
	for name := range recordings() {
		p := wire.NewPayloads(bytes.NewReader(recording(f, name)))
		for data, err := p.Next(); err == nil; data, err = p.Next() {
			f.Add(bytes.Clone(data))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) { samePiece(t, data) })
}

// Text that came together is told together, and says the same.
func TestTextIsJoined(t *testing.T) {
	fewer := false
	madeUp := cmp.FilterPath(func(p cmp.Path) bool { return p.String() == "ID" }, cmp.Ignore())
	for name := range recordings() {
		body := recording(t, name)
		want := decode(bytes.NewReader(body))
		got := wiretest.Collect(func(yield func(llm.Delta, error) bool) {
			p, d := wire.NewPayloads(bytes.NewReader(body)), newDecoder("")
			d.out.More = p.More
			d.run(p.Next, yield)
		})
		fewer = fewer || len(got.Deltas) < len(want.Deltas)
		if d := cmp.Diff(got.Messages, want.Messages, madeUp); d != "" || !reflect.DeepEqual(got.Finish, want.Finish) || !reflect.DeepEqual(got.Err, want.Err) {
			t.Errorf("%s: joined (-got +want), %v %v:\n%s", name, got.Finish, got.Err, d)
		}
	}
	if !fewer {
		t.Error("nothing was joined")
	}
}
