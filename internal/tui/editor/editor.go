package editor

import (
	"maps"
	"strings"

	"agent/internal/tui/ink"
	"agent/internal/tui/keys"
)

// MaxLines is the maximum height of the prompt and of a comment in lines.
const MaxLines = 8

// Editor is the input box.
type Editor struct {
	History   History
	Selection Selection
	Mode      Mode

	doc  *document
	keys keys.Map
	does map[keys.Action]func()
	st   *ink.Styles

	width, limit int
	top          int // the first visible row
}

// New returns an empty editor, with vi keys if vim is set.
func New(keys keys.Map, st *ink.Styles, vim bool) *Editor {
	d := newDocument(vim)
	e := &Editor{doc: d, keys: keys, st: st, Mode: d.mode, History: History{doc: d, keys: keys}, Selection: Selection{doc: d}}
	e.does = d.actions()
	maps.Copy(e.does, e.Selection.actions())
	e.Resize(80, MaxLines)
	return e
}

// Restyle sets the styles of the editor.
func (e *Editor) Restyle(st *ink.Styles) { e.st = st }

// Resize sets the width of the window and the maximum height of the editor in lines.
func (e *Editor) Resize(width, limit int) {
	e.limit, e.width = max(1, limit), width
	e.doc.Rows().SetWidth(width - ink.Gutter - 1)
}

// Text returns the text with pastes expanded.
func (e *Editor) Text() string { return e.doc.pieces.expand(e.Raw()) }

// Shown returns the text with the labels of pastes and images, as it is drawn.
func (e *Editor) Shown() string { return e.doc.pieces.labeled(e.Raw()) }

// Raw returns the text with one token for each paste and image.
func (e *Editor) Raw() string { return e.doc.String() }

// Revision changes with every change of the text.
func (e *Editor) Revision() int { return e.doc.Revision() }

// Caret returns the offset of the caret in Raw.
func (e *Editor) Caret() int { return e.doc.Caret() }

// Before returns the part of the caret's line before the caret, as in Raw.
func (e *Editor) Before() string { return e.doc.Before() }

// MoveToEnd moves the caret to the end of the text.
func (e *Editor) MoveToEnd() { e.doc.MoveTo(len(e.Raw())) }

// CaretRow returns the row of the caret.
func (e *Editor) CaretRow() int {
	row, _ := e.doc.Rows().Locate(e.Caret())
	return row
}

// Empty reports whether the editor is empty.
func (e *Editor) Empty() bool { return e.Raw() == "" }

// Blank reports whether the editor has only whitespace.
func (e *Editor) Blank() bool { return strings.TrimSpace(e.Raw()) == "" }

// Set replaces the text, given as in Raw. It can be undone.
func (e *Editor) Set(raw string) { e.doc.set(raw) }

// Load replaces the text by a document without tokens, which cannot be undone, and moves
// the caret to its beginning.
func (e *Editor) Load(document string) {
	e.doc.set(e.doc.pieces.literal(Typable(document)))
	e.doc.moveTo(0)
	e.doc.Forget()
}

// MoveRows moves the caret down by that many rows, up if negative.
func (e *Editor) MoveRows(by int) {
	for ; by < 0 && e.doc.Up(); by++ {
	}
	for ; by > 0 && e.doc.Down(); by-- {
	}
	e.Mode.moved()
}

// Restore replaces the text by typed or pasted text. Long text becomes a token.
func (e *Editor) Restore(typed string) { e.Set(e.doc.pieces.collapse(typed, "")) }

// Take empties the editor and returns its content.
func (e *Editor) Take() Typed {
	raw := e.Raw()
	s := Typed{Text: e.doc.pieces.expand(raw), Images: e.doc.pieces.images(raw)}
	e.History.saveTokens(s.Text, raw)
	e.History.end()
	e.doc.Reset("")
	e.Mode.Begin()
	return s
}

// RestorePrompt restores a prompt with its own images. Another prompt with the same text
// may have had other images.
func (e *Editor) RestorePrompt(s Typed) {
	raw := e.History.WithTokens(s.Text)
	if !SameImages(e.doc.pieces.images(raw), s.Images) {
		raw = e.doc.pieces.withTokens(s)
	}
	e.Set(raw)
}

