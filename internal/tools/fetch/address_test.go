package fetch_test

import (
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"agent/internal/tools/fetch"
)

func TestParse(t *testing.T) {
	for raw, want := range map[string]string{
		"https://example.org":                       "https://example.org",
		" https://Example.ORG:443/a?b=c#d\n":        "https://example.org/a?b=c",
		"HTTP://example.org.:80/":                   "http://example.org/",
		"http://example.org:443/":                   "http://example.org:443/",
		"https://example.org:08443/é?q=ü x":         "https://example.org:8443/%C3%A9?q=%C3%BC%20x",
		"https://bücher.example/a%20b":              "https://xn--bcher-kva.example/a%20b",
		"https://a_b.example-1.org/?x=%E2%80%AE&y=": "https://a_b.example-1.org/?x=%E2%80%AE&y=",
		"https://[2606:4700:0::1]:443/":             "https://[2606:4700::1]/",
		"http://1.1.1.1:8080":                       "http://1.1.1.1:8080",
		"http://[::FFFF:127.0.0.1]/":                "http://[::ffff:127.0.0.1]/",
		"https://a1.example1/0x1":                   "https://a1.example1/0x1",
		"https://allowed.com.evil.example/":         "https://allowed.com.evil.example/",
		"https://example.org/?a=\u202eb":            "https://example.org/?a=%E2%80%AEb",
	} {
		u, err := fetch.Parse(raw)
		if err != nil || u.String() != want {
			t.Errorf("%q: got %v, %v, want %s", raw, u, err, want)
		}
	}
	for raw, want := range map[string]string{
		"":                                           "not an http or https URL",
		"example.org/page":                           "not an http or https URL",
		"file:///etc/passwd":                         "not an http or https URL",
		"javascript:alert(1)":                        "not an http or https URL",
		"https://me:secret@example.org":              "sends no credentials",
		"https://me@example.org":                     "sends no credentials",
		"https://allowed.com@evil.example/":          "sends no credentials",
		"https://evil\x00.allowed.com/":              "is not a valid URL",
		"https://evil%00.allowed.com/":               "is not a valid URL",
		`https://evil.example\@allowed.com/`:         "is not a valid URL",
		"http://127.0.0.1./":                         "not a valid IP address",
		"http://127.1/":                              "not a valid IP address",
		"http://2130706433/":                         "not a valid IP address",
		"http://0x7f000001/":                         "not a valid IP address",
		"http://0x7f.1":                              "not a valid IP address",
		"http://0177.0.0.1/":                         "not a valid IP address",
		"http://example.0x/":                         "not a valid IP address",
		"https:///path":                              "has no host",
		"https:example.org":                          "has no host",
		"https://.":                                  "has no host",
		"https://exa mple.org":                       "is not a valid URL",
		"https://example.org/\x00":                   "is not a valid URL",
		"https://exa%mple.org":                       "is not a valid URL",
		"https://a,b.org":                            "not a valid host name",
		"https://[fe80::1%25eth0]/":                  "not a valid host name",
		"https://example.org:0/":                     "no port",
		"https://example.org:99999/":                 "no port",
		"https://example.org:x/":                     "is not a valid URL",
		"https://e.org/" + strings.Repeat("a", 5000): "more than the limit of 4096",
	} {
		u, err := fetch.Parse(raw)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%.60q: got %v, %v, want an error with %q", raw, u, err, want)
		}
	}
}

func TestPublic(t *testing.T) {
	for _, c := range []struct {
		public bool
		addrs  string
	}{
		{true, "1.1.1.1 8.8.8.8 93.184.215.14 172.15.255.255 172.32.0.1 100.63.255.255 100.128.0.1 192.167.255.255 223.255.255.255"},
		{true, "2606:4700::1111 2a00:1450:4001::200e 2001:4860:4860::8888 ::ffff:1.1.1.1 64:ff9b::101:101"},
		{false, "0.0.0.0 0.1.2.3 10.0.0.1 100.64.0.1 100.100.100.200 127.0.0.1 127.255.0.1 168.63.129.16 169.254.169.254 172.16.0.1 172.31.255.255"},
		{false, "192.0.0.192 192.0.2.1 192.88.99.1 192.168.1.1 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.9 224.0.0.1 239.1.1.1 240.0.0.1 255.255.255.255"},
		{false, ":: ::1 ::7f00:1 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:169.254.169.254 64:ff9b::7f00:1 64:ff9b::a9fe:a9fe 64:ff9b:1::1"},
		{false, "fe80::1 fe80::1%eth0 fec0::1 fc00::1 fd00:ec2::254 ff02::1 100::1 2001::1 2001:db8::1 2002:7f00:1:: 3fff::1 5f00::1"},
	} {
		for a := range strings.FieldsSeq(c.addrs) {
			if got := fetch.Public(netip.MustParseAddr(a)); got != c.public {
				t.Errorf("%s: got public %t, want %t", a, got, c.public)
			}
		}
	}
}

func TestFollows(t *testing.T) {
	for _, c := range []struct {
		from, to string
		want     bool
	}{
		{"https://a.org/1", "https://a.org/2", true},
		{"http://a.org/1", "https://a.org/1", true},
		{"https://a.org/1", "http://a.org/1", false},
		{"https://a.org/1", "https://www.a.org/1", false},
		{"https://a.org/1", "https://a.org:8443/1", false},
		{"http://a.org:8080/1", "https://a.org:8443/1", false},
		{"http://a.org:8080/1", "https://a.org/1", false},
		{"http://a.org:8080/1", "http://a.org:8080/2", true},
	} {
		from, _ := url.Parse(c.from)
		to, _ := url.Parse(c.to)
		if got := fetch.Follows(from, to); got != c.want {
			t.Errorf("%s to %s: got %t, want %t", c.from, c.to, got, c.want)
		}
	}
}
