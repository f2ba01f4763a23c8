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

// newTransport returns the transport to an endpoint.
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
		ctx, done := whileAsked(ctx)
		defer done(nil)
		defer at.Clock.AfterFunc(at.Limits.Connect, func() { done(errConnect) }).Stop()
		conn, err := dial(ctx, network, address)
		switch {
		case err == nil:
			return conn, nil
		case errors.Is(context.Cause(ctx), errConnect):
			return nil, tookTooLong(address, err)
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
			return &turnedAway{proxy.Host, res.StatusCode}
		},
		DialContext: connect,
		DialTLSContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := connect(ctx, network, address)
			if err != nil {
				return nil, err
			}
			ctx, done := whileAsked(ctx)
			defer done(nil)
			defer at.Clock.AfterFunc(at.Limits.TLS, func() { done(errHandshake) }).Stop()
			return shakeHands(ctx, conn, address, trust)
		},
		TLSClientConfig:     trust, // behind a proxy
		TLSHandshakeTimeout: at.Limits.TLS,
		ForceAttemptHTTP2:   true,
		IdleConnTimeout:     90 * time.Second,

		MaxResponseHeaderBytes: maxHeaders,
	}
}

// maxHeaders bounds the headers of an answer, in bytes.
const maxHeaders = 256 << 10

// asker is the key under which a request's context is told to the dialer. The
// transport dials with a context that outlives the request; here nobody else
// waits for that connection, and what a request began should end with it.
type asker struct{}

// whileAsked returns a context that ends with ctx and with the request for which
// a connection is made.
func whileAsked(ctx context.Context) (context.Context, context.CancelCauseFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	asked, ok := ctx.Value(asker{}).(context.Context)
	if !ok {
		return ctx, cancel
	}
	stop := context.AfterFunc(asked, func() { cancel(context.Cause(asked)) })
	return ctx, func(cause error) {
		stop()
		cancel(cause)
	}
}

// shakeHands returns conn with TLS on it, or closes it.
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
		return nil, tookTooLong(address, err)
	}
	return nil, err
}

// The causes for which a request is given up from here.
var (
	errConnect   = errors.New("connecting took too long")
	errHandshake = errors.New("the handshake took too long")
	errHeaders   = errors.New("no answer came")
	errIdle      = errors.New("nothing more came")
)

// slow is the error of a connection that did not come about in time.
type slow struct {
	host      string
	resolving bool // its address is not known yet
}

func (e *slow) Error() string {
	if e.resolving {
		return "resolving " + e.host + " took too long"
	}
	return "connecting to " + e.host + " took too long"
}

func tookTooLong(address string, err error) error {
	_, resolving := errors.AsType[*net.DNSError](err)
	if host, _, e := net.SplitHostPort(address); e == nil && resolving {
		address = host
	}
	return &slow{address, resolving}
}

// turnedAway is the error of a proxy that opens no way to the provider.
type turnedAway struct {
	proxy  string
	status int
}

func (e *turnedAway) Error() string {
	return fmt.Sprintf("the proxy %s refused to connect: %d %s", e.proxy, e.status, http.StatusText(e.status))
}

// redirected is the error of a redirect that is not followed.
type redirected struct{ to string }

func (e *redirected) Error() string { return "it redirects to " + e.to }

// sameHost follows redirects within the host that was asked, as long as they
// keep the request what it is: a key must not go elsewhere.
func sameHost(req *http.Request, via []*http.Request) error {
	was := via[0]
	if req.URL.Host != was.URL.Host || req.URL.Scheme != was.URL.Scheme || req.Method != was.Method || len(via) > 5 {
		return &redirected{req.URL.Scheme + "://" + req.URL.Host + req.URL.Path}
	}
	return nil
}
