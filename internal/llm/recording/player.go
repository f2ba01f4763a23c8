package recording

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"agent/internal/llm"
	"agent/internal/llm/phrase"
)

// The limits of a recording.
const (
	maxFile      = 256 << 20   // bytes
	maxModels    = 1000        // models
	maxExchanges = 100_000     // requests
	maxHeaders   = 64 << 10    // bytes of the headers of a response
	maxCompared  = 8 << 20     // bytes of a request that is compared in detail
	maxWait      = time.Second // the longest pause that is played
)

// Player answers requests from a recording. It is safe for concurrent use.
type Player struct {
	path   string
	models []Model

	mu       sync.Mutex
	left     []unplayed      // not played yet, in their order
	recorded int             // the number of responses
	played   int             // how many requests there were
	reported map[string]bool // differences that the user knows
	report   func(string)    // gets messages for the user; may be nil
}

// unplayed is an exchange to play. The response stays encoded, as in the file, until then,
// because many small pieces need much more memory.
type unplayed struct {
	request  Request // without the headers
	response json.RawMessage
}

// Open reads a recording. The file must be regular, and have at most 256 MiB.
func Open(path string) (*Player, error) {
	info, err := os.Stat(path) // a pipe would block its opening
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file", path)
	case info.Size() > maxFile:
		return nil, errTooLarge(path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	p := &Player{path: path, reported: map[string]bool{}}
	in := bufio.NewReader(io.LimitReader(f, maxFile+1))
	size := 0
	for n := 1; ; n++ {
		line, err := in.ReadBytes('\n')
		if size += len(line); size > maxFile {
			return nil, errTooLarge(path)
		}
		if len(bytes.TrimSpace(line)) > 0 {
			if err := p.add(n, line); err != nil {
				return nil, fmt.Errorf("%s: line %d: %w", path, n, err)
			}
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", path, err)
		}
	}
	if len(p.models) == 0 {
		return nil, fmt.Errorf("%s has no model. Record it again with --record", path)
	}
	return p, nil
}

func errTooLarge(path string) error {
	return fmt.Errorf("%s is larger than %d MiB: record a shorter session", path, maxFile>>20)
}

// add adds the n-th line.
func (p *Player) add(n int, line []byte) error {
	var any struct {
		Header
		Model
		Request *struct {
			JSON json.RawMessage
			Text string
		}
		Response json.RawMessage
	}
	if err := json.Unmarshal(line, &any); err != nil {
		if n == 1 {
			return errors.New("this is not a recording of --record")
		}
		return fmt.Errorf("the recording is damaged: %w", err)
	}
	switch {
	case n == 1 && any.Recording == 0:
		return errors.New("this is not a recording of --record")
	case any.Recording > Format:
		return errors.New("a newer version of agent wrote this recording")
	case len(p.left) == maxExchanges, len(p.models) == maxModels:
		return fmt.Errorf("the recording has more than %d requests or %d models", maxExchanges, maxModels)
	case any.Request != nil:
		p.left = append(p.left, unplayed{Request{JSON: any.Request.JSON, Text: any.Request.Text}, any.Response})
		p.recorded++
	case any.Name != "":
		p.models = append(p.models, any.Model)
	}
	return nil
}

// Report sets the function that gets messages for the user. It must not block.
func (p *Player) Report(report func(string)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.report = report
}

// Model returns the recorded model called name, PROVIDER/NAME; the first one if name is
// empty.
func (p *Player) Model(name string) (Model, error) {
	for _, m := range p.models {
		if name == "" || m.Name == name {
			return m, nil
		}
	}
	return Model{}, fmt.Errorf("%s has no traffic with %s: it has %s", p.path, name, p.models[0].Name)
}

// RoundTrip implements http.RoundTripper. It plays the recorded response of the request.
func (p *Player) RoundTrip(req *http.Request) (*http.Response, error) {
	var body []byte
	if req.Body != nil {
		b, err := io.ReadAll(req.Body)
		_ = req.Body.Close()
		if err != nil {
			return nil, err
		}
		body = b
	}
	var now Request
	now.setBody(remove(string(body), secretsOf(req)))
	x := p.next(req, now)
	if x == nil {
		return nil, p.exhausted(now)
	}
	return x.play(req)
}

// play returns the response.
func (x *unplayed) play(req *http.Request) (*http.Response, error) {
	var r struct {
		Response
		Headers json.RawMessage `json:"headers"`
		Body    json.RawMessage `json:"body"`
	}
	if len(x.response) > 0 {
		if err := json.Unmarshal(x.response, &r); err != nil {
			return nil, fmt.Errorf("the recording is damaged: %w", err)
		}
	}
	headers := map[string]string{}
	if len(r.Headers) > maxHeaders || len(r.Headers) > 0 && json.Unmarshal(r.Headers, &headers) != nil {
		return nil, errors.New("the recording is damaged: the headers of a response are not usable")
	}
	if err := wait(req.Context(), r.After); err != nil {
		return nil, err
	}
	if r.Status == 0 {
		return nil, errors.New(r.Error)
	}
	res := newResponse(req, r.Status, &playedBody{ctx: req.Context(), left: json.NewDecoder(bytes.NewReader(r.Body)), failure: r.Error})
	for name, v := range headers {
		res.Header.Set(name, v)
	}
	return res, nil
}

func newResponse(req *http.Request, status int, body io.ReadCloser) *http.Response {
	return &http.Response{
		Status: fmt.Sprintf("%d %s", status, http.StatusText(status)), StatusCode: status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{}, Body: body, ContentLength: -1, Request: req,
	}
}

// exhausted is the error of a request for which the recording has no response left.
func (p *Player) exhausted(now Request) error {
	p.mu.Lock()
	p.played++
	n, has := p.played, p.recorded
	p.mu.Unlock()
	which := fmt.Sprintf("request %d", n)
	if last := lastMessage(now); last != "" {
		const most = 50 // bytes
		last = strings.TrimRight(last, `"}]`)
		which += " (which ends with …" + strings.ToValidUTF8(last[max(0, len(last)-most):], "") + ")"
	}
	return &llm.Error{
		Kind: llm.ErrInvalid, Provider: "replay", Message: fmt.Sprintf("%s has no response to %s: it has %s", p.path, which, phrase.Count(has, "response")),
		Hint: "The conversation is longer than the recorded one. To make a new recording: --record FILE.",
	}
}

// next returns the exchange of a request and removes it from those left: the first one
// with the same body, else with the same last message, else the first one. It reports
// differences. It returns nil if none is left.
func (p *Player) next(req *http.Request, now Request) *unplayed {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.left) == 0 {
		return nil
	}
	at := 0
	best := 0
	for i, x := range p.left {
		if quality := similar(x.request, now); quality > best {
			at, best = i, quality
		}
	}
	x := p.left[at]
	p.left = append(p.left[:at:at], p.left[at+1:]...)
	p.played++
	if best < identical {
		p.compare(x.request, now)
	}
	return &x
}

