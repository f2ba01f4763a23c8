package wire

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync/atomic"
	"time"

	"agent/internal/llm"
)

// maxErrorBody bounds what is read of an answer that is no success.
const maxErrorBody = 64 << 10

// Exchange is one request and its answer. It is not safe for concurrent use.
type Exchange struct {
	c       *Client
	ctx     context.Context
	model   string // for hints
	secrets []string
	answer  *watched
}

// Exchange returns an exchange that ends with ctx. The model is told in hints
// alone.
func (c *Client) Exchange(ctx context.Context, model string) *Exchange {
	return &Exchange{c: c, ctx: ctx, model: model}
}

// Post sends body to path, which begins with a slash, and returns the payloads of
// a successful answer.
func (x *Exchange) Post(path string, body []byte) (*Payloads, error) {
	req, err := http.NewRequestWithContext(x.ctx, http.MethodPost, x.c.URL(path), bytes.NewReader(body))
	if err != nil {
		return nil, &llm.Error{Kind: llm.ErrInvalid, Message: "the base URL " + x.c.shown() + " cannot be used"}
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "text/event-stream")
	res, err := x.Do(req)
	if err != nil {
		return nil, err
	}
	return NewPayloads(res.Body), nil
}

// Do sends req and returns a successful answer, whose Body fails when it is
// silent for too long; any other answer is an error.
func (x *Exchange) Do(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(req.Context())
	req = req.WithContext(context.WithValue(ctx, asker{}, ctx))
	if err := x.prepare(req); err != nil {
		cancel(nil)
		return nil, err
	}
	limit := x.c.at.Clock.AfterFunc(x.c.at.Limits.Headers, func() { cancel(errHeaders) })
	res, err := x.c.send(req)
	limit.Stop()
	if err != nil {
		if cause := context.Cause(ctx); errors.Is(cause, errHeaders) {
			err = cause
		}
		cancel(nil)
		return nil, err
	}
	body := &watched{body: res.Body, ctx: ctx, cancel: cancel, clock: x.c.at.Clock, limit: x.c.at.Limits.Idle, left: x.c.at.Limits.Bytes}
	if err := x.refused(res, body); err != nil {
		_ = body.Close()
		return nil, err
	}
	x.answer, res.Body = body, body
	return res, nil
}

// send sends req. If a connection of an earlier request was reused and fails
// before a byte of the answer arrives, send sends req once more on a new
// connection: servers close idle connections at any moment. The transport does
// this itself only for requests without effects.
func (c *Client) send(req *http.Request) (*http.Response, error) {
	var stale atomic.Bool // the connection was reused and nothing arrived on it
	first := req.WithContext(httptrace.WithClientTrace(req.Context(), &httptrace.ClientTrace{
		GotConn:              func(conn httptrace.GotConnInfo) { stale.Store(conn.Reused) },
		GotFirstResponseByte: func() { stale.Store(false) },
	}))
	res, err := c.http.Do(first)
	if err == nil || !stale.Load() || req.Context().Err() != nil || req.GetBody == nil {
		return res, err
	}
	c.http.CloseIdleConnections() // they are probably closed too
	again := req.Clone(req.Context())
	if again.Body, err = req.GetBody(); err != nil {
		return nil, err
	}
	return c.http.Do(again)
}

// prepare gives req the endpoint's headers.
func (x *Exchange) prepare(req *http.Request) error {
	proven := false
	if x.c.at.Authorize != nil {
		proof := http.Header{}
		if err := x.c.at.Authorize(req.Context(), proof); err != nil {
			return unauthorized(err)
		}
		for k, v := range proof {
			req.Header[k] = v
			x.hide(v)
		}
		proven = len(proof) > 0
	}
	if err := x.c.mayProve(req, proven); err != nil {
		return err
	}
	for k, v := range x.c.at.Headers {
		req.Header.Set(k, v)
	}
	return nil
}

// hide makes secrets of the values of a header: of "Bearer x" the x as well.
func (x *Exchange) hide(values []string) {
	for _, v := range values {
		if _, token, ok := strings.Cut(v, " "); ok && token != "" {
			x.secrets = append(x.secrets, token)
		}
		if v != "" {
			x.secrets = append(x.secrets, v)
		}
	}
}

func unauthorized(err error) error {
	if e, ok := errors.AsType[*llm.Error](err); ok {
		return e
	}
	return &llm.Error{Kind: llm.ErrKey, Message: "there is no key to send: " + err.Error(), Err: err}
}

// refused returns the error of an answer that is no success, nil for one.
func (x *Exchange) refused(res *http.Response, body io.Reader) error {
	switch coding := res.Header.Get("Content-Encoding"); {
	case res.StatusCode == http.StatusNoContent:
		return EmptyAnswer()
	case res.StatusCode != http.StatusOK:
		// Where the body breaks off, the status says enough.
		b, _ := io.ReadAll(io.LimitReader(body, maxErrorBody))
		return Answered(res.StatusCode, res.Header, b, x.c.at.Clock.Now())
	case coding != "" && coding != "identity":
		return &llm.Error{Kind: llm.ErrProtocol, Message: fmt.Sprintf("the answer is compressed with %q, which was not asked for", coding)}
	}
	return nil
}

// hurry says that the answer is whole and only its end is waited for.
func (x *Exchange) hurry() {
	if x.answer != nil {
		x.answer.limit = min(x.answer.limit, x.c.at.Limits.Tail)
	}
}

// drain reads what is left after the end of an answer, for a tenth of a second at
// most, so that the connection can be used again.
func (x *Exchange) drain() {
	if x.answer != nil {
		x.hurry()
		x.answer.limit = min(x.answer.limit, time.Second/10)
		_, _ = io.CopyN(io.Discard, x.answer, maxErrorBody)
	}
}

// Close ends the exchange. Its connection is kept if the answer was read to its
// end.
func (x *Exchange) Close() error {
	if x.answer == nil {
		return nil
	}
	return x.answer.Close()
}
