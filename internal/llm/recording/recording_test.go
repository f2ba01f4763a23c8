package recording

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// served is a transport that answers each request with the next body.
type served struct {
	t      *testing.T
	bodies []io.Reader
}

func (s *served) RoundTrip(req *http.Request) (*http.Response, error) {
	if len(s.bodies) == 0 {
		return nil, errors.New("connection refused for sk-secret-key")
	}
	body := s.bodies[0]
	s.bodies = s.bodies[1:]
	res := newResponse(req, 200, io.NopCloser(body))
	res.Header.Set("Content-Type", "text/event-stream")
	res.Header.Set("Set-Cookie", "session=cookie-of-the-server")
	return res, nil
}

// exchange sends body and returns the answer, or the error.
func exchange(t *testing.T, transport http.RoundTripper, body string) string {
	t.Helper()
	req, err := http.NewRequest(http.MethodPost, "https://user:password1@example.org/v1/chat?api-key=in-the-query", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer sk-secret-key")
	req.Header.Set("X-Team", "team-token")
	req.Header.Set("Cookie", "a=cookie-of-the-user")
	res, err := transport.RoundTrip(req)
	if err != nil {
		return "error: " + err.Error()
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		return string(b) + " error: " + err.Error()
	}
	return string(b)
}

// record records the exchanges of bodies and returns the path and the answers.
func record(t *testing.T, bodies []string, answers ...io.Reader) (path string, got []string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "recording.jsonl")
	r, err := Create(path, "test", func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	r.Add(Model{Name: "openai/m", Dialect: "openai"})
	r.Add(Model{Name: "openai/m", Dialect: "openai"})
	transport := r.Wrap(&served{t, answers})
	for _, b := range bodies {
		got = append(got, exchange(t, transport, b))
	}
	return path, got
}

func play(t *testing.T, path string) (*Player, *[]string) {
	t.Helper()
	p, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	p.Report(func(text string) { said = append(said, text) })
	return p, &said
}

// A recording has no secrets, also if the server repeats them, and plays the same bytes.
func TestRecordingHasNoSecrets(t *testing.T) {
	t.Parallel()
	body := `{"messages":[{"role":"user","content":"my key is sk-secret-key"}]}`
	path, got := record(t, []string{body, body, body, body},
		strings.NewReader("data: answer \u00e9\n\n"),
		iotest.OneByteReader(strings.NewReader("bad key sk-secret-key of team-token")),
		io.MultiReader(strings.NewReader("half\xc3"), iotest.ErrReader(errors.New("cut off"))))
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"sk-secret-key", "team-token", "password1", "in-the-query", "cookie-of"} {
		if strings.Contains(string(text), secret) {
			t.Errorf("the recording has the secret %s:\n%s", secret, text)
		}
	}
	if n := strings.Count(string(text), `"model":"openai/m"`); n != 1 {
		t.Errorf("the model is recorded %d times", n)
	}
	p, said := play(t, path)
	var replayed []string
	for range got {
		replayed = append(replayed, exchange(t, p, body))
	}
	want := []string{got[0], "bad key [removed] of [removed]", got[2], "error: connection refused for [removed]"}
	if d := cmp.Diff(replayed, want); d != "" || len(*said) > 0 {
		t.Errorf("%v, got (-), want (+):\n%s", *said, d)
	}
	if more := exchange(t, p, body); !strings.Contains(more, "recording.jsonl has no response to request 5 (which ends with …{\"role\":\"user\",\"content\":\"my key is [removed): it has 4 responses") {
		t.Errorf("got %s", more)
	}
}

// Requests in another order get their own responses. A difference is reported once.
func TestReplayFindsTheResponseOfARequest(t *testing.T) {
	t.Parallel()
	request := func(system, prompt string) string {
		return `{"prompt_cache_key":"` + system + `","messages":[{"role":"system","content":"` + system + `"},{"role":"user","content":"` + prompt + `"}]}`
	}
	path, _ := record(t, []string{request("s", "one"), request("s", "two"), request("s", "three")},
		strings.NewReader("1"), strings.NewReader("2"), strings.NewReader("3"))
	p, said := play(t, path)
	got := []string{exchange(t, p, request("s", "two")), exchange(t, p, request("other", "three")), exchange(t, p, request("other", "four"))}
	if d := cmp.Diff(got, []string{"2", "3", "1"}); d != "" {
		t.Errorf("got (-), want (+):\n%s", d)
	}
	want := []string{
		`Replay: request 2 differs from the recording: messages[0].content was "s", is now "other"`,
		`Replay: request 3 differs from the recording: messages[1].content was "one", is now "four"`,
	}
	if d := cmp.Diff(*said, want); d != "" {
		t.Errorf("got (-), want (+):\n%s", d)
	}
}

