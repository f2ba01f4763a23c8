package editor

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"agent/internal/llm"
	"agent/internal/loop/event"
	"agent/internal/tui/editor/text"
)

// RestoreDraft shows a saved draft, with tokens for its pastes and images.
func (e *Editor) RestoreDraft(d event.Draft) {
	raw, at, no, first := "", 0, 1, len(e.doc.pieces.all)
	add := func(typed string) {
		var more string
		more, no = e.doc.pieces.pictured(typed, raw, d.Images, no)
		raw += more
	}
	for _, p := range d.Pasted {
		if p.From < at || p.To < p.From || p.To > len(d.Text) {
			break
		}
		add(d.Text[at:p.From])
		raw += e.doc.pieces.pasted(d.Text[p.From:p.To], raw)
		at = p.To
	}
	add(d.Text[at:])
	e.Set(e.doc.pieces.again(raw, first))
	e.doc.Forget()
}

// pictured is collapse for a text with labels of images, which are numbered from no
// on. It returns the number of the next image.
func (t *attachments) pictured(typed, raw string, images []llm.Image, no int) (string, int) {
	var out string
	for no <= len(images) {
		before, rest, found := strings.Cut(typed, fmt.Sprintf("[image %d: ", no))
		name, after, closed := strings.Cut(rest, "]")
		if !found || !closed {
			break
		}
		if before != "" {
			out += t.collapse(before, raw+out)
		}
		out += t.add(Piece{Name: name, no: no, Image: &images[no-1]})
		typed, no = after, no+1
	}
	return out + t.collapse(typed, raw+out), no
}

// withTokens returns the text of s with tokens for its images.
func (t *attachments) withTokens(s Typed) string {
	first := len(t.all)
	raw, _ := t.pictured(s.Text, "", s.Images, 1)
	return t.again(raw, first)
}

// again replaces further labels of the images, from token number first on, by their
// tokens, because a prompt can contain an image twice.
func (t *attachments) again(raw string, first int) string {
	for i, tok := range t.all[first:] {
		if tok.Image != nil {
			raw = strings.ReplaceAll(raw, tok.Label(), string(text.FirstToken+rune(first+i)))
		}
	}
	return raw
}

// Draft returns the content of the editor, or an empty draft if it is blank.
func (e *Editor) Draft() event.Draft {
	if e.Blank() {
		return event.Draft{}
	}
	raw := e.doc.String()
	text, pasted := e.doc.pieces.spans(raw)
	return event.Draft{Text: text, Images: e.doc.pieces.images(raw), Pasted: pasted}
}

// SameImages reports whether a and b are the same images in the same order.
func SameImages(a, b []llm.Image) bool {
	return slices.EqualFunc(a, b, func(a, b llm.Image) bool { return bytes.Equal(a.Data, b.Data) })
}

// ReplaceAll replaces the text by text from an external editor. Pastes stay
// expanded; labels of images become their tokens again.
func (e *Editor) ReplaceAll(text string) {
	if len(text) > expandLimit {
		e.Restore(text)
		return
	}
	var pairs []string
	for _, r := range e.doc.String() {
		if p := e.doc.pieces.of(r); p != nil && p.Image != nil {
			pairs = append(pairs, p.Label(), string(r))
		}
	}
	text = e.doc.pieces.literal(Typable(text))
	e.Set(strings.NewReplacer(pairs...).Replace(text))
}
