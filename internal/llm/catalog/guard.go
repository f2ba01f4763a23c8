package catalog

import (
	"fmt"
	"net/url"
	"strings"

	"agent/internal/llm/wire"
)

// Confirm is a question that the user must approve before a model gets the first
// request.
type Confirm struct {
	Question string
	Why      string
	Remedy   string // how the program is started so that nothing is asked
}

// guarded gives c a question if nothing says where its model was used before and
// its provider is not known to have it: it may have been at a base URL that the
// log of the session does not have.
func (in Input) guarded(c Choice) Choice {
	r := c.Provider
	if in.LastURL != "" || in.LastOwn || c.from != "" || r.Local || r.BaseURL == "" || in.Changes.serves(r, c.Model) {
		return c
	}
	session, host := "this session", hostOf(c.BaseURL)
	if !in.Continued {
		session = "the last session in this directory"
	}
	c.Confirm = &Confirm{
		Question: "Send the conversation to " + host + "?",
		Why:      fmt.Sprintf("%s has no recorded base URL, and %s is not known to have a model %q", session, r.Name, c.Model),
		Remedy:   fmt.Sprintf("start with --base-url URL if it is a server of your own, or with --model %s to use %s", c.ID(), host),
	}
	return c
}

// serves reports whether the provider of row is known to have the model.
func (c Changes) serves(row Row, model string) bool {
	if _, configured := c.Models[row.Name+"/"+model]; configured || model == row.Default {
		return true
	}
	if _, rest, ok := longest(table(), normal(row.Name)+"/"+normal(model)); ok && endsExactly(rest) {
		return true
	}
	if strings.Contains(model, "/") && row.Vendors == nil {
		return false
	}
	found, rest, ok := longest(table(), plain(model))
	return ok && endsExactly(rest) && row.charges(found.Maker, model)
}

// mayProve returns an error if the key of c would be sent to another machine over
// plain http, which the configuration does not allow.
func (in Input) mayProve(c *Choice) error {
	u, err := url.Parse(c.BaseURL)
	if err != nil || u.Scheme != "http" || loopback(c.BaseURL) {
		return nil
	}
	for _, host := range in.AllowHTTP {
		if strings.EqualFold(host, u.Host) || strings.EqualFold(host, u.Hostname()) {
			c.allowHTTP = true
			return nil
		}
	}
	secret := c.Key != "" || c.Login != nil || wire.SecretURL(u)
	for name := range c.Provider.Headers {
		secret = secret || wire.SecretHeader(name)
	}
	if !secret {
		return nil
	}
	return fmt.Errorf("the key of %s is not sent to %s over plain http: use https, or allow it in the configuration with \"allow_http\": [%q]", c.Provider.Name, u.Host, u.Hostname())
}

// hostOf returns the host and port of a base URL.
func hostOf(base string) string {
	u, err := url.Parse(base)
	if err != nil {
		return wire.Redacted(base)
	}
	return u.Host
}
