// Package markdown draws text in markdown while it streams in, so that nothing
// flickers or jumps and a frame costs what changed: what has ended is drawn
// once, what is open is drawn again, and at the end all of it is drawn as a
// whole. Glamour draws what is within a line; blocks are laid out here.
package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"agent/internal/tui/ink"
)

// Text is the text of one message, drawn as markdown while it streams in.
//
// A frame costs what changed. Blocks that nothing can change any more are drawn
// once and stay as they are; only what is still open after them is drawn again,
// and past a size even that is drawn plain until it ends. Finish draws the whole
// once more, because a link may be defined after it was used.
//
// It is not safe for use by more than one goroutine.
type Text struct {
	st   *ink.Styles
	raw  strings.Builder // as it came
	held string          // the end of it: a line that is not whole, or what there is beyond maxHeld
	src  []byte          // the rest, sanitised
	done bool

	width int
	fresh bool // lines are those of the text
	lines []string
	live  *stream // how far lines are drawn; nil when finished
}

// maxHeld is the size, in bytes, up to which an unfinished line is kept whole.
const maxHeld = 4 << 10

// New returns an empty Text drawn with st.
func New(st *ink.Styles) *Text { return &Text{st: st} }

// Append adds a streamed piece, which may end anywhere, within a character too.
func (m *Text) Append(text string) {
	if text == "" {
		return
	}
	if m.done {
		whole := m.raw.String() + text
		*m = Text{st: m.st}
		text = whole
	}
	m.raw.WriteString(text)
	m.held += text
	n := strings.LastIndexByte(m.held, '\n') + 1
	if len(m.held)-n > maxHeld {
		n += settled(m.held[n:])
	}
	m.src = append(m.src, ink.Sanitize(m.held[:n])...)
	m.held = m.held[n:]
	m.fresh = false
}

// SetText replaces all text.
func (m *Text) SetText(text string) {
	if text == m.raw.String() {
		return
	}
	*m = Text{st: m.st}
	m.Append(text)
}

// Finish says that the text is whole.
func (m *Text) Finish() {
	if !m.done {
		m.done, m.fresh = true, false
	}
}

// Text returns all text as it came.
func (m *Text) Text() string { return m.raw.String() }

// Lines returns the text drawn within width columns, without blanks at the ends
// of lines. They are valid until the next call of any method, and the caller
// must not modify them.
func (m *Text) Lines(width int) []string {
	width = max(width, 1)
	if m.fresh && m.width == width {
		return m.lines
	}
	if m.done {
		b := newBlocks(m.st)
		if m.live != nil && m.width == width {
			b.now = m.live.kept
		}
		p := parse(newParser(), []byte(ink.Sanitize(m.raw.String())), nil)
		b.begin(p)
		m.lines = b.add(nil, p.units, width)
		m.src, m.held, m.live = nil, "", nil
	} else {
		if m.live == nil || m.width != width {
			m.live = newStream(m.st, width)
		}
		m.lines = m.live.draw(m.src, ink.Sanitize(complete(m.held)))
	}
	m.fresh, m.width = true, width
	return m.lines
}

// settled returns how many bytes of s are sanitised alike whatever follows: all
// before the last character that begins something new. Joiners and marks
// belong to what is before them.
func settled(s string) int {
	for i := len(s); i > 0; {
		r, n := utf8.DecodeLastRuneInString(s[:i])
		i -= n
		before, _ := utf8.DecodeLastRuneInString(s[:i])
		if r != utf8.RuneError && !unicode.IsMark(r) && ink.Drawn(r) && before != ink.ZWJ && before != ink.ZWNJ {
			return i
		}
	}
	return 0
}

// complete returns s without an end that is only half there: of a character,
// of two that are joined, of a newline.
func complete(s string) string {
	s = strings.TrimRight(s, "\r\u200c\u200d")
	for n := 1; n < utf8.UTFMax && n <= len(s); n++ {
		if tail := s[len(s)-n:]; utf8.RuneStart(tail[0]) {
			if !utf8.FullRuneInString(tail) {
				return s[:len(s)-n]
			}
			break
		}
	}
	return s
}
