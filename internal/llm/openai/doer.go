package openai

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/url"

	api "github.com/sashabaranov/go-openai"

	"agent/internal/llm"
	"agent/internal/llm/wire"
)

// doer is the HTTP client that the library uses for one exchange.
type doer struct {
	x       *wire.Exchange
	url     string   // URL of the request
	request *request // request given to the library
	got     *wire.Payloads
}

// Do completes the request of the library and sends it. The response is decoded
// in this package, because the library drops parts of it.
func (d *doer) Do(req *http.Request) (*http.Response, error) {
	to, err := url.Parse(d.url)
	if err != nil {
		return nil, fmt.Errorf("read the URL of the model: %s is not a URL", wire.Redacted(d.url))
	}
	body, err := io.ReadAll(req.Body)
	if err == nil {
		body, err = d.request.complete(body)
	}
	if err != nil {
		return nil, &llm.Error{Kind: llm.ErrInvalid, Message: err.Error(), Err: err}
	}
	req.URL, req.Host = to, to.Host
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	req.Body, req.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	res, err := d.x.Do(req)
	if err != nil {
		return nil, withHint(err)
	}
	d.got = wire.NewPayloads(res.Body)
	return res, nil
}

var _ api.HTTPDoer = (*doer)(nil)
