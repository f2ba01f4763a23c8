package anthropic

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
	"agent/internal/llm/wire/wiretest"
)

func recordings() map[string]wiretest.Told {
	const cut = "the answer was cut in the middle by the server"
	return map[string]wiretest.Told{
		"text.sse": {Said: []string{"text Grüße, 世界! It works."}, Reason: llm.Stop, Usage: llm.Usage{Input: 20, Output: 6}},
		"thinking.sse": {Said: []string{`thinking The flag is lost. +{"signature":"c2lnbmVk"}`, "text Fixed."}, Reason: llm.Stop,
			Usage: llm.Usage{Input: 46, Cached: 12, CacheWrite: 4, Output: 9, Reasoning: 4}},
		"thinking-hidden.sse":   {Said: []string{`thinking  +{"signature":"aGlkZGVu"}`, `thinking  +{"redacted":"b3BhcXVl"}`, "text Yes."}, Reason: llm.Stop},
		"thinking-unsigned.sse": {Said: []string{"thinking Hm.", "text Yes."}, Reason: llm.Stop},
		"call.sse": {Said: []string{"text I read it.", `call toolu_a read {"path":"main.go"}`}, Reason: llm.Calls,
			Usage: llm.Usage{Input: 50, Output: 20}},
		"parallel-calls.sse": {Said: []string{`call toolu_a read {"path":"config.go"}`, `call toolu_b read {"path":"main.go"}`,
			`call toolu_c list {}`}, Reason: llm.Calls},
		"interleaved-calls.sse": {Said: []string{`call toolu_a read {"path":"a"}`, `call toolu_b list {"path":"b"}`}, Reason: llm.Calls},
		"call-input.sse": {Said: []string{`call toolu_a read {"path":"a"}`, `call toolu_b read {"path":"b"}`, `call toolu_c list {}`,
			`call toolu_d list raw ["d"]`}, Reason: llm.Calls},
		"same-id.sse":      {Said: []string{`call toolu_a read {"path":"a"}`, `call toolu_a_* read {"path":"b"}`}, Reason: llm.Calls},
		"server-tools.sse": {Said: []string{"text I search.", "text Found it."}, Reason: llm.Stop},
		"unknown.sse":      {Said: []string{"text All fine."}, Reason: llm.Stop},
		"start-twice.sse":  {Said: []string{"text All fine."}, Reason: llm.Stop, Usage: llm.Usage{Input: 7, Output: 2}},
		"start-other.sse": {Said: []string{"text The flag (cut)"}, Kind: llm.ErrProtocol,
			Error: "message_start of msg_2 inside the answer msg_1"},
		"no-start.sse":         {Said: []string{"text All fine."}, Reason: llm.Stop},
		"done.sse":             {Said: []string{"text All fine."}, Reason: llm.Stop},
		"no-stop.sse":          {Said: []string{"text All fine."}, Reason: llm.Stop},
		"only-stop.sse":        {Said: []string{"text All fine."}, Reason: llm.Unknown},
		"after-stop.sse":       {Said: []string{"text One"}, Reason: llm.Stop},
		"strange.sse":          {Said: []string{"text All fine."}, Reason: llm.Unknown},
		"pause.sse":            {Said: []string{"text I go on."}, Reason: llm.Stop},
		"refusal.sse":          {Said: []string{"text I cannot"}, Reason: llm.Filtered},
		"empty.sse":            {Reason: llm.Stop, Usage: llm.Usage{Input: 5}},
		"length.sse":           {Said: []string{"text There are three reasons: first (cut)"}, Reason: llm.Length, Usage: llm.Usage{Input: 20, Output: 5}},
		"length-call.sse":      {Said: []string{`call toolu_a read {"path":"a"}`, `call toolu_b write {"path":"b"} (cut)`}, Reason: llm.Length},
		"length-thinking.sse":  {Said: []string{"thinking The flag (cut)"}, Reason: llm.Length},
		"cut.sse":              {Said: []string{"text The flag is parsed but never (cut)"}, Kind: llm.ErrCut, Error: cut},
		"cut-call.sse":         {Said: []string{"text I edit it.", `call toolu_a edit raw {"path":"a.go","old":"x (cut)`}, Kind: llm.ErrCut, Error: cut},
		"cut-event.sse":        {Said: []string{"text Half of (cut)"}, Kind: llm.ErrCut, Error: cut},
		"cut-done.sse":         {Said: []string{"text Half of (cut)"}, Kind: llm.ErrCut, Error: cut},
		"nothing.sse":          {Kind: llm.ErrProtocol, Error: "empty answer"},
		"only-done.sse":        {Kind: llm.ErrProtocol, Error: "empty answer"},
		"error-first.sse":      {Kind: llm.ErrOverloaded, Error: "Overloaded"},
		"error-bare.sse":       {Kind: llm.ErrRate, Error: "slow down"},
		"error-nameless.sse":   {Kind: llm.ErrOverloaded, Error: "the provider told of an error and did not say which"},
		"error-after-text.sse": {Said: []string{"text The flag (cut)"}, Kind: llm.ErrOverloaded, Error: "Internal server error"},
		"error-key.sse":        {Kind: llm.ErrKey, Error: "invalid x-api-key"},
		"error-too-long.sse":   {Kind: llm.ErrTooLong, Error: "prompt is too long: 205000 tokens > 200000 maximum"},
		"malformed.sse":        {Said: []string{"text All fine."}, Reason: llm.Stop},
		"malformed-call.sse": {Said: []string{`call toolu_a edit {"path":"a","new":"y"} (cut)`}, Kind: llm.ErrCut,
			Error: "a part of the answer could not be read, so its tool calls cannot be trusted"},
		"framing.sse":   {Said: []string{"text All fine."}, Reason: llm.Stop},
		"odd-types.sse": {Said: []string{"text All fine."}, Reason: llm.Stop},
		"bad-utf8.sse":  {Said: []string{"text a\ufffdb"}, Reason: llm.Stop},
		"message.json": {Said: []string{`thinking Hm. +{"signature":"c2ln"}`, "text I look.", `call toolu_a read {"path":"a"}`}, Reason: llm.Calls,
			Usage: llm.Usage{Input: 11, Output: 5}},
		"error.json": {Kind: llm.ErrOverloaded, Error: "Overloaded"},
		"login.html": {Kind: llm.ErrProtocol, Error: "got HTML in place of an answer: <!DOCTYPE html> <title>Sign in</title>"},
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
				t.Errorf("through a server: got, want:\n%s", diff)
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
		for at := 0; at < len(body); at += 3 {
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
		marker := bytes.Index(body, []byte(`"stop_reason":"`))
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
			if n := len(d.Messages); n > 0 && !d.Messages[n-1].Cut && d.Messages[n-1].Kind == llm.ToolCall {
				t.Fatalf("%s cut at %d ends with %s, which passes for whole", name, at, wiretest.Saying(d.Messages[n-1]))
			}
		}
	}
}

func TestDecodeIndexesFollowOrder(t *testing.T) {
	var got []string
	for _, d := range decode(bytes.NewReader(recording(t, "server-tools.sse"))).Deltas {
		switch d := d.(type) {
		case llm.TextDelta:
			got = append(got, fmt.Sprintf("text %d", d.Index))
		case llm.BlockEnd:
			got = append(got, fmt.Sprintf("end %d", d.Index))
		case llm.Finish:
			got = append(got, "finish")
		}
	}
	want := []string{"text 0", "end 0", "text 1", "end 1", "finish"}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("got, want:\n%s", diff)
	}
}

const sseDir = "../../../testdata/sse/anthropic"

func recording(t testing.TB, name string) []byte {
	t.Helper()
	return wiretest.Recording(t, filepath.Join(sseDir, name))
}

func decode(r io.Reader) *wiretest.Answer { return wiretest.Collect(Decode(r)) }

// variants are what is made of the same body, however it comes.
func variants(body []byte) map[string]*wiretest.Answer {
	out := map[string]*wiretest.Answer{}
	for how, r := range wiretest.Ways(body) {
		out[how] = decode(r)
	}
	return out
}
