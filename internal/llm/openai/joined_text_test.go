package openai

import (
	"bytes"
	"io"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
	"agent/internal/llm/wire"
	"agent/internal/llm/wire/wiretest"
)

// decodeJoined is decode with joined text, as Provider uses it.
func decodeJoined(r io.Reader) *wiretest.Answer {
	p, d := wire.NewPayloads(r), newDecoder("", false)
	d.out.More = p.More
	return wiretest.Collect(wire.Decode(p, d))
}

// parts returns one text per read, and records the number of deltas before
// each.
type parts struct {
	texts []string
	heard *int
	at    []int
}

func (p *parts) Read(b []byte) (int, error) {
	p.at = append(p.at, *p.heard)
	if len(p.texts) == 0 {
		return 0, io.EOF
	}
	n := copy(b, p.texts[0])
	p.texts = p.texts[1:]
	return n, nil
}

// Text that arrived together is one delta, and none of it waits for later data,
// even if that is only a keep-alive.
func TestTextIsJoined(t *testing.T) {
	piece := func(field, text string) string {
		return `data: {"choices":[{"index":0,"delta":{"` + field + `":"` + text + `"}}]}` + "\n\n"
	}
	heard := 0
	r := &parts{heard: &heard, texts: []string{
		piece("reasoning", "h") + piece("reasoning", "m") + piece("content", "one ") + piece("content", "two ") + ": ping\n\n",
		piece("content", "three ") + piece("content", "four ") + `data: {"choices":[{"index":0,"de`,
		`lta":{"content":"five"}}]}` + "\n\n" + `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n",
	}}
	p, d := wire.NewPayloads(r), newDecoder("", false)
	d.out.More = p.More
	var got []llm.Delta
	for x, err := range wire.Decode(p, d) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, x)
		heard = len(got)
	}
	want := []llm.Delta{
		llm.ThinkingDelta{Text: "hm"},
		llm.BlockEnd{},
		llm.TextDelta{Index: 1, Text: "one two "},
		llm.TextDelta{Index: 1, Text: "three four "},
		llm.TextDelta{Index: 1, Text: "five"},
		llm.Finish{Reason: llm.Stop, Raw: "stop"},
	}
	if d := cmp.Diff(got, want); d != "" {
		t.Errorf("deltas (-got +want):\n%s", d)
	}
	if d := cmp.Diff(r.at, []int{0, 3, 4}); d != "" {
		t.Errorf("heard before each read (-got +want):\n%s", d)
	}
}

// A delta stays short even if much text arrives together.
func TestJoinedTextIsShort(t *testing.T) {
	body := strings.Repeat(`data: {"choices":[{"index":0,"delta":{"content":"0123456789"}}]}`+"\n\n", 500) + "data: [DONE]\n\n"
	n := 0
	for _, x := range decodeJoined(strings.NewReader(body)).Deltas {
		if x, ok := x.(llm.TextDelta); ok {
			if n += len(x.Text); len(x.Text) > 1<<10 {
				t.Errorf("a delta of %d bytes", len(x.Text))
			}
		}
	}
	if n != 5000 {
		t.Errorf("got %d bytes, want 5000", n)
	}
}

// FuzzJoined checks that joining changes no message.
func FuzzJoined(f *testing.F) {
	files, err := filepath.Glob(filepath.Join(sseDir, "*.*"))
	if err != nil || len(files) == 0 {
		f.Fatalf("no recordings: %v", err)
	}
	for _, file := range files {
		f.Add(recording(f, filepath.Base(file)))
	}
	madeUp := cmp.FilterPath(func(p cmp.Path) bool { return p.String() == "ID" }, cmp.Ignore())
	f.Fuzz(func(t *testing.T, body []byte) {
		whole, joined := decode(bytes.NewReader(body)), decodeJoined(bytes.NewReader(body))
		if d := cmp.Diff(joined.Messages, whole.Messages, madeUp); d != "" {
			t.Errorf("messages of joined deltas (-got +want):\n%s", d)
		}
		if (whole.Err == nil) != (joined.Err == nil) || !reflect.DeepEqual(whole.Finish, joined.Finish) {
			t.Errorf("whole %v %v, joined %v %v", whole.Finish, whole.Err, joined.Finish, joined.Err)
		}
	})
}
