package wire

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

// hidden replaces a secret in a URL that is stored or shown.
const hidden = "***"

// Redacted returns a base URL without its secrets: the user information, the
// values of the query and the fragment are replaced by ***. A text that is not a
// URL loses everything that may be one of them.
func Redacted(base string) string {
	base = strings.TrimSpace(base)
	u, err := url.Parse(base)
	if err != nil || u.Host == "" {
		return redactedText(base)
	}
	user := ""
	if u.User != nil {
		user = hidden + "@"
	}
	out := u.Scheme + "://" + user + u.Host + u.EscapedPath()
	if u.RawQuery != "" {
		out += "?" + redactedQuery(u.RawQuery)
	}
	if u.Fragment != "" {
		out += "#" + hidden
	}
	return out
}

// Withheld reports whether a redacted URL lacks something that it had.
func Withheld(redacted string) bool { return strings.Contains(redacted, hidden) }

// redactedText is Redacted for a text that is not a URL.
func redactedText(s string) string {
	s, _ = CutQuery(s)
	if at := strings.LastIndexByte(s, '@'); at >= 0 {
		scheme, _, ok := strings.Cut(s[:at], "://")
		if scheme += "://"; !ok {
			scheme = ""
		}
		s = scheme + hidden + s[at:]
	}
	return s
}

func redactedQuery(query string) string {
	parts := strings.Split(query, "&")
	for i, p := range parts {
		name, _, ok := strings.Cut(p, "=")
		if parts[i] = hidden; ok {
			parts[i] = name + "=" + hidden
		}
	}
	return strings.Join(parts, "&")
}

// CutQuery splits a base URL before its query and fragment.
func CutQuery(base string) (address, query string) {
	if i := strings.IndexAny(base, "?#"); i >= 0 {
		return base[:i], base[i:]
	}
	return base, ""
}

// Join appends a path to a base URL, before its query.
func Join(base, path string) string {
	address, query := CutQuery(base)
	return strings.TrimRight(address, "/") + path + query
}

// APIBase returns base without the path of an interface of OpenAI's, which
// requests append. A base without a path gets /v1.
func APIBase(base string) string {
	base, query := CutQuery(strings.TrimSpace(base))
	base = strings.TrimRight(base, "/")
	base = strings.TrimSuffix(strings.TrimSuffix(base, "/responses"), "/chat/completions")
	if u, err := url.Parse(base); err == nil && u.Host != "" && u.Path == "" {
		base += "/v1"
	}
	return base + query
}

// Loopback reports whether a URL names this machine: a loopback address or
// localhost.
func Loopback(base string) bool {
	u, err := url.Parse(base)
	return err == nil && loopbackHost(u.Hostname())
}

func loopbackHost(host string) bool {
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback() || strings.EqualFold(host, "localhost")
}

// leastSecret is the length in bytes from which a value of a URL is looked for
// in messages: replacing shorter ones would only garble them.
const leastSecret = 4

// secretsOf returns the parts of a base URL that must not show in an error, as
// they are written in it and as they read.
func secretsOf(base string) []string {
	u, err := url.Parse(base)
	if err != nil {
		return nil
	}
	var all []string
	add := func(values ...string) {
		for _, v := range values {
			if len(v) >= leastSecret {
				all = append(all, v)
			}
		}
	}
	if u.User != nil {
		password, _ := u.User.Password()
		raw, rawPassword, _ := strings.Cut(u.User.String(), ":")
		add(u.User.String(), base64.StdEncoding.EncodeToString([]byte(u.User.Username()+":"+password)))
		add(password, rawPassword, u.User.Username(), raw)
	}
	for p := range strings.SplitSeq(u.RawQuery, "&") {
		_, value, ok := strings.Cut(p, "=")
		if !ok {
			value = p
		}
		add(value)
		if plain, err := url.QueryUnescape(value); err == nil {
			add(plain)
		}
	}
	return all
}

// errPlain is the cause of a request that would carry a key unencrypted.
type errPlain struct{ host string }

func (e *errPlain) Error() string {
	return fmt.Sprintf("the API key is not sent to %s over plain http", e.host)
}

// mayProve returns an error if req would carry a key unencrypted to another
// machine. proven says that its headers hold one.
func (c *Client) mayProve(req *http.Request, proven bool) error {
	secret := proven || SecretURL(req.URL)
	for name := range c.at.Headers {
		secret = secret || SecretHeader(name)
	}
	if !secret || c.at.AllowHTTP || req.URL.Scheme != "http" || loopbackHost(req.URL.Hostname()) {
		return nil
	}
	return &errPlain{req.URL.Host}
}

// SecretURL reports whether a URL carries a key: as a password, or in its query.
func SecretURL(u *url.URL) bool {
	secret := u.User != nil
	for name := range u.Query() {
		secret = secret || SecretHeader(name)
	}
	return secret
}

// SecretHeader reports whether a header is one that carries a key.
func SecretHeader(name string) bool {
	name = strings.ToLower(name)
	for _, word := range []string{"auth", "key", "token", "secret", "cookie", "password"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}
