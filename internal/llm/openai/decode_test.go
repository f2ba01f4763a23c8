package openai

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
	"agent/internal/llm/wire/wiretest"
)

func recordings() map[string]wiretest.Told {
	return map[string]wiretest.Told{
		"text.sse": {Said: []string{"text Grüße, 世界! It works."}, Reason: llm.Stop, Usage: llm.Usage{Input: 20, Output: 6}},
		"thinking.sse": {Said: []string{"thinking The flag is lost.", "text Fixed."}, Reason: llm.Stop,
			Usage: llm.Usage{Input: 30, Cached: 16, Output: 9, Reasoning: 4}},
		"reasoning.sse": {Said: []string{"thinking Let me look.", "text Done."}, Reason: llm.Stop},
		"reasoning-details.sse": {Said: []string{
			`thinking Two steps. +{"reasoning_details":[{"type":"reasoning.text","format":"anthropic-claude-v1","index":0,"text":"Two steps.","signature":"c2lnbmVk"}]}`,
			`call call_a read {"path":"a.go"}`}, Reason: llm.Calls, Usage: llm.Usage{Input: 40, Output: 12}},
		"reasoning-encrypted.sse": {Said: []string{"text Yes.",
			`thinking  +{"reasoning_details":[{"type":"reasoning.encrypted","id":"rs_1","format":"openai-responses-v1","index":0,"data":"b3BhcXVl"}]}`}, Reason: llm.Stop},
		"content-list.sse": {Said: []string{"thinking Hm, yes.", "text The answer is 4."}, Reason: llm.Stop},
		"call.sse":         {Said: []string{"text I read it.", `call call_a read {"path":"main.go"}`}, Reason: llm.Calls, Usage: llm.Usage{Input: 50, Output: 20}},
		"parallel-calls.sse": {Said: []string{`call call_a read {"path":"config.go"}`, `call call_b read {"path":"main.go"}`,
			`call call_c search {"pattern":"Timeout"}`}, Reason: llm.Calls, Usage: llm.Usage{Input: 60, Output: 30}},
		"interleaved-calls.sse": {Said: []string{`call call_a read {"path":"a"}`, `call call_b list {"path":"b"}`,
			`call call_c search {"pattern":"c"}`}, Reason: llm.Calls},
		"call-without-index.sse": {Said: []string{`call call_a read {"path":"a"}`, `call call_b read {"path":"b"}`}, Reason: llm.Calls},
		"same-index.sse":         {Said: []string{`call call_a read {"path":"a"}`, `call call_b read {"path":"b"}`}, Reason: llm.Calls},
		"same-id.sse":            {Said: []string{`call call_a read {"path":"a"}`, `call call_a_* read {"path":"b"}`}, Reason: llm.Calls},
		"call-arguments.sse": {Said: []string{`call call_a list {}`, `call call_b list {"path":"b"}`,
			`call 3 list raw ["c"]`, `call call_d list {}`}, Reason: llm.Calls},
		"call-signature.sse":    {Said: []string{`call call_a read {"path":"a"} +{"extra_content":{"google":{"thought_signature":"c2ln"}}}`}, Reason: llm.Calls},
		"old-function-call.sse": {Said: []string{`call call_* read {"path":"a"}`}, Reason: llm.Calls},
		"cut.sse":               {Said: []string{"text The flag is parsed but never (cut)"}, Kind: llm.ErrCut, Error: "the answer was cut in the middle by the server"},
		"cut-call.sse": {Said: []string{"text I edit it.", `call call_a edit raw {"path":"a.go","old":"x (cut)`}, Kind: llm.ErrCut,
			Error: "the answer was cut in the middle by the server"},
		"cut-event.sse": {Said: []string{"text Half of (cut)"}, Kind: llm.ErrCut, Error: "the answer was cut in the middle by the server"},
		"length.sse":    {Said: []string{"text There are three reasons: first (cut)"}, Reason: llm.Length, Usage: llm.Usage{Input: 20, Output: 5}},
		"length-call.sse": {Said: []string{`call call_a read {"path":"a"}`, `call call_b write raw {"path":"b","content":".. (cut)`},
			Reason: llm.Length},
		"refusal.sse":        {Said: []string{"text I cannot help with that."}, Reason: llm.Filtered},
		"content-filter.sse": {Said: []string{"text As for"}, Reason: llm.Filtered},
		"no-done.sse":        {Said: []string{"text All fine."}, Reason: llm.Stop, Usage: llm.Usage{Input: 7, Output: 2}},
		"no-finish.sse":      {Said: []string{"text All fine."}, Reason: llm.Unknown},
		"strange-finish.sse": {Said: []string{"text All fine."}, Reason: llm.Unknown},
		"empty.sse":          {Reason: llm.Stop, Usage: llm.Usage{Input: 5}},
		"nothing.sse":        {Kind: llm.ErrProtocol, Error: "empty answer"},
		"only-done.sse":      {Kind: llm.ErrProtocol, Error: "empty answer"},
		"error-first.sse":    {Kind: llm.ErrOverloaded, Error: "The server is overloaded"},
		"error-event.sse":    {Kind: llm.ErrOverloaded, Error: "Overloaded"},
		"error-after-text.sse": {Said: []string{"text The flag (cut)"}, Kind: llm.ErrOverloaded,
			Error: "Provider disconnected"},
		"error-too-long.sse": {Kind: llm.ErrTooLong, Error: "This model's maximum context length is 8192 tokens."},
		"malformed.sse":      {Said: []string{"text All fine."}, Reason: llm.Stop},
		"malformed-call.sse": {Said: []string{`call call_a edit {"path":"a","new":"y"} (cut)`}, Kind: llm.ErrCut,
			Error: "a part of the answer could not be read, so its tool calls cannot be trusted"},
		"framing.sse":      {Said: []string{"text All fine."}, Reason: llm.Stop},
		"odd-types.sse":    {Said: []string{"text All fine."}, Reason: llm.Stop},
		"groq-usage.sse":   {Said: []string{"text All fine."}, Reason: llm.Stop, Usage: llm.Usage{Input: 9, Output: 2}},
		"after-finish.sse": {Said: []string{"text One two"}, Reason: llm.Stop},
		"bad-utf8.sse":     {Said: []string{"text a\ufffdb"}, Reason: llm.Stop},
		"completion.json": {Said: []string{"thinking Hm.", "text I look.", `call call_a read {"path":"a"}`}, Reason: llm.Calls,
			Usage: llm.Usage{Input: 11, Output: 5}},
		"login.html": {Kind: llm.ErrProtocol, Error: "got HTML in place of an answer: <!DOCTYPE html> <html><head><title>Sign in</title></head> <body>Your network wants a login.[2J</body></html>"},
	}
}

