package loop_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
	"agent/internal/loop"
	"agent/internal/tools"
)

// folds returns what a fold makes something of in an event.
func folds(e loop.Durable) loop.Durable {
	if end, ok := e.(*loop.ToolEnd); ok {
		return &loop.ToolEnd{Meta: end.Meta, Result: end.Result, Reads: end.Reads}
	}
	return e
}

// A record that is decoded to be folded has all that Decode finds in it.
func sameDecoded(t *testing.T, decode func([]byte) (loop.Durable, error), record []byte) {
	t.Helper()
	got, err := decode(record)
	want, wantErr := loop.Decode(record)
	if want != nil {
		want = folds(want)
	}
	if got != nil {
		got = folds(got)
	}
	if d := cmp.Diff(got, want); d != "" || (err == nil) != (wantErr == nil) {
		t.Errorf("%q: got %v, want %v:\n%s", record, err, wantErr, d)
	}
	whole, err := loop.DecodeWhole()(record)
	want, wantErr = loop.Decode(record)
	if d := cmp.Diff(whole, want); d != "" || (err == nil) != (wantErr == nil) {
		t.Errorf("whole, %q: got %v, want %v:\n%s", record, err, wantErr, d)
	}
}

func TestDecodeToFold(t *testing.T) {
	decode := loop.DecodeToFold()
	everything, _ := session(t)
	records := append(everything, eventful(t)...)
	for seed := range uint64(20) {
		records = append(records, nonsense(t, rand.New(rand.NewPCG(seed, 2)))...)
	}
	image := []llm.Image{{MediaType: "image/png", Data: []byte("x")}}
	records = append(records, recordsOf(t, []loop.Durable{
		&loop.ToolEnd{Result: llm.Message{Kind: llm.ToolResult, ID: "a", Text: "\x00\x1f\u2028\u007f🦫", IsError: true, Images: image}, Reads: []tools.Reading{{Path: "a"}},
			Title: "edit \"a\"", Effect: "write", Outcome: loop.Failed, Summary: "é\n", Diffs: []loop.Diff{{Path: "a", Unified: "-a\n+b", Added: 1}}, Duration: 12},
		&loop.MessageDone{Message: llm.Message{Kind: llm.Thinking, Cut: true, Opaque: &llm.Opaque{Dialect: "d", Model: "m", Data: []byte(`{"a":[1]}`)}}},
	}...)...)
	for _, r := range records {
		sameDecoded(t, decode, r.Body)
	}
	for _, text := range []string{`\u00e9\/`, `\ud83e\uddab`, `\ud83e`, `\u12`, `\x`, "\xff", `\`} {
		record := fmt.Sprintf(`{"type":"message","time":"2026-11-03T09:00:00Z","message":{"kind":"assistant","text":"%s"}}`, text)
		sameDecoded(t, decode, []byte(record))
		sameDecoded(t, decode, []byte(strings.Replace(record, `"kind"`, `"Kind"`, 1)))
		sameDecoded(t, decode, []byte(strings.Replace(record, `:`, ` : `, 3)))
	}
}

func FuzzDecodeToFold(f *testing.F) {
	decode := loop.DecodeToFold()
	r := rand.New(rand.NewPCG(3, 3))
	for range 100 {
		f.Add([]byte(string(rune(r.IntN(0x3000))) + "\"\\\n"))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		record, err := loop.Encode(&loop.MessageDone{Message: llm.Message{Kind: llm.Assistant, Text: string(text), Raw: string(text), Name: "a\\"}})
		if err != nil {
			t.Fatal(err)
		}
		sameDecoded(t, decode, record)
	})
}
