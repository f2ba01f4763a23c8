package editor

import (
	"maps"
	"strings"

	"agent/internal/tui/editor/text"
	"agent/internal/tui/editor/text/vi"
	"agent/internal/tui/ink"
	"agent/internal/tui/keys"
)

// MaxLines is the number of lines that the editor grows to at most.
const MaxLines = 8

// Editor is the box one types into.
type Editor struct {
	Buffer *text.Buffer
	Vi     *vi.Vi // nil unless the keys are those of vi
	keys   keys.Map
	does   map[keys.Action]func()
	st     *ink.Styles
	Tokens Attachments

	Walk   Walk
	Search *Search // nil unless earlier prompts are searched

	width, limit int
	top          int // the first row that is shown
	Selection    Selection
	held         Selection // what was marked when the key was pressed
	gives        *string   // what was copied and not taken yet
}

// New returns an empty editor, with the keys of vi or without.
func New(keys keys.Map, st *ink.Styles, vim bool) *Editor {
	e := &Editor{keys: keys, st: st, limit: MaxLines}
	e.Buffer = text.New(e.measure)
	if vim {
		e.Vi = vi.New(e.Buffer)
	}
	e.does = e.actions()
	maps.Copy(e.does, e.markings())
	e.Resize(80, MaxLines)
	return e
}

// Restyle draws the editor with st.
func (e *Editor) Restyle(st *ink.Styles) { e.st = st }

// Resize gives the editor the width of the window, and at most limit lines.
func (e *Editor) Resize(width, limit int) {
	e.limit, e.width = max(1, min(limit, MaxLines)), width
	e.Buffer.SetWidth(width - ink.Gutter - 1)
}

// Text is the text with pastes written out.
func (e *Editor) Text() string { return e.Tokens.expand(e.Buffer.String()) }

// Shown is the text as the editor shows it, with the labels of pastes and images.
func (e *Editor) Shown() string { return e.Tokens.write(e.Buffer.String(), (*Piece).Label) }

// Empty reports whether nothing is typed.
func (e *Editor) Empty() bool { return e.Buffer.String() == "" }

// Blank reports whether nothing but blanks is typed.
func (e *Editor) Blank() bool { return strings.TrimSpace(e.Buffer.String()) == "" }

// Set replaces the text, which may have tokens, and can be undone.
func (e *Editor) Set(raw string) {
	e.Buffer.Set(raw)
	e.Tokens.Number(e.Buffer)
	if e.Vi != nil {
		e.Vi.Replaced()
	}
}

// Restore replaces the text by one that was typed or pasted before. What is too
// long becomes a token.
func (e *Editor) Restore(typed string) { e.Set(e.Tokens.collapse(typed, "")) }

// Take empties the editor and returns what was in it, pastes written out.
func (e *Editor) Take() string { return e.TakeAll().Text }

// TakeAll empties the editor and returns all that was in it.
func (e *Editor) TakeAll() Typed {
	raw := e.Buffer.String()
	s := Typed{Text: e.Tokens.expand(raw), Images: e.Tokens.images(raw)}
	e.Walk.Remember(s.Text, raw)
	e.Walk.end()
	e.Buffer.Reset("")
	if e.Vi != nil {
		e.Vi.Begin()
	}
	return s
}

// Paste inserts text. Much of it becomes a token.
func (e *Editor) Paste(pasted string) {
	pasted = UnixLines(pasted)
	e.ReleaseSelection()
	if from, to, ok := e.chosen(); ok {
		e.Buffer.Replace(from, to, "")
	}
	if e.InCommandLine() {
		e.Vi.AskFor(Typable(pasted))
		return
	}
	e.Buffer.Insert(e.Tokens.collapse(pasted, e.Buffer.String()))
	if e.ModeHint() != "" {
		e.Vi.Replaced()
	}
}

// Type inserts text at the cursor as if the user typed it.
func (e *Editor) Type(typed string) {
	if typed = Typable(typed); typed != "" {
		e.Buffer.Type(e.Tokens.Literal(typed))
	}
}

// Revision changes with every change of the text.
func (e *Editor) Revision() int { return e.Buffer.Revision() }

// Newline breaks the line at the cursor.
func (e *Editor) Newline() { e.Buffer.Type("\n") }

// ContinueLine reports whether the letter before the cursor is a backslash, which
// it takes away: enter is to break the line then.
func (e *Editor) ContinueLine() bool {
	if !strings.HasSuffix(e.Buffer.Before(), `\`) {
		return false
	}
	e.Buffer.EraseLeft()
	return true
}

// Typable is typed text without what cannot be typed.
func Typable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x20 && r != '\n' && r != '\t' || r == 0x7f {
			return -1
		}
		return r
	}, strings.ToValidUTF8(UnixLines(s), "\ufffd"))
}

// UnixLines is text whose lines end in newlines alone.
func UnixLines(s string) string {
	if !strings.Contains(s, "\r") {
		return s
	}
	return strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(s)
}