func TestDecode(t *testing.T) {
	rows := recordings()
	files, err := filepath.Glob(filepath.Join(sseDir, "*.*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		name := filepath.Base(file)
		want, ok := rows[name]
		if !ok {
			if name != "README.md" {
				t.Errorf("no test says what %s means", name)
			}
			continue
		}
		delete(rows, name)
		t.Run(name, func(t *testing.T) {
			body := recording(t, name)
			for how, d := range variants(body) {
				if diff := cmp.Diff(d.Told(true), want); diff != "" {
					t.Errorf("%s: got, want:\n%s", how, diff)
				}
			}
			if diff := cmp.Diff(serveOnce(t, http.StatusOK, "text/event-stream", body).Told(true), want); diff != "" {
				t.Errorf("through the library: got, want:\n%s", diff)
			}
		})
	}
	for name := range rows {
		t.Errorf("%s does not exist", name)
	}
}

// TestDecodeSameDeltas holds that how a body comes in pieces changes nothing.
func TestDecodeSameDeltas(t *testing.T) {
	for name := range recordings() {
		body := recording(t, name)
		want := decode(bytes.NewReader(body)).Deltas
		for at := 0; at < len(body); at += 7 {
			d := decode(io.MultiReader(bytes.NewReader(body[:at]), bytes.NewReader(body[at:])))
			if !reflect.DeepEqual(d.Deltas, want) {
				t.Fatalf("%s in two pieces, cut at %d: got, want:\n%s", name, at, cmp.Diff(d.Deltas, want))
			}
		}
	}
}

// TestDecodeCutAnywhere holds that no beginning of an answer passes for the
// whole, and that what it says is a beginning of what the whole says.
func TestDecodeCutAnywhere(t *testing.T) {
	for name, want := range recordings() {
		body := recording(t, name)
		marker := bytes.Index(body, []byte(`"finish_reason":"`))
		if name == "no-finish.sse" {
			marker = bytes.Index(body, []byte("[DONE]"))
		}
		if want.Kind != "" || marker < 0 {
			continue
		}
		whole := decode(bytes.NewReader(body))
		for at := 0; at < marker; at += 7 {
			d := decode(bytes.NewReader(body[:at]))
			if d.Err == nil {
				t.Fatalf("%s cut at %d passes for whole", name, at)
			}
			if n := len(d.Deltas); n > len(whole.Deltas) || n > 0 && !reflect.DeepEqual(d.Deltas, whole.Deltas[:n]) {
				t.Fatalf("%s cut at %d says what the whole does not", name, at)
			}
			for _, m := range d.Messages {
				if m.Kind == llm.ToolCall && !m.Cut {
					t.Fatalf("%s cut at %d holds a call that passes for whole", name, at)
				}
			}
		}
	}
}

func TestDecodeIndexesFollowOrder(t *testing.T) {
	body := recording(t, "reasoning-details.sse")
	var got []string
	for _, d := range decode(bytes.NewReader(body)).Deltas {
		switch d := d.(type) {
		case llm.ThinkingDelta:
			got = append(got, fmt.Sprintf("thinking %d", d.Index))
		case llm.CallDelta:
			got = append(got, fmt.Sprintf("call %d", d.Index))
		case llm.BlockEnd:
			got = append(got, fmt.Sprintf("end %d", d.Index))
		case llm.Finish:
			got = append(got, "finish")
		}
	}
	want := []string{"thinking 0", "thinking 0", "end 0", "call 1", "end 0", "finish"}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("got, want:\n%s", diff)
	}
}

