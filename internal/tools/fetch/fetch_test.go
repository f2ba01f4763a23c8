package fetch_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agent/internal/tools/fetch"
)

// get fetches path from a loopback server that runs h.
func get(t *testing.T, h http.HandlerFunc, path string) (fetch.Page, string, error) {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	p, err := getFrom(t.Context(), s.URL+path)
	return p, s.URL, err
}

func getFrom(ctx context.Context, raw string) (fetch.Page, error) {
	u, err := fetch.Parse(raw)
	if err != nil {
		return fetch.Page{}, err
	}
	return fetch.New(fetch.Options{UserAgent: "test/1", Allow: loopback, Limit: time.Minute}).Get(ctx, u)
}

func loopback(a netip.AddrPort) bool { return a.Addr().IsLoopback() }

// send returns a handler that responds with contentType and body.
func send(contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Content-Type"] = []string{contentType}
		_, _ = io.WriteString(w, body)
	}
}

func TestTextIsUnchanged(t *testing.T) {
	late := strings.Repeat("x", 2000) + "é"
	for name, c := range map[string]struct {
		contentType, body, wantType, want string
	}{
		"json":                {"application/json", "{\"a\": \"<b>é\"}\n", "application/json", "{\"a\": \"<b>é\"}\n"},
		"markdown":            {"text/markdown; charset=utf-8", "# é\r\n", "text/markdown", "# é\r\n"},
		"plain holds tags":    {"text/plain", "<p>a", "text/plain", "<p>a"},
		"no type":             {"", "a\nb\n", "text/plain", "a\nb\n"},
		"no type but HTML":    {"", "<!doctype html><p>a", "text/html", "a\n"},
		"octets that are not": {"application/octet-stream", "all: build\n", "text/plain", "all: build\n"},
		"declared Latin-1":    {"text/plain; charset=iso-8859-1", "caf\xe9", "text/plain", "café"},
		"Latin-1 untold":      {"text/plain", "caf\xe9 ol\xe9", "text/plain", "café olé"},
		"UTF-8 untold, late":  {"text/plain", late, "text/plain", late},
		"UTF-8, BOM":          {"text/plain", "\ufeffé", "text/plain", "é"},
		"UTF-8, broken":       {"text/plain; charset=utf-8", "a\xffb", "text/plain", "a\ufffdb"},
		"UTF-16, BOM":         {"text/plain", "\xff\xfea\x00\xe9\x00", "text/plain", "aé"},
		"declared UTF-16":     {"text/plain; charset=utf-16be", "\x00a\x00\xe9", "text/plain", "aé"},
		"Shift-JIS in a page": {"text/html", "<meta charset=shift_jis><p>\x93\xfa\x96\x7b", "text/html", "日本\n"},
		"control characters":  {"text/plain", "a\x1b[31mb", "text/plain", "a\x1b[31mb"},
		"a wrong charset":     {"text/plain; charset=klingon", "é", "text/plain", "é"},
		"nothing":             {"text/plain", "", "text/plain", ""},
	} {
		t.Run(name, func(t *testing.T) {
			p, _, err := get(t, send(c.contentType, c.body), "/")
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff([]string{p.Type, p.Text}, []string{c.wantType, c.want}); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestOtherContentTypesAreRejected(t *testing.T) {
	for name, c := range map[string]struct{ contentType, body, want string }{
		"zip":           {"application/zip", "PK\x03\x04\x00\x00", "application/zip, 6 bytes"},
		"lies":          {"text/plain", "a\x00b", "text/plain, 3 bytes"},
		"octets":        {"application/octet-stream", "\x7fELF\x00", "application/octet-stream, 5 bytes"},
		"large":         {"video/mp4", strings.Repeat("\x00", fetch.MaxRead+10), "more than 5 MB"},
		"a large image": {"image/png", "\x89PNG\r\n\x1a\n" + strings.Repeat("x", fetch.MaxRead), "more than 5 MB"},
	} {
		if _, _, err := get(t, send(c.contentType, c.body), "/"); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want an error with %q", name, err, c.want)
		}
	}
}

func TestImage(t *testing.T) {
	const png = "\x89PNG\r\n\x1a\nrest"
	p, base, err := get(t, send("application/octet-stream", png), "/i")
	if err != nil {
		t.Fatal(err)
	}
	got := []any{p.URL.String(), p.Type, string(p.Image), p.Text}
	if d := cmp.Diff(got, []any{base + "/i", "image/png", png, ""}); d != "" {
		t.Error(d)
	}
}

func TestSizeLimit(t *testing.T) {
	p, _, err := get(t, send("text/plain", strings.Repeat("a", fetch.MaxRead+1)), "/")
	if err != nil || len(p.Text) != fetch.MaxRead || !p.Cut {
		t.Errorf("got %d bytes, cut %t, %v", len(p.Text), p.Cut, err)
	}
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	_, _ = z.Write(make([]byte, 8<<20))
	_ = z.Close()
	_, _, err = get(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("Content-Type", "text/plain")
		_, _ = w.Write(bomb.Bytes())
	}, "/")
	if err == nil || !strings.Contains(err.Error(), "more than 5 MB") {
		t.Errorf("a bomb: %v", err)
	}
	_, _, err = get(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "br")
		_, _ = w.Write([]byte("x"))
	}, "/")
	if err == nil || !strings.Contains(err.Error(), `content encoding "br"`) {
		t.Errorf("another packing: %v", err)
	}
}

