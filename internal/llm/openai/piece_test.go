package openai

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
	"agent/internal/llm/wire"
)

// decodePayload returns the deltas of one payload in the middle of a reply, read
// by read.
func decodePayload(data []byte, read func(*decoder, []byte) error) ([]llm.Delta, error) {
	d := newDecoder("", true)
	_ = d.add([]byte(`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"b"}}]}}]}`))
	err := read(d, bytes.Clone(data))
	if err == nil {
		d.close()
	}
	var got []llm.Delta
	d.out.Flush(func(x llm.Delta, _ error) bool {
		got = append(got, x)
		return true
	})
	return got, err
}

// samePiece holds that a payload means the same whether it is scanned or parsed,
// and reports whether it can be scanned.
func samePiece(t *testing.T, data []byte) bool {
	if _, ok := scanPiece(data); !ok {
		return false
	}
	got, err := decodePayload(data, (*decoder).add)
	want, wantErr := decodePayload(data, (*decoder).parse)
	if d := cmp.Diff(got, want); d != "" || err != nil || wantErr != nil {
		t.Errorf("%q: got, want (%v, %v):\n%s", data, err, wantErr, d)
	}
	return true
}

// Of what was recorded to be special, too, much can be scanned.
func TestScanPiece(t *testing.T) {
	bodies := map[string][]byte{}
	for name := range recordings() {
		bodies[name] = recording(t, name)
	}
	files, _ := filepath.Glob(filepath.Join(os.Getenv("AGENT_CASES"), "wire", "*", "*.response.sse"))
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		bodies[file] = b
	}
	all, scanned := 0, 0
	for _, body := range bodies {
		p := wire.NewPayloads(bytes.NewReader(body))
		for data, err := p.Next(); err == nil; data, err = p.Next() {
			if all++; samePiece(t, data) {
				scanned++
			}
		}
	}
	if scanned < all/3 {
		t.Errorf("only %d of %d payloads can be scanned", scanned, all)
	}
}

// What servers send beside a piece is scanned with it.
func TestPieceWithMore(t *testing.T) {
	for _, data := range []string{
		`{"choices":[{"delta":{"content":"a","reasoning_details":null,"tool_calls":null}}]}`,
		`{"choices":[{"delta":{"content":"a","reasoning_details":[],"tool_calls":[]}}]}`,
		`{"choices":[{"delta":{"reasoning":"a","reasoning_details":[{"type":"reasoning.text","text":"a\n","format":"f","index":0,"id":null}]}}]}`,
		`{"choices":[{"delta":{"content":"","reasoning_details":[{"type":"reasoning.summary","summary":"a","signature":"c2lnbmVk"}]}}]}`,
		`{"choices":[{"delta":{"reasoning_details":[{"type":"reasoning.text","signature":"c2lnbmVk","text":null,"index":1}]}}]}`,
	} {
		if !samePiece(t, []byte(data)) {
			t.Errorf("%s is not scanned", data)
		}
	}
}

// The thinking that a model binds is the same whatever becomes of the payloads
// that it came in.
func TestDetailsOutliveTheirPayloads(t *testing.T) {
	want := `{"reasoning_details":[{"type":"reasoning.text","id":"x","format":"f","index":0,"text":"a word","signature":"c2lnbmVk"}]}`
	d := newDecoder("", false)
	for _, piece := range []string{`"text":"a"`, `"text":" word"`, `"signature":"c2lnbmVk"`} {
		data := []byte(`{"choices":[{"delta":{"reasoning_details":[{"type":"reasoning.text","id":"x","format":"f","index":0,` + piece + `}]}}]}`)
		if _, ok := scanPiece(data); !ok {
			t.Errorf("%s is not scanned", data)
		}
		if err := d.add(data); err != nil {
			t.Fatal(err)
		}
		clear(data)
	}
	if got := string(opaque{Details: d.details.binding()}.pack("").Data); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestNoPiece(t *testing.T) {
	for _, data := range []string{
		`{"choices":[{"index":1,"delta":{"content":"a"}}]}`,
		`{"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}`,
		`{"choices":[{"delta":{"content":"a"}}],"usage":{"prompt_tokens":1}}`,
		`{"choices":[{"delta":{"content":"a"}}],"error":null}`,
		`{"object":"error","choices":[{"delta":{"content":"a"}}]}`,
		`{"choices":[{"delta":{"content":"a"}}],"Choices":[]}`,
		`{"choices":[{"delta":{"content":"a"}}],"choices":[]}`,
		`{"choices":[{"delta":{"content":"a"},"delta":{}}]}`,
		`{"choices":[{"delta":{"content":"a","content":null}}]}`,
		`{"choices":[{"delta":{"content":["a"]}}]}`,
		`{"choices":[{"delta":{"content":"a","Content":"b"}}]}`,
		`{"choices":[{"delta":{"content":"a","refusal":"b"}}]}`,
		`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"b","function":{"arguments":""}}]}}]}`,
		`{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"name":"c","arguments":""}}]}}]}`,
		`{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":{}}}]}}]}`,
		`{"choices":[{"delta":{"tool_calls":[{"function":{"arguments":"{"}}]}}]}`,
		`{"choices":[{"delta":{"reasoning_details":[{"type":"reasoning.encrypted","data":"YQ=="}]}}]}`,
		`{"choices":[{"delta":{"reasoning_details":[{"text":"a"},{"text":"b"}]}}]}`,
		`{"choices":[{"delta":{"reasoning_details":[{"text":"a"}],"reasoning_details":null}}]}`,
		`{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":""}}],"tool_calls":null}}]}`,
		`{"choices":[{"delta":{"tool_calls":null,"tool_calls":[{"index":0,"function":{"arguments":""}}]}}]}`,
		`{"choices":[{"delta":null}]}`,
		`{"choices":[{"index":0}]}`,
		`{"choices":[]}`,
		`{"choices":[{"delta":{"content":"a"}}]`,
	} {
		if p, ok := scanPiece([]byte(data)); ok {
			t.Errorf("%s is taken for %+v", data, p)
		}
	}
}

func FuzzScanPiece(f *testing.F) {
	for name := range recordings() {
		p := wire.NewPayloads(bytes.NewReader(recording(f, name)))
		for data, err := p.Next(); err == nil; data, err = p.Next() {
			f.Add(bytes.Clone(data))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) { samePiece(t, bytes.TrimSpace(data)) })
}
