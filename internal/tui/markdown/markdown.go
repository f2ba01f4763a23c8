// Package markdown draws Markdown, also while it streams in, without flicker.
// Complete blocks are drawn once and only the open end is drawn again; Finish draws
// the complete text. Glamour draws inline content, and this package lays out blocks.
// It never writes to the terminal. Start reading at Text.
package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"agent/internal/tui/ink"
)

// Text is the Markdown text of one message, which may still be streaming.
//
// Blocks that can no longer change are drawn once. Only the open end is drawn again;
// if it is too long, it is drawn as plain text until it ends. Finish draws everything
// again, because a link may be defined after its use.
//
// It is not safe for concurrent use.
type Text struct {
	st   *ink.Styles
	raw  strings.Builder // the original text
	held string          // the incomplete last line, or its end if it exceeds maxHeld
	src  []byte          // the text before held, sanitized
	done bool

	width int
	fresh bool // lines is up to date
	lines []string
	live  *stream              // state of the drawing; nil when finished
	kept  map[drawing][]string // leaves of the text that SetText replaced
}

// maxHeld is the maximum size in bytes of an incomplete line that is held back.
const maxHeld = 4 << 10

// New returns an empty Text with the styles st.
func New(st *ink.Styles) *Text { return &Text{st: st} }

// Append adds a streamed piece, which may end within a character.
func (m *Text) Append(text string) {
	if text == "" {
		return
	}
	if m.done {
		all := m.raw.String() + text
		*m = Text{st: m.st}
		text = all
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

// SetText replaces all text. What the texts have in common is not drawn again when the new
// one is finished.
func (m *Text) SetText(text string) {
	if text == m.raw.String() {
		return
	}
	next := Text{st: m.st}
	if m.live != nil {
		next.kept = m.live.kept
	}
	*m = next
	m.Append(text)
}

// Finish marks the text as complete.
func (m *Text) Finish() {
	if !m.done {
		m.done, m.fresh = true, false
	}
}

// Text returns the original text.
func (m *Text) Text() string { return m.raw.String() }

// Lines returns the text drawn within width columns, without trailing spaces. The
// lines are valid until the next call of any method. The caller must not modify
// them.
func (m *Text) Lines(width int) []string {
	width = max(width, 1)
	if m.fresh && m.width == width {
		return m.lines
	}
	if m.done {
		b := newBlocks(m.st)
		if b.now = m.kept; m.live != nil {
			b.now = m.live.kept
		}
		p := parse(newParser(), []byte(ink.Sanitize(m.raw.String())), nil)
		b.begin(p)
		m.lines = b.add(nil, p.units, width)
		m.src, m.held, m.live, m.kept = nil, "", nil, nil
	} else {
		if m.live == nil || m.width != width {
			m.live = newStream(m.st, width)
		}
		m.lines = m.live.draw(m.src, ink.Sanitize(complete(m.held)))
	}
	m.fresh, m.width = true, width
	return m.lines
}

// settled returns the length of the prefix of s whose sanitized form does not depend
// on what follows: everything before the last character, with its joiners and marks.
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

// complete returns s without an incomplete end: a partial UTF-8 sequence, a joiner or
// a carriage return.
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
