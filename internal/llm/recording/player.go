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
	maxFile = 1 << 30     // bytes
	maxWait = time.Second // the longest pause that is played
)

// Player answers requests from a recording. It is safe for concurrent use.
type Player struct {
	path   string
	models []Model

	mu       sync.Mutex
	left     []*Exchange     // not played yet, in their order
	recorded int             // the number of responses
	played   int             // how many requests there were
	reported map[string]bool // differences that the user knows
	report   func(string)    // gets messages for the user; may be nil
}

// Open reads a recording.
func Open(path string) (*Player, error) {
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
			return nil, fmt.Errorf("%s is larger than 1 GiB", path)
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

// add adds the n-th line.
func (p *Player) add(n int, line []byte) error {
	var any struct {
		Header
		Model
		Request  *Request
		Response Response
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
	case any.Request != nil:
		p.left = append(p.left, &Exchange{*any.Request, any.Response})
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
		return nil, p.over(now)
	}
	if err := wait(req.Context(), x.Response.After); err != nil {
		return nil, err
	}
	if x.Response.Status == 0 {
		return nil, errors.New(x.Response.Error)
	}
	res := newResponse(req, x.Response.Status, &playedBody{ctx: req.Context(), left: x.Response.Body, failure: x.Response.Error})
	for name, v := range x.Response.Headers {
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

// over is the error of a request for which the recording has no response left.
func (p *Player) over(now Request) error {
	p.mu.Lock()
	p.played++
	n, has := p.played, p.recorded
	p.mu.Unlock()
	which := fmt.Sprintf("request %d", n)
	if last := lastMessage(now); last != "" {
		which += " (its last message: " + excerpt(json.RawMessage(last), 0) + ")"
	}
	return &llm.Error{
		Kind: llm.ErrInvalid, Provider: "replay", Message: fmt.Sprintf("%s has no response to %s: it has %s", p.path, which, phrase.Count(has, "response")),
		Hint: "The conversation has gone on beyond the recorded one. To record it again: --record FILE.",
	}
}

// next returns the exchange of a request and removes it from those left: the first one
// with the same body, else with the same last message, else the first one. It reports
// differences. It returns nil if none is left.
func (p *Player) next(req *http.Request, now Request) *Exchange {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.left) == 0 {
		return nil
	}
	at := 0
	best := 0
	for i, x := range p.left {
		if quality := similar(x.Request, now); quality > best {
			at, best = i, quality
		}
	}
	x := p.left[at]
	p.left = append(p.left[:at:at], p.left[at+1:]...)
	p.played++
	if best < identical {
		p.compare(req, x.Request, now)
	}
	return x
}

// The values of similar.
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

// lastMessage returns the last message of a request; empty if it has none.
func lastMessage(r Request) string {
	var body struct {
		Messages []json.RawMessage `json:"messages"`
		Input    []json.RawMessage `json:"input"`
	}
	_ = json.Unmarshal(r.JSON, &body) // the input may be something else
	all := append(body.Messages, body.Input...)
	if len(all) == 0 {
		return ""
	}
	return string(all[len(all)-1])
}

// cacheKey is a field of requests that is different in each session.
const cacheKey = "prompt_cache_key"

// compare reports differences between a recorded request and the present one, each once.
func (p *Player) compare(req *http.Request, was, now Request) {
	var all []difference
	var a, b any
	if json.Unmarshal(was.JSON, &a) == nil && json.Unmarshal(now.JSON, &b) == nil {
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
	left    []Piece
	rest    []byte // of the piece that is being read
	failure string // why the body is incomplete; empty if it is not
}

func (b *playedBody) Read(p []byte) (int, error) {
	if len(b.rest) == 0 {
		if len(b.left) == 0 {
			if b.failure != "" {
				return 0, errors.New(b.failure)
			}
			return 0, io.EOF
		}
		if err := wait(b.ctx, b.left[0].Wait); err != nil {
			return 0, err
		}
		b.rest, b.left = b.left[0].bytes(), b.left[1:]
	}
	n := copy(p, b.rest)
	b.rest = b.rest[n:]
	return n, nil
}

func (b *playedBody) Close() error { return nil }
