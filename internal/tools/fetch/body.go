package fetch

import (
	"context"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	htmlcharset "golang.org/x/net/html/charset"

	"agent/internal/tools/advice"
	"agent/internal/tools/charset"
)

// sniffBytes is how many bytes are used to detect the encoding.
const sniffBytes = 1024

// decode sets the text or image of p from the body b.
func (p *Page) decode(ctx context.Context, b []byte, contentType string) error {
	looks, _, _ := mime.ParseMediaType(http.DetectContentType(b))
	p.Type, _, _ = mime.ParseMediaType(contentType)
	if p.Type == "" || p.Type == "application/octet-stream" {
		p.Type = looks
	}
	if slices.Contains([]string{"image/png", "image/jpeg", "image/gif", "image/webp"}, looks) {
		p.Type = looks
		if p.Cut {
			return fmt.Errorf("fetch %s: the image (%s) has more than %d MB", p.URL, p.Type, MaxRead>>20)
		}
		p.Image = b
		return nil
	}
	if looks == "application/pdf" && !p.Cut {
		p.Type, p.PDF = looks, b
		return nil
	}
	text, ok := decodeText(b, contentType)
	if !ok || looks == "application/pdf" {
		size := fmt.Sprintf("%d bytes", len(b))
		if p.Cut {
			size = fmt.Sprintf("more than %d MB", MaxRead>>20)
		}
		return advice.Add(fmt.Errorf("fetch %s: the content is binary (%s, %s)", p.URL, p.Type, size), "To download it, use a command such as curl -O in shell")
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

// decodeText returns b as UTF-8, from its declared or detected encoding. It
// reports false for binary content.
func decodeText(b []byte, contentType string) (string, bool) {
	enc, name, certain := htmlcharset.DetermineEncoding(b[:min(len(b), sniffBytes)], contentType)
	if name != "utf-8" && (certain || !utf8.Valid(charset.Complete(b))) {
		if decoded, err := enc.NewDecoder().Bytes(b); err == nil {
			b = decoded
		}
	}
	text := strings.TrimPrefix(string(b), "\ufeff")
	return strings.ToValidUTF8(text, "\ufffd"), !strings.Contains(text, "\x00")
}
