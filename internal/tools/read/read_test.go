package read_test

import (
	"context"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"agent/internal/tools/charset"
	"agent/internal/tools/read"
)

// FuzzShown reads any content as any type. It must return, and its text must be
// valid.
func FuzzShown(f *testing.F) {
	for _, seed := range []string{
		"", "plain\n", "caf\xe9\n", "\xff\xfea\x00", "\xfe\xff\x00a\xd8\x00", "a\x00\n\x00", "\x81\x9d",
		"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89",
		"GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;",
		"\xff\xd8\xff\xe0", "\xff\xd8\xff\xe1\x00\x22Exif\x00\x00II*\x00\x08\x00\x00\x00\x01\x00\x12\x01\x03\x00\x01\x00\x00\x00\x06", "RIFF\x1a\x00\x00\x00WEBPVP8L\r\x00\x00\x00/\x00\x00\x00\x10\x07\x10\x11\x11\x88\x88\xfe\x07\x00", "BM", "%PDF-1.7\n",
		`{"cells": [{"cell_type": "code", "source": ["a"], "outputs": [{"data": {"image/png": "AAAA", "text/plain": ["x"]}}]}]}`,
		`{"worksheets": [{"cells": [{"input": "a", "outputs": [{"ename": "E", "traceback": ["\u001b[31m"]}]}]}]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		read.KindOf("n.ipynb", content)
		if s, err := read.Show(context.Background(), content); err == nil && (len(s.Image.Data) == 0 || s.Frames < 1) {
			t.Errorf("an image without data: %v", s)
		}
		if c, err := read.CellsOf(content); err == nil {
			for _, p := range c.Pictures {
				if p.Line < 1 || p.Line > strings.Count(c.Text, "\n") {
					t.Errorf("an image on line %d of %q", p.Line, c.Text)
				}
			}
		}
		for _, whole := range []bool{true, false} {
			e, ok := charset.Detect(content, whole)
			if !ok {
				continue
			}
			text, err := io.ReadAll(e.Decode(strings.NewReader(string(content))))
			if err != nil || e.Converts() && !utf8.Valid(text) {
				t.Errorf("decoded from %s: %q, %v", e, text, err)
			}
		}
	})
}
