// Package link finds the host of URLs that a reader can misread. It
// sends nothing and resolves no names.
package link

import (
	"net/url"
	"regexp"
	"strings"

	"golang.org/x/net/idna"
)

// pattern matches web URLs in text, also in Markdown.
var pattern = regexp.MustCompile(`(?i)\bhttps?:[/\\]+[^\s<>"()\[\]]*(\[[0-9a-f:.]+\])?[^\s<>"()\[\]]*`)

// Annotate returns text with a Note after every URL that a reader can misread.
func Annotate(text string) string {
	if !strings.Contains(text, ":/") && !strings.Contains(text, `:\`) {
		return text
	}
	return pattern.ReplaceAllStringFunc(text, func(found string) string {
		address := strings.TrimRight(found, ".,;:!?'*_`")
		if note := Note(address); note != "" {
			return address + " " + note + found[len(address):]
		}
		return found
	})
}

// Note returns a note with the host that a browser would connect to, if address is a web
// URL whose host a reader can misread: because of a user name, letters that are not
// ASCII, escapes or backslashes. Otherwise it returns "".
func Note(address string) string {
	host, misleading := parse(address)
	switch {
	case !misleading:
		return ""
	case host == "":
		return "[misleading URL]"
	}
	return "[host: " + host + "]"
}

// Host returns the host of a web URL in ASCII, with its port. It is empty for other
// addresses, and if browsers may disagree about the host.
func Host(address string) string {
	host, _ := parse(address)
	return host
}

// parse reads a URL as a browser does. The host is empty if it is not a web URL, or if
// browsers may disagree about it.
func parse(address string) (host string, misleading bool) {
	scheme, rest, ok := strings.Cut(address, ":")
	if scheme = strings.ToLower(scheme); !ok || scheme != "http" && scheme != "https" {
		return "", false
	}
	authority, plain := strings.CutPrefix(rest, "//")
	authority = strings.TrimLeft(authority, `/\`)
	if i := strings.IndexAny(authority, "/?#"); i >= 0 {
		authority = authority[:i]
	}
	if strings.Contains(authority, `\`) || !plain || strings.HasPrefix(rest, "///") {
		return "", true
	}
	i := strings.LastIndex(authority, "@")
	name, port := authority[i+1:], ""
	if j := strings.LastIndex(name, ":"); j >= 0 && !strings.HasSuffix(name, "]") {
		name, port = name[:j], name[j:]
	}
	if i < 0 && ascii(name) && !strings.Contains(name, "%") {
		return strings.ToLower(name) + port, false
	}
	name, err := url.PathUnescape(name)
	if err == nil && !strings.HasPrefix(name, "[") {
		name, err = idna.Lookup.ToASCII(name)
	}
	if err != nil || name == "" {
		return "", true
	}
	return name + port, true
}

func ascii(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r > '~' || r <= ' ' }) < 0
}