// The results of similar.
const (
	sameEnd   = 1 // the last message is the same
	identical = 2
)

// similar says how much two requests have in common.
func similar(a, b Request) int {
	switch {
	case bytes.Equal(a.JSON, b.JSON) && a.Text == b.Text:
		return identical
	case lastMessage(a) != "" && lastMessage(a) == lastMessage(b):
		return sameEnd
	}
	return 0
}

// lastMessage returns the last message of a request; empty if it has none. It keeps no other
// message in memory.
func lastMessage(r Request) string {
	d := json.NewDecoder(bytes.NewReader(r.JSON))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return ""
	}
	var last json.RawMessage
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return ""
		}
		var value json.RawMessage
		if name != "messages" && name != "input" {
			if d.Decode(&value) != nil {
				return ""
			}
			continue
		}
		if t, err := d.Token(); err != nil || t != json.Delim('[') {
			continue // input can be a text
		}
		for d.More() {
			if d.Decode(&last) != nil {
				return ""
			}
		}
		if _, err := d.Token(); err != nil {
			return ""
		}
	}
	return string(last)
}

// cacheKey is a field of requests that is different in each session.
const cacheKey = "prompt_cache_key"

// compare reports differences between a recorded request and the present one, each once.
func (p *Player) compare(was, now Request) {
	var all []difference
	var a, b any
	if len(was.JSON) > maxCompared || len(now.JSON) > maxCompared {
		all = []difference{{"the body", "too long to compare", "too long to compare"}}
	} else if json.Unmarshal(was.JSON, &a) == nil && json.Unmarshal(now.JSON, &b) == nil {
		all = slices.DeleteFunc(differences("", a, b, nil), func(d difference) bool { return d.at == cacheKey })
	} else if was.Text != now.Text {
		all = []difference{{"the body", was.Text, now.Text}}
	}
	const most = 5
	var lines []string
	for _, d := range all {
		if p.reported[d.at] {
			continue
		}
		p.reported[d.at] = true
		if lines = append(lines, d.String()); len(lines) == most {
			break
		}
	}
	if len(lines) == 0 || p.report == nil {
		return
	}
	p.report(fmt.Sprintf("Replay: request %d differs from the recording: %s", p.played, strings.Join(lines, "; ")))
}

// wait waits for a recorded time in milliseconds, but at most for maxWait.
func wait(ctx context.Context, ms int64) error {
	t := time.NewTimer(min(time.Duration(ms)*time.Millisecond, maxWait))
	defer t.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-t.C:
		return nil
	}
}

// playedBody is the body of a recorded response.
type playedBody struct {
	ctx     context.Context
	left    *json.Decoder // of the array of pieces
	begun   bool          // the beginning of the array was read
	rest    []byte        // of the piece that is being read
	failure string        // why the body is incomplete; empty if it is not
}

func (b *playedBody) Read(p []byte) (int, error) {
	if len(b.rest) == 0 {
		piece, err := b.next()
		if err == nil {
			err = wait(b.ctx, piece.Wait)
		}
		if err != nil {
			return 0, err
		}
		b.rest = piece.bytes()
	}
	n := copy(p, b.rest)
	b.rest = b.rest[n:]
	return n, nil
}

// next returns the next piece. At the end it returns io.EOF, or why the body is incomplete.
func (b *playedBody) next() (piece Piece, err error) {
	if !b.begun {
		b.begun = true
		_, _ = b.left.Token() // More is false if there is no array
	}
	switch {
	case b.left.More():
		if err := b.left.Decode(&piece); err != nil {
			return piece, fmt.Errorf("the recording is damaged: %w", err)
		}
		return piece, nil
	case b.failure != "":
		return piece, errors.New(b.failure)
	}
	return piece, io.EOF
}

func (b *playedBody) Close() error { return nil }