// Prepend inserts an earlier prompt above the text.
func (e *Editor) Prepend(text string) {
	before := e.History.WithTokens(text)
	if !e.Blank() {
		before += "\n" + e.Raw()
	}
	e.History.end()
	e.Set(before)
}

// Paste inserts pasted text. Long text becomes a token.
func (e *Editor) Paste(pasted string) {
	pasted = UnixLines(pasted)
	e.Selection.Release()
	if from, to, ok := e.Selection.chosen(); ok {
		e.doc.Replace(from, to, "")
	}
	if e.Mode.InCommandLine() {
		e.Mode.vi.AskFor(Typable(pasted))
		return
	}
	e.doc.Insert(e.doc.pieces.collapse(pasted, e.Raw()))
	if e.Mode.Hint() != "" {
		e.Mode.replaced()
	}
}

// Type inserts text at the cursor as if the user typed it.
func (e *Editor) Type(typed string) {
	if typed = Typable(typed); typed != "" {
		e.doc.Type(e.doc.pieces.literal(typed))
	}
}

// Complete replaces the text between two offsets and moves the caret to its end.
func (e *Editor) Complete(from, to int, typed string) {
	e.doc.MoveTo(to)
	e.doc.Replace(from, to, e.doc.pieces.literal(Typable(typed)))
}

// Attach replaces the last occurrence of path by an image, or inserts the image at
// the cursor if path is empty.
func (e *Editor) Attach(path string, p Piece) {
	if path == "" {
		e.doc.Insert(e.doc.pieces.add(p))
	} else if at := strings.LastIndex(e.Raw(), path); at >= 0 {
		e.doc.Replace(at, at+len(path), e.doc.pieces.add(p))
	}
	e.doc.number()
}

// Newline breaks the line at the cursor.
func (e *Editor) Newline() { e.doc.Type("\n") }

// ContinueLine removes a backslash before the cursor and reports whether there was
// one. Enter then inserts a newline.
func (e *Editor) ContinueLine() bool {
	if !strings.HasSuffix(e.Before(), `\`) {
		return false
	}
	e.doc.EraseLeft()
	return true
}

// Click moves the caret to a cell of the editor and starts a selection there. A
// double click selects the word, a triple click the line.
func (e *Editor) Click(x, y, clicks int) {
	if e.History.Searching() {
		e.History.endSearch(false)
		y--
	}
	at := e.offsetAt(x, y)
	e.doc.moveTo(at)
	e.Selection.begin(at, clicks)
}

// Drag extends the selection to a cell and scrolls if the cell is not visible.
func (e *Editor) Drag(x, y int) {
	at := e.offsetAt(x, y)
	e.Selection.now.to = at
	e.doc.moveTo(at)
}

// PlaceCaret moves the caret to a cell of the editor.
func (e *Editor) PlaceCaret(x, y int) { e.doc.moveTo(e.offsetAt(x, y)) }

// offsetAt returns the offset nearest to a cell of the editor.
func (e *Editor) offsetAt(x, y int) int {
	row := max(0, min(e.top+y, e.doc.Rows().Count()-1))
	return e.doc.Rows().Offset(row, max(x-ink.Gutter, 0))
}

// TakeCopied returns the text for the clipboard since the last call, with pastes expanded.
func (e *Editor) TakeCopied() (text string, ok bool) {
	s := &e.Selection
	if s.copied == nil {
		return "", false
	}
	text, s.copied = *s.copied, nil
	return text, true
}

// Typable returns s without control characters and invalid UTF-8, with Unix line ends.
func Typable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x20 && r != '\n' && r != '\t' || r == 0x7f {
			return -1
		}
		return r
	}, strings.ToValidUTF8(UnixLines(s), "\ufffd"))
}

// UnixLines converts the line ends of s to newlines.
func UnixLines(s string) string {
	if !strings.Contains(s, "\r") {
		return s
	}
	return strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(s)
}
