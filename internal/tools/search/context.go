package search

import (
	"bytes"
	"io"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"agent/internal/llm/marker"
	"agent/internal/tools/charset"
)

// contextWindow is how many bytes before and after a match are read for context.
const contextWindow = 16 << 10

// addContext reads the n lines before and after each match of a file. It adds
// fewer if the file was removed or truncated meanwhile.
func (t *Tree) addContext(m *Matched, n int) {
	if n <= 0 || len(m.Matches) == 0 {
		return
	}
	f, err := regular(func(flag int) (*os.File, error) { return t.root.OpenFile(m.Path, flag, 0) })
	if err != nil {
		return
	}
	defer f.Close()
	var in io.ReaderAt = f
	if m.decoded {
		in = decodedText(f)
	}
	buf := make([]byte, contextWindow)
	for i := range m.Matches {
		k := &m.Matches[i]
		from := max(k.start-contextWindow, 0)
		if got, _ := in.ReadAt(buf[:k.start-from], from); int64(got) == k.start-from {
			k.Before = m.lastLines(buf[:got], n, from == 0)
		}
		got, _ := in.ReadAt(buf, k.end)
		k.After = m.firstLines(buf[:got], n)
	}
}

// lastLines returns the last n lines of b, which ends with a newline. Unless
// whole is set, the first line of b may be incomplete and is excluded.
func (m *Matched) lastLines(b []byte, n int, whole bool) []string {
	b, ended := bytes.CutSuffix(b, []byte("\n"))
	sample := b
	var out []string
	for more := ended; more && len(out) < n; {
		i := bytes.LastIndexByte(b, '\n')
		if i < 0 && !whole {
			break
		}
		out = append(out, m.contextLine(b[i+1:], sample))
		if more = i >= 0; more {
			b = b[:i]
		}
	}
	slices.Reverse(out)
	return out
}

// firstLines returns the first n lines of b after its leading newline.
func (m *Matched) firstLines(b []byte, n int) []string {
	b, more := bytes.CutPrefix(b, []byte("\n"))
	sample := b
	var out []string
	for more && len(out) < n && len(b) > 0 {
		var line []byte
		line, b, more = bytes.Cut(b, []byte("\n"))
		out = append(out, m.contextLine(line, sample))
	}
	return out
}

func (m *Matched) contextLine(line, sample []byte) string {
	return m.show(bytes.TrimSuffix(line, []byte("\r")), 0, sample)
}

// maxText is how many bytes of a line are shown.
const maxText = 300

// show returns a line of sample, which is a part of the file, as UTF-8. It is truncated around
// byte at if it is long.
func (m *Matched) show(line []byte, at int, sample []byte) string {
	if utf8.Valid(line) {
		return clip(line, at)
	}
	if m.encoding == "" {
		m.encoding = charset.Unknown
		if e, ok := charset.Detect(sample, false); ok && (e == charset.Latin1 || e == charset.Windows1252) {
			m.encoding = e
		}
	}
	if m.encoding == charset.Unknown {
		return clip(line, at)
	}
	at = min(at, len(line))
	head, _ := io.ReadAll(m.encoding.Decode(bytes.NewReader(line[:at])))
	tail, _ := io.ReadAll(m.encoding.Decode(bytes.NewReader(line[at:])))
	return clip(append(head, tail...), len(head))
}

// clip returns a line of UTF-8, truncated around byte at if it is long.
func clip(line []byte, at int) string {
	if len(line) <= maxText {
		return strings.ToValidUTF8(string(line), "\ufffd")
	}
	from := max(min(at-maxText/2, len(line)-maxText), 0)
	for from > 0 && !utf8.RuneStart(line[from]) {
		from--
	}
	to := min(from+maxText, len(line))
	for to < len(line) && !utf8.RuneStart(line[to]) {
		to++
	}
	s := strings.ToValidUTF8(string(line[from:to]), "\ufffd")
	if from > 0 {
		s = marker.Note("%d bytes", from) + s
	}
	if to < len(line) {
		s += marker.Note("%d bytes", len(line)-to)
	}
	return s
}
