// Package fetch is the tool that downloads a URL and converts it to text for a model. Start
// reading at Tool and Client.Get.
//
// It connects only to public addresses. The check is on the resolved address,
// before any data is sent, so that DNS names of private addresses, DNS rebinding
// and redirects cannot bypass it. Behind a proxy, which resolves names itself and often
// has access to private addresses, only addresses that are written as numbers can be
// checked: see Client.Proxy.
//
// A request contains no user data: no cookies, credentials or referrer. Redirects
// to another host are reported, not followed. Size and time are limited.
package fetch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/netip"
	"net/url"
	"strconv"
	"syscall"
	"time"

	"agent/internal/tools/advice"
)

const (
	// MaxRead is the maximum number of bytes read of a response, after
	// decompression.
	MaxRead = 5 << 20
	// DefaultLimit is the default of Options.Limit.
	DefaultLimit = 30 * time.Second

	maxRedirects = 5
	maxHeader    = 256 << 10
)

// Options configure a Client. The zero value is valid.
type Options struct {
	UserAgent string        // User-Agent header
	Limit     time.Duration // 0 means DefaultLimit
	// Allow decides which addresses may be connected to; nil allows public
	// addresses.
	Allow func(netip.AddrPort) bool
	// Proxy returns the proxy of a request, nil for none. If it is nil itself, no proxy
	// is used.
	Proxy func(*http.Request) (*url.URL, error)
}

// Page is the content of a URL.
type Page struct {
	URL    *url.URL // final URL after redirects on the same host
	Status int      // HTTP status
	Type   string   // media type: "text/html"
	Text   string   // valid UTF-8: Markdown for HTML, otherwise unchanged
	Image  []byte   // instead of Text; it may be damaged
	PDF    []byte   // instead of Text; it may be damaged
	Size   int      // bytes read
	Cut    bool     // the body is longer than MaxRead
	// Elsewhere is the target of a redirect to another host, which was not
	// followed. The page then has no content.
	Elsewhere *url.URL
}

// Client fetches pages. It has no state between pages and is safe for concurrent
// use.
type Client struct {
	agent string
	limit time.Duration
	allow func(netip.AddrPort) bool
	proxy func(*http.Request) (*url.URL, error)
	// direct checks every address. proxied connects to a proxy, whose address the user
	// chose.
	direct, proxied http.Client
}

// New returns a client.
func New(o Options) *Client {
	c := &Client{
		agent: o.UserAgent,
		limit: cmp.Or(o.Limit, DefaultLimit),
		allow: o.Allow, proxy: o.Proxy,
		direct: newHTTP(&net.Dialer{ControlContext: guard(o.Allow)}, nil),
	}
	if o.Proxy != nil {
		c.proxied = newHTTP(&net.Dialer{}, o.Proxy)
	}
	return c
}