func TestStatusIsKept(t *testing.T) {
	p, _, err := get(t, func(w http.ResponseWriter, r *http.Request) { http.Error(w, "no such page", http.StatusNotFound) }, "/")
	if err != nil || p.Status != http.StatusNotFound || p.Text != "no such page\n" {
		t.Errorf("got %+v, %v", p, err)
	}
}

// A request has no data of the user and none of the previous request.
func TestRequestsCarryNoPrivateData(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1") // must not be used
	var headers []http.Header
	_, _, err := get(t, func(w http.ResponseWriter, r *http.Request) {
		headers = append(headers, r.Header)
		if r.URL.Path == "/first" {
			http.SetCookie(w, &http.Cookie{Name: "who", Value: "you"})
			http.Redirect(w, r, "/second", http.StatusFound)
		}
	}, "/first")
	if err != nil {
		t.Fatal(err)
	}
	want := http.Header{
		"User-Agent": {"test/1"}, "Accept-Encoding": {"gzip"}, "Connection": {"close"},
		"Accept": {"text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, text/plain;q=0.8, */*;q=0.5"},
	}
	if d := cmp.Diff(headers, []http.Header{want, want}); d != "" {
		t.Error(d)
	}
}

func TestRedirects(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("another host was asked") }))
	defer other.Close()
	server := func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/relative":
			w.Header().Set("Location", "dir/../page#part")
			w.WriteHeader(http.StatusMovedPermanently)
		case "/round":
			http.Redirect(w, r, "/round", http.StatusTemporaryRedirect)
		case "/away":
			http.Redirect(w, r, other.URL+"/x?y=z", http.StatusFound)
		case "/name":
			http.Redirect(w, r, "http://localhost:"+strings.Split(r.Host, ":")[1]+"/", http.StatusSeeOther)
		case "/metadata":
			http.Redirect(w, r, "http://169.254.169.254/latest/meta-data/", http.StatusFound)
		case "/file":
			w.Header().Set("Location", "file:///etc/passwd")
			w.WriteHeader(http.StatusFound)
		case "/user":
			http.Redirect(w, r, "http://me:secret@"+r.Host+"/", http.StatusPermanentRedirect)
		case "/nowhere":
			w.WriteHeader(http.StatusFound)
		default:
			_, _ = io.WriteString(w, r.URL.Path)
		}
	}
	for path, want := range map[string]string{
		"/relative": "SELF/page /page",
		"/away":     "elsewhere " + other.URL + "/x?y=z",
		"/name":     "elsewhere http://localhost:PORT/",
		"/nowhere":  "SELF/nowhere ",
		"/metadata": "elsewhere http://169.254.169.254/latest/meta-data/",
		"/round":    "error fetch: HOST redirects more than 5 times. Try another URL",
		"/file":     `error fetch SELF/file: unsupported redirect: "file:///etc/passwd" is not an http or https URL`,
		"/user":     "error fetch SELF/user: unsupported redirect: the URL contains a user name; fetch sends no credentials. Remove the part before the @",
	} {
		p, base, err := get(t, server, path)
		var got string
		switch {
		case err != nil:
			got = "error " + err.Error()
		case p.Elsewhere != nil:
			got = "elsewhere " + p.Elsewhere.String()
		default:
			got = p.URL.String() + " " + p.Text
		}
		host := strings.TrimPrefix(base, "http://")
		_, port, _ := strings.Cut(host, ":")
		got = strings.NewReplacer(base, "SELF", host, "HOST", "localhost:"+port, "localhost:PORT").Replace(got)
		if d := cmp.Diff(got, want); d != "" {
			t.Errorf("%s: %s", path, d)
		}
	}
}

