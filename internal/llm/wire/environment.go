package wire

import (
	"crypto/x509"
	"net"
	"net/http"
	"net/url"
	"os"
	"runtime"
)

// environmentProxy returns the proxy that the environment names for a request.
// A value that is no URL is an error: net/http would pass it over, and send
// straight what the person wanted to go through a proxy.
func environmentProxy(req *http.Request) (*url.URL, error) {
	proxy, err := http.ProxyFromEnvironment(req)
	host := req.URL.Hostname()
	if proxy != nil || host == "localhost" || net.ParseIP(host).IsLoopback() {
		return proxy, nil
	}
	names := []string{"HTTP_PROXY", "http_proxy"}
	if req.URL.Scheme == "https" {
		names = []string{"HTTPS_PROXY", "https_proxy"}
	}
	for _, name := range names {
		value := os.Getenv(name)
		if value == "" {
			continue
		}
		_, asIs := url.Parse(value)
		if _, bare := url.Parse("http://" + value); asIs != nil && bare != nil {
			return nil, &noProxy{name}
		}
		break
	}
	return nil, err
}

// noProxy is the error of a variable that should name a proxy. It does not hold
// the value, which may have a password in it.
type noProxy struct{ name string }

func (e *noProxy) Error() string { return e.name + " is no address of a proxy" }

// environmentRoots returns whom a connection trusts; nil stands for the system's
// own roots. Where SSL_CERT_FILE is not what the system's verifier reads, what it
// holds is trusted as well.
func environmentRoots() *x509.CertPool {
	if runtime.GOOS != "darwin" && runtime.GOOS != "windows" {
		return nil
	}
	text, err := os.ReadFile(os.Getenv("SSL_CERT_FILE"))
	if err != nil {
		return nil
	}
	roots, err := x509.SystemCertPool()
	if err != nil || !roots.AppendCertsFromPEM(text) {
		return nil
	}
	return roots
}
