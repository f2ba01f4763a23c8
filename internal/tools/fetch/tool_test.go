package fetch_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
	"agent/internal/tools"
	"agent/internal/tools/fetch"
)

type obj = map[string]any

// prepareFetch prepares a call of a fetch tool that may connect to loopback.
func prepareFetch(t *testing.T, args any) (tools.Call, error) {
	t.Helper()
	b, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	here := func(a netip.AddrPort) bool { return a.Addr().IsLoopback() }
	return fetch.Tool(fetch.Options{Allow: here}, nil).Prepare(t.Context(), b)
}

func TestFetchNamesItsTarget(t *testing.T) {
	long := "https://example.org/?q=" + strings.Repeat("x", 300)
	for url, want := range map[string]tools.Call{
		"https://Example.org/a#b":   {Title: "fetch https://example.org/a", Targets: []tools.Target{{Kind: tools.Host, Value: "example.org"}}},
		"http://example.org:8080/a": {Title: "fetch http://example.org:8080/a", Targets: []tools.Target{{Kind: tools.Host, Value: "example.org:8080"}}},
		"http://example.org/a":      {Title: "fetch http://example.org/a", Targets: []tools.Target{{Kind: tools.Host, Value: "example.org:80"}}},
		"https://example.org:443/a": {Title: "fetch https://example.org/a", Targets: []tools.Target{{Kind: tools.Host, Value: "example.org"}}},
		"http://example.org:443/a":  {Title: "fetch http://example.org:443/a", Targets: []tools.Target{{Kind: tools.Host, Value: "example.org:443"}}},
		long: {Title: "fetch " + long, Targets: []tools.Target{{Kind: tools.Host, Value: "example.org"}},
			Warnings: []string{"a URL of this length can send data to the server: " + long}},
	} {
		got, err := prepareFetch(t, obj{"url": url})
		if err != nil {
			t.Fatal(err)
		}
		got.Run, want.Effect = nil, tools.Network
		if d := cmp.Diff(got, want); d != "" {
			t.Errorf("%s: %s", url, d)
		}
	}
}

// Behind a proxy the host is named by the request and not resolved here.
func TestFetchUsesTheProxy(t *testing.T) {
	var asked []string
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.RequestURI)
		fmt.Fprint(w, "from the proxy")
	}))
	defer proxy.Close()
	at, err := url.Parse(proxy.URL)
	if err != nil {
		t.Fatal(err)
	}
	tool := fetch.Tool(fetch.Options{Proxy: func(r *http.Request) (*url.URL, error) {
		if r.URL.Hostname() == "direct.invalid" {
			return nil, nil
		}
		return at, nil
	}}, nil)
	for _, c := range []struct{ page, want, warning string }{
		{"http://example.invalid/a", "from the proxy\n", "cannot check that example.invalid is on the public internet"},
		{"http://10.1.2.3/a", "10.1.2.3 is not a public address", "cannot check that 10.1.2.3"},
		{"http://direct.invalid/a", "fetch http://direct.invalid/a", ""},
	} {
		call, err := tool.Prepare(t.Context(), json.RawMessage(`{"url":"`+c.page+`"}`))
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(call.Warnings, "\n"); !strings.Contains(got, c.warning) || c.warning == "" && got != "" {
			t.Errorf("%s: warnings %q, want %q", c.page, got, c.warning)
		}
		r, err := call.Run(t.Context(), tools.Approved{})
		if got := r.Text + fmt.Sprint(err); !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.page, got, c.want)
		}
	}
	if d := cmp.Diff(asked, []string{"http://example.invalid/a"}); d != "" {
		t.Errorf("the proxy got: %s", d)
	}
}

func TestFetchRejectsArguments(t *testing.T) {
	for _, c := range []struct {
		args any
		want string
	}{
		{obj{"url": "ftp://example.org"}, "not an http or https URL"},
		{obj{"url": "https://me:pw@example.org"}, "sends no credentials"},
		{obj{"url": "https://example.org", "offset": -1}, "it must be at least 0"},
		{obj{"url": "https://example.org", "length": -1}, "it must be at least 0"},
		{obj{"url": "https://example.org", "method": "POST"}, `does not take "method"`},
	} {
		if _, err := prepareFetch(t, c.args); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v", c.args, err)
		}
	}
}

