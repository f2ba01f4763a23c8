package llm_test

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
	"agent/internal/llm/wire/wiretest"
)

// TestErrorField checks the form in which llama.cpp reports an error inside a
// stream: a field "error" in place of "data".
func TestErrorField(t *testing.T) {
	eachDialect(t, func(t *testing.T, d dialect) {
		for name, body := range map[string]string{
			"at once":    "",
			"after text": string(d.recording(t, "cut.sse")),
		} {
			body += "\n\nerror: {\"code\":400,\"message\":\"the request exceeds the available context size\",\"type\":\"exceed_context_size_error\"}\n\n"
			for how, r := range wiretest.Variants([]byte(body)) {
				got := d.answer(r)
				if got.Err == nil || got.Err.Kind != llm.ErrTooLong || got.Err.Message != "the request exceeds the available context size" {
					t.Errorf("%s, %s: got %v", name, how, got.Err)
				}
			}
		}
	})
}

// TestBlanksBeforeTheBody checks that white space before the first byte, with
// which routers keep a connection open, changes nothing.
func TestBlanksBeforeTheBody(t *testing.T) {
	eachDialect(t, func(t *testing.T, d dialect) {
		for name := range d.answers() {
			if strings.HasSuffix(name, ".html") {
				continue
			}
			body := d.recording(t, name)
			if len(bytes.TrimSpace(body)) == 0 || bytes.HasPrefix(body, []byte("\ufeff")) {
				continue
			}
			want := d.answer(bytes.NewReader(body)).Content(true)
			for _, blanks := range []string{"\n", " \r\n\t\n", strings.Repeat(" ", 9000)} {
				got := d.answer(strings.NewReader(blanks + string(body))).Content(true)
				if diff := cmp.Diff(got, want); diff != "" {
					t.Errorf("%s after %.10q: got, want:\n%s", name, blanks, diff)
				}
			}
		}
	})
}

// TestSplitSurrogates checks that a character whose escaped halves come in two
// deltas is not damaged.
func TestSplitSurrogates(t *testing.T) {
	eachDialect(t, func(t *testing.T, d dialect) {
		body := d.recording(t, "text.sse")
		want := d.answer(bytes.NewReader(body)).Messages[0].Text
		pieces := regexp.MustCompile(`"(content|delta|text)":"[^"]+"`).FindAllIndex(body, 2)
		if len(pieces) < 2 {
			t.Fatal("text.sse has fewer than two pieces of text")
		}
		before, after := pieces[0][1]-1, pieces[1][0]+bytes.Index(body[pieces[1][0]:], []byte(`:"`))+2
		split := string(body[:before]) + `\ud83d` + string(body[before:after]) + `\ude00` + string(body[after:])
		for how, r := range wiretest.Variants([]byte(split)) {
			got := d.answer(r).Messages[0].Text
			if strings.Replace(got, "\U0001F600", "", 1) != want || got == want {
				t.Errorf("%s: got %q", how, got)
			}
		}
		lone := strings.Replace(split, `\ude00`, "", 1)
		if got := d.answer(strings.NewReader(lone)); got.Err != nil || strings.ReplaceAll(got.Messages[0].Text, "\uFFFD", "") != want {
			t.Errorf("a half without the other: got %+v, %v", got.Messages, got.Err)
		}
	})
}

// TestWholeAnswers checks that an answer that was not streamed is read wherever its text
// stands.
func TestWholeAnswers(t *testing.T) {
	bodies := map[string][]string{
		"openai": {
			`{"choices":[{"message":{"role":"assistant","content":[{"type":"text","text":"Hi "},{"type":"output_text","text":"you."}]},"finish_reason":"stop"}]}`,
			`{"choices":[{"text":"Hi you.","finish_reason":"stop"}]}`,
			`{"model":"m","message":{"role":"assistant","content":"Hi you."},"done":true,"done_reason":"stop"}`,
			`{"message":{"content":[{"text":"Hi you."}]}}`,
			`{"output":"Hi you."}`,
			`{"output":{"text":"Hi you."}}`,
			`{"object":"response","status":"completed","output":[{"type":"reasoning","text":"no"},{"type":"message","content":[{"type":"output_text","text":"Hi you."}]}]}`,
			`{"output_text":"Hi you."}`,
			`{"text":"Hi you."}`,
			`{"response":"Hi you.","done":true}`,
			`{"type":"message","role":"assistant","content":[{"type":"text","text":"Hi you."}],"stop_reason":"end_turn"}`,
			`[{"generated_text":"Hi you."}]`,
		},
		"anthropic": {`{"role":"assistant","content":[{"type":"text","text":"Hi you."}],"stop_reason":"end_turn"}`},
		"responses": {`{"output":[{"type":"message","content":[{"type":"output_text","text":"Hi you."}]}]}`},
	}
	eachDialect(t, func(t *testing.T, d dialect) {
		for _, body := range bodies[d.name] {
			got := d.serve(t, 200, "application/json", []byte(body)).Content(true)
			if diff := cmp.Diff(got, wiretest.Content{Messages: []string{"text Hi you."}, Reason: llm.Stop}); diff != "" {
				t.Errorf("%s: got, want:\n%s", body, diff)
			}
		}
	})
	for _, body := range []string{`{"predictions":[1]}`, `{"message":"loading"}`, `{"output":[]}`, `{"choices":[]}`} {
		if got := dialects()[0].serve(t, 200, "application/json", []byte(body)); got.Err == nil || got.Err.Tries != 2 {
			t.Errorf("%s: got %+v", body, got)
		}
	}
}
