package wire

import (
	"errors"
	"html"
	"regexp"
	"strings"
)

// errHTML is the cause of an error whose response is an HTML page.
var errHTML = errors.New("the response is an HTML page")

// isPage reports whether the body of a response is a page and not JSON.
func isPage(body string) bool { return strings.HasPrefix(strings.TrimSpace(body), "<") }

// pageTitle returns the title of an HTML page as one line, without the status
// that many titles begin with, or "" if there is none.
func pageTitle(page, status string) string {
	m := regexp.MustCompile(`(?is)<title\b[^>]*>(.*?)</title`).FindStringSubmatch(page)
	if m == nil {
		return ""
	}
	title := Truncate(Clean(html.UnescapeString(m[1])), 200)
	return strings.TrimLeft(strings.TrimPrefix(title, status), " :-–—|")
}
