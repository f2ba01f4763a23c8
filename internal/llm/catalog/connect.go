package catalog

import (
	"fmt"
	"time"

	"agent/internal/llm"
	"agent/internal/llm/openai"
	"agent/internal/llm/wire"
)

// patience is how long a server on this machine may read a prompt before it
// answers at all.
const patience = 10 * time.Minute

// Connect returns the provider that the choice names. It reaches nothing yet.
// The guide is no provider of this package: see Offline.
func (c Choice) Connect() (llm.Provider, error) {
	if c.Provider.Dialect != OpenAI {
		return nil, fmt.Errorf("%s is not reached over a dialect that is built", c.Provider.Name)
	}
	at := wire.Endpoint{
		Name:      c.Provider.Name,
		Base:      c.BaseURL,
		KeyName:   c.KeyName,
		Local:     c.Provider.Local,
		Headers:   c.Provider.Headers,
		Authorize: wire.Bearer(c.Key.Reveal()),
	}
	if c.Provider.Local || c.BaseURL != c.Provider.BaseURL {
		at.Limits.Headers = patience
	}
	return openai.New(openai.Options{Endpoint: at, Quirks: c.Provider.Quirks}), nil
}
