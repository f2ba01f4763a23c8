package openai

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"agent/internal/llm/wire"
	"agent/internal/sampling"
)

// Events are read as encoding/json reads them, also damaged ones: the same values, and an error for
// the same texts.
func TestEventsAreReadAsByTheStandardLibrary(t *testing.T) {
	samples := []string{
		`{"id":"c","object":"chat.completion.chunk","created":1,"choices":[{"index":0,"delta":{"role":"assistant","content":"a\u00e9\ud83d\ude00 \"x\"\n"},"finish_reason":null}],"usage":null}`,
		`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"read","arguments":"{\"p\":1}"},"extra_content":{"x":[1,2]}}]}}]}`,
		`{"CHOICES":[{"Index":1.0,"delta":{"content":[{"type":"text","text":"x"}],"reasoning":5}}],"usage":{"prompt_tokens":"12","completion_tokens":1e3},"x_groq":{"error":"no"}}`,
		`{"choices":[{"delta":{"content":"\xff\u2028"},"finish_reason":"stop"}],"choices":[{"delta":{"refusal":"r"}}],"error":{"message":"m"}}`,
	}
	r := rand.New(rand.NewPCG(1, 2))
	letters := []byte("{}[]\",:0e.-+ntfus\\ \x00\xff\x80aA\n")
	same := 0
	for i := range sampling.Runs(20_000) {
		text := []byte(samples[i%len(samples)])
		for range r.IntN(4) {
			at := r.IntN(len(text))
			switch r.IntN(3) {
			case 0:
				text[at] = letters[r.IntN(len(letters))]
			case 1:
				text = slices.Insert(text, at, letters[r.IntN(len(letters))])
			default:
				text = slices.Delete(text, at, min(at+1+r.IntN(3), len(text)))
			}
		}
		var got, want chunk
		err := wire.Unmarshal(slices.Clone(text), &got)
		wantErr := json.Unmarshal(text, &want)
		if _, ok := wantErr.(*json.UnmarshalTypeError); ok {
			wantErr = nil
		}
		if (err == nil) != (wantErr == nil) {
			t.Fatalf("%q: got the error %v, want %v", text, err, wantErr)
		}
		if err == nil && !reflect.DeepEqual(got, want) {
			t.Fatalf("%q: got %+v, want %+v", text, got, want)
		}
		if err == nil {
			same++
		}
	}
	t.Logf("%d texts were valid", same)
}
