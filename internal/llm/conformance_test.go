package llm_test

import (
	"bytes"
	"encoding/json"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
	"agent/internal/llm/anthropic"
	"agent/internal/llm/openai"
	"agent/internal/llm/responses"
	"agent/internal/llm/wire"
	"agent/internal/llm/wire/wiretest"
	"agent/internal/sampling"
)

// provider is the common interface of the three dialects.
type provider interface {
	llm.Provider
	BaseURL() string
	Close()
}

// dialect is a dialect over HTTP for which all these tests run.
type dialect struct {
	name    string
	open    func(wire.Endpoint) provider
	decode  func(io.Reader) iter.Seq2[llm.Delta, error]
	request func(llm.Request) ([]byte, error)
	path    string            // of requests, below the base URL
	headers map[string]string // expected headers, besides the common ones
	key     func(key string) wire.Authorize
	bases   map[string]string // effective base URL by configured one

	recordings string // directory of recordings
	answers    func() map[string]wiretest.Content
	step       int      // bytes between the offsets at which a recording is split
	endings    []string // recordings that are complete although the connection stays open
	// last returns the offset of the event that completes a recording, -1 if
	// unknown.
	last func(name string, body []byte) int
	// cut returns the messages of an incomplete response in which calls must be
	// marked as cut.
	cut   func([]llm.Message) []llm.Message
	cases caseRules
	long  func(n int) []byte // a response of n deltas
}

const recordings = "../../testdata/sse"

// maxTokens is the reply limit that the anthropic dialect adds.
const maxTokens = 77

func dialects() []dialect {
	apiBases := map[string]string{
		"https://api.openai.com/v1":              "https://api.openai.com/v1",
		"http://127.0.0.1:8080":                  "http://127.0.0.1:8080/v1",
		"http://127.0.0.1:8080/":                 "http://127.0.0.1:8080/v1",
		" https://x.example/api/ ":               "https://x.example/api",
		" https://x.example/openai/v1/ ":         "https://x.example/openai/v1",
		"https://x.example/v1/responses":         "https://x.example/v1",
		"https://x.example/v1/chat/completions/": "https://x.example/v1",
	}
	marker := func(text string) func(string, []byte) int {
		return func(name string, body []byte) int {
			switch name {
			case "no-finish.sse":
				return bytes.Index(body, []byte("[DONE]"))
			case "call-no-finish.sse", "usage-no-done.sse":
				return bytes.Index(body, []byte(`"usage"`))
			}
			return bytes.Index(body, []byte(text))
		}
	}
	return []dialect{
		{
			name:    "openai",
			open:    func(at wire.Endpoint) provider { return openai.New(openai.Options{Endpoint: at}) },
			decode:  openai.Decode,
			request: func(req llm.Request) ([]byte, error) { return openai.NewRequest(req, openai.Quirks{}) },
			path:    "/chat/completions", key: wire.Bearer, headers: map[string]string{"Authorization": "Bearer sk-secret"}, bases: apiBases,
			recordings: recordings, answers: openaiAnswers, step: 7, endings: []string{"no-done.sse"},
			last: marker(`"finish_reason":"`),
			cut:  func(all []llm.Message) []llm.Message { return all },
			long: longOpenAI,
		},
		{
			name:    "responses",
			open:    func(at wire.Endpoint) provider { return responses.New(responses.Options{Endpoint: at}) },
			decode:  responses.Decode,
			request: func(req llm.Request) ([]byte, error) { return responses.NewRequest(req, responses.Quirks{}) },
			path:    "/responses", key: wire.Bearer, headers: map[string]string{"Authorization": "Bearer sk-secret"}, bases: apiBases,
			recordings: recordings + "/responses", answers: responsesAnswers, step: 7, endings: []string{"reasoning.sse", "error-event.sse"},
			last:  lastResponsesEvent,
			cut:   func([]llm.Message) []llm.Message { return nil },
			cases: caseRules{few: true, prepare: lastResponse, read: failedFinish},
			long:  longResponses,
		},
		{
			name: "anthropic",
			open: func(at wire.Endpoint) provider {
				return anthropic.New(anthropic.Options{Endpoint: at, MaxTokens: maxTokens})
			},
			decode: anthropic.Decode,
			request: func(req llm.Request) ([]byte, error) {
				req.MaxTokens = maxTokens
				return anthropic.NewRequest(req)
			},
			path: "/messages", headers: map[string]string{"X-Api-Key": "sk-secret", "Anthropic-Version": "2023-06-01", "Authorization": ""},
			key: func(key string) wire.Authorize { return wire.KeyHeader("x-api-key", key) },
			bases: map[string]string{
				"https://api.anthropic.com":                "https://api.anthropic.com",
				" https://api.anthropic.com/v1/ ":          "https://api.anthropic.com",
				"https://x.example/anthropic/v1/messages/": "https://x.example/anthropic",
			},
			recordings: recordings + "/anthropic", answers: anthropicAnswers, step: 3, endings: []string{"text.sse"},
			last:  marker(`"stop_reason":"`),
			cut:   func(all []llm.Message) []llm.Message { return all[max(len(all)-1, 0):] },
			cases: caseRules{prepare: usageOfComplete, read: uncachedInput},
			long:  longAnthropic,
		},
	}
}

