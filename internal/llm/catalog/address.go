package catalog

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"

	"agent/internal/llm/wire"
)

// address returns the base URL of r, and its source unless that is the table.
func (in Input) address(r Row) (base, from string, err error) {
	switch env := in.env(r.URLName); {
	case r.Dialect == Builtin:
		return "", "", nil
	case in.BaseURL != "" && (in.BaseFor == "" || in.BaseFor == r.Name):
		base, from = in.BaseURL, sourceFlag
	case env != "":
		base, from = r.complete(env), r.URLName
	case r.Name == "openai" && in.ConfigURL != "":
		base, from = in.ConfigURL, sourceConfig
	case r.Configured:
		base, from = r.BaseURL, "its base_url in the configuration"
	case in.recorded(r):
		base, from = in.LastURL, sourceSession
	default:
		return r.BaseURL, "", nil
	}
	if err := CheckURL(base); err != nil {
		return "", from, fmt.Errorf("%s: %w", from, err)
	}
	if wire.IsRedacted(base) {
		return "", from, fmt.Errorf("the base URL %s was saved without its secrets: start with --base-url and the full URL%s", wire.Redacted(base), r.orVariable())
	}
	return r.withSuffix(base), from, nil
}

// Sources of a base URL besides variables and the entries of providers.
const (
	sourceFlag    = "--base-url"
	sourceSession = "the session"
	sourceConfig  = "base_url in the configuration"
)

// orVariable names the variable for r's base URL as an alternative.
func (r Row) orVariable() string {
	if r.URLName == "" {
		return ""
	}
	return ", or set " + r.URLName
}

// recorded reports whether LastURL is a base URL of r.
func (in Input) recorded(r Row) bool {
	provider, _, _ := Split(in.Last)
	return in.LastURL != "" && in.keepURL && provider == r.Name
}

// moved reports whether the source from sets another address than r's own,
// where r's key may not be needed.
func (r Row) moved(from string) bool {
	return from == sourceFlag || from == sourceSession || from != "" && (r.BaseURL != "" || r.Keyless)
}

// withSuffix adds the row's suffix to a base URL without a path, and removes a
// path that requests append again.
func (r Row) withSuffix(base string) string {
	base, query := wire.CutQuery(strings.TrimSpace(base))
	base = strings.TrimRight(base, "/")
	if r.Path != "" {
		base = strings.TrimSuffix(base, r.Path[:1+strings.Index(r.Path[1:], "/")])
	}
	if u, err := url.Parse(base); err == nil && u.Path == "" {
		return base + r.Suffix + query
	}
	return base + query
}

// complete turns the value of a variable into a URL. It may be only a host, or
// the listening address of a local server.
func (r Row) complete(s string) string {
	s = strings.TrimSpace(s)
	if !strings.Contains(s, "://") {
		scheme := "https://"
		if r.Local {
			scheme = "http://"
			s = withPort(s, r.port())
		}
		s = scheme + s
	}
	u, err := url.Parse(s)
	if err != nil || !r.Local {
		return s
	}
	if ip, err := netip.ParseAddr(u.Hostname()); u.Hostname() == "" || err == nil && ip.IsUnspecified() {
		u.Host = strings.TrimSuffix(net.JoinHostPort("127.0.0.1", u.Port()), ":")
	}
	return u.String()
}

// port returns the default port of the row's server.
func (r Row) port() string {
	u, err := url.Parse(r.BaseURL)
	if err != nil {
		return ""
	}
	return u.Port()
}

// withPort adds the port to HOST or HOST/PATH if it has none.
func withPort(s, port string) string {
	host, path, _ := strings.Cut(s, "/")
	if path != "" {
		path = "/" + path
	}
	if _, _, err := net.SplitHostPort(host); err == nil {
		return s
	}
	return net.JoinHostPort(strings.Trim(host, "[]"), port) + path
}

// CheckURL returns why s cannot be a base URL; nil if it is empty or can be one.
func CheckURL(s string) error {
	if s == "" {
		return nil
	}
	u, err := url.Parse(strings.TrimSpace(s))
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return fmt.Errorf("%q is not a base URL: write it like http://127.0.0.1:8080/v1", wire.Redacted(s))
	}
	return nil
}
