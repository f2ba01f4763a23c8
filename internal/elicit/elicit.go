// Package elicit describes what an MCP server asks the user during a call
// (https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation): the values
// of a form, or to open a web page. It turns the schema of a form into a series of questions,
// within limits, and the answers into values. All texts of a Question are untrusted and not
// sanitized. Start reading at Series.
package elicit

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strings"

	"agent/internal/link"
)

// Form is what a front end needs to know about a question of a server, in addition to its
// text and choices.
type Form struct {
	Server  string `json:"server"` // its name in the configuration
	Tool    string `json:"tool"`   // the tool of the server that is called, as the server names it
	Message string `json:"message,omitempty"`
	// URL is the page to open; empty for a question about a value. It contains no control
	// characters and no characters outside ASCII.
	URL string `json:"url,omitempty"`

	// The fields of a question about a value.
	At       int    `json:"at,omitempty"`       // the number of the question, from 1
	Of       int    `json:"of,omitempty"`       // the number of questions
	Typed    bool   `json:"typed,omitempty"`    // the answer is typed text, not a choice
	Wanted   string `json:"wanted,omitempty"`   // "a whole number from 1 to 10, required"
	Optional bool   `json:"optional,omitempty"` // an empty answer sends no value
	Default  string `json:"default,omitempty"`  // of a typed answer
	Selected []int  `json:"selected,omitempty"` // the indexes of the default choices
	Problem  string `json:"problem,omitempty"`  // why the last answer was not accepted
	Last     string `json:"last,omitempty"`     // the typed answer that was not accepted
}

// AsksValue reports whether the question is about a value and not about a page.
func (f *Form) AsksValue() bool { return f != nil && f.URL == "" }

// Follows reports whether the user has just answered another question of the series.
func (f *Form) Follows() bool { return f != nil && (f.At > 1 || f.Problem != "") }

// Question is a question of a server to the user.
type Question struct {
	Form
	Text    string   // about the value
	Choices []string // unless the answer is typed
	Many    bool     // several choices can be selected
}

// Action says what the user did with a question or with a form.
type Action string

// The actions, as the protocol names them.
const (
	Accept  Action = "accept"  // answered, or agreed to open the page
	Decline Action = "decline" // said no
	Cancel  Action = "cancel"  // made no choice
)

// Answer is the user's answer to a question. Without choices and text, it gives no value.
type Answer struct {
	Action  Action
	Choices []int  // indexes into the choices of the question
	Text    string // of a typed answer
	Why     string // why it was declined, if not by the user
}

// Reply is the reply to a server.
type Reply struct {
	Action Action
	Values map[string]any // by the name of a field; nil unless a form was accepted
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
