package wire

import (
	"crypto/x509"
	"net"
	"net/http"
	"net/url"
	"os"
	"runtime"
)

// environmentProxy returns the proxy that the environment sets for a request.
// An invalid URL is an error: net/http would ignore it and connect directly.
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
		_, errAsIs := url.Parse(value)
		if _, errBare := url.Parse("http://" + value); errAsIs != nil && errBare != nil {
			return nil, &proxyURLError{name}
		}
		break
	}
	return nil, err
}

// proxyURLError is the error of an invalid proxy variable. It does not hold the
// value, which may include a password.
type proxyURLError struct{ name string }

func (e *proxyURLError) Error() string { return e.name + " is not a proxy URL" }

// environmentRoots returns the trusted roots; nil means the system's. On macOS
// and Windows, where the system verifier ignores SSL_CERT_FILE, its
// certificates are added.
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
