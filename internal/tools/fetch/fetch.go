// Package fetch gets what is at a URL and makes text of it that a model can
// read.
//
// It goes to public addresses alone, and this is checked on the very address
// that is connected to, after the name was looked up and before a byte is sent:
// neither a name that resolves to a private address, nor one that resolves to
// another each time, nor a redirect gets round it. That is also why the proxies
// of the environment are not used: a proxy looks names up itself, and often
// stands where the private addresses are.
//
// A request carries nothing of the person: no cookie, no credential, no
// referrer. It stays on the host that was asked for: a redirect to another one
// is told, not followed. Size and time have limits.
package fetch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"syscall"
	"time"
)

const (
	// MaxRead is how many bytes of an answer are read, after decompression.
	MaxRead = 5 << 20
	// DefaultLimit is how long a fetch may take.
	DefaultLimit = 30 * time.Second

	maxRedirects = 5
	maxHeader    = 256 << 10
)

// Options are what a Client may be told. The zero value is good.
type Options struct {
	UserAgent string        // who asks
	Limit     time.Duration // 0 means DefaultLimit
	// Allow decides which addresses may be connected to; nil allows the public
	// ones.
	Allow func(netip.AddrPort) bool
}

// Page is what was found at a URL.
type Page struct {
	URL    *url.URL // where it was, behind redirects on the same host
	Status int      // of HTTP
	Type   string   // its media type: "text/html"
	Text   string   // valid UTF-8: markdown if it was HTML, else as it was
	Image  []byte   // in place of Text; it may be damaged
	Size   int      // bytes that were read
	Cut    bool     // there are more bytes than MaxRead
	// Elsewhere is where a redirect leads that was not followed. There is no
	// more of the page then.
	Elsewhere *url.URL
}

// Client fetches. It keeps nothing from one page to the next, and is safe for
// concurrent use.
type Client struct {
	agent string
	limit time.Duration
	http  http.Client
}

// New returns a client.
func New(o Options) *Client {
	dialer := &net.Dialer{ControlContext: guard(o.Allow)}
	return &Client{
		agent: o.UserAgent,
		limit: cmp.Or(o.Limit, DefaultLimit),
		http: http.Client{
			Transport: &http.Transport{
				DialContext:            dialer.DialContext,
				ForceAttemptHTTP2:      true,
				DisableKeepAlives:      true,
				MaxResponseHeaderBytes: maxHeader,
			},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

// guard refuses to connect to an address that is not allowed.
func guard(allow func(netip.AddrPort) bool) func(context.Context, string, string, syscall.RawConn) error {
	return func(_ context.Context, _, address string, _ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(address)
		if err != nil {
			return fmt.Errorf("connect to %s: %w", address, err)
		}
		if allow == nil && Public(to.Addr()) || allow != nil && allow(to) {
			return nil
		}
		return &notPublicError{to.Addr()}
	}
}

// notPublicError is the refusal to connect to an address.
type notPublicError struct{ addr netip.Addr }

func (e *notPublicError) Error() string {
	return fmt.Sprintf("%s is not a public address, and fetch reaches no other", e.addr)
}

// Get fetches the page at u, which comes from Parse. When ctx ends it returns
// ctx's error; every other error says what to do.
func (c *Client) Get(ctx context.Context, u *url.URL) (Page, error) {
	limited, stop := context.WithTimeout(ctx, c.limit)
	defer stop()
	p, err := c.get(limited, u)
	switch {
	case err == nil:
		return p, nil
	case ctx.Err() != nil:
		return Page{}, ctx.Err()
	case limited.Err() != nil:
		return Page{}, fmt.Errorf("fetch %s: it was not done within %s. %s", u, c.limit, hint(u, "Try it again later, or do without it"))
	}
	return Page{}, err
}

// get follows redirects as far as they stay on the host.
func (c *Client) get(ctx context.Context, u *url.URL) (Page, error) {
	for range maxRedirects + 1 {
		resp, err := c.ask(ctx, u)
		if err != nil {
			return Page{}, err
		}
		next, err := target(u, resp)
		if next == nil && err == nil {
			p, err := readPage(ctx, resp, u)
			resp.Body.Close()
			return p, err
		}
		resp.Body.Close()
		if err != nil {
			return Page{}, err
		}
		if !follows(u, next) {
			return Page{URL: u, Status: resp.StatusCode, Elsewhere: next}, nil
		}
		u = next
	}
	return Page{}, fmt.Errorf("fetch: %s redirects more than %d times. Try another URL", u.Host, maxRedirects)
}

// ask sends one request.
func (c *Client) ask(ctx context.Context, u *url.URL) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, fmt.Errorf("fetch %s: %w", u, err)
	}
	req.Header.Set("User-Agent", c.agent)
	req.Header.Set("Accept", "text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, text/plain;q=0.8, */*;q=0.5")
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, explain(req, err)
	}
	return resp, nil
}

