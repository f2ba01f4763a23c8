package shell

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// maxNews bounds what is passed on at once to whoever watches.
const maxNews = 16 << 10

// output keeps the beginning and the end of what a command writes.
type output struct {
	fresh chan struct{} // holds a token when something has come
	whole *whole

	mu      sync.Mutex
	half    int    // the size of head, and of what is kept of tail
	head    []byte // the first bytes since it was last taken
	tail    []byte // the last bytes after head, and some more
	size    int64  // of all since it was last taken
	breaks  int64  // newlines in that
	lines   int64  // newlines of all time
	open    bool   // the last line has none yet
	at      time.Time
	waiting []byte // not yet passed on
	missed  int64  // bytes that never will be
}

func newOutput(keep int, w *whole) *output {
	return &output{fresh: make(chan struct{}, 1), half: keep / 2, whole: w, at: time.Now()}
}

// readFrom takes all that r yields, until its end or its deadline.
func (o *output) readFrom(r io.Reader) {
	defer o.whole.close()
	buf := make([]byte, 32<<10)
	for {
		n, err := r.Read(buf)
		if n > 0 {
			o.whole.add(buf[:n])
			o.add(buf[:n])
			select {
			case o.fresh <- struct{}{}:
			default:
			}
		}
		if err != nil {
			return
		}
	}
}

// add takes bytes, at least one.
func (o *output) add(b []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.at = time.Now()
	o.open = b[len(b)-1] != '\n'
	o.size += int64(len(b))
	n := newlines(b)
	o.breaks += n
	o.lines += n
	var cut int
	o.waiting, cut = appendLast(o.waiting, b, maxNews)
	o.missed += int64(cut)
	if n := min(o.half-len(o.head), len(b)); n > 0 {
		o.head = append(o.head, b[:n]...)
		b = b[n:]
	}
	if o.tail, _ = appendLast(o.tail, b, 2*o.half); len(o.tail) == 2*o.half {
		o.tail = append(o.tail[:0], o.tail[o.half:]...)
	}
}

// appendLast appends b to dst and keeps the last max bytes. It returns how many
// it dropped.
func appendLast(dst, b []byte, max int) ([]byte, int) {
	if len(b) >= max {
		return append(dst[:0], b[len(b)-max:]...), len(dst) + len(b) - max
	}
	if drop := len(dst) + len(b) - max; drop > 0 {
		return append(append(dst[:0], dst[drop:]...), b...), drop
	}
	return append(dst, b...), 0
}

// news returns what has come since it was last called, but for a character of
// which only a part is there.
func (o *output) news() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	n := len(o.waiting) - partial(o.waiting)
	text := o.shown(n)
	o.waiting = append(o.waiting[:0], o.waiting[n:]...)
	return text
}

// last returns all that news has not.
func (o *output) last() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	defer func() { o.waiting = nil }()
	return o.shown(len(o.waiting))
}

func (o *output) shown(n int) string {
	text := valid(o.waiting[:n])
	if o.missed > 0 {
		text = fmt.Sprintf("[%d bytes not shown]\n%s", o.missed, text)
		o.missed = 0
	}
	return text
}

// quiet returns how long nothing has come.
func (o *output) quiet() time.Duration {
	o.mu.Lock()
	defer o.mu.Unlock()
	return time.Since(o.at)
}

// count returns how many lines there were in all.
func (o *output) count() int64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.open {
		return o.lines + 1
	}
	return o.lines
}

// take returns what has come since it was last called, as far as it is kept,
// with a note of what is not. Cut says that there is one.
func (o *output) take() (text string, cut bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	defer func() { o.head, o.tail, o.size, o.breaks = nil, nil, 0, 0 }()
	if o.size <= int64(2*o.half) {
		return valid(slices.Concat(o.head, o.tail)), false
	}
	head, tail := firstLines(o.head), lastLines(o.tail[len(o.tail)-o.half:])
	bytesGone := o.size - int64(len(head)+len(tail))
	linesGone := o.breaks - newlines(head) - newlines(tail)
	text = valid(head)
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return fmt.Sprintf("%s[... %d bytes (%d lines) of output left out here ...]\n%s", text, bytesGone, linesGone, valid(tail)), true
}

func newlines(b []byte) int64 { return int64(bytes.Count(b, []byte("\n"))) }

// firstLines cuts b after a line, if that costs less than half of it, or else
// after a character.
func firstLines(b []byte) []byte {
	if i := bytes.LastIndexByte(b, '\n'); i >= len(b)/2 {
		return b[:i+1]
	}
	return b[:len(b)-partial(b)]
}

// lastLines cuts b before a line, if that costs less than half of it, or else
// before a character.
func lastLines(b []byte) []byte {
	if i := bytes.IndexByte(b, '\n'); i >= 0 && i < len(b)/2 {
		return b[i+1:]
	}
	for range utf8.UTFMax - 1 {
		if len(b) > 0 && !utf8.RuneStart(b[0]) {
			b = b[1:]
		}
	}
	return b
}

// partial returns the size of the unfinished character at the end of b.
func partial(b []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(b); n++ {
		if end := b[len(b)-n:]; utf8.RuneStart(end[0]) {
			if utf8.FullRune(end) {
				return 0
			}
			return n
		}
	}
	return 0
}

// valid is b as UTF-8. A run of bytes that are none, or zero, becomes one
// replacement character.
func valid(b []byte) string {
	b = bytes.ReplaceAll(b, []byte{0}, []byte{0xff})
	return strings.ToValidUTF8(string(b), "\uFFFD")
}
