package openai

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"time"

	api "github.com/sashabaranov/go-openai"

	"agent/internal/llm"
)

// maxErrorBody bounds what is read of an answer that is no success.
const maxErrorBody = 64 << 10

// The causes for which a request is given up from here.
var (
	errHeaders = errors.New("no answer came")
	errIdle    = errors.New("nothing more came")
)

// newTransport returns the transport for the endpoint of opts. Proxies are
// those of the environment.
func newTransport(opts Options) *http.Transport {
	dial := opts.Dial
	if dial == nil {
		dial = (&net.Dialer{KeepAlive: 30 * time.Second}).DialContext
	}
	return &http.Transport{
		Proxy: http.ProxyFromEnvironment,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			ctx, cancel := context.WithTimeout(ctx, opts.Limits.Connect)
			defer cancel()
			return dial(ctx, network, address)
		},
		TLSHandshakeTimeout: opts.Limits.TLS,
		ForceAttemptHTTP2:   true,
		IdleConnTimeout:     90 * time.Second,
	}
}

// redirected is the error of a redirect that is not followed.
type redirected struct{ to string }

func (e *redirected) Error() string { return "it redirects to " + e.to }

// sameHost follows redirects within the host that was asked, as long as they
// keep the request what it is: a key must not go elsewhere.
func sameHost(req *http.Request, via []*http.Request) error {
	was := via[0]
	if req.URL.Host != was.URL.Host || req.URL.Scheme != was.URL.Scheme || req.Method != was.Method || len(via) > 5 {
		return &redirected{req.URL.Scheme + "://" + req.URL.Host + req.URL.Path}
	}
	return nil
}

// exchange is the HTTP client of one request, as the library sees it.
type exchange struct {
	p      *Provider
	body   []byte
	answer *watched
}

// hurry says that the answer is whole and only its end is waited for.
func (x *exchange) hurry() { x.answer.limit = min(x.answer.limit, x.p.opts.Limits.Tail) }

// Do sends the request with the exchange's own body. The answer is a stream
// that the library can read; everything else is an error.
func (x *exchange) Do(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(req.Context())
	req = req.WithContext(ctx)
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(x.body)), nil }
	req.Body, _ = req.GetBody()
	req.ContentLength = int64(len(x.body))
	for k, v := range x.p.opts.Headers {
		req.Header.Set(k, v)
	}
	limit := time.AfterFunc(x.p.opts.Limits.Headers, func() { cancel(errHeaders) })
	res, err := x.p.http.Do(req)
	limit.Stop()
	if err != nil {
		if cause := context.Cause(ctx); errors.Is(cause, errHeaders) {
			err = cause
		}
		cancel(nil)
		return nil, err
	}
	body := &watched{body: res.Body, ctx: ctx, cancel: cancel, limit: x.p.opts.Limits.Idle}
	if res.StatusCode != http.StatusOK {
		defer func() { _ = body.Close() }()
		return nil, x.refused(res, body)
	}
	x.answer = body
	res.Body = &framed{payloads: newPayloads(body), Closer: body}
	return res, nil
}

// refused returns the error of an answer that is no success.
func (x *exchange) refused(res *http.Response, body io.Reader) error {
	if res.StatusCode == http.StatusNoContent {
		return emptyAnswer()
	}
	// Where the body breaks off, the status says enough.
	b, _ := io.ReadAll(io.LimitReader(body, maxErrorBody))
	return answered(res.StatusCode, res.Header, b, time.Now())
}

// watched is a body that may not be silent for longer than limit.
type watched struct {
	body   io.ReadCloser
	ctx    context.Context
	cancel context.CancelCauseFunc
	limit  time.Duration
	timer  *time.Timer
}

func (w *watched) Read(b []byte) (int, error) {
	if w.timer == nil {
		w.timer = time.AfterFunc(w.limit, func() { w.cancel(errIdle) })
	} else {
		w.timer.Reset(w.limit)
	}
	n, err := w.body.Read(b)
	w.timer.Stop()
	if err != nil && !errors.Is(err, io.EOF) && errors.Is(context.Cause(w.ctx), errIdle) {
		err = errIdle
	}
	return n, err
}

// Close ends the connection unless the answer was read to its end.
func (w *watched) Close() error {
	if w.timer != nil {
		w.timer.Stop()
	}
	err := w.body.Close()
	w.cancel(nil)
	return err
}

// framed hands payloads to the library in the only form that it reads without
// loss: a line an event, an end that is told, and failures as read errors.
type framed struct {
	payloads *payloads
	io.Closer
	left []byte
	err  error
}

func (f *framed) Read(b []byte) (int, error) {
	if len(f.left) == 0 {
		if f.err != nil {
			return 0, f.err
		}
		data, err := f.payloads.next()
		switch {
		case err == nil:
			f.left = append(f.left[:0], "data: "...)
			// The library takes an event that begins just so for an error and
			// swallows it.
			if rest, ok := bytes.CutPrefix(data, []byte(`{"error":`)); ok {
				f.left, data = append(f.left, `{ "error":`...), rest
			}
			f.left = append(append(f.left, data...), '\n')
		case errors.Is(err, io.EOF):
			f.left, f.err = append(f.left[:0], "data: [DONE]\n"...), err
		default:
			f.err = err
			return 0, err
		}
	}
	n := copy(b, f.left)
	f.left = f.left[n:]
	return n, nil
}

var (
	_ api.HTTPDoer = (*exchange)(nil)
	_ llm.Provider = (*Provider)(nil)
)
