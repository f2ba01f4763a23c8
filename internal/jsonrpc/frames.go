package jsonrpc

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/textproto"
	"strconv"
)

const (
	// maxFrame is the size in bytes of the largest message that Frames reads. Larger ones are
	// skipped.
	maxFrame = 16 << 20
	// maxValues limits the commas of a message, and so its values: in memory, a value can
	// take 50 times as much space as in the text.
	maxValues = 300_000
	// maxHeader limits the header of a message, in bytes. Bytes that are already buffered do
	// not count.
	maxHeader = 4 << 10
)

// Frame returns a message with its header.
func Frame(body []byte) []byte {
	return fmt.Appendf(nil, "Content-Length: %d\r\n\r\n%s", len(body), body)
}

// Frames reads messages with a header, as the section "Base Protocol" of the Language Server
// Protocol describes them.
type Frames struct {
	limit *io.LimitedReader // limits how much is read
	text  *textproto.Reader // reads limit
}

// NewFrames returns a reader of the messages of r.
func NewFrames(r io.Reader) Frames {
	limit := &io.LimitedReader{R: r}
	return Frames{limit, textproto.NewReader(bufio.NewReader(limit))}
}

// Next returns the body of the next message; nil for one that is too large. Its errors wrap
// io.EOF or io.ErrUnexpectedEOF at the end of the input.
func (f Frames) Next() ([]byte, error) {
	f.limit.N = maxHeader
	header, err := f.text.ReadMIMEHeader()
	switch {
	case f.limit.N <= 0 && err != nil:
		return nil, fmt.Errorf("the header of a message is longer than %d bytes", maxHeader)
	case err != nil:
		return nil, fmt.Errorf("read the header of a message: %w", err)
	}
	size, err := strconv.Atoi(header.Get("Content-Length"))
	if err != nil || size < 0 {
		return nil, fmt.Errorf("invalid Content-Length %q", header.Get("Content-Length"))
	}
	f.limit.N = int64(size)
	if size > maxFrame {
		_, err = f.text.R.Discard(size)
		return nil, err
	}
	body := make([]byte, size)
	if _, err = io.ReadFull(f.text.R, body); bytes.Count(body, []byte(",")) > maxValues {
		return nil, err
	}
	return body, err
}
