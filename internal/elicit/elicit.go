// Package elicit describes what an MCP server asks the user during a call
// (https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation): a form to
// fill in, or a web page to open. It reads the schema of a form, within limits, and checks
// the values of the user. All texts of a Form are untrusted and not sanitized. Start
// reading at Form.
package elicit

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"agent/internal/link"
)

// Form is a question of a server: fields to fill in, or a page to open.
type Form struct {
	Server  string `json:"server"` // its name in the configuration
	Tool    string `json:"tool"`   // the tool of the server that is called, as the server names it
	Message string `json:"message,omitempty"`

	Fields []Field `json:"fields,omitempty"`
	// URL is the page to open; empty for a form. It contains no control characters and no
	// characters outside ASCII.
	URL string `json:"url,omitempty"`
}

// Action says what the user did with a form.
type Action string

// The actions, as the protocol names them.
const (
	Accept  Action = "accept"  // sent the values, or agreed to open the page
	Decline Action = "decline" // said no
	Cancel  Action = "cancel"  // made no choice
)

// Reply is the user's reply to a form.
type Reply struct {
	Action Action
	Values map[string]any // by the name of a field; nil unless the form was accepted
	Why    string         // why it was declined, if not by the user
}

// Host returns the host of the page in ASCII, with its port.
func (f Form) Host() string { return link.Host(f.URL) }

// maxURL limits the length of the URL of a page, in bytes.
const maxURL = 2000

// Page returns the URL of a page in ASCII, or an error if it must not be opened: it must
// have https, or http on the loopback interface, and no user name.
func Page(text string) (string, error) {
	if len(text) > maxURL {
		return "", fmt.Errorf("the URL is longer than %d bytes", maxURL)
	}
	u, err := url.Parse(text)
	host := link.Host(text)
	switch {
	case err == nil && u.Scheme == "http" && !loopback(u.Hostname()), err == nil && u.Scheme != "https" && u.Scheme != "http":
		return "", errors.New("the URL does not begin with https")
	case err != nil || host == "" || u.Hostname() == "":
		return "", errors.New("the URL is not valid")
	case u.User != nil:
		return "", errors.New("the URL contains a user name")
	}
	u.Host = host
	if text = u.String(); strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", errors.New("the URL is not valid")
	}
	return text, nil
}

// loopback reports whether a host is this computer.
func loopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.IsLoopback()
}

// Check returns the values of a form that another program filled in, with the default of
// each field that has none. It returns an error that names the field if one is not valid.
func (f Form) Check(values map[string]any) (map[string]any, error) {
	out := map[string]any{}
	for _, field := range f.Fields {
		value, ok := values[field.Name]
		if !ok || value == nil {
			value = field.Default
		}
		if value == nil && !field.Required {
			continue
		}
		if err := field.Check(value); err != nil {
			return nil, fmt.Errorf("%s: %w", field.Label(), err)
		}
		out[field.Name] = value
	}
	for name := range values {
		if !slices.ContainsFunc(f.Fields, func(field Field) bool { return field.Name == name }) {
			return nil, fmt.Errorf("the form has no field %q", name)
		}
	}
	return out, nil
}
