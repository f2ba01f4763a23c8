package wire

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
)

func TestRedacted(t *testing.T) {
	for base, want := range map[string]string{
		"https://api.openai.com/v1":                     "https://api.openai.com/v1",
		" http://[::1]:8080/v1/ ":                       "http://[::1]:8080/v1/",
		"https://me:pass@gw.example/v1":                 "https://***@gw.example/v1",
		"https://token@gw.example":                      "https://***@gw.example",
		"https://gw.example/a%2Fb?key=abc&v=2&flag#end": "https://gw.example/a%2Fb?key=***&v=***&***#***",
		"me:pa@ss@gw.example/v1":                        "***@gw.example/v1",
		"https://me:pa/ss@gw.example/v1?key=x":          "https://***@gw.example/v1",
		"localhost:8080":                                "localhost:8080",
		"":                                              "",
	} {
		got := Redacted(base)
		if got != want {
			t.Errorf("%q: got %q, want %q", base, got, want)
		}
		if again := Redacted(got); again != got {
			t.Errorf("%q: redacted twice it is %q", got, again)
		}
		if IsRedacted(got) != strings.Contains(want, "*") {
			t.Errorf("%q: it says that it lacks something: %t", got, IsRedacted(got))
		}
	}
}

func TestJoin(t *testing.T) {
	for _, row := range [][3]string{
		{"https://h/v1", "/models", "https://h/v1/models"},
		{"https://h/v1/?key=a/b", "/models", "https://h/v1/models?key=a/b"},
		{"https://me:pass@h", "/v1", "https://me:pass@h/v1"},
	} {
		if got := Join(row[0], row[1]); got != row[2] {
			t.Errorf("%s and %s: got %s, want %s", row[0], row[1], got, row[2])
		}
	}
}

// roundTripper handles every request with a function.
type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// A key is sent over plain HTTP to this machine and to allowed hosts.
func TestKeyOverPlainHTTP(t *testing.T) {
	for name, row := range map[string]struct {
		at   Endpoint
		sent bool
	}{
		"https":                    {Endpoint{Base: "https://gw.example/v1", Authorize: Bearer("k")}, true},
		"http":                     {Endpoint{Base: "http://gw.example/v1", Authorize: Bearer("k")}, false},
		"http without a key":       {Endpoint{Base: "http://gw.example/v1"}, true},
		"http, allowed":            {Endpoint{Base: "http://gw.example/v1", Authorize: Bearer("k"), AllowHTTP: true}, true},
		"http to this machine":     {Endpoint{Base: "http://127.0.0.1:1/v1", Authorize: Bearer("k")}, true},
		"http to localhost":        {Endpoint{Base: "http://localhost:1/v1", Authorize: Bearer("k")}, true},
		"http to an IPv6 loopback": {Endpoint{Base: "http://[::1]:1/v1", Authorize: Bearer("k")}, true},
		"a name like localhost":    {Endpoint{Base: "http://localhost.gw.example/v1", Authorize: Bearer("k")}, false},
		"an unspecified address":   {Endpoint{Base: "http://0.0.0.0:1/v1", Authorize: Bearer("k")}, false},
		"a password in the URL":    {Endpoint{Base: "http://me:secret@gw.example/v1"}, false},
		"a key in a header":        {Endpoint{Base: "http://gw.example/v1", Headers: map[string]string{"X-Api-Key": "k"}}, false},
		"a header without a key":   {Endpoint{Base: "http://gw.example/v1", Headers: map[string]string{"X-Title": "k"}}, true},
	} {
		t.Run(name, func(t *testing.T) {
			sent := false
			row.at.Name = "test"
			row.at.Transport = roundTripper(func(*http.Request) (*http.Response, error) {
				sent = true
				return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader("data: [DONE]\n\n"))}, nil
			})
			x := New(row.at).Exchange(t.Context(), "m")
			_, err := x.Post("/x", []byte("{}"))
			if sent != row.sent || row.sent && err != nil {
				t.Fatalf("sent: %t, want %t, %v", sent, row.sent, err)
			}
			if row.sent {
				return
			}
			e := x.Failed(err)
			if e.Kind != llm.ErrKey || e.Retry || !strings.Contains(e.Message, "is not sent to ") || !strings.Contains(e.Hint, "allow_http") || strings.Contains(fmt.Sprintf("%+v %s", e, e.Hint), "secret") {
				t.Errorf("got %+v", e)
			}
		})
	}
}

