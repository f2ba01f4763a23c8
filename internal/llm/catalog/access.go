package catalog

import (
	"fmt"

	"agent/internal/llm/wire"
)

// Access returns the base URL of a provider and what authorizes requests to it, for other
// services at the same host. It may ask the vault, which can take a while. A base URL that
// was given for a model does not count.
func (in Input) Access(provider string) (base string, authorize wire.Authorize, err error) {
	r, ok := in.Changes.Find(provider)
	if !ok || r.Dialect == Builtin {
		return "", nil, fmt.Errorf("there is no provider %q", provider)
	}
	if in.BaseFor != provider {
		in.BaseURL = ""
	}
	in.Last, in.LastURL = "", ""
	c, err := in.choice(r, "any")
	if err != nil {
		return "", nil, err
	}
	return c.BaseURL, c.authorize(), nil
}