func newHTTP(dialer *net.Dialer, proxy func(*http.Request) (*url.URL, error)) http.Client {
	return http.Client{
		Transport: &http.Transport{
			Proxy:                  proxy,
			DialContext:            dialer.DialContext,
			ForceAttemptHTTP2:      true,
			DisableKeepAlives:      true,
			MaxResponseHeaderBytes: maxHeader,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// Proxy returns the host of the proxy that requests to u use; empty for none. The proxy
// resolves the name of the host, so that its address cannot be checked.
func (c *Client) Proxy(u *url.URL) string {
	if c.proxy == nil {
		return ""
	}
	if p, _ := c.proxy(&http.Request{URL: u}); p != nil {
		return p.Host
	}
	return ""
}

// client returns the client for requests to u.
func (c *Client) client(u *url.URL) (*http.Client, error) {
	if c.Proxy(u) == "" {
		return &c.direct, nil
	}
	addr, err := netip.ParseAddr(u.Hostname())
	if err != nil {
		return &c.proxied, nil
	}
	port, _ := strconv.ParseUint(cmp.Or(u.Port(), map[string]string{"http": "80", "https": "443"}[u.Scheme]), 10, 16)
	return &c.proxied, check(c.allow, netip.AddrPortFrom(addr, uint16(port)))
}

// check returns an error if an address is not allowed.
func check(allow func(netip.AddrPort) bool, to netip.AddrPort) error {
	if allow == nil && Public(to.Addr()) || allow != nil && allow(to) {
		return nil
	}
	return &notPublicError{to.Addr()}
}

// guard returns a control function that rejects addresses that are not allowed.
func guard(allow func(netip.AddrPort) bool) func(context.Context, string, string, syscall.RawConn) error {
	return func(_ context.Context, _, address string, _ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(address)
		if err != nil {
			return fmt.Errorf("connect to %s: %w", address, err)
		}
		return check(allow, to)
	}
}

// notPublicError rejects an address.
type notPublicError struct{ addr netip.Addr }

func (e *notPublicError) Error() string {
	return fmt.Sprintf("%s is not a public address, which fetch requires", e.addr)
}

// Get fetches the page at u, which comes from Parse. When ctx ends, it returns
// ctx's error. With an error, the Page has only a URL, or none if no server was reached.
func (c *Client) Get(ctx context.Context, u *url.URL) (Page, error) {
	limited, stop := context.WithTimeout(ctx, c.limit)
	defer stop()
	p, err := c.get(limited, u)
	switch {
	case err == nil:
		return p, nil
	case ctx.Err() != nil:
		return p, ctx.Err()
	case limited.Err() != nil:
		return p, advice.Add(fmt.Errorf("fetch %s: timed out after %s", u, c.limit), "Try again later, or continue without it")
	}
	return p, err
}

// get follows redirects on the same host. With an error, it returns a Page as Get does.
func (c *Client) get(ctx context.Context, u *url.URL) (reached Page, err error) {
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { reached.URL = u }})
	for range maxRedirects + 1 {
		resp, err := c.request(ctx, u)
		if err != nil {
			return reached, err
		}
		next, err := redirectTarget(u, resp)
		if next == nil && err == nil {
			p, err := readPage(ctx, resp, u)
			resp.Body.Close()
			if err != nil {
				return reached, err
			}
			return p, nil
		}
		resp.Body.Close()
		if err != nil {
			return reached, err
		}
		if !sameSite(u, next) {
			return Page{URL: u, Status: resp.StatusCode, Elsewhere: next}, nil
		}
		u = next
	}
	return reached, advice.Add(fmt.Errorf("fetch: %s redirects more than %d times", u.Host, maxRedirects), "Try another URL")
}

// request sends one request.
func (c *Client) request(ctx context.Context, u *url.URL) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, fmt.Errorf("fetch %s: %w", u, err)
	}
	req.Header.Set("User-Agent", c.agent)
	req.Header.Set("Accept", "text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, text/plain;q=0.8, */*;q=0.5")
	client, err := c.client(u)
	if err != nil {
		return nil, explain(req, err)
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil, explain(req, err)
	}
	return resp, nil
}

// explain describes a transport error.
func explain(req *http.Request, err error) error {
	if e, ok := errors.AsType[*url.Error](err); ok {
		err = e.Err
	}
	if e, ok := errors.AsType[*notPublicError](err); ok {
		return advice.Add(fmt.Errorf("fetch %s: %w", req.URL, e), "For servers on this machine or its network, use a command such as curl in shell")
	}
	if e, ok := errors.AsType[*net.DNSError](err); ok && e.IsNotFound {
		return advice.Add(fmt.Errorf("fetch %s: there is no host %s", req.URL, req.URL.Hostname()), "Check the URL")
	}
	return advice.Add(fmt.Errorf("fetch %s: %w", req.URL, err), "Check the URL, or continue without it")
}

// redirectTarget returns the target of a redirect, or nil.
func redirectTarget(u *url.URL, resp *http.Response) (*url.URL, error) {
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
		return nil, fmt.Errorf("fetch %s: unsupported redirect: %w", u, err)
	}
	return to, nil
}

// sameSite reports whether a redirect stays on the same scheme, host and port, or
// only upgrades http to https.
func sameSite(from, to *url.URL) bool {
	if from.Scheme == to.Scheme {
		return from.Host == to.Host
	}
	return from.Scheme == "http" && from.Port() == "" && to.Port() == "" && from.Host == to.Host
}

// readPage reads the body of resp.
func readPage(ctx context.Context, resp *http.Response, u *url.URL) (Page, error) {
	if e := resp.Header.Get("Content-Encoding"); e != "" && e != "identity" {
		return Page{}, fmt.Errorf("fetch %s: unsupported content encoding %q", u, e)
	}
	b, err := io.ReadAll(io.LimitReader(resp.Body, MaxRead+1))
	if err != nil {
		return Page{}, advice.Add(fmt.Errorf("fetch %s: the response ended after %d bytes: %w", u, len(b), err), "Try again")
	}
	p := Page{URL: u, Status: resp.StatusCode, Size: len(b)}
	if p.Cut = len(b) > MaxRead; p.Cut {
		b, p.Size = b[:MaxRead], MaxRead
	}
	return p, p.decode(ctx, b, resp.Header.Get("Content-Type"))
}
