package fetch

import (
	"context"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"

	"agent/internal/tools/read"
)

// sniffed is how many bytes say how the others are encoded.
const sniffed = 1024

// fill makes text or an image of what was read.
func (p *Page) fill(ctx context.Context, b []byte, contentType string) error {
	looks, _, _ := mime.ParseMediaType(http.DetectContentType(b))
	p.Type, _, _ = mime.ParseMediaType(contentType)
	if p.Type == "" || p.Type == "application/octet-stream" {
		p.Type = looks
	}
	if slices.Contains([]string{"image/png", "image/jpeg", "image/gif", "image/webp"}, looks) {
		p.Type = looks
		if p.Cut {
			return fmt.Errorf("fetch %s: the image (%s) has more than %d MB, too many to be shown", p.URL, p.Type, MaxRead>>20)
		}
		p.Image = b
		return nil
	}
	text, ok := decode(b, contentType)
	if !ok || looks == "application/pdf" {
		size := fmt.Sprintf("%d bytes", len(b))
		if p.Cut {
			size = fmt.Sprintf("more than %d MB", MaxRead>>20)
		}
		return fmt.Errorf("fetch %s: this is no text but %s, %s. If the person wants it, download it by a command such as curl -O", p.URL, p.Type, size)
	}
	if p.Type != "text/html" && p.Type != "application/xhtml+xml" {
		p.Text = text
		return nil
	}
	md, cut, err := markdown(ctx, text, p.URL)
	if err != nil {
		return fmt.Errorf("fetch %s: %w", p.URL, err)
	}
	p.Text, p.Cut = md, p.Cut || cut
	return nil
}

// decode returns b as UTF-8, from the encoding that is declared for it or that
// it looks like. It reports false for what is no text.
func decode(b []byte, contentType string) (string, bool) {
	enc, name, certain := charset.DetermineEncoding(b[:min(len(b), sniffed)], contentType)
	if name != "utf-8" && (certain || !utf8.Valid(read.Complete(b))) {
		if decoded, err := enc.NewDecoder().Bytes(b); err == nil {
			b = decoded
		}
	}
	text := strings.TrimPrefix(string(b), "\ufeff")
	return strings.ToValidUTF8(text, "\ufffd"), !strings.Contains(text, "\x00")
}