// A redirect from https to http is never followed.
func TestRedirectsDoNotDowngrade(t *testing.T) {
	reached := 0
	plain := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached++ }))
	defer plain.Close()
	secure := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		to := plain.URL
		if r.URL.Path == "/same" {
			to = "http://" + r.Host
		}
		http.Redirect(w, r, to+"/v1?key=CANARY", http.StatusTemporaryRedirect)
	}))
	secure.StartTLS()
	defer secure.Close()
	for _, path := range []string{"/same", "/other"} {
		x := New(Endpoint{Name: "test", Base: secure.URL, Authorize: Bearer("k"), AllowHTTP: true, Transport: secure.Client().Transport}).Exchange(t.Context(), "m")
		_, err := x.Post(path, []byte("{}"))
		if _, ok := errors.AsType[*redirectError](err); !ok || reached != 0 {
			t.Errorf("%s: got %v, and the plain server was reached %d times", path, err, reached)
		}
		if e := x.Failed(err); strings.Contains(fmt.Sprintf("%v %s %v", e, e.Hint, e.Err), "CANARY") {
			t.Errorf("%s: the query shows in %v, %v", path, e, e.Err)
		}
	}
}

// The secrets of a base URL appear in no error.
func TestSecretsOfBaseURL(t *testing.T) {
	const user, password, key = "us-CANARY", "pw/CANARY", "ke+y-CANARY"
	base := func(host string) string {
		return "http://us-CANARY:pw%2FCANARY@" + host + "/v1?key=ke%2By-CANARY&CANARY-flag"
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, pass, _ := r.BasicAuth()
		if name != user || pass != password || r.URL.Query().Get("key") != key || r.URL.Path != "/v1/x" {
			t.Errorf("got %s, %s, %s", name, pass, r.URL)
		}
		switch r.Header.Get("X-Case") {
		case "echo":
			w.WriteHeader(http.StatusBadRequest)
			_, _ = fmt.Fprintf(w, `{"error":{"message":"bad login %s %s, %s of %s %s"}}`, name, pass, r.Header.Get("Authorization"), r.URL, r.URL.Query().Get("key"))
		case "redirect":
			http.Redirect(w, r, "https://elsewhere.invalid/?key="+key, http.StatusTemporaryRedirect)
		case "missing":
			w.WriteHeader(http.StatusNotFound)
		case "page":
			w.WriteHeader(http.StatusForbidden)
			_, _ = io.WriteString(w, "<html>")
		case "closed":
			panic(http.ErrAbortHandler)
		}
	}))
	defer server.Close()
	host := strings.TrimPrefix(server.URL, "http://")
	for name, row := range map[string]struct{ base, path string }{
		"echo": {base(host), "/x"}, "redirect": {base(host), "/x"}, "missing": {base(host), "/x"}, "page": {base(host), "/x"}, "closed": {base(host), "/x"},
		"refused":     {base("127.0.0.1:1"), "/x"},
		"no TLS":      {strings.Replace(base(host), "http:", "https:", 1), "/x"},
		"a bad path":  {base(host), "/x\x7f%zz"},
		"not allowed": {base("gw.example"), "/x"},
	} {
		t.Run(name, func(t *testing.T) {
			x := New(Endpoint{Name: "test", Base: row.base, Headers: map[string]string{"X-Case": name}}).Exchange(t.Context(), "m")
			_, err := x.Post(row.path, []byte("{}"))
			if err == nil {
				t.Fatal("it succeeded")
			}
			e := x.Failed(err)
			if told := fmt.Sprintf("%+v\n%v\n%s\n%v\n%s", e, e, e.Hint, e.Err, e.Message); strings.Contains(told, "CANARY") {
				t.Errorf("a secret shows in %s", told)
			}
		})
	}
	if diff := cmp.Diff(New(Endpoint{Base: base("h") + " "}).URL("/x"), "http://us-CANARY:pw%2FCANARY@h/v1/x?key=ke%2By-CANARY&CANARY-flag"); diff != "" {
		t.Error(diff)
	}
}
