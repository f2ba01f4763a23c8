package search

import (
	"bytes"
	"io"
	"unicode/utf8"

	"agent/internal/tools/charset"
)

// content is an open file to search.
type content interface {
	io.Reader
	size() (int64, error)
}

// decodedContent is a file whose text is decoded while it is read.
type decodedContent struct {
	io.Reader
	of content
}

// size returns the size of the largest text that the file may hold.
func (d decodedContent) size() (int64, error) {
	n, err := d.of.size()
	return min(n, 1<<60) * maxGrowth, err
}

// maxGrowth is how many bytes a byte of another encoding becomes at most.
const maxGrowth = 3

// decoded returns the text of r, of which head was read, as UTF-8; nil if r is searched as
// it is. Text of one byte per character is decoded only if the pattern may need that.
func (s *scanner) decoded(r content, head []byte, whole bool) content {
	switch zero := bytes.IndexByte(head, 0) >= 0; {
	case hasMark(head):
	case !zero && (!s.q.wide || utf8.Valid(charset.Complete(head)) || holdsUTF8(head)):
		return nil
	}
	e, ok := charset.Detect(head, whole)
	if !ok || !e.Converts() {
		return nil
	}
	return decodedContent{decode(e, io.MultiReader(bytes.NewReader(bytes.Clone(head)), r)), r}
}

// holdsUTF8 reports whether text has a character of several bytes in UTF-8.
func holdsUTF8(text []byte) bool {
	for len(text) > 0 {
		_, n := utf8.DecodeRune(text)
		if n > 1 {
			return true
		}
		text = text[1:]
	}
	return false
}

// hasMark reports whether text begins with a byte order mark of UTF-16.
func hasMark(head []byte) bool {
	return bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff"))
}

// decode returns r as UTF-8, without a byte order mark.
func decode(e charset.Encoding, r io.Reader) io.Reader {
	text := e.Decode(r)
	mark := make([]byte, len("\ufeff"))
	if n, _ := io.ReadFull(text, mark); string(mark[:n]) != "\ufeff" {
		return io.MultiReader(bytes.NewReader(mark[:n]), text)
	}
	return text
}

// maxDecoded limits the text that is decoded for context, in bytes.
const maxDecoded = 32 << 20

// decodedText returns the decoded text at the beginning of r.
func decodedText(r io.Reader) io.ReaderAt {
	raw, _ := io.ReadAll(io.LimitReader(r, maxDecoded))
	e, _ := charset.Detect(raw[:min(len(raw), firstBlock)], len(raw) <= firstBlock)
	text, _ := io.ReadAll(decode(e, bytes.NewReader(raw)))
	return bytes.NewReader(text)
}
