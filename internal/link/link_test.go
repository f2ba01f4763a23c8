package link_test

import (
	"testing"

	"agent/internal/link"
)

func TestNote(t *testing.T) {
	for address, want := range map[string]string{
		"https://github.com/a/b?c=d@e#f":             "",
		"http://localhost:8080/":                     "",
		"https://[::1]:80/x":                         "",
		"HTTPS://GitHub.com":                         "",
		"https://xn--pple-43d.com/":                  "",
		"mailto:me@example.org":                      "",
		"cmd/main.go":                                "",
		"ftp://github.com@evil.example":              "",
		"https://github.com@evil.example/x":          "[host: evil.example]",
		"https://github.com:443@evil.example:8443/x": "[host: evil.example:8443]",
		"https://a@b@[::1]:80/":                      "[host: [::1]:80]",
		"https://github.com%2f@evil.example":         "[host: evil.example]",
		"https://аpple.com/":                         "[host: xn--pple-43d.com]",
		"https://bücher.example":                     "[host: xn--bcher-kva.example]",
		"https://exampl%65.org/":                     "[host: example.org]",
		`https://evil.example\@github.com/`:          "[misleading URL]",
		`https:\\evil.example/`:                      "[misleading URL]",
		"https:evil.example":                         "[misleading URL]",
		"https:///evil.example":                      "[misleading URL]",
		"https://github.com／x.evil.example/":         "[misleading URL]",
		"https://me@":                                "[misleading URL]",
		"https://%zz.example/":                       "[misleading URL]",
		"https://github.com\u2024evil.example/":      "[misleading URL]",
		"https://docs.python.org.evil.example/3/":    "", // it shows its host
	} {
		if got := link.Note(address); got != want {
			t.Errorf("%q: got %q, want %q", address, got, want)
		}
	}
}

func TestAnnotate(t *testing.T) {
	for text, want := range map[string]string{
		"see https://example.org/a.":                  "see https://example.org/a.",
		"see https://a.org@evil.example/x. Then":      "see https://a.org@evil.example/x [host: evil.example]. Then",
		"[https://a.org](https://a.org@evil.example)": "[https://a.org](https://a.org@evil.example [host: evil.example])",
		"https://a@[::1]/x, http://аpple.com!":        "https://a@[::1]/x [host: [::1]], http://аpple.com [host: xn--pple-43d.com]!",
		"**https://аpple.com**":                       "**https://аpple.com [host: xn--pple-43d.com]**",
		"a: b":                                        "a: b",
	} {
		if got := link.Annotate(text); got != want {
			t.Errorf("%q:\n got %q\nwant %q", text, got, want)
		}
	}
}
