package wire

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"agent/internal/llm"
)

// unresolved is the number of attempts for a host name that does not exist: most
// often it is misspelled.
const unresolved = 2

// Failed turns whatever ended the exchange into the error that callers of a
// Provider are promised.
func (x *Exchange) Failed(err error) *llm.Error {
	if x.ctx.Err() != nil {
		return &llm.Error{Kind: llm.ErrCanceled, Provider: x.c.at.Name, Message: "stopped", Err: x.ctx.Err()}
	}
	e, ok := errors.AsType[*llm.Error](err)
	if !ok {
		e = x.c.unreached(err)
	}
	return x.explain(e)
}

// unreached sorts the failures of the way to the provider and back.
func (c *Client) unreached(err error) *llm.Error {
	e := &llm.Error{Kind: llm.ErrNetwork, Err: err}
	host := c.host()
	redirect, _ := errors.AsType[*redirected](err)
	plain, _ := errors.AsType[*errPlain](err)
	dns, _ := errors.AsType[*net.DNSError](err)
	op, _ := errors.AsType[*net.OpError](err)
	proxy, _ := errors.AsType[*turnedAway](err)
	misspelt, _ := errors.AsType[*noProxy](err)
	asked, _ := errors.AsType[*url.Error](err) // before the headers
	if asked != nil {
		e.Err = &url.Error{Op: asked.Op, URL: Redacted(asked.URL), Err: asked.Err}
	}
	late, _ := errors.AsType[*slow](err)
	switch {
	case errors.Is(err, errHeaders):
		e.Kind, e.Retry, e.Message = llm.ErrTimeout, true, fmt.Sprintf("no answer from %s within %s", host, c.at.Limits.Headers)
	case errors.Is(err, errIdle):
		e.Kind, e.Retry, e.Message = llm.ErrTimeout, true, fmt.Sprintf("the answer stopped: nothing more came within %s", c.at.Limits.Idle)
	case errors.Is(err, errTooMuch):
		e.Kind, e.Message = llm.ErrProtocol, fmt.Sprintf("the answer has no end: it was given up after %d MiB", c.at.Limits.Bytes>>20)
	case plain != nil:
		e.Kind, e.Message = llm.ErrKey, plain.Error()
		e.Hint = "use https, or add the host to allow_http in the configuration"
	case redirect != nil:
		e.Kind, e.Message = llm.ErrProtocol, redirect.Error()+", which was not followed"
		e.Hint = "if that is the right place, use it as the base URL"
	case proxy != nil:
		e.Retry, e.Message, e.Hint = proxy.status >= http.StatusInternalServerError, proxy.Error(), "check HTTPS_PROXY"
	case misspelt != nil:
		e.Message, e.Hint = misspelt.Error(), "write it as http://HOST:PORT, or unset it; a % in a password is written %25"
	case op != nil && op.Op == "proxyconnect":
		e.Message, e.Hint = "cannot reach the proxy: "+last(err), "check HTTPS_PROXY"
	case late != nil:
		e.Kind, e.Retry, e.Message = llm.ErrTimeout, true, late.Error()
		if late.resolving {
			e.Hint = c.networkHint()
		}
	case dns != nil && dns.IsTimeout:
		e.Kind, e.Retry, e.Message = llm.ErrTimeout, true, "resolving "+dns.Name+" took too long"
		e.Hint = c.networkHint()
	case dns != nil:
		e.Retry, e.Message, e.Hint = true, "cannot resolve host "+dns.Name, c.networkHint()
		if dns.IsNotFound {
			e.Tries = unresolved
		}
	case refusedConnection(err):
		e.Message, e.Hint = "nothing listens on "+host, c.startHint()
	case c.badTLS(e, err):
	case asked != nil && asked.Timeout():
		e.Kind, e.Retry, e.Message = llm.ErrTimeout, true, "connecting to "+host+" took too long"
	case asked != nil && (errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)):
		e.Retry, e.Message = true, host+" closed the connection before it answered"
	case asked != nil:
		e.Retry, e.Message = true, "cannot reach "+host+": "+last(err)
	default:
		return CutOff(err)
	}
	return e
}

// badTLS fills e for a connection that cannot be trusted, and reports whether
// err is of that kind.
func (c *Client) badTLS(e *llm.Error, err error) bool {
	if r, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		e.Message, e.Hint = c.host()+" does not speak TLS: "+r.Msg, "try the base URL with http:// if it is a server of your own"
		return true
	}
	if strings.Contains(err.Error(), "server gave HTTP response to HTTPS client") {
		e.Message, e.Hint = c.host()+" speaks plain HTTP", "try the base URL with http:// if it is a server of your own"
		return true
	}
	v, ok := errors.AsType[*tls.CertificateVerificationError](err)
	if !ok {
		return false
	}
	e.Message, e.Hint = c.untrusted(v)
	return true
}

// untrusted says why a certificate is not to be trusted, and what to do.
func (c *Client) untrusted(v *tls.CertificateVerificationError) (message, hint string) {
	message = "the certificate of " + c.host()
	if len(v.UnverifiedCertificates) == 0 {
		return message + " is not to be trusted: " + v.Err.Error(), ""
	}
	cert := v.UnverifiedCertificates[0]
	issuer := cert.Issuer.String()
	if _, unknown := errors.AsType[x509.UnknownAuthorityError](v.Err); unknown {
		return message + " is signed by an unknown authority: " + issuer,
			"a proxy may stand in between; its certificate belongs into the system's store, or into the file that SSL_CERT_FILE names"
	}
	message += ", issued by " + issuer + ", "
	if _, other := errors.AsType[x509.HostnameError](v.Err); other {
		return message + "is that of another host: " + strings.TrimPrefix(v.Err.Error(), "x509: "), "check the base URL " + c.shown()
	}
	if e, ok := errors.AsType[x509.CertificateInvalidError](v.Err); ok && e.Reason == x509.Expired {
		return message + fmt.Sprintf("is good from %s to %s only", cert.NotBefore.Format(time.DateOnly), cert.NotAfter.Format(time.DateOnly)),
			"look whether the clock of this machine is right"
	}
	return message + "is not to be trusted: " + strings.TrimPrefix(v.Err.Error(), "x509: "), ""
}

func (c *Client) networkHint() string { return "check the network and the base URL " + c.shown() }

func (c *Client) startHint() string {
	if c.at.Local {
		return "start " + c.at.Name + ", or choose another model"
	}
	return "check the base URL " + c.shown()
}

// last returns the innermost cause of err in words.
func last(err error) string {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return Clean(err.Error())
		}
		err = inner
	}
}
