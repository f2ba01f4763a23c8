package openai

import (
	"fmt"
	"net/http"
	"net/url"

	api "github.com/sashabaranov/go-openai"

	"agent/internal/llm/wire"
)

// doer is the HTTP client of one exchange, as the library sees it.
type doer struct {
	x   *wire.Exchange
	url string         // where the request goes
	got *wire.Payloads // of the answer, once there is one
}

// Do sends the request with the exchange's own body. The answer is read here and
// not by the library, which would lose a part of it.
func (d *doer) Do(req *http.Request) (*http.Response, error) {
	to, err := url.Parse(d.url)
	if err != nil {
		return nil, fmt.Errorf("read the address of the model: %s is not a URL", wire.Redacted(d.url))
	}
	req.URL, req.Host = to, to.Host
	res, err := d.x.Do(req)
	if err != nil {
		return nil, err
	}
	d.got = wire.NewPayloads(res.Body)
	return res, nil
}

var _ api.HTTPDoer = (*doer)(nil)
