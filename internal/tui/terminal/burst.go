package terminal

import (
	"bytes"
	"time"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// The pauses in a text that could be pasted, for which Read waits.
const (
	// burstWait is the longest pause after which a key is taken for pasted text. Nobody types
	// that fast.
	burstWait = 10 * time.Millisecond
	// lineWait is the longest pause between lines that come as a whole, as on a slow connection.
	lineWait = 100 * time.Millisecond
	// quick is the longest pause between characters that come quickSize times in a row. A key
	// that is held down repeats more slowly.
	quick     = 30 * time.Millisecond
	quickSize = 3
)

// PasteEnter is a paste without markers that ended in Enter.
type PasteEnter struct{ Content string }

// mayBurst reports whether in could be the beginning of a paste on a terminal that does
// not mark pastes: a line end, with text in the same read or shortly before. The caller
// then waits for more. A key that is typed alone never waits. After a marked paste,
// nothing is a burst.
func (p *pastes) mayBurst(in []byte) bool {
	now := p.now()
	since := now.Sub(p.read)
	p.read = now
	if p.quick++; since > quick {
		p.quick = 0
	}
	near := since < burstWait || p.isQuick()
	return !p.marked && p.matched == 0 && !p.inside && (near || len(in) > 1) && bytes.ContainsAny(in, "\r\n")
}

// isQuick reports whether the last reads came faster than anybody types.
func (p *pastes) isQuick() bool { return p.quick >= quickSize }

// isBurst reports whether in is pasted: it has text after a line end, several line ends, or a
// control character after the beginning of a line. Escape sequences are keys or replies of the
// terminal.
func isBurst(in []byte) bool {
	ends, text, control := 0, false, false
	for len(in) > 0 {
		n := 1
		switch c := in[0]; {
		case bytes.HasPrefix(in, []byte(ansi.BracketedPasteStart)):
			return false
		case c == ansi.ESC && len(in) > 1 && (in[1] == '\r' || in[1] == '\n'): // alt+enter
			n = 2
		case bytes.HasPrefix(in, []byte("\x1b\x1b")):
			control = control || text
		case c == ansi.ESC:
			_, _, n, _ = ansi.DecodeSequence(in, ansi.NormalState, nil)
		case bytes.HasPrefix(in, []byte("\r\n")):
			n = 2
			ends++
		case c == '\r' || c == '\n':
			ends++
		case c < ' ' && c != '\t' || c == 0x7f:
			control = control || text
		case ends > 0:
			return true
		default:
			text = true
		}
		in = in[max(n, 1):]
	}
	return ends > 1 || ends > 0 && control
}

// burst stores in as a complete paste and appends its markers to out, with a ctrl+c at the end.
// All other control characters are text.
func (p *pastes) burst(out, in []byte) []byte {
	in, interrupted := bytes.CutSuffix(in, []byte("\x03"))
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
	}
	return out
}

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
// pause. Until it is a burst, it reads no more than fits into buf. If isQuick, also single keys
// that follow a line after a pause belong to it.
func gather(r reader, buf []byte, n int, isQuick bool) (in []byte, isPaste bool) {
	line := isQuick || n > 1
	for isPaste = isBurst(buf[:n]); !isPaste && n < len(buf); isPaste = isBurst(buf[:n]) {
		late := !r.more(burstWait)
		if late && !(line && r.more(lineWait-burstWait)) {
			break
		}
		more, err := r.Read(buf[n:])
		key := late && !isQuick && isKey(buf[n:n+more])
		if n += more; err != nil || more == 0 || key {
			return buf[:n], false
		}
	}
	if !isPaste {
		return buf[:n], false
	}
	in = bytes.Clone(buf[:n])
	for len(in) <= PasteLimit && r.more(lineWait) {
		more, err := r.Read(buf)
		if in = append(in, buf[:more]...); err != nil || more == 0 {
			break
		}
	}
	return in, true
}

// isKey reports whether in is one key.
func isKey(in []byte) bool {
	_, size := utf8.DecodeRune(in)
	return size == len(in) || in[0] == ansi.ESC
}