// Private addresses are rejected in every spelling.
func TestPrivateAddressesAreNotReached(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("it was reached") }))
	defer s.Close()
	_, port, _ := strings.Cut(strings.TrimPrefix(s.URL, "http://"), ":")
	for _, host := range []string{"127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "0.0.0.0", "[::]"} {
		u, err := fetch.Parse("http://" + host + ":" + port + "/")
		if err != nil {
			t.Fatal(err)
		}
		_, err = fetch.New(fetch.Options{}).Get(t.Context(), u)
		if err == nil || !strings.Contains(err.Error(), "not a public address") {
			t.Errorf("%s: %v", host, err)
		}
	}
}

// A redirect to the same host is checked again: its name may resolve to another
// address by then.
func TestEveryConnectionIsChecked(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/next", http.StatusFound) }))
	defer s.Close()
	asked := 0
	u, _ := fetch.Parse(s.URL)
	_, err := fetch.New(fetch.Options{Allow: func(netip.AddrPort) bool { asked++; return asked == 1 }}).Get(t.Context(), u)
	if err == nil || !strings.Contains(err.Error(), "not a public address") || asked != 2 {
		t.Errorf("asked %d times, %v", asked, err)
	}
}

func TestConnectionRefused(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	s.Close()
	if _, err := getFrom(t.Context(), s.URL); err == nil || !strings.Contains(err.Error(), "Check the URL") {
		t.Errorf("a closed port: %v", err)
	}
	if _, err := getFrom(t.Context(), "http://nobody.invalid/"); err == nil || !strings.Contains(err.Error(), "nobody.invalid") {
		t.Errorf("an unknown host: %v", err)
	}
}

// stuck returns the URL of a server that sends head and then blocks until the test
// ends.
func stuck(t *testing.T, begun chan<- struct{}, head string) string {
	t.Helper()
	done := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if head != "" {
			fmt.Fprint(w, head)
			w.(http.Flusher).Flush()
		}
		begun <- struct{}{}
		<-done
	}))
	t.Cleanup(func() { close(done); s.Close() })
	return s.URL
}

func TestContextCancelsTheRequest(t *testing.T) {
	for _, head := range []string{"", "<p>a page that never"} {
		begun := make(chan struct{}, 1)
		base := stuck(t, begun, head)
		ctx, stop := context.WithCancel(t.Context())
		go func() { <-begun; stop() }()
		if _, err := getFrom(ctx, base); !errors.Is(err, context.Canceled) {
			t.Errorf("head %q: %v", head, err)
		}
	}
}

func TestTimeLimit(t *testing.T) {
	for _, head := range []string{"", "<p>a page that never"} {
		u, _ := fetch.Parse(stuck(t, make(chan struct{}, 1), head))
		_, err := fetch.New(fetch.Options{Allow: loopback, Limit: 300 * time.Millisecond}).Get(t.Context(), u)
		if err == nil || !strings.Contains(err.Error(), "timed out after 300ms") {
			t.Errorf("head %q: %v", head, err)
		}
	}
}
