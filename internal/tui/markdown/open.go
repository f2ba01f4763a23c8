package markdown

import (
	"bytes"
	"strings"

	"agent/internal/tui/ink"
)

// openText draws a block that has not ended piece by piece, so that what is
// drawn of it is drawn once. Within a fence it is code, else plain text.
type openText struct {
	st    *ink.Styles
	width int
	fence *fence // nil for plain text

	lines    []string // of the text up to upTo, which is whole lines
	upTo     int
	searched int // up to here nothing closes the fence

	part   []string // of the text from upTo up to partTo, lines that are full
	partTo int
}

// closed says whether the end of the fence has come in src. Lines of it that
// were searched once are not searched again.
func (o *openText) closed(src []byte) bool {
	for line := range bytes.Lines(src[o.searched:]) {
		if o.fence.closedBy(line) {
			return true
		}
	}
	o.searched = len(src)
	return false
}

// draw returns the lines of src from where the block begins, and of rest, which
// follows it but may yet change. Its last line begins at whole.
func (o *openText) draw(src []byte, whole int, rest string) []string {
	if whole > o.upTo {
		o.lines = append(o.lines, o.drawWhole(src[o.upTo:whole])...)
		o.upTo = whole
		o.part, o.partTo = nil, whole
	}
	o.partTo = max(o.partTo, o.upTo)
	if lines := o.pieces(string(src[o.partTo:])); len(lines) > 1 && o.width > 1 {
		for _, line := range lines[:len(lines)-1] {
			o.part = append(o.part, ink.Draw(line))
			o.partTo += o.taken(line)
		}
	}
	out := append(o.lines[:len(o.lines):len(o.lines)], o.part...)
	end := string(src[o.partTo:]) + rest
	if len(o.part) == 0 && (end == "" || o.fence != nil && strings.Trim(end, " "+string(o.fence.mark)) == "") {
		return out // nothing, or perhaps the end of the fence
	}
	return append(out, drawLines(o.pieces(end))...)
}

// drawWhole draws whole lines. Code is highlighted as far as it can be without
// what is before it.
func (o *openText) drawWhole(text []byte) []string {
	if o.fence == nil {
		return ink.Wrap(string(bytes.TrimSuffix(text, []byte("\n"))), o.width)
	}
	var code strings.Builder
	for line := range bytes.Lines(text) {
		code.Write(o.fence.strip(line))
	}
	return drawCode(o.st.Highlight(code.String(), o.fence.language), o.width)
}

// pieces breaks a line that is not whole as drawWhole will.
func (o *openText) pieces(text string) [][]ink.Span {
	if o.fence == nil {
		return ink.WrapSpans([]ink.Span{{Text: text}}, o.width)
	}
	return cutCode([]ink.Span{{Text: text}}, o.width)
}

// taken returns how many bytes of the text are in a line of pieces.
func (o *openText) taken(line []ink.Span) int {
	n := 0
	for _, sp := range line {
		n += len(sp.Text)
	}
	if o.fence != nil && o.width >= minWidth {
		n -= codeIndent
	}
	return n
}
