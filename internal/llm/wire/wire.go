// Package wire holds what every dialect over HTTP needs: it sends a request,
// reads the response as a sequence of payloads, applies timeouts and limits,
// and turns each failure into an *llm.Error for the user.
//
// A dialect provides a function that encodes the body of a request and a
// Decoder that turns the payloads of a response into deltas. Exchange.Post
// sends the body and Exchange.Stream runs the decoder; Decode runs it without a
// server. A library that makes the request itself uses Exchange.Do as its HTTP
// client.
//
// Every error of an exchange passes through Exchange.Failed before it is
// yielded: it adds the provider's name and a hint and removes secrets.
package wire

import (
	"cmp"
	"context"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Endpoint describes how to reach a provider.
type Endpoint struct {
	Name    string // for messages: "groq"
	Base    string // base URL, to which the paths of requests are appended
	KeyName string // variable that should hold the API key, for hints
	Local   bool   // server that the user starts
	Here    bool   // Base is on this machine
	// AllowHTTP allows sending a key over plain HTTP to another machine.
	AllowHTTP bool
	Headers   map[string]string // sent with every request; they override all others
	// Authorize adds the credentials to the headers of a request; nil adds
	// none.
	Authorize Authorize
	// Renew gets new credentials after the server has rejected those of Authorize with status
	// 401. The request is then sent once more. An error keeps the first response. Nil if
	// there are no others.
	Renew  func(ctx context.Context) error
	Limits Limits
	Clock  Clock // nil for the system clock
	// Dial replaces the dialer and its Resolver.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Resolver resolves host names; nil for the system's.
	Resolver *net.Resolver
	// Proxy returns the proxy for a request; nil reads the environment.
	Proxy func(*http.Request) (*url.URL, error)
	// Roots are the trusted certificate authorities; nil for the system's.
	Roots *x509.CertPool
	// Transport replaces the whole transport. Connect, TLS, Dial, Resolver,
	// Proxy and Roots then have no effect.
	Transport http.RoundTripper
	// Wrap returns a transport in place of the one that it gets, to record or replay the
	// traffic; nil changes nothing.
	Wrap func(http.RoundTripper) http.RoundTripper
}

// Authorize sets the headers that hold the credentials. It is called before
// each request, so that it may fetch a key or renew a token. If it returns an
// *llm.Error, the request fails with that error. The values that it sets are
// secret and never appear in an error.
type Authorize func(ctx context.Context, h http.Header) error

// Bearer sends key as a bearer token. It returns nil if key is empty.
func Bearer(key string) Authorize {
	if key == "" {
		return nil
	}
	return KeyHeader("Authorization", "Bearer "+key)
}

// KeyHeader sends key in the header called name. It returns nil if key is
// empty.
func KeyHeader(name, key string) Authorize {
	if key == "" {
		return nil
	}
	return func(_ context.Context, h http.Header) error {
		h.Set(name, key)
		return nil
	}
}

// Limits are timeouts and a size limit. Zero means the default given here.
type Limits struct {
	Connect time.Duration // resolve and connect: 10 s
	TLS     time.Duration // TLS handshake: 10 s; behind a proxy on the system clock
	Headers time.Duration // from the request to the response headers: 60 s
	Idle    time.Duration // between two bytes of the response: 120 s
	Tail    time.Duration // for data after the end of the reply: 5 s
	Bytes   int64         // size of the decompressed response: 256 MiB
}

func (l Limits) withDefaults() Limits {
	return Limits{
		Connect: cmp.Or(l.Connect, 10*time.Second),
		TLS:     cmp.Or(l.TLS, 10*time.Second),
		Headers: cmp.Or(l.Headers, 60*time.Second),
		Idle:    cmp.Or(l.Idle, 120*time.Second),
		Tail:    cmp.Or(l.Tail, 5*time.Second),
		Bytes:   cmp.Or(l.Bytes, 256<<20),
	}
}

// Client sends requests to one endpoint and keeps its connections. It is safe
// for concurrent use.
type Client struct {
	at      Endpoint
	secrets []string // parts of Base that must not appear in an error
	http    *http.Client
}

// New returns a client. It does not connect yet.
func New(at Endpoint) *Client {
	address, query := CutQuery(strings.TrimSpace(at.Base))
	at.Base = strings.TrimRight(address, "/") + query
	at.Limits = at.Limits.withDefaults()
	at.Clock = cmp.Or[Clock](at.Clock, systemClock{})
	c := &Client{at: at, secrets: secretsOf(at.Base), http: &http.Client{Transport: at.Transport, CheckRedirect: sameHost}}
	if at.Transport == nil {
		c.http.Transport = newTransport(at)
	}
	if at.Wrap != nil {
		c.http.Transport = at.Wrap(c.http.Transport)
	}
	return c
}

// Name returns the provider's name.
func (c *Client) Name() string { return c.at.Name }

// BaseURL returns the base URL without a trailing slash.
func (c *Client) BaseURL() string { return c.at.Base }

// URL returns the URL of requests to path.
func (c *Client) URL(path string) string { return Join(c.at.Base, path) }

// displayURL returns the base URL for messages, without secrets.
func (c *Client) displayURL() string { return Redacted(c.at.Base) }

// Limits returns the effective limits.
func (c *Client) Limits() Limits { return c.at.Limits }

// Close closes idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Format prints only the name, never credentials.
func (c *Client) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, c.at.Name) }

// host returns the host and port of the endpoint.
func (c *Client) host() string {
	if u, err := url.Parse(c.at.Base); err == nil && u.Host != "" {
		return u.Host
	}
	return c.displayURL()
}
