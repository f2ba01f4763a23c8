package tui

import (
	"maps"
	"strings"

	"agent/internal/tui/editor/text"
	"agent/internal/tui/editor/text/vi"
	"agent/internal/tui/ink"
	"agent/internal/tui/keys"
)

const editorLines = 8 // that the editor grows to at most

// editor is the box one types into.
type editor struct {
	buf    *text.Buffer
	vi     *vi.Vi // nil unless the keys are those of vi
	keys   keys.Map
	does   map[keys.Action]func()
	st     *ink.Styles
	tokens tokens

	walk   walk
	search *search // nil unless earlier prompts are searched

	width, limit int
	top          int // the first row that is shown
	swept        sweep
	held         sweep   // what was marked when the key was pressed
	gives        *string // what was copied and not taken yet
}

// newEditor returns an empty editor, with the keys of vi or without.
func newEditor(keys keys.Map, st *ink.Styles, vim bool) *editor {
	e := &editor{keys: keys, st: st, limit: editorLines}
	e.buf = text.New(e.measure)
	if vim {
		e.vi = vi.New(e.buf)
	}
	e.does = e.actions()
	maps.Copy(e.does, e.markings())
	e.resize(80, editorLines)
	return e
}

// restyle draws the editor with st.
func (e *editor) restyle(st *ink.Styles) { e.st = st }

// resize gives the editor the width of the window, and at most limit lines.
func (e *editor) resize(width, limit int) {
	e.limit, e.width = max(1, min(limit, editorLines)), width
	e.buf.SetWidth(width - ink.Gutter - 1)
}

// whole is the text with pastes written out.
func (e *editor) whole() string { return e.tokens.expand(e.buf.String()) }

// empty reports whether nothing is typed.
func (e *editor) empty() bool { return e.buf.String() == "" }

// blank reports whether nothing but blanks is typed.
func (e *editor) blank() bool { return strings.TrimSpace(e.buf.String()) == "" }

// set replaces the text, which may have tokens, and can be undone.
func (e *editor) set(raw string) {
	e.buf.Set(raw)
	e.tokens.number(e.buf)
	if e.vi != nil {
		e.vi.Replaced()
	}
}

// restore replaces the text by one that was typed or pasted before. What is too
// long becomes a token.
func (e *editor) restore(typed string) { e.set(e.tokens.collapse(typed, "")) }

// take empties the editor and returns what was in it, pastes written out.
func (e *editor) take() string { return e.takeAll().text }

// takeAll empties the editor and returns all that was in it.
func (e *editor) takeAll() typing {
	raw := e.buf.String()
	s := typing{text: e.tokens.expand(raw), images: e.tokens.images(raw)}
	e.walk.remember(s.text, raw)
	e.walk.end()
	e.buf.Reset("")
	if e.vi != nil {
		e.vi.Begin()
	}
	return s
}

// paste inserts text. Much of it becomes a token.
func (e *editor) paste(pasted string) {
	pasted = unixLines(pasted)
	e.release()
	if from, to, ok := e.chosen(); ok {
		e.buf.Replace(from, to, "")
	}
	if e.asks() {
		e.vi.AskFor(tidy(pasted))
		return
	}
	e.buf.Insert(e.tokens.collapse(pasted, e.buf.String()))
	if e.mode() != "" {
		e.vi.Replaced()
	}
}

// newline breaks the line at the cursor.
func (e *editor) newline() { e.buf.Type("\n") }

// continued reports whether the letter before the cursor is a backslash, which
// it takes away: enter is to break the line then.
func (e *editor) continued() bool {
	if !strings.HasSuffix(e.buf.Before(), `\`) {
		return false
	}
	e.buf.EraseLeft()
	return true
}

// tidy is typed text without what cannot be typed.
func tidy(s string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x20 && r != '\n' && r != '\t' || r == 0x7f {
			return -1
		}
		return r
	}, strings.ToValidUTF8(unixLines(s), "\ufffd"))
}

// unixLines is text whose lines end in newlines alone.
func unixLines(s string) string {
	if !strings.Contains(s, "\r") {
		return s
	}
	return strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(s)
}