func TestDecodeRefusesHugeEvents(t *testing.T) {
	for name, body := range map[string]io.Reader{
		"one line":   endless(`data: {"choices":[{"delta":{"content":"`, "aaaaaaaaaaaaaaaa"),
		"many lines": endless("", "data: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n"),
		"JSON":       endless(`{"choices":`, "aaaaaaaaaaaaaaaaaaaaaaaaa"),
	} {
		d := decode(body)
		if d.Err == nil || d.Err.Kind != llm.ErrProtocol || d.Err.Message != "the answer holds an event of more than 8 MiB" {
			t.Errorf("%s: got %v", name, d.Err)
		}
	}
}

const sseDir = "../../../testdata/sse"

func recording(t testing.TB, name string) []byte {
	t.Helper()
	return wiretest.Recording(t, filepath.Join(sseDir, name))
}

// endless returns a body that begins with head and never stops repeating s.
func endless(head, s string) io.Reader {
	return io.MultiReader(strings.NewReader(head), &repeat{s: s})
}

type repeat struct{ s, left string }

func (r *repeat) Read(b []byte) (int, error) {
	if r.left == "" {
		r.left = strings.Repeat(r.s, 1000)
	}
	n := copy(b, r.left)
	r.left = r.left[n:]
	return n, nil
}

func decode(r io.Reader) *wiretest.Answer { return wiretest.Collect(Decode(r)) }

// variants are what is made of the same body, however it comes.
func variants(body []byte) map[string]*wiretest.Answer {
	out := map[string]*wiretest.Answer{"joined": decodeJoined(bytes.NewReader(body))}
	for how, r := range wiretest.Ways(body) {
		out[how] = decode(r)
	}
	return out
}
