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

// pasteLimit is the size in bytes above which a paste is shown as a token, so that
// the prompt stays readable.
const pasteLimit = 2 << 10

// pasteFloor is the lowest such limit, for an editor that already has much text.
const pasteFloor = 100

// expandLimit is the maximum size in bytes of a paste that can be expanded in the
// editor.
const expandLimit = 256 << 10

// Piece is a paste or an image that one character of the text, a token, stands for.
type Piece struct {
	Name  string // "pasted 312 lines", "shot.png 1200x800"
	no    int    // number of the image, or of a paste with the same name as another; 0 for none
	text  string // the pasted text
	Image *llm.Image
	plain bool // text is a typed character from the range of the tokens
}

// Label returns the text that the editor draws for the token. In the prompt it names an image.
func (t Piece) Label() string {
	switch {
	case t.plain:
		r, _ := utf8.DecodeRuneInString(t.text)
		return ink.EscapeRune(r)
	case t.Image != nil:
		return fmt.Sprintf("[image %d: %s]", t.no, t.Name)
	case t.no > 1:
		return fmt.Sprintf("[%s, no. %d]", t.Name, t.no)
	}
	return "[" + t.Name + "]"
}

// Typed is a prompt with its images, in order.
type Typed struct {
	Text   string
	Images []llm.Image
}

// attachments holds the pastes and images of an editor, by number. They are kept as
// long as the editor, because prompts of the history refer to them.
type attachments struct{ all []Piece }

// add returns the character that stands for t.
func (t *attachments) add(tok Piece) string {
	t.all = append(t.all, tok)
	return string(text.FirstToken + rune(len(t.all)-1))
}

// of returns the piece that r stands for, nil if r is not a token.
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
	return ink.EscapeRune(r)
}

// collapse returns the text to insert for a paste into raw: the paste itself, or a
// token if it is too long.
func (t *attachments) collapse(pasted, raw string) string {
	if len(pasted) <= max(pasteLimit-len(raw), pasteFloor) {
		return t.literal(Typable(pasted))
	}
	return t.pasted(pasted, raw)
}

// pasted returns a new token for a paste into raw.
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

// literal returns typed text with tokens for characters from the range of the tokens.
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

// expand replaces every token in raw by its text. It does not expand tokens in pasted text.
func (t *attachments) expand(raw string) string {
	if strings.IndexFunc(raw, text.IsToken) < 0 {
		return raw
	}
	written, _ := t.spans(raw)
	return written
}

// labeled replaces every token in raw by its label.
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

// spans is like expand, and also returns the ranges of the pastes.
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

// pictures returns the images in raw, in order and without duplicates.
func (t *attachments) pictures(raw string) (all []*Piece) {
	for _, r := range raw {
		if tok := t.of(r); tok != nil && tok.Image != nil && !slices.Contains(all, tok) {
			all = append(all, tok)
		}
	}
	return all
}

// images returns the image data of the images in raw.
func (t *attachments) images(raw string) (all []llm.Image) {
	for _, p := range t.pictures(raw) {
		all = append(all, *p.Image)
	}
	return all
}
