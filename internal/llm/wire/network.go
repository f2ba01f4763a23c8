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

// dnsTries limits the attempts for a host name that does not exist: usually it is
// misspelled.
const dnsTries = 2

// Failed turns the error that ended the exchange into the *llm.Error that a
// Provider yields.
func (x *Exchange) Failed(err error) *llm.Error {
	if x.ctx.Err() != nil {
		return &llm.Error{Kind: llm.ErrCanceled, Provider: x.c.at.Name, Message: "canceled", Err: x.ctx.Err()}
	}
	e, ok := errors.AsType[*llm.Error](err)
	if !ok {
		e = x.c.networkError(err)
	}
	return x.explain(e)
}

// networkError classifies a transport error.
func (c *Client) networkError(err error) *llm.Error {
	e := &llm.Error{Kind: llm.ErrNetwork, Err: err}
	host := c.host()
	redirect, _ := errors.AsType[*redirectError](err)
	plain, _ := errors.AsType[*plainHTTPError](err)
	dns, _ := errors.AsType[*net.DNSError](err)
	op, _ := errors.AsType[*net.OpError](err)
	proxy, _ := errors.AsType[*proxyError](err)
	badProxy, _ := errors.AsType[*proxyURLError](err)
	sent, _ := errors.AsType[*url.Error](err) // before the headers
	if sent != nil {
		e.Err = &url.Error{Op: sent.Op, URL: Redacted(sent.URL), Err: sent.Err}
	}
	slow, _ := errors.AsType[*connectTimeout](err)
	switch {
	case errors.Is(err, errHeaders):
		e.Kind, e.Retry, e.Message = llm.ErrTimeout, true, fmt.Sprintf("no response from %s within %s", host, c.at.Limits.Headers)
	case errors.Is(err, errIdle):
		e.Kind, e.Retry, e.Message = llm.ErrTimeout, true, fmt.Sprintf("the response stalled: no data for %s", c.at.Limits.Idle)
	case errors.Is(err, errTooMuch):
		e.Kind, e.Message = llm.ErrProtocol, fmt.Sprintf("the response is too long: stopped reading after %d MiB", c.at.Limits.Bytes>>20)
	case plain != nil:
		e.Kind, e.Message = llm.ErrKey, plain.Error()
		e.Hint = "Use https, or add the host to allow_http in the configuration."
	case redirect != nil:
		e.Kind, e.Message = llm.ErrProtocol, redirect.Error()
		e.Hint = "If that is the right address, use it as the base URL."
	case proxy != nil:
		e.Retry, e.Message, e.Hint = proxy.status >= http.StatusInternalServerError, proxy.Error(), "Check HTTPS_PROXY."
	case badProxy != nil:
		e.Message, e.Hint = badProxy.Error(), "Write it as http://HOST:PORT, or unset it. Write % in a password as %25."
	case op != nil && op.Op == "proxyconnect":
		e.Message, e.Hint = "cannot reach the proxy: "+rootCause(err), "Check HTTPS_PROXY."
	case slow != nil:
		e.Kind, e.Retry, e.Message = llm.ErrTimeout, true, slow.Error()
		if slow.resolving {
			e.Hint = c.networkHint()
		}
	case dns != nil && dns.IsTimeout:
		e.Kind, e.Retry, e.Message = llm.ErrTimeout, true, "timed out resolving "+dns.Name
		e.Hint = c.networkHint()
	case dns != nil:
		e.Retry, e.Message, e.Hint = true, "cannot resolve host "+dns.Name, c.networkHint()
		if dns.IsNotFound {
			e.Tries = dnsTries
		}
	case refusedConnection(err):
		e.Message, e.Hint = "nothing is listening on "+host, c.startHint()
	case c.fillTLSError(e, err):
	case sent != nil && sent.Timeout():
		e.Kind, e.Retry, e.Message = llm.ErrTimeout, true, "timed out connecting to "+host
	case sent != nil && (errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)):
		e.Retry, e.Message = true, host+" closed the connection without responding"
	case sent != nil:
		e.Retry, e.Message = true, "cannot reach "+host+": "+rootCause(err)
	default:
		return CutOff(err)
	}
	return e
}

// fillTLSError fills e if err says that the connection cannot be trusted, and
// reports whether it did.
func (c *Client) fillTLSError(e *llm.Error, err error) bool {
	if r, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		e.Message, e.Hint = c.host()+" does not support TLS: "+r.Msg, tryHTTP
		return true
	}
	if strings.Contains(err.Error(), "server gave HTTP response to HTTPS client") {
		e.Message, e.Hint = c.host()+" uses plain HTTP", tryHTTP
		return true
	}
	v, ok := errors.AsType[*tls.CertificateVerificationError](err)
	if !ok {
		return false
	}
	e.Message, e.Hint = c.untrusted(v)
	return true
}

// untrusted returns why a certificate is not trusted, and a hint.
func (c *Client) untrusted(v *tls.CertificateVerificationError) (message, hint string) {
	message = "the certificate of " + c.host()
	if len(v.UnverifiedCertificates) == 0 {
		return message + " is not trusted: " + v.Err.Error(), ""
	}
	cert := v.UnverifiedCertificates[0]
	issuer := cert.Issuer.String()
	if _, unknown := errors.AsType[x509.UnknownAuthorityError](v.Err); unknown {
		return message + " is signed by an unknown authority: " + issuer,
			"If a proxy intercepts TLS, add its certificate to the system's trust store or to the file in SSL_CERT_FILE."
	}
	message += ", issued by " + issuer + ", "
	if _, other := errors.AsType[x509.HostnameError](v.Err); other {
		return message + "is for another host: " + strings.TrimPrefix(v.Err.Error(), "x509: "), "Check the base URL " + c.displayURL() + "."
	}
	if e, ok := errors.AsType[x509.CertificateInvalidError](v.Err); ok && e.Reason == x509.Expired {
		return message + fmt.Sprintf("is valid only from %s to %s", cert.NotBefore.Format(time.DateOnly), cert.NotAfter.Format(time.DateOnly)),
			"Check the clock of this machine."
	}
	return message + "is not trusted: " + strings.TrimPrefix(v.Err.Error(), "x509: "), ""
}

// tryHTTP is the hint for a server without TLS.
const tryHTTP = "If it is your own server, try the base URL with http://."

func (c *Client) networkHint() string {
	return "Check the network and the base URL " + c.displayURL() + "."
}

func (c *Client) startHint() string {
	if c.at.Local {
		return "Start " + c.at.Name + ", or choose another model."
	}
	return "Check the base URL " + c.displayURL() + "."
}

// rootCause returns the text of the innermost cause of err.
func rootCause(err error) string {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return Clean(err.Error())
		}
		err = inner
	}
}
