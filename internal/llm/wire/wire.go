// Package wire is what every dialect over HTTP needs and none should have of
// its own: sending a request, reading the answer as a row of payloads, giving up
// at the right time, and turning each way in which that can fail into an
// *llm.Error that a person understands.
//
// A dialect brings a function that makes the body of a request, and a Decoder
// that makes deltas of the payloads of an answer. Exchange.Post sends the one and
// Exchange.Stream runs the other; Decode does so without a server. A library
// that makes the request itself uses Exchange.Do as its HTTP client.
//
// Every error of an exchange goes through Exchange.Failed before it is yielded:
// there it gets the provider's name, a hint, and loses what is secret.
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

// Endpoint says where a provider is and how to reach it.
type Endpoint struct {
	Name    string // for people: "groq"
	Base    string // what the paths of requests are appended to
	KeyName string // the variable that the key belongs in, for hints
	Local   bool   // a server on this machine
	// AllowHTTP allows a key to be sent over plain http to a host other than
	// this machine.
	AllowHTTP bool
	Headers   map[string]string // sent with every request, over all others
	// Authorize puts what proves who asks into the headers of a request; nil
	// sends no such thing.
	Authorize Authorize
	Limits    Limits
	Clock     Clock // nil is the system's
	// Dial replaces the dialer, and with it the Resolver.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Resolver looks names up; nil is the system's.
	Resolver *net.Resolver
	// Proxy says which proxy a request goes through; nil asks the environment.
	Proxy func(*http.Request) (*url.URL, error)
	// Roots are the authorities whose certificates are trusted; nil are the
	// system's.
	Roots *x509.CertPool
	// Transport replaces all of the way there; Connect, TLS, Dial, Resolver,
	// Proxy and Roots have no meaning then.
	Transport http.RoundTripper
}

// Authorize sets the headers that prove who asks. It is called before each
// request, so that it may fetch a key or renew a token; an *llm.Error of it is
// the request's. The values that it sets are secret: they never show in an
// error.
type Authorize func(ctx context.Context, h http.Header) error

// Bearer sends key as a bearer token, nothing if it is empty.
func Bearer(key string) Authorize {
	if key == "" {
		return nil
	}
	return KeyHeader("Authorization", "Bearer "+key)
}

// KeyHeader sends key as the header called name, nothing if it is empty.
func KeyHeader(name, key string) Authorize {
	if key == "" {
		return nil
	}
	return func(_ context.Context, h http.Header) error {
		h.Set(name, key)
		return nil
	}
}

// Limits are how long to wait for what, and how much to take. Zero stands for
// the value named here.
type Limits struct {
	Connect time.Duration // resolving and connecting: 10 s
	TLS     time.Duration // the handshake: 10 s; behind a proxy by the system's clock
	Headers time.Duration // from the request to the answer's headers: 60 s
	Idle    time.Duration // between two bytes of the answer: 120 s
	Tail    time.Duration // for what may follow the end of an answer: 5 s
	Bytes   int64         // of an answer, decompressed: 256 MiB
}

func (l Limits) orStandard() Limits {
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
	at     Endpoint
	hidden []string // what of Base must not show in an error
	http   *http.Client
}

// New returns a client. It connects to nothing yet.
func New(at Endpoint) *Client {
	address, query := CutQuery(strings.TrimSpace(at.Base))
	at.Base = strings.TrimRight(address, "/") + query
	at.Limits = at.Limits.orStandard()
	at.Clock = cmp.Or[Clock](at.Clock, systemClock{})
	c := &Client{at: at, hidden: secretsOf(at.Base), http: &http.Client{Transport: at.Transport, CheckRedirect: sameHost}}
	if at.Transport == nil {
		c.http.Transport = newTransport(at)
	}
	return c
}

// Name returns the provider's name.
func (c *Client) Name() string { return c.at.Name }

// BaseURL returns what the paths of requests are appended to, without a slash at
// its end.
func (c *Client) BaseURL() string { return c.at.Base }

// URL returns where requests to path go.
func (c *Client) URL(path string) string { return Join(c.at.Base, path) }

// shown is the base URL as messages tell it.
func (c *Client) shown() string { return Redacted(c.at.Base) }

// Limits returns the limits in force.
func (c *Client) Limits() Limits { return c.at.Limits }

// Close ends the connections that are kept for the next request.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Format prints the name alone, never what authorizes.
func (c *Client) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, c.at.Name) }

// host returns the host and port of the endpoint.
func (c *Client) host() string {
	if u, err := url.Parse(c.at.Base); err == nil && u.Host != "" {
		return u.Host
	}
	return c.shown()
}