// lastResponsesEvent returns the offset of the event that ends a response of
// the responses dialect.
func lastResponsesEvent(name string, body []byte) int {
	if name == "response.json" {
		return -1
	}
	for _, typ := range []string{"completed", "incomplete", "failed"} {
		if i := bytes.Index(body, []byte(`"response.`+typ+`"`)); i >= 0 {
			return bytes.LastIndex(body[:i], []byte("\ndata:"))
		}
	}
	return len(body)
}

func (d dialect) recording(t testing.TB, name string) []byte {
	t.Helper()
	return wiretest.Recording(t, filepath.Join(d.recordings, name))
}

func (d dialect) answer(r io.Reader) *wiretest.Answer { return wiretest.Collect(d.decode(r)) }

// serve requests a reply from a server that sends body.
func (d dialect) serve(t *testing.T, status int, contentType string, body []byte) *wiretest.Answer {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		_, _ = w.Write(body)
	}))
	defer server.Close()
	p := d.open(wire.Endpoint{Name: "test", Base: server.URL})
	defer p.Close()
	return wiretest.Collect(p.Stream(t.Context(), llm.Request{Model: "m"}))
}

// eachDialect runs a test for every dialect.
func eachDialect(t *testing.T, test func(t *testing.T, d dialect)) {
	for _, d := range dialects() {
		t.Run(d.name, func(t *testing.T) { test(t, d) })
	}
}

// TestDecode checks the decoded content of each recording, for all ways to
// split it into reads, and that every recording is tested.
func TestDecode(t *testing.T) {
	eachDialect(t, func(t *testing.T, d dialect) {
		rows := d.answers()
		files, err := filepath.Glob(filepath.Join(d.recordings, "*.*"))
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
				body := d.recording(t, name)
				for how, r := range wiretest.Variants(body) {
					if diff := cmp.Diff(d.answer(r).Content(true), want); diff != "" {
						t.Errorf("%s: got, want:\n%s", how, diff)
					}
				}
				if diff := cmp.Diff(d.serve(t, http.StatusOK, "text/event-stream", body).Content(true), want); diff != "" {
					t.Errorf("through a server: got, want:\n%s", diff)
				}
			})
		}
		for name := range rows {
			t.Errorf("%s does not exist", name)
		}
	})
}

