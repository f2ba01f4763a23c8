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

// maxErrorBody limits the body read of an error response, in bytes.
const maxErrorBody = 64 << 10

// Exchange is one request and its response. It is not safe for concurrent use.
type Exchange struct {
	c       *Client
	ctx     context.Context
	model   string // named in hints
	secrets []string
	answer  *limitedBody
	pace    *pacedBody // of answer
}

// Exchange returns an exchange that ends with ctx. model is only used in hints.
func (c *Client) Exchange(ctx context.Context, model string) *Exchange {
	return &Exchange{c: c, ctx: ctx, model: model}
}

// Post sends body to path, which begins with a slash, and returns the payloads
// of the response. Any status but 200 is an error.
func (x *Exchange) Post(path string, body []byte) (*Payloads, error) {
	req, err := http.NewRequestWithContext(x.ctx, http.MethodPost, x.c.URL(path), bytes.NewReader(body))
	if err != nil {
		return nil, &llm.Error{Kind: llm.ErrInvalid, Message: "the base URL " + x.c.displayURL() + " is invalid"}
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "text/event-stream")
	res, err := x.Do(req)
	if err != nil {
		return nil, err
	}
	return NewPayloads(res.Body), nil
}

// Do sends req and returns the response; any status but 200 is an error.
// Reading the Body fails if no data arrives for too long.
func (x *Exchange) Do(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(req.Context())
	req = req.WithContext(context.WithValue(ctx, requestKey{}, ctx))
	if err := x.prepare(req); err != nil {
		cancel(nil)
		return nil, err
	}
	limit := x.c.at.Clock.AfterFunc(x.c.at.Limits.Headers, func() { cancel(errHeaders) })
	res, err := x.c.send(req)
	if err == nil && res.StatusCode == http.StatusUnauthorized {
		res, err = x.renewed(req, res)
	}
	limit.Stop()
	if err != nil {
		if cause := context.Cause(ctx); errors.Is(cause, errHeaders) {
			err = cause
		}
		cancel(nil)
		return nil, err
	}
	pace := &pacedBody{ReadCloser: res.Body, ctx: ctx, clock: x.c.at.Clock, records: res.TLS != nil && res.ProtoMajor == 1}
	body := &limitedBody{body: pace, ctx: ctx, cancel: cancel, clock: x.c.at.Clock, limit: x.c.at.Limits.Idle, left: x.c.at.Limits.Bytes}
	if err := x.checkResponse(res, body); err != nil {
		_ = body.Close()
		return nil, err
	}
	x.answer, x.pace, res.Body = body, pace, body
	return res, nil
}

// renewed sends req again with renewed credentials, if there are any, after the response res
// has rejected the first ones.
func (x *Exchange) renewed(req *http.Request, res *http.Response) (*http.Response, error) {
	if x.c.at.Renew == nil || req.Body != nil && req.GetBody == nil || x.c.at.Renew(req.Context()) != nil {
		return res, nil
	}
	again := req.Clone(req.Context())
	if req.GetBody != nil {
		body, err := req.GetBody()
		if err != nil {
			return res, nil
		}
		again.Body = body
	}
	if err := x.prepare(again); err != nil {
		return res, nil
	}
	_ = res.Body.Close()
	return x.c.send(again)
}

// send sends req. If a reused connection fails before any byte of the response
// arrives, it sends req once more on a new connection, because servers close
// idle connections at any time. The transport itself retries only requests
// without side effects.
func (c *Client) send(req *http.Request) (*http.Response, error) {
	var stale atomic.Bool // a reused connection that has received nothing
	first := req.WithContext(httptrace.WithClientTrace(req.Context(), &httptrace.ClientTrace{
		GotConn:              func(conn httptrace.GotConnInfo) { stale.Store(conn.Reused) },
		GotFirstResponseByte: func() { stale.Store(false) },
	}))
	res, err := c.http.Do(first)
	if err == nil || !stale.Load() || req.Context().Err() != nil || req.GetBody == nil {
		return res, err
	}
	c.http.CloseIdleConnections() // they are probably closed as well
	again := req.Clone(req.Context())
	if again.Body, err = req.GetBody(); err != nil {
		return nil, err
	}
	return c.http.Do(again)
}

// prepare sets the headers of the endpoint and checks that keys are sent
// encrypted.
func (x *Exchange) prepare(req *http.Request) error {
	authorized := false
	if x.c.at.Authorize != nil {
		headers := http.Header{}
		if err := x.c.at.Authorize(req.Context(), headers); err != nil {
			return keyError(err)
		}
		for k, v := range headers {
			req.Header[k] = v
			x.addSecrets(v)
		}
		authorized = len(headers) > 0
	}
	if err := x.c.checkEncrypted(req, authorized); err != nil {
		return err
	}
	for k, v := range x.c.at.Headers {
		req.Header.Set(k, v)
	}
	return nil
}

// addSecrets remembers header values as secrets, and of "Bearer x" also the x.
func (x *Exchange) addSecrets(values []string) {
	for _, v := range values {
		if _, token, ok := strings.Cut(v, " "); ok && token != "" {
			x.secrets = append(x.secrets, token)
		}
		if v != "" {
			x.secrets = append(x.secrets, v)
		}
	}
}

func keyError(err error) error {
	if e, ok := errors.AsType[*llm.Error](err); ok {
		return e
	}
	return &llm.Error{Kind: llm.ErrKey, Message: "cannot get the API key: " + err.Error(), Err: err}
}

// checkResponse returns the error of a response that is not a usable 200.
func (x *Exchange) checkResponse(res *http.Response, body io.Reader) error {
	switch coding := res.Header.Get("Content-Encoding"); {
	case res.StatusCode == http.StatusNoContent:
		return EmptyAnswer()
	case res.StatusCode != http.StatusOK:
		// If the body breaks off, the status is enough.
		b, _ := io.ReadAll(io.LimitReader(body, maxErrorBody))
		return StatusError(res.StatusCode, res.Header, b, x.c.at.Clock.Now())
	case coding != "" && coding != "identity":
		return &llm.Error{Kind: llm.ErrProtocol, Message: fmt.Sprintf("the response is compressed with %q, which was not requested", coding)}
	}
	return nil
}

// hurry shortens the idle timeout and reads without a delay: the reply is complete
// and only the end of the body is missing.
func (x *Exchange) hurry() {
	if x.answer != nil {
		x.answer.limit = min(x.answer.limit, x.c.at.Limits.Tail)
		x.pace.hurry = true
	}
}

// drain reads the rest of the body, for at most a tenth of a second, so that
// the connection can be reused.
func (x *Exchange) drain() {
	if x.answer != nil {
		x.hurry()
		x.answer.limit = min(x.answer.limit, time.Second/10)
		_, _ = io.CopyN(io.Discard, x.answer, maxErrorBody)
	}
}

// Close ends the exchange. The connection is kept if the body was read to its
// end.
func (x *Exchange) Close() error {
	if x.answer == nil {
		return nil
	}
	return x.answer.Close()
}
