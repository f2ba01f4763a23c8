package llm

import (
	"cmp"
	"fmt"
	"net/url"
	"strings"
	"unicode"
)

// Search is a web search that the provider ran itself.
type Search struct {
	Query   string   `json:"query,omitempty"` // or the URL of a page that was opened; empty if it is not known
	Results []Source `json:"results,omitempty"`
	Ended   bool     `json:"ended,omitempty"` // the results are complete
	Error   string   `json:"error,omitempty"` // the provider's word for why it failed
}

// Source is a page on the web. Its fields are untrusted text.
type Source struct {
	URL   string `json:"url"`
	Title string `json:"title,omitempty"`
}

// The limits of a search.
const (
	maxSources     = 100     // results of a search, sources of a message
	maxSourceBytes = 2 << 10 // of a URL or title
	maxTitle       = 120     // characters of a title that are shown
	notedResults   = 10      // results in a note for a model
)

// AddSource adds a page to sources, unless its URL is there or the list is full.
func AddSource(sources []Source, s Source) []Source {
	if s.URL == "" || len(s.URL) > maxSourceBytes || len(sources) >= maxSources {
		return sources
	}
	for _, known := range sources {
		if known.URL == s.URL {
			return sources
		}
	}
	if len(s.Title) > maxSourceBytes {
		s.Title = strings.ToValidUTF8(s.Title[:maxSourceBytes], "")
	}
	return append(sources, s)
}

// Text describes the search on one line, for the user. It is not sanitized.
func (s *Search) Text() string {
	text := "Web search"
	if s.Query != "" {
		text += ": " + s.Query
	}
	switch {
	case s.Error != "":
		return text + " · failed: " + s.Error
	case !s.Ended:
		return text + " …"
	case len(s.Results) == 1:
		return text + " · 1 result"
	case len(s.Results) > 1:
		return fmt.Sprintf("%s · %d results", text, len(s.Results))
	}
	return text
}

// Note describes the search to a model that cannot read its results.
func (s *Search) Note() string {
	var b strings.Builder
	fmt.Fprintf(&b, "[web search for %q", s.Query)
	switch {
	case s.Error != "":
		b.WriteString(" failed: " + s.Error)
	case len(s.Results) > 0:
		b.WriteString(" found:")
	}
	for i, r := range s.Results {
		if i == notedResults {
			fmt.Fprintf(&b, "\n(%d more)", len(s.Results)-i)
			break
		}
		b.WriteString("\n" + strings.TrimSpace(r.Title+" "+r.URL))
	}
	return b.String() + "]"
}

// WithSources returns the text of m for the user: with a numbered list of its
// sources at the end, as Markdown. The text of m is the beginning of it. Sources
// that are not on the web are left out.
func (m Message) WithSources() string {
	var b strings.Builder
	n := 0
	for _, s := range m.Sources {
		u, err := url.Parse(s.URL)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			continue
		}
		if n++; n == 1 {
			b.WriteString(m.Text + "\n\nSources:\n\n")
		}
		title := cmp.Or(plain(s.Title), plain(u.Host))
		fmt.Fprintf(&b, "%d. [%s](<%s>)\n", n, title, strings.NewReplacer("<", "%3C", ">", "%3E", "\\", "%5C").Replace(u.String()))
	}
	if n == 0 {
		return m.Text
	}
	return b.String()
}

// plain returns a title on one line in which nothing has a meaning in Markdown.
func plain(title string) string {
	title = strings.Map(func(r rune) rune {
		switch {
		case strings.ContainsRune("[]<>`*_\\~|!#&", r), unicode.IsControl(r), unicode.IsSpace(r):
			return ' '
		}
		return r
	}, title)
	title = strings.Join(strings.Fields(title), " ")
	if r := []rune(title); len(r) > maxTitle {
		title = string(r[:maxTitle]) + "…"
	}
	return title
}
