package fetch

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/idna"
)

// maxURL is the maximum length of a URL in bytes.
const maxURL = 4096

// Parse parses raw and returns its canonical form: ASCII, lower-case host,
// without default port and fragment. It rejects URLs that fetch does not support.
func Parse(raw string) (*url.URL, error) {
	raw = strings.TrimSpace(raw)
	if len(raw) > maxURL {
		return nil, fmt.Errorf("the URL has %d bytes, more than the limit of %d", len(raw), maxURL)
	}
	u, err := url.Parse(raw)
	if err != nil {
		if e, ok := errors.AsType[*url.Error](err); ok {
			err = e.Err
		}
		return nil, fmt.Errorf("%q is not a valid URL: %w", raw, err)
	}
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("%q is not an http or https URL", raw)
	case u.User != nil:
		return nil, errors.New("the URL contains a user name; fetch sends no credentials. Remove the part before the @")
	case u.Opaque != "" || u.Hostname() == "":
		return nil, fmt.Errorf("%q has no host; give a complete URL, such as https://example.org/page", raw)
	}
	host, err := canonical(u.Hostname())
	if err != nil {
		return nil, err
	}
	port := u.Port()
	if n, err := strconv.Atoi(port); port != "" && (err != nil || n < 1 || n > 65535) {
		return nil, fmt.Errorf("%q: there is no port %s", raw, port)
	} else if port != "" {
		port = strconv.Itoa(n)
	}
	if port != "" && port != map[string]string{"http": "80", "https": "443"}[u.Scheme] {
		host += ":" + port
	}
	u.Host, u.Fragment, u.RawFragment = host, "", ""
	u.RawQuery = ascii(u.RawQuery)
	return u, nil
}

// canonical returns the canonical form of a host.
func canonical(host string) (string, error) {
	if addr, err := netip.ParseAddr(host); err == nil && addr.Zone() == "" {
		if addr.Is6() {
			return "[" + addr.String() + "]", nil
		}
		return addr.String(), nil
	}
	name := strings.ToLower(strings.TrimSuffix(host, "."))
	if ascii(name) != name {
		var err error
		if name, err = idna.Lookup.ToASCII(name); err != nil {
			return "", fmt.Errorf("%q is not a valid host name: %w", host, err)
		}
	}
	for _, r := range name {
		if !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz0123456789-._", r) {
			return "", fmt.Errorf("%q is not a valid host name", host)
		}
	}
	if last := name[strings.LastIndexByte(name, '.')+1:]; numeric(last) { // some resolvers read 127.1 as 127.0.0.1
		return "", fmt.Errorf("%q is not a valid IP address. Write four decimal numbers, such as 192.0.2.1", host)
	}
	if name == "" {
		return "", errors.New("the URL has no host; give a complete URL, such as https://example.org/page")
	}
	return name, nil
}

// numeric reports whether the last part of a host name is a decimal or hexadecimal
// number.
func numeric(label string) bool {
	digits, chars := label, "0123456789"
	if hex, ok := strings.CutPrefix(label, "0x"); ok {
		digits, chars = hex, "0123456789abcdef"
	}
	return label != "" && strings.Trim(digits, chars) == ""
}

// ascii percent-encodes all bytes of s that are not printable ASCII.
func ascii(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		if c > ' ' && c < 0x7f {
			b.WriteByte(c)
			continue
		}
		fmt.Fprintf(&b, "%%%02X", c)
	}
	return b.String()
}

// Public reports whether addr is on the public internet, and not on this machine
// or a local network.
func Public(addr netip.Addr) bool {
	addr = addr.Unmap()
	if nat64 := netip.MustParsePrefix("64:ff9b::/96"); nat64.Contains(addr) {
		b := addr.As16()
		addr = netip.AddrFrom4([4]byte(b[12:])) // the embedded IPv4 address
	}
	if addr.Zone() != "" || addr.Is6() && !netip.MustParsePrefix("2000::/3").Contains(addr) {
		return false
	}
	for _, p := range reserved() {
		if p.Contains(addr) {
			return false
		}
	}
	return !onLocalNetwork(addr)
}

// reserved returns the special-purpose address ranges of the IANA registries; for
// IPv6, those within 2000::/3.
func reserved() []netip.Prefix {
	var out []netip.Prefix
	for _, p := range []string{
		"0.0.0.0/8",         // this network
		"10.0.0.0/8",        // private
		"100.64.0.0/10",     // shared behind a provider's NAT
		"127.0.0.0/8",       // loopback
		"168.63.129.16/32",  // a cloud's own services, seen from its machines
		"169.254.0.0/16",    // link-local, with the metadata of clouds
		"172.16.0.0/12",     // private
		"192.0.0.0/24",      // protocols
		"192.0.2.0/24",      // documentation
		"192.88.99.0/24",    // relays of 6to4
		"192.168.0.0/16",    // private
		"198.18.0.0/15",     // benchmarks
		"198.51.100.0/24",   // documentation
		"203.0.113.0/24",    // documentation
		"224.0.0.0/3",       // multicast, reserved, broadcast
		"2001::/23",         // protocols, with the tunnels of Teredo
		"2001:db8::/32",     // documentation
		"2002::/16",         // the tunnels of 6to4
		"3fff::/20",         // documentation
		"2620:4f:8000::/48", // a sink
	} {
		out = append(out, netip.MustParsePrefix(p))
	}
	return out
}

// onLocalNetwork reports whether addr is on a network that this machine is
// directly connected to. With IPv6, machines on home networks have public
// addresses too.
func onLocalNetwork(addr netip.Addr) bool {
	nets, err := net.InterfaceAddrs()
	if err != nil {
		return false
	}
	for _, n := range nets {
		if p, err := netip.ParsePrefix(n.String()); err == nil && p.Masked().Contains(addr) {
			return true
		}
	}
	return false
}
