package wire

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"agent/internal/llm"
)

// An error page shows its title only, without the status that it repeats.
func TestErrorPages(t *testing.T) {
	for body, want := range map[string]string{
		"<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head><body><h1>nginx</h1></body></html>": "p answered 502: Bad Gateway",
		"\n<HTML><TITLE lang=en>\n  Web server &amp; proxy\n  down </TITLE><body>":                           "p answered 502: Web server & proxy down",
		"<title>502: down</title>": "p answered 502: down",
		"<title>502</title>":       "p answered 502: bad gateway",
		"<title>\x1b[2J</title>":   "p answered 502: [2J",
		"<html><h1>Bad\ngateway":   "p answered 502: bad gateway",
		"<svg><titles>x</titles>":  "p answered 502: bad gateway",
		"upstream is down":         "p answered 502: upstream is down",
		"":                         "p answered 502: bad gateway",
	} {
		e := StatusError(http.StatusBadGateway, nil, []byte(body), time.Time{})
		e.Provider = "p"
		if got := e.Error(); got != want {
			t.Errorf("%q: got %q, want %q", body, got, want)
		}
	}
}

// A login page with status 200 is reported by its title.
func TestPageInsteadOfStream(t *testing.T) {
	for body, want := range map[string]string{
		"<html><head><title>Sign in</title></head><body>Hello</body></html>": "the server sent an HTML page: Sign in",
		"<html><body>Hello</body></html>":                                    "the server sent an HTML page",
	} {
		_, err := NewPayloads(strings.NewReader(body)).Next()
		e, ok := errors.AsType[*llm.Error](err)
		if !ok || e.Message != want || errors.Is(err, io.EOF) {
			t.Errorf("%q: got %v, want %q", body, err, want)
		}
	}
}

// The message of a router and that of the provider behind it become one
// sentence without doubled words or punctuation.
func TestRouterMessages(t *testing.T) {
	for body, want := range map[string]string{
		`{"error":{"message":"Provider returned error.","metadata":{"raw":"busy."}}}`: "p answered 503: Provider returned error: busy.",
		`{"error":{"message":"busy","metadata":{"raw":"busy"}}}`:                      "p answered 503: busy",
		`{"error":{"metadata":{"raw":"busy"}}}`:                                       "p answered 503: busy",
		`{"error":{"message":"Overloaded. Try later."}}`:                              "p answered 503: Overloaded. Try later.",
		`{"error":{"message":"Loading..."}}`:                                          "p answered 503: Loading...",
	} {
		e := StatusError(http.StatusServiceUnavailable, nil, []byte(body), time.Time{})
		e.Provider = "p"
		if got := e.Error(); got != want {
			t.Errorf("%s: got %q, want %q", body, got, want)
		}
	}
}
