package editor

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"agent/internal/tui/editor/text"
	"agent/internal/tui/editor/text/emacs"
	"agent/internal/tui/editor/text/vi"
	"agent/internal/tui/ink"
)

// document is the text of an editor, with pastes and images as tokens of one
// character each.
type document struct {
	*text.Buffer
	emacs  *emacs.Emacs
	pieces attachments
	mode   Mode
}

// newDocument returns an empty document, with vi keys or without.
func newDocument(vim bool) *document {
	d := &document{}
	d.Buffer = text.New(d.measure)
	kills := &text.Kills{}
	d.emacs = emacs.New(d.Buffer, kills)
	if vim {
		d.mode = Mode{vi.New(d.Buffer, kills)}
	}
	return d
}

// set replaces the text, which may have tokens. It can be undone.
func (d *document) set(raw string) {
	d.Buffer.Set(raw)
	d.number()
	d.mode.replaced()
}

// moveTo moves the caret.
func (d *document) moveTo(at int) {
	d.Buffer.MoveTo(at)
	d.mode.moved()
}

// number numbers the images in the order of the text, which is the order in which
// the model gets them.
func (d *document) number() {
	if len(d.pieces.all) == 0 {
		return
	}
	changed := false
	for i, p := range d.pieces.pictures(d.String()) {
		changed = changed || p.no != i+1
		p.no = i + 1
	}
	if changed {
		d.Redraw()
	}
}

// expandToken expands the paste before or at the caret if it is not too long.
func (d *document) expandToken() {
	raw, at := d.String(), d.Caret()
	r, n := utf8.DecodeLastRuneInString(raw[:at])
	from, to := at-n, at
	if d.pieces.of(r) == nil {
		r, n = utf8.DecodeRuneInString(raw[at:])
		from, to = at, at+n
	}
	tok := d.pieces.of(r)
	if tok == nil || tok.plain || tok.Image != nil || len(tok.text) > expandLimit {
		return
	}
	d.Replace(from, to, d.pieces.literal(Typable(tok.text)))
}

// measure implements text.Measure.
func (d *document) measure(character, rest string) (string, int) {
	r, n := utf8.DecodeRuneInString(character)
	switch {
	case text.IsToken(r):
		label := d.pieces.label(r)
		return label, ansi.StringWidth(label)
	case character == "\t":
		return "    "[:ink.TabStop], ink.TabStop
	case n == len(character) && r >= ' ' && r < 0x7f:
		return character, 1
	}
	following, _ := utf8.DecodeRuneInString(rest)
	drawn := ink.Sanitize(character)
	if last, _ := utf8.DecodeLastRuneInString(character); last == ink.ZWNJ && ink.UsesJoiners(following) {
		drawn = strings.TrimSuffix(ink.Sanitize(character+string(following)), string(following))
	}
	return drawn, ansi.StringWidth(drawn)
}