// TestDecodeSameDeltas checks that the deltas do not depend on the reads.
func TestDecodeSameDeltas(t *testing.T) {
	if testing.Short() {
		t.Skip("slow: make test runs it")
	}
	eachDialect(t, func(t *testing.T, d dialect) {
		for name := range d.answers() {
			body := d.recording(t, name)
			want := d.answer(bytes.NewReader(body)).Deltas
			for at := 0; at < len(body); at += d.step * sampling.Step() {
				got := d.answer(io.MultiReader(bytes.NewReader(body[:at]), bytes.NewReader(body[at:]))).Deltas
				if !reflect.DeepEqual(got, want) {
					t.Fatalf("%s in two pieces, cut at %d: got, want:\n%s", name, at, cmp.Diff(got, want))
				}
			}
		}
	})
}

// TestDecodeCutAnywhere checks that a truncated response never appears
// complete, and that its deltas are a prefix of the complete ones.
func TestDecodeCutAnywhere(t *testing.T) {
	if testing.Short() {
		t.Skip("slow: make test runs it")
	}
	eachDialect(t, func(t *testing.T, d dialect) {
		for name, want := range d.answers() {
			body := d.recording(t, name)
			if want.Kind != "" {
				continue
			}
			whole := d.answer(bytes.NewReader(body))
			for at := 0; at < d.last(name, body); at += 7 * sampling.Step() {
				got := d.answer(bytes.NewReader(body[:at]))
				if got.Err == nil {
					t.Fatalf("%s cut at %d passes for complete", name, at)
				}
				if n := len(got.Deltas); n > len(whole.Deltas) || n > 0 && !reflect.DeepEqual(got.Deltas, whole.Deltas[:n]) {
					t.Fatalf("%s cut at %d has deltas that the complete answer has not", name, at)
				}
				if slices.ContainsFunc(d.cut(got.Messages), func(m llm.Message) bool { return m.Kind == llm.ToolCall && !m.Cut }) {
					t.Fatalf("%s cut at %d holds a call that passes for complete", name, at)
				}
			}
		}
	})
}

func TestDecodeRejectsHugeEvents(t *testing.T) {
	eachDialect(t, func(t *testing.T, d dialect) {
		for name, body := range map[string]io.Reader{
			"one line":   endless(`data: {"choices":[{"delta":{"content":"`, "aaaaaaaaaaaaaaaa"),
			"many lines": endless("", "data: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n"),
			"JSON":       endless(`{"choices":`, "aaaaaaaaaaaaaaaaaaaaaaaaa"),
		} {
			if got := d.answer(body); got.Err == nil || got.Err.Kind != llm.ErrProtocol || got.Err.Message != "the response contains an event of more than 8 MiB" {
				t.Errorf("%s: got %v", name, got.Err)
			}
		}
	})
}

// endless returns a body of head and then s forever.
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

// FuzzDecode decodes a body in every dialect, in one read and in many.
func FuzzDecode(f *testing.F) {
	for _, d := range dialects() {
		for name := range d.answers() {
			f.Add(d.recording(f, name))
		}
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, d := range dialects() {
			whole, pieces := d.answer(bytes.NewReader(body)), d.answer(wiretest.Dribble(body))
			if !reflect.DeepEqual(whole.Deltas, pieces.Deltas) {
				t.Errorf("%s: whole, in pieces:\n%s", d.name, cmp.Diff(whole.Deltas, pieces.Deltas))
			}
			if (whole.Err == nil) != (pieces.Err == nil) {
				t.Errorf("%s: whole %v, in pieces %v", d.name, whole.Err, pieces.Err)
			}
			if whole.Err == nil && whole.Finish.Reason == "" {
				t.Errorf("%s: neither an error nor a finish", d.name)
			}
			if whole.Err != nil && (whole.Err.Kind == "" || whole.Err.Message == "") {
				t.Errorf("%s: an empty error: %#v", d.name, whole.Err)
			}
			if req, err := d.request(llm.Request{Messages: whole.Messages}); err != nil || !json.Valid(req) {
				t.Errorf("%s: sent again it is %s, %v", d.name, req, err)
			}
		}
	})
}
