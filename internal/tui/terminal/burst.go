package terminal

import (
	"bytes"
	"time"

	"github.com/charmbracelet/x/ansi"
)

// burstWait is how long Read waits for more of a text that could be pasted. Nobody types
// that fast.
const burstWait = 10 * time.Millisecond

// PasteEnter is a paste without markers that ended in Enter.
type PasteEnter struct{ Content string }

// mayBurst reports whether in could be the beginning of a paste on a terminal that does
// not mark pastes: a line end, with text in the same read or shortly before. The caller
// then waits for more. A key that is typed alone never waits. After a marked paste,
// nothing is a burst.
func (p *pastes) mayBurst(in []byte) bool {
	now := p.now()
	near := now.Sub(p.read) < burstWait
	p.read = now
	return !p.marked && p.matched == 0 && !p.inside && (near || len(in) > 1) && bytes.ContainsAny(in, "\r\n")
}

// isBurst reports whether in is pasted: it has text after a line end, or several line
// ends. Escape sequences are keys or replies of the terminal.
func isBurst(in []byte) bool {
	ends := 0
	for len(in) > 0 {
		n := 1
		switch c := in[0]; {
		case bytes.HasPrefix(in, []byte(ansi.BracketedPasteStart)):
			return false
		case c == ansi.ESC && len(in) > 1 && (in[1] == '\r' || in[1] == '\n'): // alt+enter
			n = 2
		case c == ansi.ESC:
			_, _, n, _ = ansi.DecodeSequence(in, ansi.NormalState, nil)
		case bytes.HasPrefix(in, []byte("\r\n")):
			n = 2
			ends++
		case c == '\r' || c == '\n':
			ends++
		case ends > 0 && (c >= ' ' && c != 0x7f || c == '\t'):
			return true
		}
		in = in[max(n, 1):]
	}
	return ends > 1
}

// burst stores in as a complete paste and appends its markers to out, with what follows a
// ctrl+c, which is no text.
func (p *pastes) burst(out, in []byte) []byte {
	in, keys, interrupted := bytes.Cut(in, []byte("\x03"))
	text := pasted{held: [][]byte{in}, size: len(in)}
	if line, ok := cutLineEnd(in); ok && !interrupted {
		text = pasted{held: [][]byte{line}, size: len(line), enter: true}
	}
	p.mu.Lock()
	p.ended = append(p.ended, text)
	p.mu.Unlock()
	out = append(out, ansi.BracketedPasteStart+ansi.BracketedPasteEnd...)
	if interrupted {
		out = append(out, '\x03')
		out = append(out, keys[:min(len(keys), maxKeys)]...)
	}
	return out
}

// maxKeys limits the keys after a burst, in bytes, so that they fit into one read.
const maxKeys = 64

// cutLineEnd returns text without the line end at its end.
func cutLineEnd(text []byte) ([]byte, bool) {
	for _, end := range []string{"\r\n", "\r", "\n"} {
		if line, ok := bytes.CutSuffix(text, []byte(end)); ok {
			return line, true
		}
	}
	return text, false
}

// reader is what gather reads from.
type reader interface {
	Read(p []byte) (int, error)
	more(d time.Duration) bool // whether there is more to read within d
}

// gather returns the n bytes in buf, which may be a burst, with what follows without a
// pause. Until it is a burst, it reads no more than fits into buf.
func gather(r reader, buf []byte, n int) (in []byte, isPaste bool) {
	for isPaste = isBurst(buf[:n]); !isPaste && n < len(buf) && r.more(burstWait); isPaste = isBurst(buf[:n]) {
		more, err := r.Read(buf[n:])
		if n += more; err != nil || more == 0 {
			break
		}
	}
	if !isPaste {
		return buf[:n], false
	}
	in = bytes.Clone(buf[:n])
	for len(in) <= PasteLimit && r.more(burstWait) {
		more, err := r.Read(buf)
		if in = append(in, buf[:more]...); err != nil || more == 0 {
			break
		}
	}
	return in, true
}