// explain says why nobody answered, and what can be done.
func explain(req *http.Request, err error) error {
	if e, ok := errors.AsType[*url.Error](err); ok {
		err = e.Err
	}
	if e, ok := errors.AsType[*notPublicError](err); ok {
		return fmt.Errorf("fetch %s: %w. What runs on this machine or its network is reached by a command such as curl, if the person allows that", req.URL, e)
	}
	if e, ok := errors.AsType[*net.DNSError](err); ok && e.IsNotFound {
		return fmt.Errorf("fetch %s: there is no host %s. %s", req.URL, req.URL.Hostname(), hint(req.URL, "Check the URL"))
	}
	return fmt.Errorf("fetch %s: %w. %s", req.URL, err, hint(req.URL, "Check the URL, or do without it"))
}

// hint is otherwise, or a better one where the network may be reached by a proxy
// alone.
func hint(u *url.URL, otherwise string) string {
	if p, _ := http.ProxyFromEnvironment(&http.Request{URL: u}); p != nil {
		return "Fetch does not use the proxy that the environment names; a command such as curl does, if the person allows that"
	}
	return otherwise
}

// target returns where resp redirects to; nil if it does not.
func target(u *url.URL, resp *http.Response) (*url.URL, error) {
	switch resp.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
	default:
		return nil, nil
	}
	location := resp.Header.Get("Location")
	if location == "" {
		return nil, nil
	}
	to, err := u.Parse(location)
	if err == nil {
		to, err = Parse(to.String())
	}
	if err != nil {
		return nil, fmt.Errorf("fetch %s: it redirects to an address that is not fetched: %w", u, err)
	}
	return to, nil
}

// follows reports whether a redirect stays where it was asked: on the same host
// and port with the same scheme, or from http to https.
func follows(from, to *url.URL) bool {
	if from.Scheme == to.Scheme {
		return from.Host == to.Host
	}
	return from.Scheme == "http" && from.Port() == "" && to.Port() == "" && from.Host == to.Host
}

// readPage reads what resp brings.
func readPage(ctx context.Context, resp *http.Response, u *url.URL) (Page, error) {
	if e := resp.Header.Get("Content-Encoding"); e != "" && e != "identity" {
		return Page{}, fmt.Errorf("fetch %s: the answer is packed as %q, which was not asked for and cannot be read", u, e)
	}
	b, err := io.ReadAll(io.LimitReader(resp.Body, MaxRead+1))
	if err != nil {
		return Page{}, fmt.Errorf("fetch %s: the answer broke off after %d bytes: %w. Try it again", u, len(b), err)
	}
	p := Page{URL: u, Status: resp.StatusCode, Size: len(b)}
	if p.Cut = len(b) > MaxRead; p.Cut {
		b, p.Size = b[:MaxRead], MaxRead
	}
	return p, p.fill(ctx, b, resp.Header.Get("Content-Type"))
}
