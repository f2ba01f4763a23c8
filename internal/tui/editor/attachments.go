package editor

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"agent/internal/llm"
	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
	"agent/internal/tui/editor/text"
	"agent/internal/tui/ink"
)

// pasteLimit is the size in bytes from which a paste is shown as a token: the
// prompt is to be read at a glance.
const pasteLimit = 2 << 10

// pasteFloor is the same where much is in the editor already.
const pasteFloor = 100

// expandLimit is the size in bytes up to which a token can be written out in
// the editor.
const expandLimit = 256 << 10

// Piece is what one character of the text stands for.
type Piece struct {
	Name  string // "pasted 312 lines", "shot.png 1200x800"
	no    int    // of the image, or of several pastes that look alike; 0 is none
	text  string // what was pasted
	Image *llm.Image
	plain bool // a character that somebody typed, and which is that of a token by chance
}

// Label is how the token is drawn, and what an image is called in the prompt.
func (t Piece) Label() string {
	switch {
	case t.plain:
		r, _ := utf8.DecodeRuneInString(t.text)
		return ink.Spelt(r)
	case t.Image != nil:
		return fmt.Sprintf("[image %d: %s]", t.no, t.Name)
	case t.no > 1:
		return fmt.Sprintf("[%s, no. %d]", t.Name, t.no)
	}
	return "[" + t.Name + "]"
}

// Typed is what the user typed, with the images in it in their order.
type Typed struct {
	Text   string
	Images []llm.Image
}

// attachments are the pastes and images of an editor, by number. They are kept as long as
// the editor: the user can walk back to what was sent.
type attachments struct{ all []Piece }

// add returns the character that stands for t.
func (t *attachments) add(tok Piece) string {
	t.all = append(t.all, tok)
	return string(text.FirstToken + rune(len(t.all)-1))
}

// of returns the token that r is.
func (t *attachments) of(r rune) *Piece {
	if i := int(r - text.FirstToken); text.IsToken(r) && i < len(t.all) {
		return &t.all[i]
	}
	return nil
}

func (t *attachments) label(r rune) string {
	if tok := t.of(r); tok != nil {
		return tok.Label()
	}
	return ink.Spelt(r)
}

// collapse returns text as it goes into the editor beside raw: as it is, or as
// a token where it is too much to read.
func (t *attachments) collapse(pasted, raw string) string {
	if len(pasted) <= max(pasteLimit-len(raw), pasteFloor) {
		return t.literal(Typable(pasted))
	}
	return t.pasted(pasted, raw)
}

// pasted returns the token for what was pasted into raw.
func (t *attachments) pasted(pasted, raw string) string {
	name := "pasted " + phrase.Count(strings.Count(strings.TrimSuffix(pasted, "\n"), "\n")+1, "line")
	no := 1
	for _, r := range raw {
		if tok := t.of(r); tok != nil && tok.Name == name {
			no = max(no, tok.no) + 1
		}
	}
	return t.add(Piece{Name: name, no: no, text: strings.ToValidUTF8(pasted, "\ufffd")})
}

// literal returns typed text in which no character is a token by chance.
func (t *attachments) literal(typed string) string {
	if strings.IndexFunc(typed, text.IsToken) < 0 {
		return typed
	}
	var b strings.Builder
	for _, r := range typed {
		if text.IsToken(r) {
			b.WriteString(t.add(Piece{plain: true, text: string(r)}))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// expand writes out every token in raw. Tokens in pasted text stay.
func (t *attachments) expand(raw string) string {
	if strings.IndexFunc(raw, text.IsToken) < 0 {
		return raw
	}
	written, _ := t.spans(raw)
	return written
}

// labeled writes the label of every token in raw.
func (t *attachments) labeled(raw string) string {
	var b strings.Builder
	for _, r := range raw {
		if tok := t.of(r); tok != nil {
			b.WriteString(tok.Label())
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// spans is expand, with the places of what was pasted.
func (t *attachments) spans(raw string) (string, []event.Span) {
	var b strings.Builder
	var pasted []event.Span
	for _, r := range raw {
		switch tok := t.of(r); {
		case tok == nil:
			b.WriteRune(r)
		case tok.Image != nil:
			b.WriteString(tok.Label())
		case tok.plain:
			b.WriteString(tok.text)
		default:
			pasted = append(pasted, event.Span{From: b.Len(), To: b.Len() + len(tok.text)})
			b.WriteString(tok.text)
		}
	}
	return b.String(), pasted
}

// pictures are the images in raw, in their order; one that is there twice comes
// once.
func (t *attachments) pictures(raw string) (all []*Piece) {
	for _, r := range raw {
		if tok := t.of(r); tok != nil && tok.Image != nil && !slices.Contains(all, tok) {
			all = append(all, tok)
		}
	}
	return all
}

// images are what a model gets of those in raw.
func (t *attachments) images(raw string) (all []llm.Image) {
	for _, p := range t.pictures(raw) {
		all = append(all, *p.Image)
	}
	return all
}
