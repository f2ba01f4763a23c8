package catalog

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"agent/internal/llm/wire"
)

// listTime limits how long a provider may take to list its models.
const listTime = 3 * time.Second

// List queries a provider for its models, if it has the common list API.
func (in Input) List(ctx context.Context, s ProviderStatus) ([]Served, error) {
	if s.Row.Path != "" {
		return nil, fmt.Errorf("%s cannot list its models", s.Row.Name)
	}
	c, err := in.choice(s.Row, "any")
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, listTime)
	defer cancel()
	headers := http.Header{"Anthropic-Version": {"2023-06-01"}} // ignored by other providers
	for k, v := range s.Row.Headers {
		headers.Set(k, v)
	}
	if authorize := c.authorize(); authorize != nil {
		if err := authorize(ctx, headers); err != nil {
			return nil, err
		}
	}
	p := prober{headers: headers, http: oneRequest(http.ProxyFromEnvironment)}
	base := c.BaseURL
	if u, err := url.Parse(base); err == nil && u.Path == "" {
		base = wire.Join(base, "/v1")
	}
	models, err := p.common(ctx, base)
	if err != nil {
		return nil, fmt.Errorf("list the models of %s: %w", s.Row.Name, err)
	}
	return models, nil
}