// A hostile recording is an error, and a response of many small pieces is played.
func TestHostileRecordings(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, err := Open(dir); err == nil || !strings.HasSuffix(err.Error(), " is not a regular file") {
		t.Errorf("a directory: %v", err)
	}
	path := filepath.Join(dir, "large.jsonl")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 1<<30); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path); err == nil || !strings.HasSuffix(err.Error(), " is larger than 256 MiB: record a shorter session") {
		t.Errorf("a large file: %v", err)
	}
	const pieces = 1 << 16
	text := `{"recording":1}` + "\n" + `{"model":"openai/m"}` + "\n"
	for _, response := range []string{
		`{"status":200,"body":[` + strings.Repeat(`{},`, pieces) + `{"text":"end"}]}`,
		`{"status":200,"body":{"text":"x"}}`, `{"status":200,"body":"x","error":"short"}`, `{"status":200,"headers":"x"}`, `[]`, `null`,
	} {
		text += `{"request":{"json":{"messages":[` + strings.Repeat(`0,`, 1000) + `1]}},"response":` + response + "}\n"
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	p, _ := play(t, path)
	got := []string{exchange(t, p, "{}")}
	for range 5 {
		got = append(got, exchange(t, p, "{}"))
	}
	want := []string{
		"end", " error: the recording is damaged: ", " error: short",
		"error: the recording is damaged: the headers of a response are not usable",
		"error: the recording is damaged: json: cannot unmarshal array into Go value of type struct",
		"error: ",
	}
	for i, w := range want {
		if !strings.HasPrefix(got[i], w) {
			t.Errorf("response %d: %q, want %q", i, got[i], w)
		}
	}
}

// A secret is removed however a string of JSON escapes it, and from the path of an address.
func TestEscapedSecrets(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "recording.jsonl")
	r, err := Create(path, "test", func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	const address = "https://example.org/gateway/tok3nInThePath1234/v1/chat/completions"
	r.Add(Model{Name: "openai/m", BaseURL: strings.TrimSuffix(address, "/chat/completions") + "?x=y"})
	body := `{"a":"k\u0026ey/\"q\\z","b":"k&ey\/\"q\\z","c":"{\"d\":\"k\\u0026ey/\\\"q\\\\z\"}","e":"\u006b\u0026ey/\u0022q\\z","f":"tok3nInThePath1234","g":"k\u0026eZ","kept":"gateway ` + strings.Repeat(`\`, 1<<16) + `"}`
	req, err := http.NewRequest(http.MethodPost, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", `Bearer k&ey/"q\z`)
	b := recorded(t, r.Wrap(&served{t, []io.Reader{strings.NewReader(body)}}), req, path)
	text := string(b)
	const want = `{"a":"[removed]","b":"[removed]","c":"{\"d\":\"[removed]\"}","e":"[removed]","f":"[removed]","g":"k\u0026eZ","kept":"gateway `
	if !strings.Contains(text, want) {
		t.Errorf("the request is %.1000s", text)
	}
	quoted, _ := json.Marshal(want)
	if !strings.Contains(text, strings.ReplaceAll(strings.Trim(string(quoted), `"`), `\u0026`, "&")) && !strings.Contains(text, strings.Trim(string(quoted), `"`)) {
		t.Errorf("the response is %.3000s", text[strings.Index(text, `"response"`):])
	}
	if !strings.Contains(text, `"base_url":"https://example.org/***/***/v1?x=***"`) || !strings.Contains(text, `"url":"https://example.org/***/***/v1/chat/completions"`) {
		t.Errorf("the addresses are in %.1000s", text)
	}
}

func TestUnusableRecordings(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                    "has no model. Record it again with --record",
		"package main\n":      "line 1: this is not a recording of --record",
		"{}\n":                "line 1: this is not a recording of --record",
		`{"recording":2}`:     "line 1: a newer version of agent wrote this recording",
		"{\"recording\":1}\n": "has no model. Record it again with --record",
		"{\"recording\":1}\n{\"model\":\"openai/m\"}\n{\"requ": "line 3: the recording is damaged: unexpected end of JSON input",
	} {
		path := filepath.Join(t.TempDir(), "recording.jsonl")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(path); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
}

// leaky is a transport whose server repeats parts of what it got, and adds a token.
type leaky struct{}

func (leaky) RoundTrip(req *http.Request) (*http.Response, error) {
	res := newResponse(req, 302, io.NopCloser(strings.NewReader("cookie-two, the-password, in the-location")))
	res.Header.Set("Location", "https://example.org/next?token=fresh-token")
	return res, nil
}

// The parts of cookies and of basic authorization are secrets too, and so are the queries
// of redirects.
func TestPartsOfSecrets(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "recording.jsonl")
	r, err := Create(path, "test", func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequest(http.MethodPost, "https://example.org", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Cookie", "one=cookie-one; two=cookie-two")
	req.SetBasicAuth("user", "the-password")
	b := recorded(t, r.Wrap(leaky{}), req, path)
	for _, secret := range []string{"cookie-two", "the-password", "fresh-token"} {
		if strings.Contains(string(b), secret) {
			t.Errorf("the recording has %s:\n%s", secret, b)
		}
	}
}

// recorded sends a request, reads the response to its end, and returns the recording.
func recorded(t *testing.T, through http.RoundTripper, req *http.Request, path string) []byte {
	t.Helper()
	res, err := through.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.ReadAll(res.Body)
	_ = res.Body.Close()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
