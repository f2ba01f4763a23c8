package openai

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	api "github.com/sashabaranov/go-openai"

	"agent/internal/llm/wire"
)

// doer is the HTTP client of one exchange, as the library sees it.
type doer struct {
	x   *wire.Exchange
	url string         // where the request goes, if not where the library sends it
	got *wire.Payloads // of the answer, once there is one
}

// Do sends the request with the exchange's own body. The answer is a stream
// that the library can read.
func (d *doer) Do(req *http.Request) (*http.Response, error) {
	if d.url != "" {
		to, err := url.Parse(d.url)
		if err != nil {
			return nil, fmt.Errorf("read the address of the model: %w", err)
		}
		req.URL = to
	}
	res, err := d.x.Do(req)
	if err != nil {
		return nil, err
	}
	d.got = wire.NewPayloads(res.Body)
	res.Body = &framed{payloads: d.got, Closer: res.Body}
	return res, nil
}

// framed hands payloads to the library in the only form that it reads without
// loss: a line an event, an end that is told, and failures as read errors.
type framed struct {
	payloads *wire.Payloads
	io.Closer
	left []byte
	err  error
}

func (f *framed) Read(b []byte) (int, error) {
	if len(f.left) == 0 {
		if f.err != nil {
			return 0, f.err
		}
		data, err := f.payloads.Next()
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

var _ api.HTTPDoer = (*doer)(nil)
