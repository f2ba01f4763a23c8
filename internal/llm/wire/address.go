package wire

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

// masked replaces a secret in a URL that is stored or shown.
const masked = "***"

// Redacted returns a base URL without secrets: user information, query values
// and the fragment become ***. In text that is not a URL, everything that could
// be a secret is replaced.
func Redacted(base string) string {
	base = strings.TrimSpace(base)
	u, err := url.Parse(base)
	if err != nil || u.Host == "" {
		return redactedText(base)
	}
	user := ""
	if u.User != nil {
		user = masked + "@"
	}
	out := u.Scheme + "://" + user + u.Host + u.EscapedPath()
	if u.RawQuery != "" {
		out += "?" + redactedQuery(u.RawQuery)
	}
	if u.Fragment != "" {
		out += "#" + masked
	}
	return out
}

// IsRedacted reports whether a redacted URL lost any secrets.
func IsRedacted(redacted string) bool { return strings.Contains(redacted, masked) }

// redactedText is Redacted for text that is not a URL.
func redactedText(s string) string {
	s, _ = CutQuery(s)
	if at := strings.LastIndexByte(s, '@'); at >= 0 {
		scheme, _, ok := strings.Cut(s[:at], "://")
		if scheme += "://"; !ok {
			scheme = ""
		}
		s = scheme + masked + s[at:]
	}
	return s
}

func redactedQuery(query string) string {
	parts := strings.Split(query, "&")
	for i, p := range parts {
		name, _, ok := strings.Cut(p, "=")
		if parts[i] = masked; ok {
			parts[i] = name + "=" + masked
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

// Join appends path to a base URL, before its query.
func Join(base, path string) string {
	address, query := CutQuery(base)
	return strings.TrimRight(address, "/") + path + query
}

// APIBase returns base without a path of OpenAI's API that requests append. If
// base has no path, /v1 is used.
func APIBase(base string) string {
	base, query := CutQuery(strings.TrimSpace(base))
	base = strings.TrimRight(base, "/")
	base = strings.TrimSuffix(strings.TrimSuffix(base, "/responses"), "/chat/completions")
	if u, err := url.Parse(base); err == nil && u.Host != "" && u.Path == "" {
		base += "/v1"
	}
	return base + query
}

// Loopback reports whether the host of a URL is localhost or a loopback
// address.
func Loopback(base string) bool {
	u, err := url.Parse(base)
	return err == nil && loopbackHost(u.Hostname())
}

func loopbackHost(host string) bool {
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback() || strings.EqualFold(host, "localhost")
}

// minSecret is the minimum length in bytes of a URL value that is masked in
// messages. Masking shorter ones would garble ordinary text.
const minSecret = 4

// secretsOf returns the parts of a base URL that must not appear in an error,
// both as written and unescaped.
func secretsOf(base string) []string {
	u, err := url.Parse(base)
	if err != nil {
		return nil
	}
	var all []string
	add := func(values ...string) {
		for _, v := range values {
			if len(v) >= minSecret {
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

// plainHTTPError is the error of a request that would send an API key
// unencrypted.
type plainHTTPError struct{ host string }

func (e *plainHTTPError) Error() string {
	return fmt.Sprintf("the API key is not sent to %s over plain HTTP", e.host)
}

// checkEncrypted returns an error if req would send a key unencrypted to
// another machine. authorized says that its headers hold one.
func (c *Client) checkEncrypted(req *http.Request, authorized bool) error {
	secret := authorized || SecretURL(req.URL)
	for name := range c.at.Headers {
		secret = secret || SecretHeader(name)
	}
	if !secret || c.at.AllowHTTP || req.URL.Scheme != "http" || loopbackHost(req.URL.Hostname()) {
		return nil
	}
	return &plainHTTPError{req.URL.Host}
}

// SecretURL reports whether a URL carries a key, as a password or in its query.
func SecretURL(u *url.URL) bool {
	secret := u.User != nil
	for name := range u.Query() {
		secret = secret || SecretHeader(name)
	}
	return secret
}

// SecretHeader reports whether a header called name carries a key.
func SecretHeader(name string) bool {
	name = strings.ToLower(name)
	for _, word := range []string{"auth", "key", "token", "secret", "cookie", "password"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}
