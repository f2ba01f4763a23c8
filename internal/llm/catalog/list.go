package catalog

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"agent/internal/llm/wire"
)

// listTime limits how long a provider may take to list its models.
const listTime = 3 * time.Second

// Lists reports whether a provider has a list API.
func (in Input) Lists(s ProviderStatus) bool {
	return s.Row.Path == "" || s.Row.Listing == DatabricksListing
}

// List queries a provider for its models, if it has a list API.
func (in Input) List(ctx context.Context, s ProviderStatus) ([]Served, error) {
	if !in.Lists(s) {
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
	models, err := p.listOf(ctx, c)
	if err != nil {
		return nil, fmt.Errorf("list the models of %s: %w", s.Row.Name, err)
	}
	return models, nil
}

// listOf queries the provider of c for its models.
func (p prober) listOf(ctx context.Context, c Choice) ([]Served, error) {
	base := c.BaseURL
	switch c.Provider.Listing {
	case DatabricksListing:
		return p.databricks(ctx, base)
	case GitHubListing:
		address, query := wire.CutQuery(base)
		return p.common(ctx, wire.Join(strings.TrimSuffix(address, "/inference")+query, "/catalog"))
	}
	if u, err := url.Parse(base); err == nil && u.Path == "" {
		base = wire.Join(base, "/v1")
	}
	return p.common(ctx, base)
}

// databricks queries Databricks for its serving endpoints for conversations.
func (p prober) databricks(ctx context.Context, base string) ([]Served, error) {
	var l struct {
		Endpoints []struct {
			Name string `json:"name"`
			Task string `json:"task"`
		} `json:"endpoints"`
	}
	if err := p.get(ctx, wire.Join(base, "/api/2.0/serving-endpoints"), &l); err != nil {
		return nil, err
	}
	var models []Served
	for _, e := range l.Endpoints {
		if e.Task == "" || strings.HasSuffix(e.Task, "/chat") {
			models = append(models, Served{Name: e.Name})
		}
	}
	return models, nil
}
