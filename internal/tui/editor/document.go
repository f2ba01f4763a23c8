package editor

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"agent/internal/tui/editor/text"
	"agent/internal/tui/editor/text/vi"
	"agent/internal/tui/ink"
)

// document is the text of an editor, with the pastes and images that stand in it
// as one character each.
type document struct {
	*text.Buffer
	attachments
	mode Mode
}

// newDocument returns an empty document, with the keys of vi or without.
func newDocument(vim bool) *document {
	d := &document{}
	d.Buffer = text.New(d.measure)
	if vim {
		d.mode = Mode{vi.New(d.Buffer)}
	}
	return d
}

// set replaces the text, which may have tokens, and can be undone.
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

// number counts the images in the text from its start, so that they are called by
// the numbers under which the model finds them.
func (d *document) number() {
	if len(d.all) == 0 {
		return
	}
	changed := false
	for i, p := range d.pictures(d.String()) {
		changed = changed || p.no != i+1
		p.no = i + 1
	}
	if changed {
		d.Redraw()
	}
}

// expandToken writes out the paste before the caret, or at it, where it is not
// too long to be edited here.
func (d *document) expandToken() {
	raw, at := d.String(), d.Caret()
	r, n := utf8.DecodeLastRuneInString(raw[:at])
	from, to := at-n, at
	if d.of(r) == nil {
		r, n = utf8.DecodeRuneInString(raw[at:])
		from, to = at, at+n
	}
	tok := d.of(r)
	if tok == nil || tok.plain || tok.Image != nil || len(tok.text) > expandLimit {
		return
	}
	d.Replace(from, to, d.literal(Typable(tok.text)))
}

// measure implements text.Measure.
func (d *document) measure(character, rest string) (string, int) {
	r, n := utf8.DecodeRuneInString(character)
	switch {
	case text.IsToken(r):
		label := d.label(r)
		return label, ansi.StringWidth(label)
	case character == "\t":
		return "    "[:ink.TabStop], ink.TabStop
	case n == len(character) && r >= ' ' && r < 0x7f:
		return character, 1
	}
	following, _ := utf8.DecodeRuneInString(rest)
	drawn := ink.Sanitize(character)
	if last, _ := utf8.DecodeLastRuneInString(character); last == ink.ZWNJ && ink.Joinable(following) {
		drawn = strings.TrimSuffix(ink.Sanitize(character+string(following)), string(following))
	}
	return drawn, ansi.StringWidth(drawn)
}
