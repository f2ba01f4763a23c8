package mcp

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/cmd/agent/command"
)

// Only the answer of this login counts, and a connection that sends nothing keeps neither
// the browser nor the login waiting.
func TestCallback(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	c, served := newCallback("http://127.0.0.1:1/callback", "s"), make(chan struct{})
	go func() {
		defer close(served)
		c.serve(ctx, listener)
	}()
	for _, first := range []string{"", "\r\n\r\n", "GET /callback?state=s HTTP/1.1\r\n", strings.Repeat("x", 2*maxCallback)} {
		conn, err := net.Dial("tcp", listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		_, _ = io.WriteString(conn, first) // the page may close the connection first
	}
	page := "http://" + listener.Addr().String()
	for _, r := range []struct {
		method, path string
		status       int
		text         string
	}{
		{"GET", "/", 404, "404 page not found\n"},
		{"POST", "/callback?state=s&code=1", 404, "404 page not found\n"},
		{"GET", "/callback?state=t&code=2", 400, "This answer does not belong to the login that agent waits for.\n"},
		{"GET", "/callback?state=s&code=3", 200, "agent has the answer. You can close this page.\n"},
	} {
		req, err := http.NewRequestWithContext(t.Context(), r.method, page+r.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if res.StatusCode != r.status || string(text) != r.text || err != nil {
			t.Errorf("%s %s: %d %q, %v", r.method, r.path, res.StatusCode, text, err)
		}
	}
	if diff := cmp.Diff(<-c.answers, url.Values{"state": {"s"}, "code": {"3"}}); diff != "" {
		t.Error(diff)
	}
	stop()
	<-served
}

// The user is not sent to a page whose host they can misread.
func TestPageOfALogin(t *testing.T) {
	for _, page := range []string{"https://accounts.example@thief.example/", "https://accounts.example\\@thief.example/", "javascript:alert(1)", "file:///etc/passwd"} {
		var shown strings.Builder
		o := &Options{IO: command.IO{Err: command.Console{Writer: &shown}}}
		if _, err := o.askBrowser(t.Context(), nil, "", page); err == nil || shown.Len() > 0 {
			t.Errorf("%s: %v, shown %q", page, err, shown.String())
		}
	}
}
