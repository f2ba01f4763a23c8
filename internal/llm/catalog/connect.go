package catalog

import (
	"fmt"
	"time"

	"agent/internal/llm"
	"agent/internal/llm/anthropic"
	"agent/internal/llm/openai"
	"agent/internal/llm/responses"
	"agent/internal/llm/wire"
)

// patience is how long a server on this machine may read a prompt before it
// answers at all.
const patience = 10 * time.Minute

// Connect returns the provider that the choice names. It reaches nothing yet.
// The guide is no provider of this package: see Offline.
func (c Choice) Connect() (llm.Provider, error) {
	at := wire.Endpoint{
		Name:      c.Provider.Name,
		Base:      c.BaseURL,
		KeyName:   c.KeyName,
		Local:     c.Provider.Local,
		AllowHTTP: c.allowHTTP,
		Headers:   c.Provider.Headers,
		Authorize: c.authorize(),
	}
	if c.Provider.Local || c.BaseURL != c.Provider.BaseURL {
		at.Limits.Headers = patience
	}
	switch c.Dialect() {
	case OpenAI:
		return openai.New(openai.Options{Endpoint: at, Path: c.Provider.Path, Quirks: c.Provider.Quirks}), nil
	case Anthropic:
		return anthropic.New(anthropic.Options{Endpoint: at, MaxTokens: c.Info.Output}), nil
	case Responses:
		plain := c.Info.Exact && c.Info.Effort != nil && len(c.Info.Effort) == 0
		return responses.New(responses.Options{Endpoint: at, Quirks: responses.Quirks{Plain: plain}}), nil
	}
	return nil, fmt.Errorf("%s is not reached over a dialect that is built", c.Provider.Name)
}

// Dialect returns the wire format that the model is spoken to in: the
// provider's, unless the provider speaks several of OpenAI's and the model is
// known to need another.
func (c Choice) Dialect() Dialect {
	if c.Info.Dialect != "" && c.Provider.Several {
		return c.Info.Dialect
	}
	return c.Provider.Dialect
}

// authorize returns what proves who asks.
func (c Choice) authorize() wire.Authorize {
	switch {
	case c.Login != nil:
		return newTokens(c).authorize
	case c.Provider.KeyHeader != "":
		return wire.KeyHeader(c.Provider.KeyHeader, c.Key.Reveal())
	}
	return wire.Bearer(c.Key.Reveal())
}
