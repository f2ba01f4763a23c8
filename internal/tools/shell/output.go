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

	"agent/internal/llm/marker"
)

// maxProgress is the maximum number of bytes per call of Progress.
const maxProgress = 16 << 10

// output keeps the beginning and the end of the output of a command.
type output struct {
	arrived chan struct{} // has a token if output arrived
	file    *outputFile

	mu          sync.Mutex
	progress    progressFilter
	half        int    // maximum size of head, and of the kept part of tail
	head        []byte // first bytes since the last drain, without repeated progress
	tail        []byte // last bytes after head, plus some before them, without repeated progress
	size        int64  // bytes since the last drain, without repeated progress
	newlines    int64  // newlines since the last drain, without repeated progress
	lines       int64  // newlines in total
	partialLine bool   // the last line has no newline yet
	lastWrite   time.Time
	unseen      []byte // not yet passed to Progress
	skipped     int64  // bytes dropped from unseen
}

func newOutput(keep int, w *outputFile) *output {
	return &output{arrived: make(chan struct{}, 1), half: keep / 2, file: w, lastWrite: time.Now()}
}

// readFrom reads r until its end or deadline.
func (o *output) readFrom(r io.Reader) {
	defer o.file.close()
	buf := make([]byte, 32<<10)
	for {
		n, err := r.Read(buf)
		if n > 0 {
			o.file.add(buf[:n])
			o.add(buf[:n])
			select {
			case o.arrived <- struct{}{}:
			default:
			}
		}
		if err != nil {
			return
		}
	}
}

// add adds b, which is not empty.
func (o *output) add(b []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.lastWrite = time.Now()
	o.partialLine = b[len(b)-1] != '\n'
	o.lines += newlines(b)
	var cut int
	o.unseen, cut = appendLast(o.unseen, b, maxProgress)
	o.skipped += int64(cut)
	o.keep(o.progress.add(b))
}

// keep adds filtered output to head and tail.
func (o *output) keep(b []byte) {
	o.size += int64(len(b))
	o.newlines += newlines(b)
	if n := min(o.half-len(o.head), len(b)); n > 0 {
		o.head = append(o.head, b[:n]...)
		b = b[n:]
	}
	if o.tail, _ = appendLast(o.tail, b, 2*o.half); len(o.tail) == 2*o.half {
		o.tail = append(o.tail[:0], o.tail[o.half:]...)
	}
}

// appendLast appends b to dst and keeps the last max bytes. It returns the number
// of dropped bytes.
func appendLast(dst, b []byte, max int) ([]byte, int) {
	if len(b) >= max {
		return append(dst[:0], b[len(b)-max:]...), len(dst) + len(b) - max
	}
	if drop := len(dst) + len(b) - max; drop > 0 {
		return append(append(dst[:0], dst[drop:]...), b...), drop
	}
	return append(dst, b...), 0
}

// takeNew returns the output since the last call, without an incomplete character
// at its end.
func (o *output) takeNew() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	n := len(o.unseen) - partial(o.unseen)
	text := o.format(n)
	o.unseen = append(o.unseen[:0], o.unseen[n:]...)
	return text
}

// takeRest returns all output that takeNew has not returned.
func (o *output) takeRest() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	defer func() { o.unseen = nil }()
	return o.format(len(o.unseen))
}

func (o *output) format(n int) string {
	text := valid(o.unseen[:n])
	if o.skipped > 0 {
		text = fmt.Sprintf("[%d bytes not shown]\n%s", o.skipped, text)
		o.skipped = 0
	}
	return text
}

// idle returns the time since the last output.
func (o *output) idle() time.Duration {
	o.mu.Lock()
	defer o.mu.Unlock()
	return time.Since(o.lastWrite)
}

// count returns the total number of lines.
func (o *output) count() int64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.partialLine {
		return o.lines + 1
	}
	return o.lines
}

// drain returns the output since the last call, without repeated progress, and truncated
// in the middle with a note if it is too long. cut reports whether it lacks
// something.
func (o *output) drain() (text string, cut bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	defer func() { o.head, o.tail, o.size, o.newlines = nil, nil, 0, 0 }()
	rest, removed := o.progress.flush()
	o.keep(rest)
	if o.size <= int64(2*o.half) {
		return valid(slices.Concat(o.head, o.tail)), removed
	}
	head, tail := firstLines(o.head), lastLines(o.tail[len(o.tail)-o.half:])
	bytesGone := o.size - int64(len(head)+len(tail))
	linesGone := o.newlines - newlines(head) - newlines(tail)
	text = valid(head)
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text + marker.Note("%d bytes (%d lines) of output", bytesGone, linesGone) + "\n" + valid(tail), true
}

func newlines(b []byte) int64 { return int64(bytes.Count(b, []byte("\n"))) }

// firstLines removes the incomplete last line of b, or, if that is more than half
// of b, only an incomplete character.
func firstLines(b []byte) []byte {
	if i := bytes.LastIndexByte(b, '\n'); i >= len(b)/2 {
		return b[:i+1]
	}
	return b[:len(b)-partial(b)]
}

// lastLines removes the incomplete first line of b, or, if that is more than half
// of b, only an incomplete character.
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

// partial returns the size of the incomplete character at the end of b.
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

// valid returns b as UTF-8. Each run of invalid or zero bytes becomes one
// replacement character.
func valid(b []byte) string {
	b = bytes.ReplaceAll(b, []byte{0}, []byte{0xff})
	return strings.ToValidUTF8(string(b), "\uFFFD")
}