func TestFetchResult(t *testing.T) {
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 4, 3))); err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/page":
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, "<title>T</title><p>see <a href=/x>x</a>")
		case "/lines":
			w.Header().Set("Content-Type", "text/plain")
			for i := range 10 {
				fmt.Fprintf(w, "line %d é\n", i)
			}
		case "/image":
			_, _ = w.Write(picture.Bytes())
		case "/damaged":
			_, _ = w.Write(picture.Bytes()[:picture.Len()/2])
		case "/away":
			http.Redirect(w, r, "https://www.example.org/new", http.StatusMovedPermanently)
		case "/moved":
			http.Redirect(w, r, "/page", http.StatusMovedPermanently)
		case "/empty":
			w.Header().Set("Content-Type", "text/plain")
		default:
			http.Error(w, "gone", http.StatusGone)
		}
	}))
	defer s.Close()
	source := strings.TrimPrefix(s.URL, "http://")
	for _, c := range []struct {
		args obj
		want tools.Result
	}{
		{obj{"url": "/page"}, tools.Result{Text: "Title: T\n\nsee [x](BASE/x)\n", Summary: "200 · 39 bytes"}},
		{obj{"url": "/lines", "length": 25}, tools.Result{Text: "line 0 é\nline 1 é\nline \n[truncated: bytes 0 to 25 of 100; continue with offset 25]\n", Summary: "200 · 100 bytes"}},
		{obj{"url": "/lines", "length": 21}, tools.Result{Text: "line 0 é\nline 1 é\n[truncated: bytes 0 to 20 of 100; continue with offset 20]\n", Summary: "200 · 100 bytes"}},
		{obj{"url": "/lines", "offset": 8, "length": 1}, tools.Result{Text: "é\n[truncated: bytes 7 to 9 of 100; continue with offset 9]\n", Summary: "200 · 100 bytes"}},
		{obj{"url": "/lines", "offset": 90}, tools.Result{Text: "line 9 é\n[bytes 90 to 100 of 100]\n", Summary: "200 · 100 bytes"}},
		{obj{"url": "/lines", "offset": 100}, tools.Result{Text: "[nothing at offset 100: the text has 100 bytes]\n", Summary: "200 · 100 bytes"}},
		{obj{"url": "/empty"}, tools.Result{Text: "[no text on this page: 0 bytes of text/plain]\n", Summary: "200 · 0 bytes"}},
		{obj{"url": "/image"}, tools.Result{Text: "[image, PNG, 4 x 3]\n",
			Summary: fmt.Sprintf("200 · %d bytes", picture.Len()), Images: []llm.Image{{MediaType: "image/png", Data: picture.Bytes()}}}},
		{obj{"url": "/away"}, tools.Result{Text: "[301 Moved Permanently: URL redirects to https://www.example.org/new, on another host. Fetch that URL if you want it]\n",
			Summary: "redirects to www.example.org"}},
		{obj{"url": "/moved"}, tools.Result{Text: "[redirected to BASE/page]\nTitle: T\n\nsee [x](BASE/x)\n", Summary: "200 · 39 bytes"}},
		{obj{"url": "/gone"}, tools.Result{Text: "[the server answered 410 Gone]\ngone\n", Summary: "410 · 5 bytes", IsError: true}},
	} {
		url := s.URL + c.args["url"].(string)
		c.args["url"] = url
		call, err := prepareFetch(t, c.args)
		if err != nil {
			t.Fatal(err)
		}
		got, err := call.Run(t.Context(), tools.Approved{})
		if err != nil {
			t.Fatal(err)
		}
		c.want.Source = source
		got.Text = strings.NewReplacer(url, "URL", s.URL, "BASE").Replace(got.Text)
		if d := cmp.Diff(got, c.want); d != "" {
			t.Errorf("%v: %s", c.args, d)
		}
	}
	call, err := prepareFetch(t, obj{"url": s.URL + "/damaged"})
	if err != nil {
		t.Fatal(err)
	}
	if r, err := call.Run(t.Context(), tools.Approved{}); err == nil || !strings.Contains(err.Error(), "image is damaged") || r.Source != source {
		t.Errorf("a damaged image: %v, source %q", err, r.Source)
	}
	s.Close()
	if r, err := call.Run(t.Context(), tools.Approved{}); err == nil || r.Source != "" {
		t.Errorf("no server: %v, source %q", err, r.Source)
	}
}
