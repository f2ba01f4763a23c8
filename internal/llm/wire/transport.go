package wire

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"time"
)

// newTransport returns the transport for an endpoint.
func newTransport(at Endpoint) *http.Transport {
	proxy := at.Proxy
	if proxy == nil {
		proxy = environmentProxy
	}
	dial := at.Dial
	if dial == nil {
		dial = (&net.Dialer{KeepAlive: 30 * time.Second, Resolver: at.Resolver}).DialContext
	}
	connect := func(ctx context.Context, network, address string) (net.Conn, error) {
		ctx, done := withRequest(ctx)
		defer done(nil)
		defer at.Clock.AfterFunc(at.Limits.Connect, func() { done(errConnect) }).Stop()
		conn, err := dial(ctx, network, address)
		switch {
		case err == nil:
			return conn, nil
		case errors.Is(context.Cause(ctx), errConnect):
			return nil, newConnectTimeout(address, err)
		}
		return nil, err
	}
	roots := at.Roots
	if roots == nil {
		roots = environmentRoots()
	}
	trust := &tls.Config{RootCAs: roots}
	return &http.Transport{
		Proxy: proxy,
		OnProxyConnectResponse: func(_ context.Context, proxy *url.URL, _ *http.Request, res *http.Response) error {
			if res.StatusCode == http.StatusOK {
				return nil
			}
			return &proxyError{proxy.Host, res.StatusCode}
		},
		DialContext: connect,
		DialTLSContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := connect(ctx, network, address)
			if err != nil {
				return nil, err
			}
			ctx, done := withRequest(ctx)
			defer done(nil)
			defer at.Clock.AfterFunc(at.Limits.TLS, func() { done(errHandshake) }).Stop()
			return shakeHands(ctx, conn, address, trust)
		},
		TLSClientConfig:     trust, // used behind a proxy
		TLSHandshakeTimeout: at.Limits.TLS,
		ForceAttemptHTTP2:   true,
		IdleConnTimeout:     90 * time.Second,

		MaxResponseHeaderBytes: maxHeaders,
	}
}

// maxHeaders limits the headers of a response, in bytes.
const maxHeaders = 256 << 10

// requestKey is the context key for the request's own context. The transport
// dials with a context that outlives the request; a dial for a canceled request
// must end with it, since no other request waits for that connection.
type requestKey struct{}

// withRequest returns a context that also ends with the request that needs the
// connection.
func withRequest(ctx context.Context) (context.Context, context.CancelCauseFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	asked, ok := ctx.Value(requestKey{}).(context.Context)
	if !ok {
		return ctx, cancel
	}
	stop := context.AfterFunc(asked, func() { cancel(context.Cause(asked)) })
	return ctx, func(cause error) {
		stop()
		cancel(cause)
	}
}

// shakeHands returns conn with TLS, or closes it.
func shakeHands(ctx context.Context, conn net.Conn, address string, trust *tls.Config) (net.Conn, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		host = address
	}
	config := trust.Clone()
	config.ServerName, config.NextProtos = host, []string{"h2", "http/1.1"}
	secure := tls.Client(conn, config)
	err = secure.HandshakeContext(ctx)
	if err == nil {
		return secure, nil
	}
	_ = conn.Close()
	if errors.Is(context.Cause(ctx), errHandshake) {
		return nil, newConnectTimeout(address, err)
	}
	return nil, err
}

// The causes for which a request is canceled here.
var (
	errConnect   = errors.New("timed out connecting")
	errHandshake = errors.New("timed out in the TLS handshake")
	errHeaders   = errors.New("no response")
	errIdle      = errors.New("no more data")
)

// connectTimeout is the error of a connection that was not established in time.
type connectTimeout struct {
	host      string
	resolving bool // its address is not known yet
}

func (e *connectTimeout) Error() string {
	if e.resolving {
		return "timed out resolving " + e.host
	}
	return "timed out connecting to " + e.host
}

func newConnectTimeout(address string, err error) error {
	_, resolving := errors.AsType[*net.DNSError](err)
	if host, _, e := net.SplitHostPort(address); e == nil && resolving {
		address = host
	}
	return &connectTimeout{address, resolving}
}

// proxyError is the error of a proxy that does not connect to the provider.
type proxyError struct {
	proxy  string
	status int
}

func (e *proxyError) Error() string {
	return fmt.Sprintf("the proxy %s refused the connection: %d %s", e.proxy, e.status, http.StatusText(e.status))
}

// redirectError is the error of a redirect that is not followed.
type redirectError struct{ to string }

func (e *redirectError) Error() string { return "did not follow the redirect to " + e.to }

// sameHost allows redirects within the same host that keep the method. A key
// must not be sent elsewhere.
func sameHost(req *http.Request, via []*http.Request) error {
	was := via[0]
	if req.URL.Host != was.URL.Host || req.URL.Scheme != was.URL.Scheme || req.Method != was.Method || len(via) > 5 {
		return &redirectError{req.URL.Scheme + "://" + req.URL.Host + req.URL.Path}
	}
	return nil
}
