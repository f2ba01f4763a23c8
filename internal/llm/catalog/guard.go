package catalog

import (
	"fmt"
	"net/url"
	"strings"

	"agent/internal/llm/wire"
)

// Confirm is a question that the user must approve before the first request to
// a model.
type Confirm struct {
	Question string
	Why      string
	Remedy   string // options to start the program without the question
}

// withConfirm adds a question to c if the log has no base URL for its model and
// its provider is not known to serve it: the model may have been served at
// another base URL.
func (in Input) withConfirm(c Choice) Choice {
	r := c.Provider
	if in.LastURL != "" || in.LastOwn || c.urlSource != "" || r.Local || r.BaseURL == "" || in.Changes.serves(r, c.Model) {
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

// serves reports whether the provider is known to serve the model.
func (c Changes) serves(row Row, model string) bool {
	if _, configured := c.Models[row.Name+"/"+model]; configured || model == row.Models.Default {
		return true
	}
	if _, rest, ok := lookupPrefix(table(), normalize(row.Name)+"/"+normalize(model)); ok && endsExactly(rest) {
		return true
	}
	if strings.Contains(model, "/") && row.Models.Vendors == nil {
		return false
	}
	found, rest, ok := lookupPrefix(table(), baseName(model))
	return ok && endsExactly(rest) && row.hasPricesOf(found.Maker, model)
}

// checkEncrypted returns an error if the key of c would be sent to another
// machine over plain HTTP without permission in the configuration.
func (in Input) checkEncrypted(c *Choice) error {
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
	return fmt.Errorf("the API key of %s is not sent to %s over plain HTTP: use https, or set \"allow_http\": [%q] in the configuration", c.Provider.Name, u.Host, u.Hostname())
}

// hostOf returns the host and port of a base URL.
func hostOf(base string) string {
	u, err := url.Parse(base)
	if err != nil {
		return wire.Redacted(base)
	}
	return u.Host
}
