package fetch

import (
	"context"
	_ "embed"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"agent/internal/llm"
	"agent/internal/llm/marker"
	"agent/internal/llm/phrase"
	"agent/internal/tools"
	"agent/internal/tools/intake"
	"agent/internal/tools/read"
)

//go:embed fetch.md
var fetchText string

const (
	defaultLength = 50 << 10  // default of length, in bytes
	maxLength     = 200 << 10 // maximum of length
	maxPlainURL   = 200       // bytes; a longer URL could carry data out
)

type fetchArgs struct {
	URL    string `json:"url"`
	Offset int    `json:"offset,omitempty"`
	Length int    `json:"length,omitempty" jsonschema:"bytes, at most 204800"`
}

// PDFText returns the text of a PDF. See tools.Commands.PDFText.
type PDFText func(ctx context.Context, pdf []byte, ok tools.Approved) (text string, pages int, err error)

// Tool returns the tool that fetches a URL. Pdf reads the PDFs.
func Tool(o Options, pdf PDFText) tools.Tool {
	client := New(o)
	return tools.New("fetch", fetchText, func(_ context.Context, a fetchArgs) (tools.Call, error) {
		u, err := a.check()
		if err != nil {
			return tools.Call{}, err
		}
		c := tools.Call{
			Title:   "fetch " + u.String(),
			Effect:  tools.Network,
			Targets: []tools.Target{{Kind: tools.Host, Value: hostOf(u)}},
			Run: func(ctx context.Context, ok tools.Approved) (tools.Result, error) {
				p, err := client.Get(ctx, u)
				var r tools.Result
				if err == nil && p.PDF != nil {
					if p.Text, _, err = pdf(ctx, p.PDF, ok); err != nil && ctx.Err() == nil {
						err = fmt.Errorf("fetch %s: %w", p.URL, err)
					}
				}
				if err == nil {
					r, err = a.result(ctx, p)
				}
				if p.URL != nil { // an error may quote the server too
					r.Source = hostOf(u)
				}
				if err == nil && p.URL.String() != u.String() {
					r.Text = "[redirected to " + p.URL.String() + "]\n" + r.Text
				}
				return r, err
			},
		}
		if proxy := client.Proxy(u); proxy != "" {
			c.Warnings = append(c.Warnings, "the request goes through the proxy "+proxy+", so agent cannot check that "+u.Hostname()+" is on the public internet")
		}
		if len(c.Title) > maxPlainURL {
			c.Warnings = append(c.Warnings, "a URL of this length can send data to the server: "+u.String())
		}
		return c, nil
	}, intake.Form{
		Names:   []string{"web_fetch", "fetch_url", "read_url", "fetch_webpage"},
		Aliases: map[string][]string{"url": {"uri", "urls"}, "offset": {"start_index"}, "length": {"max_length"}},
		Paths:   []string{"url"}, Ranges: map[string]intake.Range{"offset": {Max: math.MaxInt32}, "length": {Max: maxLength}},
		Harmless: []string{"prompt", "timeout", "raw=false", "method=get"},
	})
}

// hostOf returns the host of a URL, with its port unless that is 443. A
// permission for example.org does not cover port 80.
func hostOf(u *url.URL) string {
	if u.Scheme == "http" && u.Port() == "" {
		return u.Host + ":80"
	}
	return u.Host
}

// check sets defaults and returns the parsed URL.
func (a *fetchArgs) check() (*url.URL, error) {
	if a.Length == 0 {
		a.Length = defaultLength
	}
	return Parse(a.URL)
}

// result returns the content of a page for the model.
func (a *fetchArgs) result(ctx context.Context, p Page) (tools.Result, error) {
	status := fmt.Sprintf("%d %s", p.Status, http.StatusText(p.Status))
	if p.Elsewhere != nil {
		return tools.Result{
			Text:    fmt.Sprintf("[%s: %s redirects to %s, on another host. Fetch that URL if you want it]\n", status, p.URL, p.Elsewhere),
			Summary: "redirects to " + p.Elsewhere.Host,
		}, nil
	}
	r := tools.Result{
		Summary: fmt.Sprintf("%d · %s", p.Status, phrase.Bytes(int64(p.Size))),
		IsError: p.Status >= http.StatusBadRequest,
	}
	if p.Image != nil {
		shown, err := read.Show(ctx, p.Image)
		if err != nil && ctx.Err() == nil {
			err = fmt.Errorf("fetch %s: %w", p.URL, err)
		}
		if err != nil {
			return tools.Result{}, err
		}
		r.Images = []llm.Image{shown.Image}
		r.Text = fmt.Sprintf("[image, %s, %d x %d]\n", shown.Format, shown.Size.X, shown.Size.Y)
		return r, nil
	}
	if r.IsError {
		r.Text = "[the server answered " + status + "]\n"
	}
	r.Text += a.excerpt(p)
	return r, nil
}

// excerpt returns the requested part of the text, and a note on its position.
func (a *fetchArgs) excerpt(p Page) string {
	total := len(p.Text)
	truncated := ""
	if p.Cut {
		truncated = ", of a page truncated because of its size"
	}
	switch {
	case strings.TrimSpace(p.Text) == "":
		return "[no text on this page: " + phrase.Bytes(int64(p.Size)) + " of " + p.Type + "]\n"
	case a.Offset >= total:
		return fmt.Sprintf("[nothing at offset %d: the text has %d bytes%s]\n", a.Offset, total, truncated)
	}
	start, end := a.Offset, min(a.Offset+a.Length, total)
	for start > 0 && !utf8.RuneStart(p.Text[start]) {
		start--
	}
	if end < total {
		end = cutPosition(p.Text, start, end)
	}
	text := phrase.EndLine(p.Text[start:end])
	switch {
	case end < total:
		text += marker.Note("bytes %d to %d of %d%s; continue with offset %d", start, end, total, truncated, end) + "\n"
	case start > 0 || p.Cut:
		text += fmt.Sprintf("[bytes %d to %d of %d%s]\n", start, end, total, truncated)
	}
	return text
}

// cutPosition returns the best position at or before end to cut text: after a
// line that ends in the last tenth, otherwise at a character boundary. It is
// always after start.
func cutPosition(text string, start, end int) int {
	if i := strings.LastIndexByte(text[start:end], '\n'); i >= (end-start)*9/10 {
		return start + i + 1
	}
	for i := end; i > start; i-- {
		if utf8.RuneStart(text[i]) {
			return i
		}
	}
	_, n := utf8.DecodeRuneInString(text[start:])
	return start + n
}
