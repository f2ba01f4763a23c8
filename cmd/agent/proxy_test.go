package main

import (
	"encoding/base64"
	"encoding/pem"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// aProxy connects every host to one server.
type aProxy struct {
	*httptest.Server
	to string

	mu    sync.Mutex
	asked []string // method, host and login of each request
}

func newProxy(t *testing.T, to string) *aProxy {
	t.Helper()
	p := &aProxy{to: to}
	p.Server = httptest.NewServer(p)
	t.Cleanup(p.Close)
	return p
}

// seen returns the requests to the proxy so far.
func (p *aProxy) seen() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.asked)
}

func (p *aProxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	p.asked = append(p.asked, r.Method+" "+r.Host+" "+r.Header.Get("Proxy-Authorization"))
	p.mu.Unlock()
	there, err := net.Dial("tcp", p.to)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer there.Close()
	w.WriteHeader(http.StatusOK)
	here, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	defer here.Close()
	var both sync.WaitGroup
	both.Go(func() { _, _ = io.Copy(there, here); _ = there.(*net.TCPConn).CloseWrite() })
	both.Go(func() { _, _ = io.Copy(here, there); _ = here.(*net.TCPConn).CloseWrite() })
	both.Wait()
}

// TestThroughAProxy reaches a provider through the proxy of the environment, with
// the certificate in SSL_CERT_FILE. The password of the proxy does not leak.
func TestThroughAProxy(t *testing.T) {
	t.Parallel()
	s := serve(t, say("Hello from afar."))
	at, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	secure := httptest.NewTLSServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(at) }, FlushInterval: -1})
	t.Cleanup(secure.Close)
	proxy := newProxy(t, secure.Listener.Addr().String())
	login := "me:pass-CANARY"
	h := newHome(t, nil, "OPENAI_API_KEY="+testKey, "OPENAI_BASE_URL=https://example.com/v1", "NO_PROXY=",
		"HTTPS_PROXY=http://"+login+"@"+proxy.Listener.Addr().String())
	out, code := h.agent(t, "run", "hello")
	if code != 1 || !strings.Contains(out, "unknown authority") || !strings.Contains(out, "SSL_CERT_FILE") {
		t.Errorf("a certificate of strangers: got %d, %s", code, out)
	}
	ca := filepath.Join(h.dir, "ca.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: secure.Certificate().Raw})
	if err := os.WriteFile(ca, text, 0o600); err != nil {
		t.Fatal(err)
	}
	h.env = append(h.env, "SSL_CERT_FILE="+ca)
	out, code = h.agent(t, "run", "hello")
	if code != 0 || !strings.Contains(out, "Hello from afar.") {
		t.Errorf("got %d, %s", code, out)
	}
	want := "CONNECT example.com:443 Basic " + base64.StdEncoding.EncodeToString([]byte(login))
	asked := proxy.seen()
	for _, got := range asked {
		if got != want {
			t.Errorf("the proxy was asked %q, want %q", got, want)
		}
	}
	if len(asked) == 0 || len(s.seen()) != 1 {
		t.Errorf("the proxy was asked %q, and the provider %d times", asked, len(s.seen()))
	}
	proxy.Close()
	out, code = h.agent(t, "run", "hello")
	if code != 1 || !strings.Contains(out, "cannot reach the proxy") || !strings.Contains(out, "HTTPS_PROXY") {
		t.Errorf("without the proxy: got %d, %s", code, out)
	}
	if strings.Contains(out, "CANARY") {
		t.Errorf("the password of the proxy leaked: %s", out)
	}
}

// TestInvalidProxy reports an invalid proxy and does not bypass it. A server on
// this machine needs no proxy.
func TestInvalidProxy(t *testing.T) {
	t.Parallel()
	s := serve(t, say("Hello from here."))
	for _, name := range []string{"HTTPS_PROXY", "https_proxy"} {
		h := newHome(t, nil, "OPENAI_API_KEY="+testKey, "OPENAI_BASE_URL=https://127.1.2.3.example.invalid/v1", name+"=http://me:pass%zzCANARY@proxy:80")
		out, code := h.agent(t, "run", "hello")
		if code != 1 || !strings.Contains(out, name+" is not a proxy URL") || strings.Contains(out, "CANARY") {
			t.Errorf("%s: got %d, %s", name, code, out)
		}
	}
	h := newHome(t, nil, append(at(s), "HTTP_PROXY=http://me:pass%zzCANARY@proxy:80")...)
	if out, code := h.agent(t, "run", "hello"); code != 0 || !strings.Contains(out, "Hello from here.") {
		t.Errorf("a server of one's own: got %d, %s", code, out)
	}
}
